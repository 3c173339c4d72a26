/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "record/diff_parts.h"

static const json_t *named(const json_t *list, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach (list, i, item)
		if (strcmp(json_text(item, "name", ""), name) == 0)
			return item;
	return NULL;
}

static json_t *digest(const json_t *object, const char *key)
{
	const char *text = json_text(object, key, NULL);

	return text ? json_string(text) : json_null();
}

/* --- references of a scene: by name, "" is the first Blender's --- */

static void diff_reference(
	struct diff *diff, const char *subject, const json_t *before, const json_t *after)
{
	diff_value(diff, "reference", subject, "picture", json_object_get(before, "sha256"),
		json_object_get(after, "sha256"));
	diff_value(diff, "limits", subject, "limits", json_object_get(before, "limits"),
		json_object_get(after, "limits"));
	diff_value(diff, "limits", subject, "noise model",
		json_object_get(json_object_get(before, "noise"), "sha256"),
		json_object_get(json_object_get(after, "noise"), "sha256"));
}

static char *reference_subject(const char *scene, const json_t *reference)
{
	return xasprintf(
		"scene %s, reference of Blender %s", scene, json_text(reference, "blender", "?"));
}

static void diff_references(
	struct diff *diff, const char *scene, const json_t *before, const json_t *after)
{
	const json_t *reference;
	size_t i;

	json_array_foreach (after, i, reference) {
		const json_t *was = named(before, json_text(reference, "name", ""));
		char *subject = reference_subject(scene, reference);

		if (was)
			diff_reference(diff, subject, was, reference);
		else
			diff_add(diff, "reference", subject, "new", json_null(),
				digest(reference, "sha256"), "changed", NULL);
		free(subject);
	}
	json_array_foreach (before, i, reference) {
		char *subject = reference_subject(scene, reference);

		if (!named(after, json_text(reference, "name", "")))
			diff_add(diff, "reference", subject, "gone", digest(reference, "sha256"),
				json_null(), "changed", NULL);
		free(subject);
	}
}

/* --- scenes --- */

static void diff_scene(
	struct diff *diff, const char *name, const json_t *before, const json_t *after)
{
	char *subject = xasprintf("scene %s", name);

	diff_value(diff, "scene", subject, "content", json_object_get(before, "tree_sha256"),
		json_object_get(after, "tree_sha256"));
	diff_value(diff, "scene", subject, "settings", json_object_get(before, "settings"),
		json_object_get(after, "settings"));
	diff_value(diff, "scene", subject, "skipped", json_object_get(before, "skipped"),
		json_object_get(after, "skipped"));
	free(subject);
	diff_references(diff, name, json_object_get(before, "references"),
		json_object_get(after, "references"));
}

static void diff_lone_scene(struct diff *diff, const json_t *scene, bool was)
{
	char *subject = xasprintf("scene %s", json_text(scene, "name", "?"));
	json_t *content = digest(scene, "tree_sha256");

	diff_add(diff, "scene", subject, was ? "gone" : "new", was ? content : json_null(),
		was ? json_null() : content, "changed", NULL);
	free(subject);
}

void diff_scenes(struct diff *diff)
{
	const json_t *before = json_object_get(diff->before, "scenes");
	const json_t *after = json_object_get(diff->after, "scenes"), *scene;
	size_t i;

	json_array_foreach (after, i, scene) {
		const char *name = json_text(scene, "name", "?");
		const json_t *was = named(before, name);

		if (was)
			diff_scene(diff, name, was, scene);
		else
			diff_lone_scene(diff, scene, false);
	}
	json_array_foreach (before, i, scene)
		if (!named(after, json_text(scene, "name", "?")))
			diff_lone_scene(diff, scene, true);
}
