/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "image/noise.h"

static int check_alike(const struct image *renders, size_t count, struct error *err)
{
	const struct image *first = &renders[0];
	size_t i;
	int c;

	if (count < 2)
		return error_set(err, "a noise model needs at least two renders");
	for (c = 0; c < first->channels; c++)
		if (first->channels > NOISE_CHANNELS_MAX || strlen(first->names[c]) != 1)
			return error_set(err, "a noise model is of R, G, B, Y and A alone");
	for (i = 1; i < count; i++)
		if (renders[i].width != first->width || renders[i].height != first->height ||
			renders[i].channels != first->channels ||
			memcmp(renders[i].names, first->names, sizeof(first->names)) != 0)
			return error_set(err, "render %zu has another size or other channels", i);
	return 0;
}

/* Mean and standard deviation (over count - 1) of one sample. */
static void estimate(
	const struct image *renders, size_t count, size_t sample, float *mean, float *sigma)
{
	double sum = 0, squares = 0;
	size_t i;

	for (i = 0; i < count; i++)
		sum += (double)renders[i].pixels[sample];
	sum /= (double)count;
	for (i = 0; i < count; i++)
		squares += pow((double)renders[i].pixels[sample] - sum, 2);
	*mean = (float)sum;
	*sigma = (float)sqrt(squares / (double)(count - 1));
}

int noise_write(const char *path, const struct image *renders, size_t count, struct error *err)
{
	struct image shape, model;
	size_t pixels, i, channels;
	int rc, c;

	if (check_alike(renders, count, err) != 0)
		return error_prefix(err, "%s", path);
	shape = renders[0];
	channels = (size_t)shape.channels;
	shape.channels *= 2;
	for (c = 0; c < (int)channels; c++) {
		snprintf(shape.names[c], IMAGE_CHANNEL_NAME, "mean.%.1s", renders[0].names[c]);
		snprintf(shape.names[c + (int)channels], IMAGE_CHANNEL_NAME, "sigma.%.1s",
			renders[0].names[c]);
	}
	image_new(&model, shape.width, shape.height, &shape);
	pixels = (size_t)shape.width * (size_t)shape.height;
	for (i = 0; i < pixels * channels; i++)
		estimate(renders, count, i,
			&model.pixels[i / channels * 2 * channels + i % channels],
			&model.pixels[i / channels * 2 * channels + channels + i % channels]);
	rc = image_write_exr(path, &model, err);
	image_release(&model);
	return rc;
}
