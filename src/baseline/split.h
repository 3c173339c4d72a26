/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a run of triangles in two where a tree over them should: the surface area heuristic over up
 * to 32 bins (Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", RT 2007). */
#ifndef BASELINE_SPLIT_H
#define BASELINE_SPLIT_H

#include <stdbool.h>

#include "kernels/scene.h"

typedef float split_float4 __attribute__((vector_size(16)));

/* Lanes 0 to 2 are x, y, z; lane 3 is free. */
struct split_box {
	split_float4 lo, hi;
};

/* The box of one triangle; box.lo's lane 3 holds the bits of its number. */
struct split_item {
	struct split_box box;
};

struct split_range {
	kernel_u32 first, count; /* of the items */
	struct split_box box, centres; /* around the triangles, and around their centres doubled */
};

kernel_u32 split_item_triangle(const struct split_item *item);

/* Items of `count` triangles with finite vertices, aligned to 16; the caller frees. */
struct split_item *split_items(const struct kernel_triangle *triangles, kernel_u32 count);

/* The range of items first to first + count - 1. */
struct split_range split_range_of(
	const struct split_item *items, kernel_u32 first, kernel_u32 count);

/* Reorders the items of a range of two or more and returns both parts, each with one item at least.
 * `leaf` is how many triangles a leaf of the tree takes at the cost of one, a power of two. With
 * `halve` by count alone. */
void split_range(struct split_item *items, const struct split_range *range, kernel_u32 leaf,
	bool halve, struct split_range parts[2]);

float split_half_area(const struct split_box *box);

#endif
