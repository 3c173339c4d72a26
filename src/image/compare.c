/* SPDX-License-Identifier: Apache-2.0 */
#include "image/compare.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "image/measure.h"

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

/* How much more of the pink of a missing texture than in the reference is too much. */
#define MAGENTA_MORE 0.05

static size_t pixel_count(const struct image *image)
{
	return (size_t)image->width * (size_t)image->height;
}

/* --- one picture --- */

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

static void check_from(const struct image *image, const struct measure_side *side, int width,
	int height, struct image_check *out)
{
	int alpha = image_channel(image, "A");
	double sum = 0, spread = 0;
	size_t count = pixel_count(image), colours = 0;
	int c;

	memset(out, 0, sizeof(*out));
	out->largest_alpha = alpha < 0 ? 1 : 0;
	out->magenta = (double)side->magenta / (double)count;
	judge_shape(image, width, height, out);
	for (c = 0; c < image->channels; c++) {
		struct measure_range range = side->channels[c];

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

void image_check(const struct image *image, int width, int height, struct image_check *out)
{
	struct measure_side side;

	measure_one(image, &side);
	check_from(image, &side, width, height, out);
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

static int require_sound(const struct image_check *check, const char *who, struct comparison *out)
{
	if (check->finite == KNOWN_YES && check->not_empty == KNOWN_YES)
		return 0;
	snprintf(out->why, sizeof(out->why), "%s: %s", who, check->why);
	return -1;
}

static void set_metrics(
	const struct measure_pair *pair, const struct image *reference, struct comparison *out)
{
	double pixels = (double)pixel_count(reference);
	double samples = pixels * reference->channels;

	out->max_error = pair->largest;
	out->mean_error = pair->absolute / samples;
	out->rms_error = sqrt(pair->squared / samples);
	out->psnr = -20 * log10(out->rms_error);
	out->share_over = (double)pair->off / pixels;
	out->max_x = pair->max_x;
	out->max_y = pair->max_y;
	out->tile_error = pair->tile16.error;
	out->tile_x = pair->tile16.x;
	out->tile_y = pair->tile16.y;
	out->tile8_error = pair->tile8.error;
	out->tile8_x = pair->tile8.x;
	out->tile8_y = pair->tile8.y;
	out->steps_mean = out->mean_error;
	out->steps_rms = out->rms_error;
	out->steps_share = out->share_over;
	out->steps_tile = out->tile_error;
}

/* Two formats with steps of their own cannot agree better than these steps. */
static void measure_steps(const struct image *image, const struct image *reference, const int *at,
	double pixel_limit, struct comparison *out)
{
	struct measure_pair pair;
	double pixels = (double)pixel_count(reference), samples = pixels * reference->channels;

	out->by_steps = image->format[0] && reference->format[0] &&
			strcmp(image->format, reference->format) != 0;
	str_copy(out->formats[0], sizeof(out->formats[0]), image->format);
	str_copy(out->formats[1], sizeof(out->formats[1]), reference->format);
	if (!out->by_steps)
		return;
	measure_two(image, reference, at, pixel_limit, true, &pair);
	out->steps_mean = pair.absolute / samples;
	out->steps_rms = sqrt(pair.squared / samples);
	out->steps_share = (double)pair.off / pixels;
	out->steps_tile = pair.tile16.error;
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
	return keeps(out, out->steps_tile, limits->tile_error, tile) &&
	       keeps(out, out->steps_share, limits->share_over, share) &&
	       keeps(out, out->steps_mean, limits->mean_error, "mean error") &&
	       keeps(out, out->steps_rms, limits->rms_error, "RMS error");
}

/* Whatever the limits say, a scene whose textures were not found is not the scene. */
static bool has_textures(const struct image_check *check, const struct image_check *reference_check,
	struct comparison *out)
{
	if (check->magenta <= reference_check->magenta + MAGENTA_MORE)
		return true;
	out->lacks_textures = true;
	snprintf(out->why, sizeof(out->why),
		"%.3g %% of the pixels are the pink of a missing texture, %.3g %% in the reference",
		100 * check->magenta, 100 * reference_check->magenta);
	return false;
}

/* Rec. 709, which the format takes when the file says nothing. */
static const float *primaries_of(const struct image *image)
{
	static const float rec709[8] = { 0.64f, 0.33f, 0.30f, 0.60f, 0.15f, 0.06f, 0.3127f,
		0.3290f };
	int i;

	for (i = 0; i < 8; i++)
		if (image->chromaticities[i] != 0)
			return image->chromaticities;
	return rec709;
}

static int require_same_space(
	const struct image *image, const struct image *reference, struct comparison *out)
{
	const float *a = primaries_of(image), *b = primaries_of(reference);
	int i;

	if (image->pixel_aspect > 0 && reference->pixel_aspect > 0 &&
		!(fabs((double)image->pixel_aspect - (double)reference->pixel_aspect) <= 1e-4)) {
		snprintf(out->why, sizeof(out->why),
			"pixel aspects differ: picture %.6g, reference %.6g",
			(double)image->pixel_aspect, (double)reference->pixel_aspect);
		return -1;
	}
	for (i = 0; i < 8; i++)
		if (!(fabs((double)a[i] - (double)b[i]) <= 2e-3)) {
			snprintf(out->why, sizeof(out->why),
				"colour spaces differ: chromaticities of the primaries, picture "
				"%.4g, reference %.4g",
				(double)a[i], (double)b[i]);
			return -1;
		}
	return 0;
}

static int require_same_shape(const struct image *image, const struct image *reference,
	struct pairing *pairing, struct comparison *out)
{
	if (image->width != reference->width || image->height != reference->height) {
		snprintf(out->why, sizeof(out->why), "sizes differ: picture %dx%d, reference %dx%d",
			image->width, image->height, reference->width, reference->height);
		return -1;
	}
	return pair_channels(image, reference, pairing, out) == 0 &&
			       require_same_space(image, reference, out) == 0
		       ? 0
		       : -1;
}

static void refuse(struct comparison *out, const char *why)
{
	char kept[sizeof(out->why)];

	str_copy(kept, sizeof(kept), why);
	memset(out, 0, sizeof(*out));
	str_copy(out->why, sizeof(out->why), kept);
}

void image_compare_checked(const struct image *image, const struct image *reference,
	const struct compare_limits *limits, struct image_check *check,
	struct image_check *reference_check, struct comparison *out)
{
	int width = reference->width, height = reference->height;
	double pixel_limit = limits ? limits->pixel_limit : 0;
	struct pairing pairing = { { 0 } };
	struct measure_pair pair;

	memset(out, 0, sizeof(*out));
	out->ssim = out->flip = out->hdr_flip = NAN;
	if (require_same_shape(image, reference, &pairing, out) != 0) {
		image_check(image, width, height, check);
		image_check(reference, width, height, reference_check);
		return;
	}
	measure_two(image, reference, pairing.at, pixel_limit, false, &pair);
	check_from(image, &pair.image, width, height, check);
	check_from(reference, &pair.reference, width, height, reference_check);
	if (require_sound(reference_check, "reference", out) != 0 ||
		require_sound(check, "picture", out) != 0)
		return;
	set_metrics(&pair, reference, out);
	if (!isfinite(out->rms_error) || !isfinite(out->tile_error)) {
		refuse(out, "the error is not a finite number");
		return;
	}
	measure_steps(image, reference, pairing.at, pixel_limit, out);
	out->compared = true;
	if (limits)
		out->within = has_textures(check, reference_check, out) && all_within(out, limits);
	else
		str_copy(out->why, sizeof(out->why), "no limits to judge by");
}

void image_compare(const struct image *image, const struct image *reference,
	const struct compare_limits *limits, struct comparison *out)
{
	struct image_check check, reference_check;

	image_compare_checked(image, reference, limits, &check, &reference_check, out);
}

bool comparison_is_nearer(const struct comparison *one, const struct comparison *other)
{
	if (one->within != other->within)
		return one->within;
	if (one->compared != other->compared)
		return one->compared;
	return one->compared && one->rms_error < other->rms_error;
}
