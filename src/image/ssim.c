/* SPDX-License-Identifier: Apache-2.0 */
#include "image/ssim.h"

#include <math.h>
#include <stdlib.h>

#include "image/planes.h"

enum { RADIUS = 5 };

/* Squares of K1 and K2 times the range, 1. */
#define C1 (0.01 * 0.01)
#define C2 (0.03 * 0.03)

static double encoded(double linear)
{
	double v = linear < 0 ? 0 : linear > 1 ? 1 : linear;

	return v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

static float *luma_of(const struct image *image, const int channels[3])
{
	size_t count = (size_t)image->width * (size_t)image->height, i;
	float *luma = plane_new(image->width, image->height);
	const float *p = image->pixels;

	for (i = 0; i < count; i++, p += image->channels)
		luma[i] = (float)(0.2126 * encoded((double)p[channels[0]]) +
				  0.7152 * encoded((double)p[channels[1]]) +
				  0.0722 * encoded((double)p[channels[2]]));
	return luma;
}

static float *product(const float *a, const float *b, size_t count)
{
	float *out = plane_new((int)count, 1);
	size_t i;

	for (i = 0; i < count; i++)
		out[i] = a[i] * b[i];
	return out;
}

/* Weighted mean of a*b in each window, at its centre. */
static float *window_means(const float *a, const float *b, int width, int height)
{
	struct plane_kernel kernel;
	float *values = product(a, b, (size_t)width * (size_t)height);
	float *means = plane_new(width, height);

	plane_gaussian(1.5, RADIUS, &kernel);
	plane_convolve(values, width, height, &kernel, &kernel, means);
	free(values);
	return means;
}

struct moments {
	float *a, *b, *aa, *bb, *ab;
};

static double at(const struct moments *moments, size_t i)
{
	double a = (double)moments->a[i], b = (double)moments->b[i];
	double variances = (double)moments->aa[i] - a * a + (double)moments->bb[i] - b * b;
	double covariance = (double)moments->ab[i] - a * b;

	return (2 * a * b + C1) * (2 * covariance + C2) / ((a * a + b * b + C1) * (variances + C2));
}

static double mean_inside(const struct moments *moments, int width, int height)
{
	double sum = 0;
	int x, y;

	for (y = RADIUS; y < height - RADIUS; y++)
		for (x = RADIUS; x < width - RADIUS; x++)
			sum += at(moments, (size_t)y * (size_t)width + (size_t)x);
	return sum / ((double)(width - 2 * RADIUS) * (height - 2 * RADIUS));
}

static float *ones(size_t count)
{
	float *out = plane_new((int)count, 1);
	size_t i;

	for (i = 0; i < count; i++)
		out[i] = 1;
	return out;
}

double image_ssim(const struct image *image, const struct image *reference)
{
	int width = reference->width, height = reference->height, from_a[3], from_b[3];
	struct moments moments;
	float *a, *b, *one;
	double mean;

	if (width <= 2 * RADIUS || height <= 2 * RADIUS || plane_colours(image, from_a) != 0 ||
		plane_colours(reference, from_b) != 0)
		return NAN;
	a = luma_of(image, from_a);
	b = luma_of(reference, from_b);
	one = ones((size_t)width * (size_t)height);
	moments = (struct moments){ window_means(a, one, width, height),
		window_means(b, one, width, height), window_means(a, a, width, height),
		window_means(b, b, width, height), window_means(a, b, width, height) };
	mean = mean_inside(&moments, width, height);
	free(a);
	free(b);
	free(one);
	free(moments.a);
	free(moments.b);
	free(moments.aa);
	free(moments.bb);
	free(moments.ab);
	return mean;
}
