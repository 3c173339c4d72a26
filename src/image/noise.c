/* SPDX-License-Identifier: Apache-2.0 */
#include "image/noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { AROUND = 2, TRIMMED = 2, OTHER_FREEDOMS = 4 };

/* Of this side only means are tested: over so many pixels the roughness shows how well the model
 * knows its variance, not the picture. */
enum { LARGE = 32 };

/* Deviations count up to this many standard deviations. */
#define CLAMP 4
#define FLOOR_FIXED 0.001
#define FLOOR_SHARE 0.002
#define OPAQUE 1e-4

static size_t index_of(const struct noise_model *model, int x, int y, int c)
{
	return ((size_t)y * (size_t)model->width + (size_t)x) * (size_t)model->channels + (size_t)c;
}

/* --- reading --- */

static bool is_known(const char *name)
{
	return strcmp(name, "R") == 0 || strcmp(name, "G") == 0 || strcmp(name, "B") == 0 ||
	       strcmp(name, "Y") == 0 || strcmp(name, "A") == 0;
}

static int check_layers(
	const char *path, const struct image *mean, const struct image *sigma, struct error *err)
{
	size_t samples = (size_t)mean->width * (size_t)mean->height * (size_t)mean->channels, i;
	int c;

	if (mean->width != sigma->width || mean->height != sigma->height ||
		mean->channels != sigma->channels || mean->channels > NOISE_CHANNELS_MAX)
		return error_set(err, "%s: mean and sigma have other sizes or channels", path);
	for (c = 0; c < mean->channels; c++)
		if (!is_known(mean->names[c]) || strcmp(mean->names[c], sigma->names[c]) != 0)
			return error_set(err, "%s: channel %s is not one of R, G, B, Y, A in both",
				path, mean->names[c]);
	for (i = 0; i < samples; i++)
		if (!isfinite(mean->pixels[i]) || !isfinite(sigma->pixels[i]) ||
			sigma->pixels[i] < 0)
			return error_set(err,
				"%s: a mean or sigma is not finite, or a sigma is negative", path);
	return 0;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Mean variance around a pixel without the largest, which one firefly makes. */
static double variance_around(
	const struct noise_model *model, const struct image *sigma, int x, int y, int c)
{
	double found[(2 * AROUND + 1) * (2 * AROUND + 1)], sum = 0;
	int count = 0, i, j;

	for (j = y - AROUND; j <= y + AROUND; j++)
		for (i = x - AROUND; i <= x + AROUND; i++) {
			double s;

			if (i < 0 || j < 0 || i >= model->width || j >= model->height)
				continue;
			s = (double)sigma->pixels[index_of(model, i, j, c)];
			found[count++] = s * s;
		}
	qsort(found, (size_t)count, sizeof(found[0]), ascending);
	count = count > 2 * TRIMMED ? count - TRIMMED : count;
	for (i = 0; i < count; i++)
		sum += found[i];
	return sum / count;
}

static float regularised(
	const struct noise_model *model, const struct image *sigma, int x, int y, int c)
{
	size_t at = index_of(model, x, y, c);
	double own = (double)sigma->pixels[at] * (double)sigma->pixels[at];
	double around = variance_around(model, sigma, x, y, c), freedoms = model->renders - 1;
	double least = FLOOR_FIXED + FLOOR_SHARE * fabs((double)model->mean[at]);
	double drawn = (freedoms * own + OTHER_FREEDOMS * around) / (freedoms + OTHER_FREEDOMS);

	return (float)((drawn + least * least) * (1 + 1.0 / model->renders));
}

static void make_model(struct noise_model *out, struct image *mean, const struct image *sigma)
{
	int x, y, c;

	memcpy(out->names, mean->names, sizeof(out->names));
	out->mean = mean->pixels;
	mean->pixels = NULL;
	out->variance = xmalloc(
		(size_t)out->width * (size_t)out->height * (size_t)out->channels * sizeof(float));
	for (y = 0; y < out->height; y++)
		for (x = 0; x < out->width; x++)
			for (c = 0; c < out->channels; c++)
				out->variance[index_of(out, x, y, c)] =
					regularised(out, sigma, x, y, c);
}

int noise_read(const char *path, int renders, struct noise_model *out, struct error *err)
{
	struct image mean, sigma;
	int rc;

	if (renders < 2)
		return error_set(err, "%s: a noise model needs at least two renders", path);
	if (image_read_layer(path, &(struct image_choice){ .layer = "mean" }, &mean, err) != 0)
		return -1;
	if (image_read_layer(path, &(struct image_choice){ .layer = "sigma" }, &sigma, err) != 0) {
		image_release(&mean);
		return -1;
	}
	rc = check_layers(path, &mean, &sigma, err);
	if (rc == 0) {
		*out = (struct noise_model){ .width = mean.width,
			.height = mean.height,
			.channels = mean.channels,
			.renders = renders };
		make_model(out, &mean, &sigma);
	}
	image_release(&mean);
	image_release(&sigma);
	return rc;
}

void noise_release(struct noise_model *model)
{
	if (!model)
		return;
	free(model->mean);
	free(model->variance);
	memset(model, 0, sizeof(*model));
}

/* --- testing --- */

struct test {
	const struct image *image;
	const struct noise_model *model;
	int at[NOISE_CHANNELS_MAX]; /* the picture's channel for each of the model's */
	struct noise_result *out;
};

struct deviation {
	double r, variance;
};

static struct deviation deviation_at(const struct test *test, int x, int y, int c)
{
	size_t i = index_of(test->model, x, y, c);
	double variance = (double)test->model->variance[i], most = CLAMP * sqrt(variance);
	double r =
		(double)test->image->pixels[((size_t)y * (size_t)test->image->width + (size_t)x) *
						    (size_t)test->image->channels +
					    (size_t)test->at[c]] -
		(double)test->model->mean[i];

	return (struct deviation){ r > most ? most : r < -most ? -most : r, variance };
}

/* Slope of the mean, in value per pixel: 0 at the edges. */
static double slope(const struct noise_model *model, int x, int y, int c, int dx, int dy)
{
	if (x < dx || y < dy || x + dx >= model->width || y + dy >= model->height)
		return 0;
	return 0.5 * ((double)model->mean[index_of(model, x + dx, y + dy, c)] -
			     (double)model->mean[index_of(model, x - dx, y - dy, c)]);
}

struct tile {
	int x, y, width, height, size, c;
};

static void worse(const struct test *test, struct noise_place *worst, double value,
	const struct tile *tile, const char *kind)
{
	if (!(value > worst->value))
		return;
	*worst = (struct noise_place){ value, tile->x, tile->y, tile->size, "", kind };
	str_copy(worst->channel, sizeof(worst->channel), test->model->names[tile->c]);
}

/* A sum of weighted deviations and the variance that it has. */
struct weighted {
	double sum, variance;
};

static void weigh(struct weighted *to, struct deviation d, double weight)
{
	to->sum += weight * d.r;
	to->variance += weight * weight * d.variance;
}

static double z_of(const struct weighted *sum)
{
	return sum->variance > 0 ? fabs(sum->sum) / sqrt(sum->variance) : 0;
}

static void test_means(const struct test *test, const struct tile *tile)
{
	static const char *const kinds[] = { "mean", "shift-x", "shift-y" };
	struct weighted sums[3] = { { 0, 0 }, { 0, 0 }, { 0, 0 } };
	const struct noise_model *model = test->model;
	int x, y, i;

	for (y = tile->y; y < tile->y + tile->height; y++)
		for (x = tile->x; x < tile->x + tile->width; x++) {
			struct deviation d = deviation_at(test, x, y, tile->c);

			weigh(&sums[0], d, 1);
			/* Over the variance: the best weight to find a known shape in noise. */
			weigh(&sums[1], d, slope(model, x, y, tile->c, 1, 0) / d.variance);
			weigh(&sums[2], d, slope(model, x, y, tile->c, 0, 1) / d.variance);
		}
	for (i = 0; i < 3; i++)
		worse(test, &test->out->tile_z, z_of(&sums[i]), tile, kinds[i]);
}

/* Blocks of `side` pixels: what is left of a structure when single pixels drown in noise. */
static void test_roughness(
	const struct test *test, const struct tile *tile, int side, const char *kind)
{
	double sum = 0;
	int count = 0, x, y, i, j;

	for (y = tile->y; y + side <= tile->y + tile->height; y += side)
		for (x = tile->x; x + side <= tile->x + tile->width; x += side) {
			struct weighted block = { 0, 0 };

			for (j = 0; j < side; j++)
				for (i = 0; i < side; i++)
					weigh(&block, deviation_at(test, x + i, y + j, tile->c), 1);
			sum += block.sum * block.sum / block.variance;
			count++;
		}
	if (count > 0)
		worse(test, &test->out->tile_chi, 1 + (sum / count - 1) * sqrt(count / 64.0), tile,
			kind);
}

static int moved(int at, int length, int size)
{
	int last = length > size ? length - size : 0;

	return at < last ? at : last;
}

static void test_tiles(const struct test *test, int size)
{
	const struct noise_model *model = test->model;
	int x, y, c;

	for (y = 0; y < model->height; y += size)
		for (x = 0; x < model->width; x += size)
			for (c = 0; c < model->channels; c++) {
				struct tile tile = {
					.x = moved(x, model->width, size),
					.y = moved(y, model->height, size),
					.width = model->width < size ? model->width : size,
					.height = model->height < size ? model->height : size,
					.size = size,
					.c = c,
				};

				test_means(test, &tile);
				if (size == LARGE)
					continue;
				test_roughness(test, &tile, 1, "pixels");
				test_roughness(test, &tile, 2, "blocks");
			}
}

static void test_whole(const struct test *test)
{
	const struct noise_model *model = test->model;
	int x, y, c;

	for (c = 0; c < model->channels; c++) {
		struct weighted all = { 0, 0 };
		double mean = 0;

		for (y = 0; y < model->height; y++)
			for (x = 0; x < model->width; x++) {
				weigh(&all, deviation_at(test, x, y, c), 1);
				mean += (double)model->mean[index_of(model, x, y, c)];
			}
		if (z_of(&all) > test->out->bias_z) {
			test->out->bias_z = z_of(&all);
			test->out->bias = mean > 0 ? all.sum / mean : 0;
		}
	}
}

/* Pixels with a channel that was clamped: what any render has a few of, and salt many. */
static void test_outliers(const struct test *test)
{
	const struct noise_model *model = test->model;
	size_t count = 0;
	int x, y, c;

	for (y = 0; y < model->height; y++)
		for (x = 0; x < model->width; x++) {
			bool out = false;

			for (c = 0; c < model->channels; c++) {
				struct deviation d = deviation_at(test, x, y, c);

				out |= d.r * d.r >= CLAMP * CLAMP * d.variance * (1 - 1e-9);
			}
			count += out;
		}
	test->out->outliers = (double)count / ((double)model->width * model->height);
}

/* Each of the picture's channels must be in the model; an opaque alpha needs none. */
static bool opaque_everywhere(const struct image *image, int channel)
{
	size_t count = (size_t)image->width * (size_t)image->height, i;
	const float *p = image->pixels + channel;

	for (i = 0; i < count; i++, p += image->channels)
		if (!(fabs((double)*p - 1) <= OPAQUE))
			return false;
	return true;
}

static int model_channel(const struct noise_model *model, const char *name)
{
	int c;

	for (c = 0; c < model->channels; c++)
		if (strcmp(model->names[c], name) == 0)
			return c;
	return -1;
}

static int refuse(struct noise_result *out, const char *why, const char *what)
{
	snprintf(out->why, sizeof(out->why), "%s%s", why, what);
	return -1;
}

static int pair_channels(struct test *test)
{
	const struct image *image = test->image;
	int c;

	for (c = 0; c < test->model->channels; c++) {
		test->at[c] = image_channel(image, test->model->names[c]);
		if (test->at[c] < 0)
			return refuse(test->out, "the picture lacks the noise model's channel ",
				test->model->names[c]);
	}
	for (c = 0; c < image->channels; c++) {
		if (model_channel(test->model, image->names[c]) >= 0)
			continue;
		if (strcmp(image->names[c], "A") != 0)
			return refuse(test->out, "the noise model lacks channel ", image->names[c]);
		if (!opaque_everywhere(image, c))
			return refuse(test->out,
				"alpha is not 1 everywhere and the noise model lacks it", "");
	}
	return 0;
}

static bool keeps(struct noise_result *out, double value, double limit, const char *what)
{
	if (value <= limit)
		return true;
	snprintf(out->why, sizeof(out->why), "%s %.4g is over the limit %.4g", what, value, limit);
	return false;
}

static bool all_within(struct noise_result *out, const struct noise_limits *limits)
{
	char z[160], chi[160];

	snprintf(z, sizeof(z), "noise: %s of %s in the %dx%d tile at %d,%d: z",
		out->tile_z.kind ? out->tile_z.kind : "mean", out->tile_z.channel, out->tile_z.size,
		out->tile_z.size, out->tile_z.x, out->tile_z.y);
	snprintf(chi, sizeof(chi), "noise: roughness of %s (%s) in the %dx%d tile at %d,%d: chi",
		out->tile_chi.channel, out->tile_chi.kind ? out->tile_chi.kind : "pixels",
		out->tile_chi.size, out->tile_chi.size, out->tile_chi.x, out->tile_chi.y);
	return keeps(out, out->tile_z.value, limits->tile_z, z) &&
	       keeps(out, out->tile_chi.value, limits->tile_chi, chi) &&
	       keeps(out, out->bias_z, limits->bias_z, "noise: mean of the whole picture: z") &&
	       (limits->outliers <= 0 || keeps(out, out->outliers, limits->outliers,
						 "noise: share of pixels that no noise explains:"));
}

void noise_test(const struct image *image, const struct noise_model *model,
	const struct compare_limits *limits, struct noise_result *out)
{
	struct test test = { .image = image, .model = model, .out = out };

	memset(out, 0, sizeof(*out));
	if (image->width != model->width || image->height != model->height) {
		snprintf(out->why, sizeof(out->why),
			"sizes differ: picture %dx%d, noise model %dx%d", image->width,
			image->height, model->width, model->height);
		return;
	}
	if (pair_channels(&test) != 0)
		return;
	test_tiles(&test, 8);
	test_tiles(&test, 16);
	test_tiles(&test, LARGE);
	test_whole(&test);
	test_outliers(&test);
	out->tested = true;
	if (limits && limits->noise.renders)
		out->within = all_within(out, &limits->noise);
	else
		str_copy(out->why, sizeof(out->why), "no noise limits to judge by");
}

static json_t *place_json(const struct noise_place *place)
{
	return json_pack("{s:f, s:[i, i], s:i, s:s, s:s}", "value", place->value, "at", place->x,
		place->y, "size", place->size, "channel", place->channel, "kind",
		place->kind ? place->kind : "none");
}

json_t *noise_json(const struct noise_result *result)
{
	json_t *root = json_pack("{s:b, s:b, s:s}", "tested", result->tested, "within",
		result->tested && result->within, "why", result->why);

	json_object_set_new(
		root, "tile_z", result->tested ? place_json(&result->tile_z) : json_null());
	json_object_set_new(
		root, "tile_chi", result->tested ? place_json(&result->tile_chi) : json_null());
	json_object_set_new(
		root, "bias_z", result->tested ? json_real(result->bias_z) : json_null());
	json_object_set_new(root, "bias", result->tested ? json_real(result->bias) : json_null());
	json_object_set_new(
		root, "outliers", result->tested ? json_real(result->outliers) : json_null());
	return root;
}
