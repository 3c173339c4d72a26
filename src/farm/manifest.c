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

static bool has_digest(const json_t *manifest, const char *kind, const char *sha256)
{
	const json_t *artifact;
	size_t i;

	json_array_foreach (json_object_get(manifest, "artifacts"), i, artifact)
		if (strcmp(json_text(artifact, "kind", ""), kind) == 0 &&
			strcmp(json_text(artifact, "sha256", ""), sha256) == 0)
			return true;
	return false;
}

static char *part_differs(const json_t *manifest, const json_t *record, const char *part)
{
	const char *used = json_text(json_object_get(record, part), "sha256", NULL),
		   *wanted = artifact_digest(manifest, part);

	if (!used || !wanted || strcmp(used, wanted) == 0)
		return NULL;
	return xasprintf("the record names another %s (%.16s...) than the manifest (%.16s...)",
		part, used, wanted);
}

/* A scene that is an archive has its file's digest in both. */
static char *scene_differs(const json_t *manifest, const json_t *record)
{
	const json_t *scene;
	size_t i;

	if (has_digest(manifest, "scenes",
		    artifact_digest(manifest, "scenes") ? artifact_digest(manifest, "scenes") : ""))
		return NULL;
	json_array_foreach (json_object_get(record, "scenes"), i, scene) {
		const char *used = json_text(scene, "archive_sha256", NULL);
		const char *path = json_text(scene, "archive", "");
		const json_t *artifact;
		size_t j;

		json_array_foreach (json_object_get(manifest, "artifacts"), j, artifact)
			if (used && strcmp(json_text(artifact, "kind", ""), "scene") == 0 &&
				strcmp(json_text(artifact, "form", ""), "file") == 0 &&
				strcmp(json_text(artifact, "path", ""), path) == 0 &&
				strcmp(json_text(artifact, "sha256", ""), used) != 0)
				return xasprintf("the record names another scene %s than the "
						 "manifest",
					path);
	}
	return NULL;
}

char *farm_record_differs(const json_t *manifest, const json_t *record)
{
	char *why = part_differs(manifest, record, "tool");

	if (!why)
		why = part_differs(manifest, record, "blender");
	return why ? why : scene_differs(manifest, record);
}
