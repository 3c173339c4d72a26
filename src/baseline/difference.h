/* SPDX-License-Identifier: Apache-2.0 */
/* A device's picture beside the CPU's, bit by bit. */
#ifndef BASELINE_DIFFERENCE_H
#define BASELINE_DIFFERENCE_H

#include <jansson.h>
#include <stdint.h>

#include "kernels/gcd.h"

enum { DIFFERENCE_TILE = 16, DIFFERENCE_BINS = 8 };

/* Floats are as far apart as there are floats between them, plus one (units in the last place; -0
 * and +0 are one apart, which counts as a difference too). */
struct difference {
	kernel_u32 width, height;
	uint64_t differing; /* pixels with a float of other bits; lost ones are among them */
	uint64_t lost; /* pixels that still hold the poison: never written, or never copied */
	uint64_t short_of; /* pixels whose count of samples is another, the lost apart */
	uint64_t not_numbers; /* floats that are no number, or infinite, where the CPU has one */
	uint64_t ulp_max; /* of the others */
	uint64_t ulp[DIFFERENCE_BINS]; /* differing floats of up to 1, 3, 15, 255, 4095, 65535,
					  2^24, and more units */
	kernel_u32 first_x, first_y; /* the first differing pixel, row by row */
	kernel_u32 tile_x, tile_y; /* corner of the tile with most differing pixels */
	uint64_t tile_differing;
	uint64_t tiles_differing; /* tiles with any */
	uint64_t closest, shadow; /* rays traced, without the lost pixels' */
};

/* `theirs` as the device left it, `ours` height x width x RGB as render_sums() gives it, both of
 * `samples` a pixel. */
struct difference difference_of(const struct gcd_pixel *theirs, const float *ours, kernel_u32 width,
	kernel_u32 height, kernel_u32 samples);

/* "64 of 4096 pixels differ, ..." The caller frees; NULL when nothing does. */
char *difference_text(const struct difference *difference);

/* A new reference: pixels, differing, lost, short, not_numbers, ulp_max, ulp [{up_to, floats}],
 * first {x, y}, worst_tile {x, y, size, differing}, tiles_differing; the last of them null when
 * nothing differs. */
json_t *difference_json(const struct difference *difference);

#endif
