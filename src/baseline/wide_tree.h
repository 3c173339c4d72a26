/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of eight children a node that the fast way walks (kernels/wide.h). */
#ifndef BASELINE_WIDE_TREE_H
#define BASELINE_WIDE_TREE_H

#include <stddef.h>

#include "kernels/wide.h"

struct wide_tree {
	struct wide_node *nodes; /* owned, aligned to 64; at least the root */
	struct wide_leaf *leaves; /* owned, aligned to 64 */
	kernel_u32 node_count, leaf_count;
};

/* Builds on `threads` threads, or on fewer where no more can be started. Vertices are finite, count
 * <= KERNEL_TRIANGLES_MAX. No node is deeper than KERNEL_DEPTH_MAX. The order of the nodes may
 * differ from build to build; what a ray meets does not. */
void wide_tree_build(struct wide_tree *tree, const struct kernel_triangle *triangles,
	kernel_u32 count, unsigned threads);

/* Memory of the tree and of the triangles' copies in its leaves. */
size_t wide_tree_bytes(const struct wide_tree *tree);

void wide_tree_release(struct wide_tree *tree);

#endif
