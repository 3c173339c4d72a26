/* SPDX-License-Identifier: Apache-2.0 */
/* Is a picture another render of the same scene, with other noise? A model says for each pixel
 * which mean and standard deviation one render has, estimated from N renders that differ in their
 * seed alone. A new render must then scatter around the mean as the model says: no tile may be off
 * as a whole, shifted, or rougher than noise is. */
#ifndef IMAGE_NOISE_H
#define IMAGE_NOISE_H

#include <jansson.h>

#include "image/compare.h"
#include "image/image.h"

enum { NOISE_CHANNELS_MAX = 4 };

struct noise_model {
	int width, height, channels, renders;
	char names[NOISE_CHANNELS_MAX][IMAGE_CHANNEL_NAME];
	float *mean; /* height x width x channels; owned */
	float *variance; /* the same: of a new render against `mean`, regularised; owned */
};

/* Reads an EXR file with the layers "mean" and "sigma", both with R, G, B, or Y, and perhaps A:
 * mean and standard deviation of one render. `renders` (2 or more) is N, from limits.json. 0, or -1
 * with *out untouched. The variance of a pixel is drawn towards the trimmed mean of its 5x5
 * neighbours (few renders estimate it badly), has a floor of (0.001 + 0.002 mean)^2, and includes
 * the mean's own error: times 1 + 1/N. */
int noise_read(const char *path, int renders, struct noise_model *out, struct error *err);

void noise_release(struct noise_model *model);

/* Where something is largest. */
struct noise_place {
	double value;
	int x, y, size; /* the tile's top left pixel and its side */
	char channel[IMAGE_CHANNEL_NAME];
	const char *kind; /* of z: "mean", "shift-x", "shift-y"; of chi: "pixels", "blocks" */
};

struct noise_result {
	bool tested; /* false: `why` says what forbids it, nothing else is set */
	bool within;
	char why[300];
	struct noise_place tile_z, tile_chi;
	double bias_z, bias; /* of the whole picture: z, and mean deviation over mean */
	double outliers; /* share of pixels with a deviation beyond the clamp */
};

/* Of a finite picture. Each deviation is clamped to 4 standard deviations, so that a firefly, which
 * any render may have and the model's renders may lack, weighs no more than that.
 *
 * z of a tile (8x8, 16x16 and 32x32), each channel apart: sum of the deviations over the root of
 * the sum of the variances; and the same weighted with the slope of the mean across and down, which
 * is what a shifted picture looks like.
 *
 * chi of a tile (8x8 and 16x16): mean of deviation^2 / variance, of its pixels and of its blocks of
 * 2x2 pixels, scaled to 64 values: 1 + (mean - 1) sqrt(count / 64).
 *
 * bias: z of the whole picture.
 *
 * outliers: share of the pixels that were clamped in a channel: fireflies are few in any render.
 *
 * `limits` NULL or without noise limits: numbers only, never within. An alpha that the model lacks
 * must be 1 everywhere. */
void noise_test(const struct image *image, const struct noise_model *model,
	const struct compare_limits *limits, struct noise_result *out);

/* Writes a model of `count` renders of one size and channels, as noise_read() takes it. */
int noise_write(const char *path, const struct image *renders, size_t count, struct error *err);

/* A new reference. */
json_t *noise_json(const struct noise_result *result);

#endif
