/* SPDX-License-Identifier: Apache-2.0 */
/* limits.json in, JSON forms out. */
#include "image/compare.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/json.h"

enum { LIMITS_BYTES_MAX = 1 << 20 };

#define LIMITS_SCHEMA "oamqual-limits/1"

static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
	{ "pixel_limit", offsetof(struct compare_limits, pixel_limit) },
	{ "share_over", offsetof(struct compare_limits, share_over) },
	{ "mean_error", offsetof(struct compare_limits, mean_error) },
	{ "rms_error", offsetof(struct compare_limits, rms_error) },
	{ "tile_error", offsetof(struct compare_limits, tile_error) },
};

enum { NUMBER_COUNT = sizeof(numbers) / sizeof(numbers[0]) };

static bool is_known_key(const char *key)
{
	size_t i;

	for (i = 0; i < NUMBER_COUNT; i++)
		if (strcmp(key, numbers[i].key) == 0)
			return true;
	return strcmp(key, "schema") == 0 || strcmp(key, "calibration") == 0;
}

static int check_keys(const char *path, json_t *root, struct error *err)
{
	const json_t *calibration = json_object_get(root, "calibration");
	const char *key;
	json_t *value;

	if (!json_is_object(root))
		return error_set(err, "%s: not a JSON object", path);
	if (strcmp(json_text(root, "schema", ""), LIMITS_SCHEMA) != 0)
		return error_set(err, "%s: \"schema\" is not \"%s\"", path, LIMITS_SCHEMA);
	json_object_foreach (root, key, value)
		if (!is_known_key(key))
			return error_set(err, "%s: unknown key \"%.80s\"", path, key);
	if (!json_is_string(calibration) && !json_is_object(calibration))
		return error_set(
			err, "%s: \"calibration\" must say where the limits come from", path);
	return 0;
}

/* Above 1, the range of a picture, a limit would let anything through. */
static int read_number(
	const char *path, const json_t *root, const char *key, double *out, struct error *err)
{
	const json_t *value = json_object_get(root, key);
	double number;

	if (!value)
		return error_set(err, "%s: \"%s\" is missing", path, key);
	if (!json_is_number(value))
		return error_set(err, "%s: \"%s\" is not a number", path, key);
	number = json_number_value(value);
	if (!isfinite(number) || number < 0 || number > 1)
		return error_set(err, "%s: \"%s\" is %g, not from 0 to 1", path, key, number);
	*out = number;
	return 0;
}

int compare_limits_read(const char *path, struct compare_limits *out, struct error *err)
{
	json_t *root = json_read(path, LIMITS_BYTES_MAX, err);
	struct compare_limits read = { 0, 0, 0, 0, 0 };
	int rc = root ? check_keys(path, root, err) : -1;
	size_t i;

	for (i = 0; i < NUMBER_COUNT && rc == 0; i++)
		rc = read_number(path, root, numbers[i].key,
			(double *)(void *)((char *)&read + numbers[i].offset), err);
	json_decref(root);
	if (rc == 0)
		*out = read;
	return rc;
}

static json_t *limits_json(const struct compare_limits *limits)
{
	json_t *root;
	size_t i;

	if (!limits)
		return json_null();
	root = json_object();
	for (i = 0; i < NUMBER_COUNT; i++)
		json_object_set_new(root, numbers[i].key,
			json_real(*(const double *)(const void *)((const char *)limits +
								  numbers[i].offset)));
	return root;
}

json_t *image_check_json(const struct image_check *check)
{
	return json_pack("{s:s, s:s, s:s, s:I, s:f, s:f, s:f, s:o}", "right_shape",
		known_name(check->right_shape), "finite", known_name(check->finite), "not_empty",
		known_name(check->not_empty), "non_finite", (json_int_t)check->non_finite,
		"largest", check->largest, "mean", check->mean, "largest_alpha",
		check->largest_alpha, "why", json_printable_text(check->why));
}

static void set_real(json_t *root, const char *key, bool known, double value)
{
	json_object_set_new(root, key, known ? json_real(value) : json_null());
}

static void set_place(json_t *root, const char *key, bool known, int x, int y)
{
	json_object_set_new(root, key, known ? json_pack("[i, i]", x, y) : json_null());
}

json_t *comparison_json(const struct comparison *comparison, const struct compare_limits *limits)
{
	json_t *root = json_object();
	bool known = comparison->compared;

	json_object_set_new(root, "compared", json_boolean(known));
	json_object_set_new(root, "within", json_boolean(known && comparison->within));
	json_object_set_new(root, "why", json_printable_text(comparison->why));
	set_real(root, "max_error", known, comparison->max_error);
	set_place(root, "max_at", known, comparison->max_x, comparison->max_y);
	set_real(root, "mean_error", known, comparison->mean_error);
	set_real(root, "rms_error", known, comparison->rms_error);
	/* Without limits nobody said from which error on a pixel is off. */
	set_real(root, "share_over", known && limits, comparison->share_over);
	set_real(root, "tile_error", known, comparison->tile_error);
	set_place(root, "tile_at", known, comparison->tile_x, comparison->tile_y);
	json_object_set_new(root, "limits", limits_json(limits));
	return root;
}
