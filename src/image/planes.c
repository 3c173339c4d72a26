/* SPDX-License-Identifier: Apache-2.0 */
#include "image/planes.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "image/bands.h"

float *plane_new(int width, int height)
{
	return xmalloc((size_t)width * (size_t)height * sizeof(float));
}

void plane_gaussian(double sigma, int radius, struct plane_kernel *out)
{
	double sum = 0;
	int i;

	out->radius = radius;
	for (i = -radius; i <= radius; i++)
		sum += out->weights[i + radius] = exp(-i * i / (2 * sigma * sigma));
	for (i = 0; i <= 2 * radius; i++)
		out->weights[i] /= sum;
}

struct convolution {
	const float *from;
	float *between, *to;
	int width, height;
	const struct plane_kernel *across, *down;
};

static int clamped(int at, int size)
{
	return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static double at_edge(const float *row, int width, const struct plane_kernel *kernel, int x)
{
	double sum = 0;
	int i;

	for (i = -kernel->radius; i <= kernel->radius; i++)
		sum += kernel->weights[i + kernel->radius] * (double)row[clamped(x + i, width)];
	return sum;
}

static void convolve_rows(int band, int from, int to, void *data)
{
	struct convolution *job = data;
	const struct plane_kernel *kernel = job->across;
	int radius = kernel->radius, y, x, i;

	(void)band;
	for (y = from; y < to; y++) {
		const float *row = job->from + (size_t)y * (size_t)job->width;
		float *out = job->between + (size_t)y * (size_t)job->width;

		for (x = 0; x < job->width; x++) {
			double sum = 0;

			if (x < radius || x + radius >= job->width) {
				out[x] = (float)at_edge(row, job->width, kernel, x);
				continue;
			}
			for (i = 0; i <= 2 * radius; i++)
				sum += kernel->weights[i] * (double)row[x - radius + i];
			out[x] = (float)sum;
		}
	}
}

/* Row by row, so that memory is read in its order. */
static void convolve_columns(int band, int from, int to, void *data)
{
	struct convolution *job = data;
	const struct plane_kernel *kernel = job->down;
	size_t width = (size_t)job->width, x;
	double *sums = xmalloc(width * sizeof(*sums));
	int y, i;

	(void)band;
	for (y = from; y < to; y++) {
		float *out = job->to + (size_t)y * width;

		for (x = 0; x < width; x++)
			sums[x] = 0;
		for (i = -kernel->radius; i <= kernel->radius; i++) {
			const float *row =
				job->between + (size_t)clamped(y + i, job->height) * width;
			double weight = kernel->weights[i + kernel->radius];

			for (x = 0; x < width; x++)
				sums[x] += weight * (double)row[x];
		}
		for (x = 0; x < width; x++)
			out[x] = (float)sums[x];
	}
	free(sums);
}

void plane_convolve(const float *from, int width, int height, const struct plane_kernel *across,
	const struct plane_kernel *down, float *to)
{
	struct convolution job = { from, plane_new(width, height), to, width, height, across,
		down };

	bands_run(height, 1, convolve_rows, &job);
	bands_run(height, 1, convolve_columns, &job);
	free(job.between);
}

int plane_colours(const struct image *image, int channels[3])
{
	static const char *const names[3] = { "R", "G", "B" };
	int grey = image_channel(image, "Y"), i;

	for (i = 0; i < 3; i++) {
		channels[i] = image_channel(image, names[i]);
		if (channels[i] < 0)
			break;
	}
	if (i == 3)
		return 0;
	channels[0] = channels[1] = channels[2] = grey;
	return grey < 0 ? -1 : 0;
}
