/* SPDX-License-Identifier: Apache-2.0 */
/* The binary tree over the triangles that single rays walk. */
#ifndef BASELINE_TREE_H
#define BASELINE_TREE_H

#include "kernels/scene.h"

/* Below this depth a tree halves its ranges by count: 27 more levels reach one triangle at most. */
enum { TREE_SAH_DEPTH = KERNEL_DEPTH_MAX - 28 };

/* Reorders `triangles` so that each leaf is a run of at most KERNEL_LEAF_MAX of them and returns
 * the nodes (*node_count of them, at least one; the caller frees). Vertices are finite, count <=
 * KERNEL_TRIANGLES_MAX. No leaf is deeper than KERNEL_DEPTH_MAX, whatever the triangles. */
struct kernel_node *tree_build(
	struct kernel_triangle *triangles, kernel_u32 count, kernel_u32 *node_count);

#endif
