/* SPDX-License-Identifier: Apache-2.0 */
/* One value a pixel, and convolution with a kernel that is a product of a row and a column. */
#ifndef IMAGE_PLANES_H
#define IMAGE_PLANES_H

#include "image/image.h"

enum { PLANES_RADIUS_MAX = 64 };

struct plane_kernel {
	int radius;
	double weights[2 * PLANES_RADIUS_MAX + 1]; /* from -radius to radius */
};

/* width x height values, not initialised. The caller frees. */
float *plane_new(int width, int height);

/* to = from with `across` along each row and `down` along each column; beyond the edge the nearest
 * pixel counts. `to` must not be `from`. On all CPUs. */
void plane_convolve(const float *from, int width, int height, const struct plane_kernel *across,
	const struct plane_kernel *down, float *to);

/* A Gaussian of `sigma` pixels from -radius to radius, its weights of sum 1. */
void plane_gaussian(double sigma, int radius, struct plane_kernel *out);

/* R, G, B of a picture in linear light, or its Y for all three. 0, or -1 when it has neither. */
int plane_colours(const struct image *image, int channels[3]);

#endif
