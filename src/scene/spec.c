/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/spec.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
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

static size_t parameter_index(const struct scene_settings *settings, const char *name)
{
	size_t i;

	for (i = 0;
		i < settings->parameter_count && strcmp(settings->parameters[i].name, name) != 0;
		i++)
		;
	return i;
}

const struct scene_parameter *scene_settings_parameter(
	const struct scene_settings *settings, const char *name)
{
	size_t i = parameter_index(settings, name);

	return i < settings->parameter_count ? &settings->parameters[i] : NULL;
}

static bool is_parameter_name(const char *name)
{
	return *name >= 'a' && *name <= 'z' && strlen(name) < SCENE_PARAMETER_NAME &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static int by_name(const void *left, const void *right)
{
	return strcmp(((const struct scene_parameter *)left)->name,
		((const struct scene_parameter *)right)->name);
}

int scene_settings_set(
	struct scene_settings *settings, const char *name, long long value, struct error *err)
{
	size_t i = parameter_index(settings, name);

	if (!is_parameter_name(name))
		return error_set(err,
			"'%.40s' is no name of a parameter: lower-case letters, digits and '_', at "
			"most %d",
			name, SCENE_PARAMETER_NAME - 1);
	if (value < 0 || value > INT_MAX)
		return error_set(
			err, "the parameter %s must be a whole number from 0 to %d", name, INT_MAX);
	if (i == SCENE_PARAMETERS_MAX)
		return error_set(err, "more than %d parameters", SCENE_PARAMETERS_MAX);
	settings->parameters[i].value = (int)value;
	if (i < settings->parameter_count)
		return 0;
	str_copy(settings->parameters[i].name, SCENE_PARAMETER_NAME, name);
	settings->parameter_count++;
	qsort(settings->parameters, settings->parameter_count, sizeof(settings->parameters[0]),
		by_name);
	return 0;
}

int scene_settings_assign(struct scene_settings *settings, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	char *name = xstrndup(text, strcspn(text, "=")), *end = NULL;
	long long value = -1;
	int rc;

	errno = 0;
	if (equals && isdigit((unsigned char)equals[1]))
		value = strtoll(equals + 1, &end, 10);
	if (!end || *end || errno)
		rc = error_set(
			err, "a parameter is NAME=VALUE with a whole number, not '%.60s'", text);
	else
		rc = scene_settings_set(settings, name, value, err);
	free(name);
	return rc;
}

static int read_parameters(const json_t *spec, struct scene_settings *settings, struct error *err)
{
	json_t *all = json_object_get(spec, "parameters"), *value;
	const char *name;

	if (all && !json_is_object(all))
		return error_set(err, "\"parameters\" must be an object");
	json_object_foreach (all, name, value) {
		long long number = json_is_integer(value) ? json_integer_value(value) : -1;

		if (scene_settings_set(settings, name, number, err) != 0) {
			error_prefix(err, "\"parameters\"");
			return -1;
		}
	}
	return 0;
}

/* Only what the scene declares: another scene of the same run may be the one that was meant. */
static void override_parameters(
	struct scene_settings *settings, const struct scene_settings *wanted)
{
	size_t i, at;

	for (i = 0; i < wanted->parameter_count; i++) {
		at = parameter_index(settings, wanted->parameters[i].name);
		if (at < settings->parameter_count)
			settings->parameters[at].value = wanted->parameters[i].value;
	}
}

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
	return read_parameters(spec, settings, err);
}

static int read_suite(const json_t *spec, enum scene_suite *suite, struct error *err)
{
	const json_t *value = json_object_get(spec, "suite");
	const char *name = value ? json_string_value(value) : "full";

	if (!name || (strcmp(name, "basic") != 0 && strcmp(name, "full") != 0))
		return error_set(err, "\"suite\" must be \"basic\" or \"full\"");
	*suite = strcmp(name, "basic") == 0 ? SCENE_BASIC : SCENE_FULL;
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
	if (read_settings(json, &spec->settings, err) != 0 ||
		read_suite(json, &spec->suite, err) != 0)
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
	else
		override_parameters(&spec.settings, settings);
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

static json_t *parameters_json(const struct scene_settings *settings)
{
	json_t *all = json_object();
	size_t i;

	for (i = 0; i < settings->parameter_count; i++)
		json_object_set_new(all, settings->parameters[i].name,
			json_integer(settings->parameters[i].value));
	return all;
}

json_t *scene_settings_json(const struct scene_settings *settings)
{
	json_t *json = json_pack("{s:i, s:i, s:i, s:i, s:i, s:b}", "width", settings->width,
		"height", settings->height, "samples", settings->samples, "seed", settings->seed,
		"frame", settings->frame, "denoising", settings->denoising);

	if (settings->parameter_count)
		json_object_set_new(json, "parameters", parameters_json(settings));
	return json;
}
