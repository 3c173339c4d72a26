/* SPDX-License-Identifier: Apache-2.0 */
#include "farm/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "farm/tree.h"

const char farm_manifest_schema[] = "oamqual-farm-manifest/1";

json_t *farm_artifact(const char *kind, const char *path, struct error *err)
{
	struct tree_digest digest;

	if (tree_digest(path, &digest, err) != 0) {
		error_prefix(err, "%s", kind);
		return NULL;
	}
	return json_pack("{s:s, s:o, s:s, s:s, s:I, s:I}", "kind", kind, "path",
		json_printable_text(path), "form", digest.is_folder ? "folder" : "file", "sha256",
		digest.sha256, "bytes", (json_int_t)digest.bytes, "files",
		(json_int_t)digest.files);
}

/* Why it is not the same; NULL when it is. The caller frees. */
static char *differs(const json_t *artifact)
{
	const char *path = json_text(artifact, "path", ""),
		   *wanted = json_text(artifact, "sha256", "");
	bool folder = strcmp(json_text(artifact, "form", ""), "folder") == 0;
	struct tree_digest digest;
	struct error err;

	if (tree_digest(path, &digest, &err) != 0)
		return xstrdup(err.text);
	if (digest.is_folder != folder)
		return xasprintf("%s: a %s where a %s is wanted", path,
			digest.is_folder ? "folder" : "file", folder ? "folder" : "file");
	if (strcmp(digest.sha256, wanted) != 0)
		return xasprintf("%s: its digest is %.16s... where %.16s... is wanted", path,
			digest.sha256, wanted);
	return NULL;
}

json_t *farm_artifacts_check(const json_t *artifacts, bool *all)
{
	json_t *checks = json_array(), *check;
	const json_t *artifact;
	size_t i;

	*all = json_array_size(artifacts) > 0;
	json_array_foreach (artifacts, i, artifact) {
		char *why = differs(artifact);

		check = json_pack("{s:s, s:s, s:b}", "kind", json_text(artifact, "kind", "?"),
			"path", json_text(artifact, "path", "?"), "same", why == NULL);
		json_object_set_new(check, "why", why ? json_printable_text(why) : json_null());
		json_array_append_new(checks, check);
		*all = *all && !why;
		free(why);
	}
	return checks;
}

char *farm_artifacts_wrong(const json_t *checks)
{
	const json_t *check;
	size_t i;

	json_array_foreach (checks, i, check)
		if (!json_is_true(json_object_get(check, "same")))
			return xasprintf("%s: %s", json_text(check, "kind", "?"),
				json_text(check, "why", "not checked"));
	return NULL;
}

json_t *farm_manifest_read(const char *path, const char *sha256, char *hex, struct error *err)
{
	char before[65], after[65];
	json_t *manifest;

	if (digest_file(path, before, NULL, err) != 0)
		return NULL;
	if (sha256 && strcmp(before, sha256) != 0) {
		error_set(err, "%s: is not the manifest that the job was made for", path);
		return NULL;
	}
	manifest = json_read(path, MANIFEST_BYTES, err);
	if (!manifest)
		return NULL;
	if (digest_file(path, after, NULL, err) != 0 || strcmp(before, after) != 0 ||
		strcmp(json_text(manifest, "schema", ""), farm_manifest_schema) != 0 ||
		!json_is_array(json_object_get(manifest, "nodes")) ||
		!json_is_array(json_object_get(manifest, "artifacts"))) {
		error_set(err, "%s: not a farm's manifest of this version of oamqual", path);
		json_decref(manifest);
		return NULL;
	}
	if (hex)
		memcpy(hex, before, sizeof(before));
	return manifest;
}

static const char *artifact_digest(const json_t *manifest, const char *kind)
{
	const json_t *artifact;
	size_t i;

	json_array_foreach (json_object_get(manifest, "artifacts"), i, artifact)
		if (strcmp(json_text(artifact, "kind", ""), kind) == 0)
			return json_text(artifact, "sha256", NULL);
	return NULL;
}

/* What the record does not say is not what the manifest names. */
static char *part_differs(const json_t *manifest, const json_t *record, const char *part)
{
	const char *used = json_text(json_object_get(record, part), "sha256", NULL),
		   *wanted = artifact_digest(manifest, part);

	if (!wanted || (used && strcmp(used, wanted) == 0))
		return NULL;
	if (!used)
		return xasprintf("the record does not say which %s was used", part);
	return xasprintf("the record names another %s (%.16s...) than the manifest (%.16s...)",
		part, used, wanted);
}

/* Is it this artifact, or does it lie in its folder? */
static bool is_of(const char *path, const json_t *artifact)
{
	const char *place = json_text(artifact, "path", "");
	size_t len = strlen(place);
	bool folder = strcmp(json_text(artifact, "form", ""), "folder") == 0;

	return len && str_starts(path, place) && (!path[len] || (folder && path[len] == '/'));
}

/* The scene of the manifest that this one of a record is; NULL: none. */
static const json_t *scene_of(const json_t *manifest, const json_t *scene)
{
	const char *path = json_text(scene, "archive", "");
	const json_t *artifact;
	size_t i;

	json_array_foreach (json_object_get(manifest, "artifacts"), i, artifact)
		if (strcmp(json_text(artifact, "kind", ""), "scene") == 0 && is_of(path, artifact))
			return artifact;
	return NULL;
}

/* A scene that is an archive has its file's digest in both; of a folder the path must do. */
static char *one_scene_differs(const json_t *manifest, const json_t *scene)
{
	const json_t *artifact = scene_of(manifest, scene);
	const char *path = json_text(scene, "archive", "?");

	if (!artifact)
		return xasprintf("the record has a scene %s that the manifest does not name", path);
	if (strcmp(json_text(artifact, "form", ""), "file") == 0 &&
		strcmp(json_text(artifact, "sha256", ""), json_text(scene, "archive_sha256", "?")))
		return xasprintf("the record names another scene %s than the manifest", path);
	return NULL;
}

static char *scene_is_missing(const json_t *manifest, const json_t *scenes)
{
	const json_t *artifact, *scene;
	size_t i, j;

	json_array_foreach (json_object_get(manifest, "artifacts"), i, artifact) {
		bool found = strcmp(json_text(artifact, "kind", ""), "scene") != 0;

		json_array_foreach (scenes, j, scene)
			found = found || is_of(json_text(scene, "archive", ""), artifact);
		if (!found)
			return xasprintf("the record lacks the scene %s of the manifest",
				json_text(artifact, "path", "?"));
	}
	return NULL;
}

/* The program's own scenes are one artifact, and which of them are rendered the suite says. What is
 * no record (the ranks of a frame) names none: the plan of the frame does. */
static char *scenes_differ(const json_t *manifest, const json_t *record)
{
	const json_t *scenes = json_object_get(record, "scenes"), *scene;
	char *why = NULL;
	size_t i;

	if (!scenes || artifact_digest(manifest, "scenes"))
		return NULL;
	json_array_foreach (scenes, i, scene)
		if (!why)
			why = one_scene_differs(manifest, scene);
	return why ? why : scene_is_missing(manifest, scenes);
}

char *farm_record_differs(const json_t *manifest, const json_t *record)
{
	char *why = part_differs(manifest, record, "tool");

	if (!why)
		why = part_differs(manifest, record, "blender");
	return why ? why : scenes_differ(manifest, record);
}
