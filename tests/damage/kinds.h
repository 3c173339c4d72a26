/* SPDX-License-Identifier: Apache-2.0 */
/* The damage corpus: what GPUs, drivers and farms did to pictures, at several strengths and places.
 * Each kind turns a clean render into a damaged one. */
#ifndef DAMAGE_KINDS_H
#define DAMAGE_KINDS_H

#include "image/image.h"
#include "image/noise.h"

enum { DAMAGE_STRENGTHS_MAX = 6 };

struct damage_at {
	double strength;
	int variant; /* 0 ..: another place, direction or channel */
	const struct noise_model *truth; /* its mean is the picture without noise */
};

struct damage_kind {
	const char *name, *unit;
	int variants;
	double strengths[DAMAGE_STRENGTHS_MAX]; /* ends with 0, unless all are used */
	/* Changes the picture. False: here there is nothing that it could change visibly (a block
	 * that is black anyway made black); the picture is then untouched or of no use. */
	bool (*apply)(struct image *image, const struct damage_at *at);
	const char *what; /* for the table */
};

extern const struct damage_kind damage_kinds[];
extern const size_t damage_kind_count;

#endif
