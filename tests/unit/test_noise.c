/* SPDX-License-Identifier: Apache-2.0 */
/* The noise-aware test on renders made here: a textured picture with noise of known deviation,
 * skewed as Monte Carlo noise is, and fireflies. */
#include "image/noise.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

enum { WIDTH = 96, HEIGHT = 64, RENDERS = 12, CLEAN = 60 };

static uint64_t state;

/* xorshift64*, S. Vigna: uniform in 0..1. */
static double uniform(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (double)(state * UINT64_C(2685821657736338717) >> 11) * 0x1p-53;
}

/* Mean 0, deviation 1, skewed to the bright side: the mean of four exponential values. */
static double noise(void)
{
	double sum = 0;
	int i;

	for (i = 0; i < 4; i++)
		sum -= log(1 - uniform());
	return (sum - 4) / 2;
}

/* A striped texture, darker to the right. */
static double truth(double x, double y, int c)
{
	return (0.35 + 0.15 * sin(0.9 * x + 0.3 * y + c)) * (1 - 0.4 * x / WIDTH);
}

struct scene {
	int seed;
	double (*at)(int x, int y, int c); /* what is rendered instead of the truth, or NULL */
};

static void render(const struct scene *scene, struct image *out)
{
	static const struct image like = { .channels = 4, .names = { "R", "G", "B", "A" } };
	float *p;
	int x, y, c;

	image_new(out, WIDTH, HEIGHT, &like);
	state = UINT64_C(88172645463325252) + (uint64_t)scene->seed * 7919;
	for (p = out->pixels, y = 0; y < HEIGHT; y++)
		for (x = 0; x < WIDTH; x++) {
			double firefly = uniform() < 0.0005 ? 4 * uniform() : 0;

			for (c = 0; c < 3; c++) {
				double v = scene->at ? scene->at(x, y, c) : truth(x, y, c);

				*p++ = (float)(v + 0.12 * v * noise() + firefly);
			}
			*p++ = 1;
		}
}

static bool in(int x, int y, int left, int top, int size)
{
	return x >= left && x < left + size && y >= top && y < top + size;
}

static double dark_corner(int x, int y, int c)
{
	return truth(x, y, c) * (in(x, y, 0, 0, 24) ? 0.85 : 1);
}

static double no_volume(int x, int y, int c)
{
	return truth(x, y, c) + (in(x, y, 40, 20, 20) ? 0.04 : 0);
}

static double blocks(int x, int y, int c)
{
	return truth(x, y, c) + (in(x, y, 30, 30, 16) ? ((x / 4 + y / 4) % 2 ? 0.06 : -0.06) : 0);
}

static double shifted(int x, int y, int c)
{
	return truth(in(x, y, 50, 20, 32) ? x + 1 : x, y, c);
}

static double shifted_down(int x, int y, int c)
{
	return truth(x, in(x, y, 8, 16, 40) ? y + 2 : y, c);
}

static double brighter(int x, int y, int c)
{
	return truth(x, y, c) * 1.03;
}

static double one_channel(int x, int y, int c)
{
	return truth(x, y, c) + (c == 2 && in(x, y, 72, 40, 8) ? 0.06 : 0);
}

/* What 60 clean renders stay below with room; the damage below is above. */
static const struct compare_limits limits = {
	.noise = { RENDERS, 6, 3.5, 5 },
};

static void make_model(struct noise_model *model)
{
	struct image renders[RENDERS];
	struct error err = { "" };
	int i;

	for (i = 0; i < RENDERS; i++)
		render(&(struct scene){ i, NULL }, &renders[i]);
	tap_number(noise_write("noise.exr", renders, RENDERS, &err), 0, "a model is written");
	tap_number(noise_read("noise.exr", RENDERS, model, &err), 0, "and read");
	tap_ok(model->width == WIDTH && model->height == HEIGHT && model->channels == 4 &&
			model->renders == RENDERS,
		"with its shape");
	for (i = 0; i < RENDERS; i++)
		image_release(&renders[i]);
}

/* The mean of 12 renders of deviation 0.12 v is off by 0.035 v; the regularised deviation of a
 * whole picture is near the true one: root of (0.12 v)^2 (1 + 1/12), and a little for fireflies. */
static void test_model(const struct noise_model *model)
{
	double ratio = 0, off = 0;
	size_t count = (size_t)WIDTH * HEIGHT, i;

	for (i = 0; i < count; i++) {
		double v = truth((int)(i % WIDTH), (int)(i / WIDTH), 1);

		ratio +=
			sqrt((double)model->variance[4 * i + 1] / (1 + 1.0 / RENDERS)) / (0.12 * v);
		off += fabs((double)model->mean[4 * i + 1] - v) / v;
	}
	tap_ok(fabs(ratio / (double)count - 1) < 0.15, "the model's deviation is the true one (%g)",
		ratio / (double)count);
	tap_ok(off / (double)count < 0.05, "and its mean (off by %g)", off / (double)count);
}

static void test_clean(const struct noise_model *model)
{
	struct noise_result result, worst = { .tested = true };
	int passed = 0, i;

	for (i = 0; i < CLEAN; i++) {
		struct image image;

		render(&(struct scene){ 1000 + i, NULL }, &image);
		noise_test(&image, model, &limits, &result);
		passed += result.tested && result.within;
		worst.tile_z.value = fmax(worst.tile_z.value, result.tile_z.value);
		worst.tile_chi.value = fmax(worst.tile_chi.value, result.tile_chi.value);
		worst.bias_z = fmax(worst.bias_z, result.bias_z);
		image_release(&image);
	}
	tap_number(passed, CLEAN, "D15: renders with other noise pass");
	printf("# largest z %g, chi %g, bias %g\n", worst.tile_z.value, worst.tile_chi.value,
		worst.bias_z);
}

static void test_damage(const struct noise_model *model)
{
	static const struct {
		const char *title;
		double (*at)(int x, int y, int c);
		int left, top, size; /* where; size 0: anywhere */
	} cases[] = {
		{ "A34: a corner 15 % darker", dark_corner, 0, 0, 24 },
		{ "D21: a region without its volume", no_volume, 40, 20, 20 },
		{ "blocks of 4x4 that cancel out in a tile", blocks, 30, 30, 16 },
		{ "a texture moved by one pixel", shifted, 50, 20, 32 },
		{ "a texture moved by two pixels down", shifted_down, 8, 16, 40 },
		{ "3 % more light", brighter, 0, 0, 0 },
		{ "one tile off in blue", one_channel, 72, 40, 8 },
	};
	size_t i;
	int seed;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (seed = 0; seed < 3; seed++) {
			const int left = cases[i].left, top = cases[i].top;
			struct noise_result result;
			struct image image;

			render(&(struct scene){ 5000 + seed, cases[i].at }, &image);
			noise_test(&image, model, &limits, &result);
			tap_ok(result.tested && !result.within, "%s: %s", cases[i].title,
				result.why);
			if (cases[i].size && result.tile_z.value > limits.noise.tile_z)
				tap_ok(result.tile_z.x > left - result.tile_z.size &&
						result.tile_z.x < left + cases[i].size &&
						result.tile_z.y > top - result.tile_z.size &&
						result.tile_z.y < top + cases[i].size,
					"and the tile touches it");
			image_release(&image);
		}
}

/* A firefly outside everything the model saw is no damage; a cluster of them is. */
static void test_fireflies(const struct noise_model *model)
{
	struct noise_result result;
	struct image image;
	int x, y, c;

	render(&(struct scene){ 2000, NULL }, &image);
	for (c = 0; c < 3; c++)
		image.pixels[(20 * WIDTH + 33) * 4 + c] = 500;
	noise_test(&image, model, &limits, &result);
	tap_ok(result.within, "one firefly passes: %s", result.why);
	for (y = 20; y < 26; y++)
		for (x = 33; x < 39; x++)
			for (c = 0; c < 3; c++)
				image.pixels[(y * WIDTH + x) * 4 + c] = 500;
	noise_test(&image, model, &limits, &result);
	tap_ok(!result.within, "a block of 36 does not: %s", result.why);
	image_release(&image);
}

/* One pixel of a hundred off is what no noise explains; it moves no tile. */
static void test_salt(const struct noise_model *model)
{
	struct compare_limits counted = limits;
	struct noise_result result;
	struct image image;
	double clean;
	int i, c;

	render(&(struct scene){ 2001, NULL }, &image);
	noise_test(&image, model, &limits, &result);
	clean = result.outliers;
	counted.noise.outliers = clean + 0.005;
	noise_test(&image, model, &counted, &result);
	tap_ok(result.within, "%g of the pixels of a clean render are outliers", clean);
	for (i = 0; i < WIDTH * HEIGHT; i += 100)
		for (c = 0; c < 3; c++)
			image.pixels[4 * i + c] = 5;
	noise_test(&image, model, &counted, &result);
	tap_ok(fabs(result.outliers - clean - 0.01) < 0.001, "D10: 1 %% more are counted (%g)",
		result.outliers);
	tap_ok(!result.within, "and refused by their count: %s", result.why);
	image_release(&image);
}

static void test_refusals(const struct noise_model *model)
{
	struct noise_model opaque = *model, other;
	struct noise_result result;
	struct image image;
	struct error err = { "" };

	render(&(struct scene){ 3000, NULL }, &image);
	noise_test(&image, model, NULL, &result);
	tap_ok(result.tested && !result.within, "without limits nothing is within: %s", result.why);
	image.width = WIDTH / 2;
	noise_test(&image, model, &limits, &result);
	tap_ok(!result.tested && strstr(result.why, "sizes differ"), "another size: %s",
		result.why);
	image.width = WIDTH;
	strcpy(image.names[2], "Z");
	noise_test(&image, model, &limits, &result);
	tap_ok(!result.tested && strstr(result.why, "channel B"), "a channel missing: %s",
		result.why);
	strcpy(image.names[2], "B");
	strcpy(opaque.names[3], "Y");
	noise_test(&image, &opaque, &limits, &result);
	tap_ok(!result.tested && result.why[0], "channels that the model lacks: %s", result.why);
	tap_number(noise_read("noise.exr", 1, &other, &err), -1, "a model of one render");
	tap_number(image_write_exr("plain.exr", &image, NULL), 0, "a picture is written");
	tap_number(noise_read("plain.exr", 8, &other, &err), -1, "a picture is no model");
	tap_ok(strstr(err.text, "plain.exr") && strstr(err.text, "mean"), "%s", err.text);
	image_release(&image);
}

/* Alpha is no noise: where it is lower the model knows. */
static void test_alpha(const struct noise_model *model)
{
	struct noise_result result;
	struct image image;
	size_t i;

	render(&(struct scene){ 4000, NULL }, &image);
	for (i = 0; i < (size_t)WIDTH * HEIGHT; i++)
		image.pixels[4 * i + 3] = 0.95f;
	noise_test(&image, model, &limits, &result);
	tap_ok(result.tested && !result.within && strcmp(result.tile_z.channel, "A") == 0,
		"alpha 5 %% lower is found: %s", result.why);
	image_release(&image);
}

static void test_json(const struct noise_model *model)
{
	struct noise_result result;
	struct image image;
	json_t *root;

	render(&(struct scene){ 4001, NULL }, &image);
	noise_test(&image, model, &limits, &result);
	root = noise_json(&result);
	tap_ok(json_is_true(json_object_get(root, "within")) &&
			json_is_object(json_object_get(root, "tile_z")) &&
			json_is_real(json_object_get(root, "bias_z")),
		"the numbers are in the JSON");
	json_decref(root);
	image_release(&image);
}

int main(void)
{
	struct noise_model model;

	tap_place();
	make_model(&model);
	test_model(&model);
	test_clean(&model);
	test_damage(&model);
	test_fireflies(&model);
	test_salt(&model);
	test_refusals(&model);
	test_alpha(&model);
	test_json(&model);
	noise_release(&model);
	return tap_done();
}
