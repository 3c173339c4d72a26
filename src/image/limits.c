/* SPDX-License-Identifier: Apache-2.0 */
/* limits.json in, JSON forms out. */
#include "image/compare.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/json.h"

enum { LIMITS_BYTES_MAX = 1 << 20 };

#define LIMITS_SCHEMA "oamqual-limits/2"
#define LIMITS_SCHEMA_1 "oamqual-limits/1"

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
	return strcmp(key, "schema") == 0 || strcmp(key, "calibration") == 0 ||
	       strcmp(key, "noise") == 0;
}

static int check_keys(const char *path, json_t *root, struct error *err)
{
	const json_t *calibration = json_object_get(root, "calibration");
	const char *key, *schema = json_text(root, "schema", "");
	bool first = strcmp(schema, LIMITS_SCHEMA_1) == 0;
	json_t *value;

	if (!json_is_object(root))
		return error_set(err, "%s: not a JSON object", path);
	if (strcmp(schema, LIMITS_SCHEMA) != 0 && !first)
		return error_set(err, "%s: \"schema\" is not \"%s\"", path, LIMITS_SCHEMA);
	json_object_foreach (root, key, value)
		if (!is_known_key(key) || (first && strcmp(key, "noise") == 0))
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

static const struct {
	const char *key;
	size_t offset;
	double most; /* above it a limit would let anything through */
	bool optional;
} noise_numbers[] = {
	{ "tile_z", offsetof(struct noise_limits, tile_z), 1000, false },
	{ "tile_chi", offsetof(struct noise_limits, tile_chi), 1000, false },
	{ "bias_z", offsetof(struct noise_limits, bias_z), 1000, false },
	{ "outliers", offsetof(struct noise_limits, outliers), 1, true },
};

enum { NOISE_NUMBER_COUNT = sizeof(noise_numbers) / sizeof(noise_numbers[0]) };

static int read_noise_number(const char *path, const json_t *noise, size_t i,
	struct noise_limits *out, struct error *err)
{
	const json_t *value = json_object_get(noise, noise_numbers[i].key);
	double number = json_number_value(value);

	if (!value && noise_numbers[i].optional)
		return 0;
	if (!json_is_number(value) || !isfinite(number) || number <= 0 ||
		number > noise_numbers[i].most)
		return error_set(err, "%s: \"%s\" of \"noise\" is not a number above 0, up to %g",
			path, noise_numbers[i].key, noise_numbers[i].most);
	*(double *)(void *)((char *)out + noise_numbers[i].offset) = number;
	return 0;
}

static int read_noise(
	const char *path, const json_t *noise, struct noise_limits *out, struct error *err)
{
	json_int_t renders = json_integer_of(noise, "renders", 0);
	size_t keys = NOISE_NUMBER_COUNT + (json_object_get(noise, "outliers") != NULL), i;

	if (!noise)
		return 0;
	if (!json_is_object(noise) || json_object_size(noise) != keys)
		return error_set(err,
			"%s: \"noise\" must have renders, tile_z, tile_chi, bias_z and perhaps "
			"outliers alone",
			path);
	if (renders < 2 || renders > 100000)
		return error_set(err, "%s: \"renders\" of \"noise\" is not from 2 to 100000", path);
	for (i = 0; i < NOISE_NUMBER_COUNT; i++)
		if (read_noise_number(path, noise, i, out, err) != 0)
			return -1;
	out->renders = (int)renders;
	return 0;
}

int compare_limits_read(const char *path, struct compare_limits *out, struct error *err)
{
	json_t *root = json_read(path, LIMITS_BYTES_MAX, err);
	struct compare_limits read = { .pixel_limit = 0 };
	int rc = root ? check_keys(path, root, err) : -1;
	size_t i;

	for (i = 0; i < NUMBER_COUNT && rc == 0; i++)
		rc = read_number(path, root, numbers[i].key,
			(double *)(void *)((char *)&read + numbers[i].offset), err);
	if (rc == 0)
		rc = read_noise(path, json_object_get(root, "noise"), &read.noise, err);
	json_decref(root);
	if (rc == 0)
		*out = read;
	return rc;
}

static json_t *noise_limits_json(const struct noise_limits *limits)
{
	json_t *root = json_pack("{s:i, s:f, s:f, s:f}", "renders", limits->renders, "tile_z",
		limits->tile_z, "tile_chi", limits->tile_chi, "bias_z", limits->bias_z);

	if (limits->outliers > 0)
		json_object_set_new(root, "outliers", json_real(limits->outliers));
	return root;
}

json_t *compare_limits_json(const struct compare_limits *limits)
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
	if (limits->noise.renders)
		json_object_set_new(root, "noise", noise_limits_json(&limits->noise));
	return root;
}

json_t *image_check_json(const struct image_check *check)
{
	return json_pack("{s:s, s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:o}", "right_shape",
		known_name(check->right_shape), "finite", known_name(check->finite), "not_empty",
		known_name(check->not_empty), "non_finite", (json_int_t)check->non_finite,
		"largest", check->largest, "mean", check->mean, "largest_alpha",
		check->largest_alpha, "magenta", check->magenta, "why",
		json_printable_text(check->why));
}

static void set_real(json_t *root, const char *key, bool known, double value)
{
	json_object_set_new(root, key, known ? json_real(value) : json_null());
}

static void set_place(json_t *root, const char *key, bool known, int x, int y)
{
	json_object_set_new(root, key, known ? json_pack("[i, i]", x, y) : json_null());
}

/* What the limits judged when the files do not store samples alike. */
static json_t *steps_json(const struct comparison *comparison, const struct compare_limits *limits)
{
	json_t *root;

	if (!comparison->compared || !comparison->by_steps)
		return json_null();
	root = json_pack("{s:s, s:s, s:f, s:f, s:f}", "picture", comparison->formats[0],
		"reference", comparison->formats[1], "mean_error", comparison->steps_mean,
		"rms_error", comparison->steps_rms, "tile_error", comparison->steps_tile);
	set_real(root, "share_over", limits != NULL, comparison->steps_share);
	return root;
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
	set_real(root, "tile8_error", known, comparison->tile8_error);
	set_place(root, "tile8_at", known, comparison->tile8_x, comparison->tile8_y);
	/* Equal pictures have no finite ratio of signal to noise. */
	set_real(root, "psnr", known && isfinite(comparison->psnr), comparison->psnr);
	set_real(root, "ssim", known && isfinite(comparison->ssim), comparison->ssim);
	set_real(root, "flip", known && isfinite(comparison->flip), comparison->flip);
	set_real(root, "hdr_flip", known && isfinite(comparison->hdr_flip), comparison->hdr_flip);
	json_object_set_new(root, "quantization", steps_json(comparison, limits));
	json_object_set_new(root, "limits", compare_limits_json(limits));
	return root;
}

static json_t *metadata_of(const struct image *image)
{
	json_t *found = json_object();
	const char *line = image->metadata ? image->metadata : "", *end;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		const char *tab = memchr(line, '\t', (size_t)(end - line));

		if (tab)
			json_object_setn_new_nocheck(found, line, (size_t)(tab - line),
				json_printable(tab + 1, (size_t)(end - tab - 1)));
	}
	return found;
}

static void add_differing(
	const json_t *from, const json_t *other, bool only_missing, bool picture_first, json_t *to)
{
	enum { SHOWN_MAX = 64 };
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)(uintptr_t)from, key, value) {
		json_t *with = json_object_get(other, key);

		if (json_array_size(to) == SHOWN_MAX || (only_missing && with) ||
			(with && json_equal(value, with)))
			continue;
		json_array_append_new(to, json_pack("{s:s, s:O?, s:O?}", "name", key, "picture",
						  picture_first ? value : with, "reference",
						  picture_first ? with : value));
	}
}

json_t *image_metadata_json(const struct image *image, const struct image *reference)
{
	json_t *a = metadata_of(image), *b = metadata_of(reference), *list = json_array();

	add_differing(a, b, false, true, list);
	add_differing(b, a, true, false, list);
	json_decref(a);
	json_decref(b);
	return list;
}

json_t *image_shape_json(const struct image *image)
{
	json_t *channels = json_array(), *root;
	int c;

	for (c = 0; c < image->channels; c++)
		json_array_append_new(channels, json_printable_text(image->names[c]));
	root = json_pack("{s:i, s:i, s:o, s:s, s:o, s:s, s:o, s:o}", "width", image->width,
		"height", image->height, "channels", channels, "format", image->format,
		"colorspace", json_printable_text(image->colorspace), "alpha",
		image->alpha[0] ? image->alpha : "none", "part", json_printable_text(image->part),
		"layer", json_printable_text(image->layer));
	set_real(root, "pixel_aspect", image->pixel_aspect > 0, (double)image->pixel_aspect);
	return root;
}
