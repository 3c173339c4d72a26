/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/tree.h"

#include <stdlib.h>

#include "base/str.h"
#include "baseline/split.h"

struct builder {
	const struct split_way *way;
	struct split_item *items;
	struct kernel_node *nodes;
	kernel_u32 node_count;
};

static void set_child(struct kernel_node *node, int side, kernel_u32 ref, struct split_box box)
{
	node->child[side] = ref;
	node->lo[side] = vec3_make(SPLIT_LOW(&box, 0), SPLIT_LOW(&box, 1), SPLIT_LOW(&box, 2));
	node->hi[side] = vec3_make(SPLIT_HIGH(&box, 0), SPLIT_HIGH(&box, 1), SPLIT_HIGH(&box, 2));
}

static kernel_u32 build(struct builder *b, const struct split_range *range, unsigned depth)
{
	struct split_range parts[2];
	kernel_u32 index;
	int side;

	if (range->count <= KERNEL_LEAF_MAX)
		return KERNEL_LEAF(range->first, range->count);
	index = b->node_count++;
	b->way->range(b->items, range, 1, depth >= TREE_SAH_DEPTH, 1, parts);
	for (side = 0; side < 2; side++)
		set_child(
			&b->nodes[index], side, build(b, &parts[side], depth + 1), parts[side].box);
	return index;
}

static void reorder(
	struct kernel_triangle *triangles, kernel_u32 count, const struct split_item *items)
{
	struct kernel_triangle *old = xmalloc(((size_t)count + 1) * sizeof(*old));
	kernel_u32 i;

	for (i = 0; i < count; i++)
		old[i] = triangles[i];
	for (i = 0; i < count; i++)
		triangles[i] = old[split_item_triangle(&items[i])];
	free(old);
}

struct kernel_node *tree_build(
	struct kernel_triangle *triangles, kernel_u32 count, kernel_u32 *node_count)
{
	struct builder b = { .way = split_way() };
	struct split_range all;

	b.items = xmalloc(((size_t)count + 1) * sizeof(*b.items));
	all = b.way->items(b.items, triangles, count, 1);
	b.nodes = xcalloc((size_t)count + 1, sizeof(*b.nodes));
	if (count > KERNEL_LEAF_MAX) {
		build(&b, &all, 0);
	} else { /* the root is always an inner node */
		struct split_range none = b.way->items(b.items, triangles, 0, 1);

		b.node_count = 1;
		set_child(&b.nodes[0], 0, KERNEL_LEAF(0, count), all.box);
		set_child(&b.nodes[0], 1, 0, none.box);
	}
	reorder(triangles, count, b.items);
	free(b.items);
	*node_count = b.node_count;
	return b.nodes;
}
