/* SPDX-License-Identifier: Apache-2.0 */
/* FLIP, how visible the difference of two pictures is to who flips between them: P. Andersson,
 * J. Nilsson, T. Akenine-Moeller, M. Oskarsson, K. Astrom, M. D. Fairchild, "FLIP: A Difference
 * Evaluator for Alternating Images", HPG 2020; for high dynamic range P. Andersson, J. Nilsson,
 * P. Shirley, T. Akenine-Moeller, "Visualizing Errors in Rendered High Dynamic Range Images",
 * Eurographics 2021. Seen from 0.7 m on a screen 0.7 m and 3840 pixels wide: 67 pixels a degree. */
#ifndef IMAGE_FLIP_H
#define IMAGE_FLIP_H

#include "image/image.h"

/* Mean error from 0 to 1 of two finite pictures of one size, linear values clamped to 0..1. NaN
 * when one has no colours. */
double image_flip(const struct image *image, const struct image *reference);

/* The same over exposures that are found from the reference: from the one that brings its
 * brightest pixel below white to the one that does so with its median, ACES tone-mapped; the
 * largest error of each pixel, then the mean. `exposures` gets the first and the last, in stops.
 * NaN, too, when the median of the reference is not above 0. */
double image_hdr_flip(
	const struct image *image, const struct image *reference, double exposures[2]);

#endif
