/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What is darker than this, or alike within this, cannot show some kinds of damage. */
#define VISIBLE 0.02

struct area {
	int x, y, width, height;
};

static float *sample(const struct image *image, int x, int y)
{
	return image->pixels +
	       ((size_t)y * (size_t)image->width + (size_t)x) * (size_t)image->channels;
}

/* Mean of the colours of the picture without noise. */
static double truth_of(const struct noise_model *truth, int x, int y)
{
	const float *p = truth->mean +
			 ((size_t)y * (size_t)truth->width + (size_t)x) * (size_t)truth->channels;
	double sum = 0;
	int c;

	for (c = 0; c < 3; c++)
		sum += (double)p[c];
	return sum / 3;
}

static double brightness(const struct noise_model *truth, const struct area *area)
{
	double sum = 0;
	int x, y;

	for (y = area->y; y < area->y + area->height; y++)
		for (x = area->x; x < area->x + area->width; x++)
			sum += truth_of(truth, x, y);
	return sum / (area->width * area->height);
}

/* Mean difference of the noiseless area from the one that lies dx, dy away. */
static double unlike(const struct noise_model *truth, const struct area *area, int dx, int dy)
{
	double sum = 0;
	int x, y;

	for (y = area->y; y < area->y + area->height; y++)
		for (x = area->x; x < area->x + area->width; x++)
			sum += fabs(truth_of(truth, x, y) - truth_of(truth, x + dx, y + dy));
	return sum / (area->width * area->height);
}

static bool is_bright(const struct damage_at *at, const struct area *area)
{
	return brightness(at->truth, area) > VISIBLE;
}

static void scale(struct image *image, const struct area *area, const double by[3])
{
	int x, y, c;

	for (y = area->y; y < area->y + area->height; y++)
		for (x = area->x; x < area->x + area->width; x++)
			for (c = 0; c < 3; c++)
				sample(image, x, y)[c] *= (float)by[c];
}

static struct area whole(const struct image *image)
{
	return (struct area){ 0, 0, image->width, image->height };
}

static void scale_all(struct image *image, double by)
{
	struct area all = whole(image);

	scale(image, &all, (double[]){ by, by, by });
}

/* --- light --- */

static bool dark_corner(struct image *image, const struct damage_at *at)
{
	int width = image->width / 4, height = image->height / 4;
	struct area area = { at->variant % 2 ? image->width - width : 0,
		at->variant / 2 ? image->height - height : 0, width, height };
	double by = 1 - at->strength / 100;

	scale(image, &area, (double[]){ by, by, by });
	return is_bright(at, &area);
}

static bool gain(struct image *image, const struct damage_at *at)
{
	scale_all(image, 1 + (at->variant ? -1 : 1) * at->strength / 100);
	return true;
}

static bool cast(struct image *image, const struct damage_at *at)
{
	struct area all = whole(image);
	double by[3] = { 1, 1, 1 };

	by[at->variant] += at->strength / 100;
	scale(image, &all, by);
	return true;
}

static bool swap(struct image *image, const struct damage_at *at)
{
	double sum = 0;
	int x, y;

	for (y = 0; y < image->height; y++)
		for (x = 0; x < image->width; x++) {
			float *p = sample(image, x, y), red = p[0];

			sum += fabs((double)(p[0] - p[2]));
			p[0] = p[2];
			p[2] = red;
		}
	return sum / (image->width * image->height) > VISIBLE && at->strength > 0;
}

static bool banding(struct image *image, const struct damage_at *at)
{
	int y;

	for (y = 8 * at->variant; y < image->height; y += 16) {
		struct area band = { 0, y, image->width,
			image->height - y < 8 ? image->height - y : 8 };
		double by = 1 - at->strength / 100;

		scale(image, &band, (double[]){ by, by, by });
	}
	return true;
}

static int ascending(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The strength is the share of colour samples that are cut off. */
static bool clipped(struct image *image, const struct damage_at *at)
{
	size_t count = (size_t)image->width * (size_t)image->height, i, c;
	size_t channels = (size_t)image->channels;
	float *sorted = malloc(3 * count * sizeof(*sorted)), most;

	if (!sorted)
		abort();
	for (i = 0; i < count; i++)
		memcpy(&sorted[3 * i], &image->pixels[channels * i], 3 * sizeof(*sorted));
	qsort(sorted, 3 * count, sizeof(*sorted), ascending);
	most = sorted[(size_t)((double)(3 * count) * (1 - at->strength / 100))];
	free(sorted);
	for (i = 0; i < count; i++)
		for (c = 0; c < 3; c++)
			if (image->pixels[channels * i + c] > most)
				image->pixels[channels * i + c] = most;
	return true;
}

/* --- places --- */

/* Five places of a side: the corners of a square around the middle, and the middle. */
static struct area place(const struct image *image, const struct damage_at *at, int side)
{
	static const double spots[5][2] = { { .5, .5 }, { .25, .3 }, { .75, .3 }, { .3, .7 },
		{ .7, .75 } };
	const double *spot = spots[at->variant % 5];
	/* Off any grid of tiles. */
	int x = (int)(spot[0] * image->width) - side / 2 + 3,
	    y = (int)(spot[1] * image->height) - side / 2 + 3;
	int last_x = image->width - side, last_y = image->height - side;

	return (struct area){ x < 0	   ? 0
			      : x > last_x ? last_x
					   : x,
		y < 0	     ? 0
		: y > last_y ? last_y
			     : y,
		side, side };
}

static bool black_block(struct image *image, const struct damage_at *at)
{
	struct area area = place(image, at, (int)at->strength);

	scale(image, &area, (double[]){ 0, 0, 0 });
	return is_bright(at, &area);
}

static bool magenta_block(struct image *image, const struct damage_at *at)
{
	struct area area = place(image, at, (int)at->strength);
	int x, y;

	for (y = area.y; y < area.y + area.height; y++)
		for (x = area.x; x < area.x + area.width; x++) {
			float *p = sample(image, x, y);

			p[0] = p[2] = 1;
			p[1] = 0;
		}
	return true;
}

/* Moves what lies dx, dy away into the area. */
static bool move(
	struct image *image, const struct damage_at *at, const struct area *area, int dx, int dy)
{
	size_t bytes = (size_t)area->width * (size_t)image->channels * sizeof(float);
	float *rows;
	int y;

	if (area->x + dx < 0 || area->y + dy < 0 || area->x + dx + area->width > image->width ||
		area->y + dy + area->height > image->height)
		return false;
	rows = malloc(bytes * (size_t)area->height);
	if (!rows)
		abort();
	for (y = 0; y < area->height; y++)
		memcpy((char *)rows + bytes * (size_t)y,
			sample(image, area->x + dx, area->y + y + dy), bytes);
	for (y = 0; y < area->height; y++)
		memcpy(sample(image, area->x, area->y + y), (char *)rows + bytes * (size_t)y,
			bytes);
	free(rows);
	return unlike(at->truth, area, dx, dy) > VISIBLE;
}

static bool neighbour_block(struct image *image, const struct damage_at *at)
{
	struct area area = place(image, at, (int)at->strength);

	return move(image, at, &area, area.x >= area.width ? -area.width : area.width, 0);
}

/* All but a frame of four pixels, moved right, left, down or up. */
static bool shifted(struct image *image, const struct damage_at *at)
{
	static const int ways[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
	struct area area = { 4, 4, image->width - 8, image->height - 8 };
	const int *way = ways[at->variant];

	return move(image, at, &area, way[0] * (int)at->strength, way[1] * (int)at->strength);
}

/* The same of the middle alone, a quarter of the picture. */
static bool shifted_part(struct image *image, const struct damage_at *at)
{
	static const int ways[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
	struct area area = { image->width / 4, image->height / 4, image->width / 2,
		image->height / 2 };
	const int *way = ways[at->variant];

	return move(image, at, &area, way[0] * (int)at->strength, way[1] * (int)at->strength);
}

static bool missing_rows(struct image *image, const struct damage_at *at)
{
	int rows = (int)at->strength;
	struct area area = { 0, at->variant ? 0 : image->height - rows, image->width, rows };

	scale(image, &area, (double[]){ 0, 0, 0 });
	return is_bright(at, &area);
}

/* Mean of (2 strength + 1)^2 pixels. */
static bool blurred(struct image *image, const struct damage_at *at)
{
	int around = (int)at->strength, x, y, c, i, j;
	struct image old;

	image_new(&old, image->width, image->height, image);
	memcpy(old.pixels, image->pixels,
		(size_t)image->width * (size_t)image->height * (size_t)image->channels *
			sizeof(float));
	for (y = around; y < image->height - around; y++)
		for (x = around; x < image->width - around; x++)
			for (c = 0; c < 3; c++) {
				double sum = 0;

				for (j = -around; j <= around; j++)
					for (i = -around; i <= around; i++)
						sum += (double)sample(&old, x + i, y + j)[c];
				sample(image, x, y)[c] =
					(float)(sum / ((2 * around + 1) * (2 * around + 1)));
			}
	image_release(&old);
	return true;
}

/* --- pixels --- */

/* strength % of the pixels are 0 or 1: a generator of its own, so that each run damages the same.
 */
static bool salt(struct image *image, const struct damage_at *at)
{
	int count = (int)lround(at->strength / 100 * image->width * image->height);
	uint32_t state = 12345u + (uint32_t)at->variant * 77u;

	for (; count > 0; count--) {
		float *p;

		state = state * 1664525u + 1013904223u;
		p = sample(image, (int)((state >> 8) % (uint32_t)image->width),
			(int)((state >> 20) % (uint32_t)image->height));
		p[0] = p[1] = p[2] = count % 2 ? 1 : 0;
	}
	return true;
}

static bool non_finite(struct image *image, const struct damage_at *at)
{
	static const float values[3] = { NAN, INFINITY, -INFINITY };
	int count = (int)at->strength;

	for (; count > 0; count--)
		sample(image, (count * 31) % image->width,
			(count * 17) % image->height)[at->variant] = values[at->variant];
	return true;
}

/* --- the whole --- */

static bool empty(struct image *image, const struct damage_at *at)
{
	int alpha = image_channel(image, "A"), x, y, c;

	for (y = 0; y < image->height; y++)
		for (x = 0; x < image->width; x++)
			for (c = 0; c < image->channels; c++) {
				float *p = sample(image, x, y) + c;

				/* Black, one colour, or transparent. */
				if (at->variant == 0 && c != alpha)
					*p = 0;
				if (at->variant == 1 && c != alpha)
					*p = 0.2F;
				if (at->variant == 2 && c == alpha)
					*p = 0;
			}
	return true;
}

static bool thin(struct image *image, const struct damage_at *at)
{
	int alpha = image_channel(image, "A"), x, y;

	for (y = 0; y < image->height; y++)
		for (x = 0; x < image->width; x++)
			sample(image, x, y)[alpha] *= (float)(1 - at->strength / 100);
	return alpha >= 0;
}

const struct damage_kind damage_kinds[] = {
	{ "dark-corner", "%", 4, { 5, 10, 15, 20, 30 }, dark_corner,
		"a corner, a sixteenth of the picture, darker" },
	{ "gain", "%", 2, { 1, 2, 3, 5, 10 }, gain, "the whole brighter or darker" },
	{ "cast", "%", 3, { 1, 2, 3, 5, 10 }, cast, "one channel brighter" },
	{ "swapped-channels", "", 1, { 1 }, swap, "red and blue exchanged" },
	{ "banding", "%", 2, { 2, 5, 10, 20 }, banding, "every other band of 8 rows darker" },
	{ "clipped", "%", 1, { 0.1, 0.5, 1, 2, 5, 10 }, clipped, "the brightest samples cut off" },
	{ "black-block", "px", 5, { 4, 8, 16, 32 }, black_block, "a square black" },
	{ "magenta-block", "px", 5, { 4, 8, 16, 32 }, magenta_block, "a square 1, 0, 1" },
	{ "neighbour-block", "px", 5, { 4, 8, 16, 32 }, neighbour_block,
		"a square shows the one beside it" },
	{ "shift", "px", 4, { 1, 2, 4 }, shifted, "the picture moved" },
	{ "shift-part", "px", 4, { 1, 2, 4 }, shifted_part, "its middle quarter moved" },
	{ "missing-rows", "rows", 2, { 1, 2, 4, 8 }, missing_rows, "the last or first rows black" },
	{ "blur", "px", 1, { 1, 2, 3 }, blurred, "mean of 3x3, 5x5, 7x7 pixels" },
	{ "salt", "%", 3, { 0.02, 0.1, 0.5, 1, 2, 5 }, salt, "pixels here and there 0 or 1" },
	{ "non-finite", "pixels", 3, { 1, 10 }, non_finite, "NaN, +Inf, -Inf" },
	{ "empty", "", 3, { 1 }, empty, "black, one colour, alpha 0" },
	{ "thin", "%", 1, { 1, 5, 20 }, thin, "alpha lower everywhere" },
};

const size_t damage_kind_count = sizeof(damage_kinds) / sizeof(damage_kinds[0]);
