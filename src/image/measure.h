/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over a picture or a pair of pictures, on all CPUs: everything that the checks and the
 * metrics of compare.h need. Judges nothing. */
#ifndef IMAGE_MEASURE_H
#define IMAGE_MEASURE_H

#include <stddef.h>

#include "image/image.h"

/* Finite values of one channel. */
struct measure_range {
	double low, high, sum;
	size_t finite;
};

struct measure_side {
	struct measure_range channels[IMAGE_CHANNELS_MAX];
	size_t magenta; /* pixels of the pink that stands for a missing texture */
};

struct measure_tile {
	double error; /* mean absolute error of its samples */
	int x, y; /* its top left pixel */
};

struct measure_pair {
	struct measure_side image, reference;
	double absolute, squared, largest; /* sums over all samples, and the largest */
	int max_x, max_y;
	size_t off; /* pixels with a sample off by more than the limit */
	struct measure_tile tile8, tile16; /* the worst */
};

/* Half of a sample's quantization step at the linear value `value`, as `image` stores it ("uint8",
 * "uint16", "half"; 0 for anything else). Of integer samples that are not linear in the file the
 * step is the decoded one of sRGB, for values from 0 to 1; it includes alpha's own. */
double measure_half_step(const struct image *image, bool is_alpha, double value);

/* `at[c]` is the picture's channel for the reference's channel c. With `beyond_steps` each error is
 * first reduced by the half steps of both formats. Not finite values give no sensible errors, but
 * are counted. */
void measure_two(const struct image *image, const struct image *reference, const int *at,
	double pixel_limit, bool beyond_steps, struct measure_pair *out);

void measure_one(const struct image *image, struct measure_side *out);

#endif
