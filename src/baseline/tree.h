/* SPDX-License-Identifier: Apache-2.0 */
/* The binary tree over the triangles that the kernels walk. */
#ifndef BASELINE_TREE_H
#define BASELINE_TREE_H

#include "kernels/scene.h"

/* Reorders `triangles` so that each leaf is a run of them and returns the nodes (*node_count of
 * them, at least one; the caller frees). Splits by the surface area heuristic over 16 bins, Wald,
 * "On fast Construction of SAH-based Bounding Volume Hierarchies", RT 2007. Vertices are finite,
 * count <= KERNEL_TRIANGLES_MAX. No leaf is deeper than KERNEL_DEPTH_MAX, whatever the triangles.
 */
struct kernel_node *tree_build(
	struct kernel_triangle *triangles, kernel_u32 count, kernel_u32 *node_count);

#endif
