/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/spec.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

enum { SPEC_BYTES = 65536 };

const struct scene_settings scene_settings_default = {
	.width = 256,
	.height = 256,
	.samples = 32,
	.frame = 1,
};

static const struct number_row {
	const char *key;
	size_t offset;
	int min, max;
} numbers[] = {
	{ "width", offsetof(struct scene_settings, width), 1, 16384 },
	{ "height", offsetof(struct scene_settings, height), 1, 16384 },
	{ "samples", offsetof(struct scene_settings, samples), 1, 1048576 },
	{ "seed", offsetof(struct scene_settings, seed), 0, 2147483647 },
	{ "frame", offsetof(struct scene_settings, frame), 0, 1048574 },
};

static int read_settings(const json_t *spec, struct scene_settings *settings, struct error *err)
{
	const json_t *value;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		json_int_t number;

		value = json_object_get(spec, numbers[i].key);
		if (!value)
			continue;
		number = json_is_integer(value) ? json_integer_value(value) : -1;
		if (number < numbers[i].min || number > numbers[i].max)
			return error_set(err, "\"%s\" must be a whole number from %d to %d",
				numbers[i].key, numbers[i].min, numbers[i].max);
		*(int *)((char *)settings + numbers[i].offset) = (int)number;
	}
	value = json_object_get(spec, "denoising");
	if (value && !json_is_boolean(value))
		return error_set(err, "\"denoising\" must be true or false");
	settings->denoising = json_is_true(value);
	return 0;
}

/* Names become folder names of the run. */
static char *safe_name(const char *name)
{
	char *safe = xstrdup(*name ? name : "scene"), *c;

	for (c = safe; *c; c++)
		if (!isalnum((unsigned char)*c) && (c == safe || !strchr("-_.", *c)))
			*c = '-';
	if (strlen(safe) > 60)
		safe[60] = '\0';
	return safe;
}

static char *optional_text(const json_t *spec, const char *key)
{
	const char *text = json_text(spec, key, NULL);

	return text ? xstrdup(text) : NULL;
}

static int read_described(
	const char *folder, const json_t *json, struct scene_spec *spec, struct error *err)
{
	const char *archive = json_text(json, "archive", NULL);

	if (strcmp(json_text(json, "schema", ""), "oamqual-scene/1") != 0)
		return error_set(err, "\"schema\" is not \"oamqual-scene/1\"");
	if (!archive || !*archive || strchr(archive, '/'))
		return error_set(err, "\"archive\" must name a file beside it");
	if (read_settings(json, &spec->settings, err) != 0)
		return -1;
	spec->name = safe_name(json_text(json, "name", path_base(folder)));
	spec->archive = path_join(folder, archive);
	spec->blend = optional_text(json, "blend");
	spec->tree_sha256 = optional_text(json, "tree_sha256");
	spec->purpose = optional_text(json, "purpose");
	return 0;
}

/* "shot.tar.zst" is the scene "shot". */
static char *name_of_archive(const char *path)
{
	char *plain = xstrdup(path), *name;

	while (*plain && plain[strlen(plain) - 1] == '/')
		plain[strlen(plain) - 1] = '\0';
	name = xstrndup(path_base(plain), strcspn(path_base(plain) + 1, ".") + 1);
	free(plain);
	return name;
}

static void describe_archive(
	const char *path, const struct scene_settings *settings, struct scene_spec *spec)
{
	char *name = name_of_archive(path);

	spec->name = safe_name(name);
	spec->archive = xstrdup(path);
	spec->settings = *settings;
	free(name);
}

int scene_spec_read(const char *path, const struct scene_settings *settings, struct scene_spec *out,
	struct error *err)
{
	char *file = path_join(path, "scene.json");
	struct scene_spec spec;
	json_t *json = NULL;
	int rc = 0;

	memset(&spec, 0, sizeof(spec));
	spec.settings = scene_settings_default;
	if (!file_exists(path))
		rc = error_set(err, "%s: no such file or folder", path);
	else if (!file_exists(file))
		describe_archive(path, settings, &spec);
	else if (!(json = json_read(file, SPEC_BYTES, err)))
		rc = -1;
	else if ((rc = read_described(path, json, &spec, err)) != 0)
		error_prefix(err, "%s", file);
	json_decref(json);
	free(file);
	if (rc == 0)
		*out = spec;
	else
		scene_spec_release(&spec);
	return rc;
}

void scene_spec_release(struct scene_spec *spec)
{
	free(spec->name);
	free(spec->archive);
	free(spec->blend);
	free(spec->tree_sha256);
	free(spec->purpose);
	memset(spec, 0, sizeof(*spec));
}

json_t *scene_settings_json(const struct scene_settings *settings)
{
	return json_pack("{s:i, s:i, s:i, s:i, s:i, s:b}", "width", settings->width, "height",
		settings->height, "samples", settings->samples, "seed", settings->seed, "frame",
		settings->frame, "denoising", settings->denoising);
}
