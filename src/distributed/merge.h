/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of one frame, each of its own samples, made one picture: the mean of all samples. */
#ifndef DISTRIBUTED_MERGE_H
#define DISTRIBUTED_MERGE_H

#include <jansson.h>

#include "base/known.h"
#include "image/image.h"

/* Weighs each part by its number of samples, in double precision, and rounds once. All parts have
 * the size and channels of the first. 0, or -1 with *out untouched. */
int merge_parts(const struct image *parts, const unsigned *samples, size_t count, struct image *out,
	struct error *err);

/* The number of samples that the file's own metadata names ("cycles.<layer>.samples", as Blender
 * writes it); unknown when there is none, or layers differ. Up to Blender 4.3 it is the part's,
 * from 4.4 on the whole frame's. */
struct known_u64 merge_samples_named(const struct image *image);

/* How far two sums of the same samples can be apart. Light is never negative, so a sum of n floats
 * in any order has a relative error below (n - 1) u / (1 - (n - 1) u) with u = 2^-24 (Higham,
 * "Accuracy and Stability of Numerical Algorithms", 2002, section 4.2); a frame adds up to
 * `additions` terms for each sample; the division by the number of samples and the last rounding
 * add u each, for either picture. `samples` are those of the whole frame. */
double merge_bound(unsigned samples, unsigned additions);

struct merge_difference {
	double largest; /* absolute */
	double relative; /* largest |a - b| / max(|a|, |b|) */
	int x, y, channel; /* where it is */
	double bound; /* of `relative` */
	bool within;
};

/* Two pictures of one shape. 0, or -1 with *out untouched. What is not finite is never within. */
int merge_compare(const struct image *merged, const struct image *whole, double bound,
	struct merge_difference *out, struct error *err);

/* A new reference. */
json_t *merge_difference_json(const struct merge_difference *difference);

#endif
