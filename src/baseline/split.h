/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a run of triangles in two where a tree over them should: the surface area heuristic over up
 * to 32 bins (Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", RT 2007). */
#ifndef BASELINE_SPLIT_H
#define BASELINE_SPLIT_H

#include <stdbool.h>

#include "kernels/scene.h"

/* [0] to [2] are minus the low bounds, [4] to [6] the high ones, so that the box about two boxes is
 * their maximum, number by number; [3] and [7] are free. */
struct split_box {
	float at[8];
};

#define SPLIT_LOW(box, axis) (-(box)->at[axis])
#define SPLIT_HIGH(box, axis) ((box)->at[4 + (axis)])

/* The box of one triangle; what is free in it holds the triangle's number. */
struct split_item {
	struct split_box box;
};

struct split_range {
	kernel_u32 first, count; /* of the items */
	struct split_box box, centres; /* around the triangles, and around their centres doubled */
};

kernel_u32 split_item_triangle(const struct split_item *item);

/* Half the surface. Here, so that the search for a plane has it in line. */
static inline float split_half_area(const struct split_box *box)
{
	float x = box->at[0] + box->at[4], y = box->at[1] + box->at[5], z = box->at[2] + box->at[6];

	return x * y + y * z + z * x;
}

/* One build of what takes the time. */
struct split_way {
	/* Makes the items of `count` triangles with finite vertices, at the numbers that the
	 * triangles have, on so many threads. Returns their range. */
	struct split_range (*items)(struct split_item *items,
		const struct kernel_triangle *triangles, kernel_u32 count, unsigned threads);
	/* Reorders the items of a range of two or more and returns both parts, each with one item
	 * at least. `leaf` is how many triangles a leaf of the tree takes at the cost of one, a
	 * power of two. With `halve` by count alone. Large ranges are cut by so many threads. */
	void (*range)(struct split_item *items, const struct split_range *range, kernel_u32 leaf,
		bool halve, unsigned threads, struct split_range parts[2]);
};

/* The second runs only where the CPU has AVX2. */
extern const struct split_way split_portable, split_avx2;

/* The fastest that this CPU can run. */
const struct split_way *split_way(void);

#endif
