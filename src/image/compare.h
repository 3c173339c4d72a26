/* SPDX-License-Identifier: Apache-2.0 */
/* Is this picture the reference's picture? First whether they may be compared (size, channels by
 * name, finite values, not empty), only then how far they are apart. */
#ifndef IMAGE_COMPARE_H
#define IMAGE_COMPARE_H

#include <jansson.h>
#include <stddef.h>

#include "base/known.h"
#include "image/image.h"

/* What the noise-aware test (noise.h) may find; how it was calibrated stands in limits.json. */
struct noise_limits {
	int renders; /* how many renders the model was made of; 0: no such limits */
	double tile_z; /* largest |z| of the mean of a tile */
	double tile_chi; /* largest mean squared deviation of a tile, 1 is expected */
	double bias_z; /* largest |z| of the mean of the whole picture */
	double outliers; /* largest share of pixels beyond the clamp; 0: no such limit */
};

/* All in linear light, per channel value, from 0 to 1. From expected/<scene>/limits.json. */
struct compare_limits {
	double pixel_limit; /* a pixel is off when a channel differs by more */
	double share_over; /* share of pixels that may be off, 0..1 */
	double mean_error; /* mean absolute error */
	double rms_error;
	double tile_error; /* mean absolute error of the worst 16x16 tile */
	struct noise_limits noise;
};

/* What one picture holds, without any reference. */
struct image_check {
	enum known right_shape; /* unknown when nobody said which */
	enum known finite;
	enum known not_empty; /* not black, not constant, not alpha 0 everywhere */
	size_t non_finite; /* samples that are NaN or infinite */
	double largest; /* largest absolute R, G, B */
	double mean; /* of R, G, B */
	double largest_alpha; /* 1 without an alpha channel */
	double magenta; /* share of pixels of the pink that stands for a missing texture */
	char why[200]; /* what is wrong, "" when nothing is */
};

struct comparison {
	bool compared; /* false: `why` says what forbids it and no metric is set */
	bool within; /* all metrics within their limits */
	bool lacks_textures; /* the pink of missing textures covers too much: never acceptable */
	char why[300]; /* the first limit that was passed, with both numbers */
	double max_error, mean_error, rms_error, share_over, tile_error;
	int max_x, max_y; /* pixel of the largest error */
	int tile_x, tile_y; /* top left pixel of the worst tile */
	double psnr; /* dB for a peak of 1; infinite when nothing differs */
	double tile8_error; /* of the worst 8x8 tile */
	int tile8_x, tile8_y;
	/* When the files store samples in different formats, the limits judge what is left of each
	 * error after half a quantization step of both: */
	bool by_steps;
	char formats[2][16]; /* of picture and reference */
	double steps_mean, steps_rms, steps_share, steps_tile;
	/* By image_perceive(); NaN: not measured. */
	double ssim, flip, hdr_flip;
	double exposures[2]; /* of hdr_flip, in stops */
};

/* `width` and `height` 0: the shape is not judged. Colours are the channels R, G, B and Y; black
 * and constant mean less than 1e-4. Without such a channel emptiness is unknown. */
void image_check(const struct image *image, int width, int height, struct image_check *out);

/* Matches channels by name. Alpha counts like a colour. Both pictures must be finite and not empty.
 * The tiles of the last row and column are moved inwards, so each is whole. `limits` NULL: metrics
 * only, never within, and share_over counts every pixel that differs. */
/* Refuses, too, when pixel aspect or primaries differ. The pink of a missing texture on more than
 * 5 % of the pixels beyond the reference's is never within. */
void image_compare(const struct image *image, const struct image *reference,
	const struct compare_limits *limits, struct comparison *out);

/* The same in one pass with image_check() of both, whose shape is judged by the reference's. */
void image_compare_checked(const struct image *image, const struct image *reference,
	const struct compare_limits *limits, struct image_check *check,
	struct image_check *reference_check, struct comparison *out);

/* Is `one` nearer to its reference than `other` to its own: within before not, compared before not,
 * then by the RMS error. */
bool comparison_is_nearer(const struct comparison *one, const struct comparison *other);

/* Adds SSIM and FLIP (ssim.h, flip.h) to a comparison that compared; HDR-FLIP when the reference
 * is a float or half picture. Much slower than all the rest. */
void image_perceive(
	const struct image *image, const struct image *reference, struct comparison *comparison);

/* Absolute difference of R, G, B, scaled so that pixel_limit is mid grey, as a new picture of the
 * reference's size. Only after a comparison that compared. */
void image_difference(const struct image *image, const struct image *reference,
	const struct compare_limits *limits, struct image *out);

/* Picture, reference and difference side by side as a new picture with R, G, B, to look at.
 * `difference` is what image_difference() made of the two. */
void image_side_by_side(const struct image *image, const struct image *reference,
	const struct image *difference, struct image *out);

/* limits.json: {"schema": "oamqual-limits/2", the five numbers, "calibration": text or object,
 * and perhaps "noise": {"renders", "tile_z", "tile_chi", "bias_z", perhaps "outliers"}};
 * "oamqual-limits/1" is the same without "noise". Nothing else may be missing and nothing else may
 * stand there. 0, or -1 with *out untouched. */
int compare_limits_read(const char *path, struct compare_limits *out, struct error *err);

/* New references, for the record and --json. A metric that was not measured is null; `limits` may
 * be NULL. */
json_t *image_check_json(const struct image_check *check);
json_t *compare_limits_json(const struct compare_limits *limits);
json_t *comparison_json(const struct comparison *comparison, const struct compare_limits *limits);

/* What the files say about themselves and say differently: [{"name", "picture", "reference"}], at
 * most 64. Never part of the judgement. */
json_t *image_metadata_json(const struct image *image, const struct image *reference);

/* What was read: {"width", "height", "channels", "format", "colorspace", "alpha", "part", "layer",
 * "pixel_aspect"}. */
json_t *image_shape_json(const struct image *image);

#endif
