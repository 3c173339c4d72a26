/* SPDX-License-Identifier: Apache-2.0 */
#include "image/compare.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* Less than a third of the first step of an 8-bit sRGB picture: nobody sees it. */
#define VISIBLE 1e-4

static const char *const colour_names[] = { "R", "G", "B", "Y" };

static bool is_colour(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(colour_names) / sizeof(colour_names[0]); i++)
		if (strcmp(name, colour_names[i]) == 0)
			return true;
	return false;
}

static size_t pixel_count(const struct image *image)
{
	return (size_t)image->width * (size_t)image->height;
}

/* --- one picture --- */

struct channel_range {
	double low, high, sum;
	size_t finite;
};

static void range_add(struct channel_range *range, double value)
{
	if (!isfinite(value))
		return;
	range->low = value < range->low ? value : range->low;
	range->high = value > range->high ? value : range->high;
	range->sum += value;
	range->finite++;
}

/* Range and sum of the finite values of each channel, in one pass. */
static void measure_ranges(const struct image *image, struct channel_range *ranges)
{
	const float *p = image->pixels;
	size_t count = pixel_count(image), i;
	int c;

	for (c = 0; c < image->channels; c++)
		ranges[c] = (struct channel_range){ INFINITY, -INFINITY, 0, 0 };
	for (i = 0; i < count; i++)
		for (c = 0; c < image->channels; c++)
			range_add(&ranges[c], *p++);
}

static void judge_shape(const struct image *image, int width, int height, struct image_check *out)
{
	if (width == 0 && height == 0)
		return;
	if (image->width == width && image->height == height) {
		out->right_shape = KNOWN_YES;
		return;
	}
	out->right_shape = KNOWN_NO;
	snprintf(out->why, sizeof(out->why), "the picture is %dx%d, not %dx%d", image->width,
		image->height, width, height);
}

/* Keeps what was said first: shape, then finiteness, then content. */
static void say(struct image_check *out, const char *why)
{
	if (!out->why[0])
		str_copy(out->why, sizeof(out->why), why);
}

static void judge_content(bool has_colour, double spread, struct image_check *out)
{
	if (!has_colour) {
		say(out, "no colour channel (R, G, B or Y), so nothing shows whether it is empty");
		return;
	}
	out->not_empty = KNOWN_NO;
	if (out->largest_alpha < VISIBLE)
		say(out, "alpha is 0 everywhere");
	else if (out->largest < VISIBLE)
		say(out, "the picture is black");
	else if (spread < VISIBLE)
		say(out, "every pixel has the same colour");
	else
		out->not_empty = KNOWN_YES;
}

void image_check(const struct image *image, int width, int height, struct image_check *out)
{
	struct channel_range ranges[IMAGE_CHANNELS_MAX];
	int alpha = image_channel(image, "A");
	double sum = 0, spread = 0;
	size_t count = pixel_count(image), colours = 0;
	int c;

	memset(out, 0, sizeof(*out));
	out->largest_alpha = alpha < 0 ? 1 : 0;
	judge_shape(image, width, height, out);
	measure_ranges(image, ranges);
	for (c = 0; c < image->channels; c++) {
		struct channel_range range = ranges[c];

		out->non_finite += count - range.finite;
		if (c == alpha && range.finite)
			out->largest_alpha = range.high;
		if (!is_colour(image->names[c]))
			continue;
		colours += range.finite;
		sum += range.sum;
		if (!range.finite)
			continue;
		out->largest = fmax(out->largest, fmax(fabs(range.low), fabs(range.high)));
		spread = fmax(spread, range.high - range.low);
	}
	out->mean = colours ? sum / (double)colours : 0;
	out->finite = out->non_finite ? KNOWN_NO : KNOWN_YES;
	if (out->non_finite && !out->why[0])
		snprintf(out->why, sizeof(out->why), "%zu samples are NaN or infinite",
			out->non_finite);
	judge_content(colours > 0, spread, out);
}

/* --- two pictures --- */

/* Where channel c of the reference stands in the picture. */
struct pairing {
	int at[IMAGE_CHANNELS_MAX];
};

static bool names_twice(const struct image *image, const char **twice)
{
	int c;

	for (c = 0; c < image->channels; c++)
		if (image_channel(image, image->names[c]) != c) {
			*twice = image->names[c];
			return true;
		}
	return false;
}

static int lacks(struct comparison *out, const char *who, const char *name)
{
	snprintf(
		out->why, sizeof(out->why), "channels differ: the %s has no channel %s", who, name);
	return -1;
}

static int pair_channels(const struct image *image, const struct image *reference,
	struct pairing *pairing, struct comparison *out)
{
	const char *twice;
	int c;

	if (names_twice(image, &twice) || names_twice(reference, &twice)) {
		snprintf(out->why, sizeof(out->why), "channel %s stands twice in one file", twice);
		return -1;
	}
	for (c = 0; c < reference->channels; c++) {
		pairing->at[c] = image_channel(image, reference->names[c]);
		if (pairing->at[c] < 0)
			return lacks(out, "picture", reference->names[c]);
	}
	for (c = 0; c < image->channels; c++)
		if (image_channel(reference, image->names[c]) < 0)
			return lacks(out, "reference", image->names[c]);
	return 0;
}

static int require_sound(const struct image *image, const char *who, struct comparison *out)
{
	struct image_check check;

	image_check(image, 0, 0, &check);
	if (check.finite == KNOWN_YES && check.not_empty == KNOWN_YES)
		return 0;
	snprintf(out->why, sizeof(out->why), "%s: %s", who, check.why);
	return -1;
}

/* Sums of one pass. Kept apart from struct comparison, whose numbers are set only at the end. */
struct sums {
	double absolute, squared, largest, worst_tile;
	size_t off;
	int max_x, max_y, tile_x, tile_y;
};

struct pass {
	const struct image *image, *reference;
	const struct pairing *pairing;
	double pixel_limit;
	double *columns; /* absolute error of each column of the band */
	struct sums sums;
};

static void add_row(struct pass *pass, int y, bool counted)
{
	const struct image *reference = pass->reference;
	size_t channels = (size_t)reference->channels, row = (size_t)y * (size_t)reference->width;
	const float *a = pass->image->pixels + row * channels;
	const float *b = reference->pixels + row * channels;
	double squared = 0, absolute = 0;
	int x;

	for (x = 0; x < reference->width; x++, a += channels, b += channels) {
		double pixel = 0, largest = 0;
		size_t c;

		for (c = 0; c < channels; c++) {
			double d = fabs((double)a[pass->pairing->at[c]] - (double)b[c]);

			pixel += d;
			squared += d * d;
			largest = d > largest ? d : largest;
		}
		absolute += pixel;
		pass->columns[x] += pixel;
		if (!counted)
			continue;
		pass->sums.off += largest > pass->pixel_limit;
		if (largest > pass->sums.largest) {
			pass->sums.largest = largest;
			pass->sums.max_x = x;
			pass->sums.max_y = y;
		}
	}
	if (counted) {
		pass->sums.absolute += absolute;
		pass->sums.squared += squared;
	}
}

/* A tile at the right or bottom edge is moved inwards, so that each has the full size and a few
 * pixels at the edge do not weigh more than others. */
static int tile_start(int at, int size)
{
	int last = size > COMPARE_TILE ? size - COMPARE_TILE : 0;

	return at < last ? at : last;
}

static void finish_band(struct pass *pass, int top, int rows)
{
	int width = pass->reference->width, at, x;
	int columns = width < COMPARE_TILE ? width : COMPARE_TILE;
	double values = (double)columns * rows * pass->reference->channels;

	for (at = 0; at < width; at += COMPARE_TILE) {
		int left = tile_start(at, width);
		double sum = 0;

		for (x = left; x < left + columns; x++)
			sum += pass->columns[x];
		if (sum / values > pass->sums.worst_tile) {
			pass->sums.worst_tile = sum / values;
			pass->sums.tile_x = left;
			pass->sums.tile_y = top;
		}
	}
}

static void measure(struct pass *pass)
{
	int width = pass->reference->width, height = pass->reference->height;
	int rows = height < COMPARE_TILE ? height : COMPARE_TILE;
	int at, y;

	pass->columns = xcalloc((size_t)width, sizeof(*pass->columns));
	for (at = 0; at < height; at += COMPARE_TILE) {
		int top = tile_start(at, height);

		memset(pass->columns, 0, (size_t)width * sizeof(*pass->columns));
		for (y = top; y < top + rows; y++)
			add_row(pass, y, y >= at);
		finish_band(pass, top, rows);
	}
	free(pass->columns);
}

static void set_metrics(const struct pass *pass, struct comparison *out)
{
	double pixels = (double)pixel_count(pass->reference);
	double samples = pixels * pass->reference->channels;
	const struct sums *sums = &pass->sums;

	out->max_error = sums->largest;
	out->mean_error = sums->absolute / samples;
	out->rms_error = sqrt(sums->squared / samples);
	out->share_over = (double)sums->off / pixels;
	out->tile_error = sums->worst_tile;
	out->max_x = sums->max_x;
	out->max_y = sums->max_y;
	out->tile_x = sums->tile_x;
	out->tile_y = sums->tile_y;
}

/* The negated test makes a value or a limit that is NaN count as passed over. */
static bool keeps(struct comparison *out, double value, double limit, const char *what)
{
	if (value <= limit)
		return true;
	snprintf(out->why, sizeof(out->why), "%s %.6g is over the limit %.6g", what, value, limit);
	return false;
}

static bool all_within(struct comparison *out, const struct compare_limits *limits)
{
	char share[80], tile[80];

	snprintf(share, sizeof(share),
		"share of pixels off by more than %.6g:", limits->pixel_limit);
	snprintf(tile, sizeof(tile), "mean error of the tile at %d,%d:", out->tile_x, out->tile_y);
	return keeps(out, out->tile_error, limits->tile_error, tile) &&
	       keeps(out, out->share_over, limits->share_over, share) &&
	       keeps(out, out->mean_error, limits->mean_error, "mean error") &&
	       keeps(out, out->rms_error, limits->rms_error, "RMS error");
}

void image_compare(const struct image *image, const struct image *reference,
	const struct compare_limits *limits, struct comparison *out)
{
	struct pairing pairing = { { 0 } };
	struct pass pass = {
		.image = image,
		.reference = reference,
		.pairing = &pairing,
		.pixel_limit = limits ? limits->pixel_limit : 0,
	};

	memset(out, 0, sizeof(*out));
	if (image->width != reference->width || image->height != reference->height) {
		snprintf(out->why, sizeof(out->why), "sizes differ: picture %dx%d, reference %dx%d",
			image->width, image->height, reference->width, reference->height);
		return;
	}
	if (pair_channels(image, reference, &pairing, out) != 0 ||
		require_sound(reference, "reference", out) != 0 ||
		require_sound(image, "picture", out) != 0)
		return;
	measure(&pass);
	set_metrics(&pass, out);
	if (!isfinite(out->rms_error) || !isfinite(out->tile_error)) {
		memset(out, 0, sizeof(*out));
		str_copy(out->why, sizeof(out->why), "the error is not a finite number");
		return;
	}
	out->compared = true;
	if (limits)
		out->within = all_within(out, limits);
	else
		str_copy(out->why, sizeof(out->why), "no limits to judge by");
}
