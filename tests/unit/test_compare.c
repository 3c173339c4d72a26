/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of pictures made here, with every expected number worked out by hand beside its test.
 */
#include "image/compare.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "tap.h"

/* Strict enough for the tests below and nothing else. */
static const struct compare_limits limits = {
	.pixel_limit = 0.1,
	.share_over = 0.01,
	.mean_error = 0.01,
	.rms_error = 0.05,
	.tile_error = 0.02,
};

static bool near(double got, double want)
{
	return fabs(got - want) <= 1e-7 * (1 + fabs(want));
}

static float *sample(struct image *image, int x, int y, int c)
{
	return &image->pixels[((size_t)y * (size_t)image->width + (size_t)x) *
				      (size_t)image->channels +
			      (size_t)c];
}

/* A gradient from 0.25 to 0.75, so that it is neither black nor constant; alpha 1. */
static void make(struct image *out, int width, int height, const char *names)
{
	struct image like = { .channels = (int)strlen(names) };
	int x, y, c;

	for (c = 0; c < like.channels; c++)
		like.names[c][0] = names[c];
	image_new(out, width, height, &like);
	for (y = 0; y < height; y++)
		for (x = 0; x < width; x++)
			for (c = 0; c < like.channels; c++)
				*sample(out, x, y, c) =
					names[c] == 'A' ? 1
							: 0.25f + 0.5f * (float)x / (float)width;
}

struct pair {
	struct image image, reference;
};

static void setup(struct pair *pair, int width, int height)
{
	make(&pair->image, width, height, "RGBA");
	make(&pair->reference, width, height, "RGBA");
}

static void teardown(struct pair *pair)
{
	image_release(&pair->image);
	image_release(&pair->reference);
}

static void test_equal(void)
{
	struct comparison c;
	struct pair pair;

	setup(&pair, 32, 32);
	image_compare(&pair.image, &pair.reference, &limits, &c);
	tap_ok(c.compared && c.within, "equal pictures are within the limits");
	tap_ok(c.max_error == 0 && c.mean_error == 0 && c.rms_error == 0 && c.share_over == 0 &&
			c.tile_error == 0,
		"and all metrics are 0");
	image_compare(&pair.image, &pair.reference, NULL, &c);
	tap_ok(c.compared && !c.within, "without limits nothing is within");
	teardown(&pair);
}

/* 32x32 RGBA: 4096 samples. One sample off by 0.5: mean 0.5/4096, RMS 0.5/64, one of 1024 pixels,
 * and the mean of its tile of 1024 samples 0.5/1024. */
static void test_one_sample(void)
{
	struct comparison c;
	struct pair pair;

	setup(&pair, 32, 32);
	*sample(&pair.image, 20, 5, 1) += 0.5f;
	image_compare(&pair.image, &pair.reference, &limits, &c);
	tap_ok(near(c.max_error, 0.5) && c.max_x == 20 && c.max_y == 5, "maximum and its place");
	tap_ok(near(c.mean_error, 0.5 / 4096), "mean error");
	tap_ok(near(c.rms_error, 0.5 / 64), "RMS error");
	tap_ok(near(c.share_over, 1.0 / 1024), "share of pixels over");
	tap_ok(near(c.tile_error, 0.5 / 1024) && c.tile_x == 16 && c.tile_y == 0,
		"worst tile and its place");
	tap_ok(c.within, "one pixel of a thousand is within these limits");
	teardown(&pair);
}

/* Several channels of one pixel over the limit are one pixel; exactly the limit is not over. */
static void test_share_counts_pixels(void)
{
	struct compare_limits exact = limits;
	struct comparison c;
	struct pair pair;

	setup(&pair, 32, 32);
	*sample(&pair.image, 0, 0, 0) = *sample(&pair.reference, 0, 0, 0) = 0.25f;
	*sample(&pair.image, 0, 0, 0) = 0.5f;
	exact.pixel_limit = 0.25;
	image_compare(&pair.image, &pair.reference, &exact, &c);
	tap_ok(c.share_over == 0, "a difference equal to the limit is not over it");
	*sample(&pair.image, 0, 0, 1) = 1;
	*sample(&pair.image, 0, 0, 2) = 1;
	image_compare(&pair.image, &pair.reference, &exact, &c);
	tap_ok(near(c.share_over, 1.0 / 1024), "a pixel that is off in two channels counts once");
	teardown(&pair);
}

/* 20x18: the last tiles begin at 4 and 2. Four off pixels in the bottom right corner, 0.4 in each
 * of R, G, B: 4 * 1.2 over 16*16*4 samples. */
static void test_odd_size(void)
{
	struct comparison c;
	struct pair pair;
	int i, channel;

	setup(&pair, 20, 18);
	for (i = 0; i < 4; i++)
		for (channel = 0; channel < 3; channel++)
			*sample(&pair.image, 18 + i % 2, 16 + i / 2, channel) -= 0.4f;
	image_compare(&pair.image, &pair.reference, &limits, &c);
	tap_ok(fabs(c.tile_error - 4.8 / 1024) < 1e-6 && c.tile_x == 4 && c.tile_y == 2,
		"tiles at the edge are whole tiles, moved inwards");
	tap_ok(fabs(c.mean_error - 4.8 / 1440) < 1e-6, "no pixel is counted twice for the mean");
	tap_ok(near(c.share_over, 4.0 / 360), "nor for the share");
	teardown(&pair);
}

static void test_small(void)
{
	struct comparison c;
	struct pair pair;

	setup(&pair, 5, 3);
	*sample(&pair.image, 4, 2, 0) += 0.6f;
	image_compare(&pair.image, &pair.reference, &limits, &c);
	tap_ok(c.compared && fabs(c.tile_error - 0.6 / 60) < 1e-6,
		"a picture smaller than a tile is one tile");
	teardown(&pair);
}

/* A34, D21: the whole is nearly right and one tile is wrong. 256x256 with 16x16 pixels darker by
 * 0.1: share 256/65536 = 0.4 % (limit 1 %), mean 0.1*768/262144 = 0.0003, RMS 0.0054: only the tile
 * says it. */
static void test_wrong_tile(void)
{
	struct comparison c;
	struct pair pair;
	int i, channel;

	setup(&pair, 256, 256);
	for (i = 0; i < 256; i++)
		for (channel = 0; channel < 3; channel++)
			*sample(&pair.image, 48 + i % 16, 80 + i / 16, channel) -= 0.1f;
	image_compare(&pair.image, &pair.reference, &limits, &c);
	tap_ok(c.compared && !c.within, "A34 D21: one wrong tile in a right picture is found");
	tap_ok(strstr(c.why, "tile at 48,80") != NULL, "and named: %s", c.why);
	tap_ok(c.mean_error < limits.mean_error && c.rms_error < limits.rms_error &&
			c.share_over < limits.share_over,
		"though every other metric is within");
	teardown(&pair);
}

#define NO_NOISE                                                                                   \
	{                                                                                          \
		0, 0, 0, 0, 0                                                                      \
	}

/* Each limit alone must be able to refuse. */
static void test_each_limit(void)
{
	static const struct {
		struct compare_limits limits;
		const char *word;
	} cases[] = {
		{ { 0.02, 1, 1, 1, 1e-5, NO_NOISE }, "tile" },
		{ { 0.02, 1e-5, 1, 1, 1, NO_NOISE }, "share" },
		{ { 0.02, 1, 1e-5, 1, 1, NO_NOISE }, "mean error" },
		{ { 0.02, 1, 1, 1e-5, 1, NO_NOISE }, "RMS" },
		{ { NAN, 0, NAN, 1, 1, NO_NOISE }, "mean error" },
	};
	struct comparison c;
	struct pair pair;
	size_t i;

	setup(&pair, 32, 32);
	*sample(&pair.image, 3, 3, 2) += 0.5f;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		image_compare(&pair.image, &pair.reference, &cases[i].limits, &c);
		tap_ok(c.compared && !c.within && strstr(c.why, cases[i].word),
			"refused by one limit alone: %s", c.why);
	}
	teardown(&pair);
}

static void forbids(struct pair *pair, const char *word, const char *title)
{
	struct comparison c;

	image_compare(&pair->image, &pair->reference, &limits, &c);
	tap_ok(!c.compared && !c.within && strstr(c.why, word) != NULL, "%s: %s", title, c.why);
	tap_ok(c.max_error == 0 && c.rms_error == 0, "and no metric is set");
	teardown(pair);
}

static void test_forbidden(void)
{
	struct pair pair;

	make(&pair.image, 32, 24, "RGBA");
	make(&pair.reference, 24, 32, "RGBA");
	forbids(&pair, "sizes differ", "D02: equal pixel count, other dimensions");
	make(&pair.image, 32, 32, "RGB");
	make(&pair.reference, 32, 32, "RGBA");
	forbids(&pair, "picture has no channel A", "D03: RGB against RGBA");
	make(&pair.image, 32, 32, "RGBAZ");
	make(&pair.reference, 32, 32, "RGBA");
	forbids(&pair, "reference has no channel Z", "D03: one channel more");
	make(&pair.image, 32, 32, "RGRA");
	make(&pair.reference, 32, 32, "RGBA");
	forbids(&pair, "stands twice", "a channel name that stands twice");
}

/* Not-a-number and infinity on either side, even the same on both. */
static void test_not_finite(void)
{
	static const struct {
		float image, reference;
		const char *word, *title;
	} cases[] = {
		{ NAN, 0.5f, "picture: 1 samples are NaN", "one NaN in the picture" },
		{ 0.5f, NAN, "reference: 1 samples are NaN", "one NaN in the reference" },
		{ NAN, NAN, "NaN", "the same NaN in both" },
		{ INFINITY, 0.5f, "picture: 1 samples", "D16: an infinite sample in the picture" },
		{ INFINITY, INFINITY, "infinite", "D16: the same infinity in both" },
		{ 0.5f, -INFINITY, "reference: 1 samples", "D16: minus infinity in the reference" },
	};
	struct pair pair;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup(&pair, 16, 16);
		*sample(&pair.image, 7, 9, 1) = cases[i].image;
		*sample(&pair.reference, 7, 9, 1) = cases[i].reference;
		forbids(&pair, cases[i].word, cases[i].title);
	}
}

static void fill(struct image *image, int channel, float value)
{
	int x, y;

	for (y = 0; y < image->height; y++)
		for (x = 0; x < image->width; x++)
			*sample(image, x, y, channel) = value;
}

static void fill_colours(struct image *image, float value)
{
	fill(image, 0, value);
	fill(image, 1, value);
	fill(image, 2, value);
}

static void test_empty(void)
{
	struct pair pair;

	setup(&pair, 16, 16);
	fill_colours(&pair.image, 0);
	forbids(&pair, "picture: the picture is black", "D13: a black picture");
	setup(&pair, 16, 16);
	fill_colours(&pair.reference, 0);
	forbids(&pair, "reference: the picture is black", "D13: a black reference");
	setup(&pair, 16, 16);
	fill_colours(&pair.image, 0);
	fill_colours(&pair.reference, 0);
	forbids(&pair, "black", "D13: black against black");
	setup(&pair, 16, 16);
	fill(&pair.image, 3, 0);
	forbids(&pair, "alpha is 0", "D19: alpha 0 everywhere, colours equal");
	setup(&pair, 16, 16);
	fill(&pair.image, 3, 0);
	fill(&pair.reference, 3, 0);
	forbids(&pair, "alpha is 0", "D19: alpha 0 in both");
	setup(&pair, 16, 16);
	fill_colours(&pair.image, 0.5f);
	fill_colours(&pair.reference, 0.5f);
	forbids(&pair, "same colour", "constant against the same constant");
}

static void test_check(void)
{
	struct image_check check;
	struct image image;

	make(&image, 16, 16, "RGBA");
	image_check(&image, 16, 16, &check);
	tap_ok(check.right_shape == KNOWN_YES && check.finite == KNOWN_YES &&
			check.not_empty == KNOWN_YES && check.why[0] == '\0',
		"a sound picture passes its check");
	tap_ok(near(check.largest, 0.25 + 0.5 * 15 / 16) && near(check.mean, 0.484375) &&
			near(check.largest_alpha, 1),
		"largest, mean (0.25 + 0.5 * 7.5 / 16) and alpha");
	image_check(&image, 0, 0, &check);
	tap_ok(check.right_shape == KNOWN_UNKNOWN, "a shape nobody asked for is unknown, not yes");
	image_check(&image, 17, 16, &check);
	tap_ok(check.right_shape == KNOWN_NO && strstr(check.why, "16x16, not 17x16"),
		"another shape is named: %s", check.why);
	*sample(&image, 1, 1, 3) = NAN;
	*sample(&image, 2, 1, 0) = INFINITY;
	image_check(&image, 16, 16, &check);
	tap_ok(check.finite == KNOWN_NO && check.non_finite == 2 && isfinite(check.mean) &&
			isfinite(check.largest),
		"NaN and infinity are counted and kept out of the numbers");
	image_release(&image);
}

/* D12: a depth channel with 1e11 in the background is no sign of content and no infinity. */
static void test_depth(void)
{
	struct image_check check;
	struct image image;

	make(&image, 16, 16, "ABGRZ");
	fill(&image, 1, 0);
	fill(&image, 2, 0);
	fill(&image, 3, 0);
	fill(&image, 4, 1e11f);
	*sample(&image, 3, 3, 4) = 1e10f;
	image_check(&image, 16, 16, &check);
	tap_ok(check.not_empty == KNOWN_NO && strstr(check.why, "black"),
		"D12: black colours with a filled depth channel are black");
	tap_ok(check.finite == KNOWN_YES && check.largest == 0, "D12: and the depth is finite");
	image_release(&image);
	make(&image, 16, 16, "Z");
	image_check(&image, 16, 16, &check);
	tap_ok(check.not_empty == KNOWN_UNKNOWN && check.why[0],
		"depth alone: emptiness is unknown, with a reason");
	image_release(&image);
	make(&image, 16, 16, "RGBA");
	fill(&image, 0, NAN);
	fill(&image, 1, NAN);
	fill(&image, 2, NAN);
	image_check(&image, 16, 16, &check);
	tap_ok(check.finite == KNOWN_NO && check.not_empty != KNOWN_YES && check.mean == 0,
		"a picture of NaN alone is not called filled");
	image_release(&image);
}

static void test_order(void)
{
	struct comparison c;
	struct pair pair;

	make(&pair.image, 16, 16, "ABGR");
	make(&pair.reference, 16, 16, "RGBA");
	*sample(&pair.image, 2, 3, 3) = 0.9f;
	*sample(&pair.reference, 2, 3, 0) = 0.9f;
	image_compare(&pair.image, &pair.reference, &limits, &c);
	tap_ok(c.compared && c.within && c.max_error == 0,
		"D06: ABGR against RGBA, matched by name");
	*sample(&pair.reference, 2, 3, 0) = 0.1f;
	*sample(&pair.reference, 2, 3, 2) = 0.9f;
	image_compare(&pair.image, &pair.reference, &limits, &c);
	tap_ok(c.max_error > 0.7, "D06: and red is not compared with blue");
	teardown(&pair);
}

/* Huge but finite values must not overflow into a metric that is not a number. */
static void test_huge(void)
{
	struct comparison c;
	struct pair pair;

	setup(&pair, 16, 16);
	fill(&pair.image, 0, 3e38f);
	fill(&pair.reference, 0, -3e38f);
	image_compare(&pair.image, &pair.reference, &limits, &c);
	tap_ok(c.compared && !c.within && isfinite(c.rms_error) && c.rms_error > 1e38,
		"differences near the largest float stay finite and are refused");
	teardown(&pair);
}

static void test_pictures(void)
{
	struct image difference, panels;
	struct pair pair;

	setup(&pair, 20, 16);
	*sample(&pair.image, 4, 4, 1) += 0.1f;
	image_difference(&pair.image, &pair.reference, &limits, &difference);
	tap_ok(fabs(*sample(&difference, 4, 4, 1) - 0.5) < 1e-5,
		"a difference of pixel_limit shows as 0.5");
	tap_ok(*sample(&difference, 5, 4, 1) == 0 && *sample(&difference, 5, 4, 3) == 1,
		"no difference is black and opaque");
	image_side_by_side(&pair.image, &pair.reference, &difference, &panels);
	tap_ok(panels.width == 3 * 20 + 2 * 4 && panels.height == 16 && panels.channels == 3,
		"three panels with gaps");
	tap_ok(*sample(&panels, 4, 4, 1) == *sample(&pair.image, 4, 4, 1) &&
			*sample(&panels, 24 + 4, 4, 1) == *sample(&pair.reference, 4, 4, 1) &&
			fabs(*sample(&panels, 48 + 4, 4, 1) - 0.5) < 1e-5,
		"picture, reference and difference in this order");
	image_release(&difference);
	image_release(&panels);
	teardown(&pair);
}

#define NUMBERS                                                                                    \
	"\"pixel_limit\":0.02,\"share_over\":0.005,\"mean_error\":0.0005,\"rms_error\":0.004,"
#define SCHEMA "\"schema\":\"oamqual-limits/1\","

static void test_limits_file(void)
{
	static const struct {
		const char *text, *word;
	} bad[] = {
		{ "[]", "not a JSON object" },
		{ "{" NUMBERS "\"tile_error\":0.003,\"calibration\":\"x\"}", "schema" },
		{ "{" SCHEMA NUMBERS "\"calibration\":\"x\"}", "\"tile_error\" is missing" },
		{ "{" SCHEMA NUMBERS "\"tile_error\":0.003}", "calibration" },
		{ "{" SCHEMA NUMBERS "\"tile_error\":-0.1,\"calibration\":\"x\"}", "tile_error" },
		{ "{" SCHEMA NUMBERS "\"tile_error\":1.5,\"calibration\":\"x\"}", "tile_error" },
		{ "{" SCHEMA NUMBERS "\"tile_error\":NaN,\"calibration\":\"x\"}", "JSON" },
		{ "{" SCHEMA NUMBERS "\"tile_error\":1e999,\"calibration\":\"x\"}", "JSON" },
		{ "{" SCHEMA NUMBERS "\"tile_error\":\"0\",\"calibration\":\"x\"}",
			"not a number" },
		{ "{" SCHEMA NUMBERS "\"tile_error\":null,\"calibration\":\"x\"}", "not a number" },
		{ "{" SCHEMA NUMBERS "\"tile_error\":0,\"tile_eror\":0,\"calibration\":\"x\"}",
			"unknown key \"tile_eror\"" },
		{ "{" SCHEMA NUMBERS "\"tile_error\":0,\"tile_error\":1,\"calibration\":\"x\"}",
			"JSON" },
		{ "", "JSON" },
	};
	static const char good[] = "{" SCHEMA NUMBERS "\"tile_error\":0.003,\"calibration\":\"x\"}";
	struct compare_limits read = { 9, 9, 9, 9, 9, NO_NOISE };
	struct error err;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		file_write("limits.json", bad[i].text, strlen(bad[i].text), &err);
		err.text[0] = '\0';
		tap_ok(compare_limits_read("limits.json", &read, &err) == -1 &&
				strstr(err.text, "limits.json") && strstr(err.text, bad[i].word) &&
				read.tile_error == 9,
			"refused, named, nothing written: %s", err.text);
	}
	file_write("limits.json", good, strlen(good), &err);
	tap_ok(compare_limits_read("limits.json", &read, &err) == 0 && read.pixel_limit == 0.02 &&
			read.share_over == 0.005 && read.mean_error == 0.0005 &&
			read.rms_error == 0.004 && read.tile_error == 0.003,
		"good limits are read");
	tap_ok(compare_limits_read("absent.json", &read, &err) == -1 && strstr(err.text, "absent"),
		"an absent file is an error: %s", err.text);
	unlink("limits.json");
}

static void test_json(void)
{
	struct comparison c;
	struct pair pair;
	json_t *json;

	setup(&pair, 32, 32);
	*sample(&pair.image, 20, 5, 1) += 0.5f;
	image_compare(&pair.image, &pair.reference, &limits, &c);
	json = comparison_json(&c, &limits);
	tap_ok(json_is_true(json_object_get(json, "within")) &&
			json_number_value(json_object_get(json, "rms_error")) == c.rms_error &&
			json_integer_value(json_array_get(json_object_get(json, "max_at"), 0)) ==
				20,
		"the JSON form carries the numbers");
	json_decref(json);
	*sample(&pair.image, 0, 0, 0) = NAN;
	image_compare(&pair.image, &pair.reference, &limits, &c);
	json = comparison_json(&c, &limits);
	tap_ok(json_is_false(json_object_get(json, "within")) &&
			json_is_null(json_object_get(json, "rms_error")) &&
			json_is_null(json_object_get(json, "tile_at")) &&
			*json_string_value(json_object_get(json, "why")),
		"what was not measured is null, with a reason");
	json_decref(json);
	teardown(&pair);
}

int main(void)
{
	test_equal();
	test_one_sample();
	test_share_counts_pixels();
	test_odd_size();
	test_small();
	test_wrong_tile();
	test_each_limit();
	test_forbidden();
	test_not_finite();
	test_empty();
	test_check();
	test_depth();
	test_order();
	test_huge();
	test_pictures();
	test_limits_file();
	test_json();
	return tap_done();
}
