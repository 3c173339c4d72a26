/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/tree.h"

#include <stdlib.h>

#include "base/str.h"

enum {
	BINS = 16,
	/* Below this depth nodes are halved by count: 27 more levels reach one triangle at most. */
	SAH_DEPTH = KERNEL_DEPTH_MAX - 28
};

struct box {
	float lo[3], hi[3];
};

struct item {
	struct box box;
	float centre[3]; /* twice the centre */
	kernel_u32 triangle;
};

struct builder {
	struct item *items;
	struct kernel_node *nodes;
	kernel_u32 node_count;
};

struct bin {
	struct box box;
	kernel_u32 count;
};

struct split {
	int axis; /* -1 none */
	float plane, cost;
};

static const struct box empty_box = { { 3e38f, 3e38f, 3e38f }, { -3e38f, -3e38f, -3e38f } };

static void box_add(struct box *box, const struct box *other)
{
	int k;

	for (k = 0; k < 3; k++) {
		box->lo[k] = other->lo[k] < box->lo[k] ? other->lo[k] : box->lo[k];
		box->hi[k] = other->hi[k] > box->hi[k] ? other->hi[k] : box->hi[k];
	}
}

static void box_add_point(struct box *box, struct vec3 p)
{
	struct box point = { { p.x, p.y, p.z }, { p.x, p.y, p.z } };

	box_add(box, &point);
}

static float box_half_area(const struct box *box)
{
	float x = box->hi[0] - box->lo[0], y = box->hi[1] - box->lo[1], z = box->hi[2] - box->lo[2];

	return x * y + y * z + z * x;
}

static struct box box_of(const struct builder *b, kernel_u32 first, kernel_u32 count)
{
	struct box box = empty_box;
	kernel_u32 i;

	for (i = first; i < first + count; i++)
		box_add(&box, &b->items[i].box);
	return box;
}

static int bin_of(float centre, float lo, float scale)
{
	int bin = (int)((centre - lo) * scale);

	return bin < BINS ? bin : BINS - 1;
}

static void fill_bins(const struct builder *b, kernel_u32 first, kernel_u32 count, int axis,
	float lo, float scale, struct bin bins[BINS])
{
	kernel_u32 i;
	int k;

	for (k = 0; k < BINS; k++)
		bins[k] = (struct bin){ empty_box, 0 };
	for (i = first; i < first + count; i++) {
		struct bin *bin = &bins[bin_of(b->items[i].centre[axis], lo, scale)];

		box_add(&bin->box, &b->items[i].box);
		bin->count++;
	}
}

/* Tries the planes between the bins of one axis against the best so far. */
static void try_axis(
	const struct bin bins[BINS], int axis, float lo, float scale, struct split *best)
{
	float right_cost[BINS];
	struct box box = empty_box;
	kernel_u32 count = 0;
	int k;

	for (k = BINS - 1; k > 0; k--) {
		box_add(&box, &bins[k].box);
		count += bins[k].count;
		right_cost[k] = count ? (float)count * box_half_area(&box) : -1;
	}
	box = empty_box;
	count = 0;
	for (k = 1; k < BINS; k++) {
		float cost;

		box_add(&box, &bins[k - 1].box);
		count += bins[k - 1].count;
		if (!count || right_cost[k] < 0)
			continue;
		cost = right_cost[k] + (float)count * box_half_area(&box);
		if (best->axis < 0 || cost < best->cost)
			*best = (struct split){ axis, lo + (float)k / scale, cost };
	}
}

static struct split find_split(const struct builder *b, kernel_u32 first, kernel_u32 count)
{
	struct split best = { -1, 0, 0 };
	struct box centres = empty_box;
	struct bin bins[BINS];
	kernel_u32 i;
	int axis;

	for (i = first; i < first + count; i++) {
		const float *c = b->items[i].centre;

		box_add_point(&centres, vec3_make(c[0], c[1], c[2]));
	}
	for (axis = 0; axis < 3; axis++) {
		float width = centres.hi[axis] - centres.lo[axis];
		float scale = BINS / width;

		if (!(width > 0) || !(scale < 3e38f))
			continue;
		fill_bins(b, first, count, axis, centres.lo[axis], scale, bins);
		try_axis(bins, axis, centres.lo[axis], scale, &best);
	}
	return best;
}

/* Moves the items below the plane to the front and returns how many there are. */
static kernel_u32 partition(
	struct builder *b, kernel_u32 first, kernel_u32 count, struct split split)
{
	kernel_u32 i, low = first;

	for (i = first; i < first + count; i++) {
		struct item item = b->items[i];

		if (item.centre[split.axis] >= split.plane)
			continue;
		b->items[i] = b->items[low];
		b->items[low++] = item;
	}
	return low - first;
}

static kernel_u32 split_count(struct builder *b, kernel_u32 first, kernel_u32 count, unsigned depth)
{
	struct split split = { -1, 0, 0 };
	kernel_u32 left = 0;

	if (depth < SAH_DEPTH)
		split = find_split(b, first, count);
	if (split.axis >= 0)
		left = partition(b, first, count, split);
	return left && left < count ? left : count / 2;
}

static void set_child(struct kernel_node *node, int side, kernel_u32 ref, struct box box)
{
	node->child[side] = ref;
	node->lo[side] = vec3_make(box.lo[0], box.lo[1], box.lo[2]);
	node->hi[side] = vec3_make(box.hi[0], box.hi[1], box.hi[2]);
}

static kernel_u32 build(struct builder *b, kernel_u32 first, kernel_u32 count, unsigned depth)
{
	kernel_u32 index, left, ref;

	if (count <= KERNEL_LEAF_MAX)
		return KERNEL_LEAF(first, count);
	index = b->node_count++;
	left = split_count(b, first, count, depth);
	ref = build(b, first, left, depth + 1);
	set_child(&b->nodes[index], 0, ref, box_of(b, first, left));
	ref = build(b, first + left, count - left, depth + 1);
	set_child(&b->nodes[index], 1, ref, box_of(b, first + left, count - left));
	return index;
}

static struct item item_of(const struct kernel_triangle *t, kernel_u32 index)
{
	struct item item = { .box = empty_box, .triangle = index };
	int k;

	box_add_point(&item.box, t->v0);
	box_add_point(&item.box, t->v1);
	box_add_point(&item.box, t->v2);
	for (k = 0; k < 3; k++)
		item.centre[k] = item.box.lo[k] + item.box.hi[k];
	return item;
}

static void reorder(struct kernel_triangle *triangles, kernel_u32 count, const struct item *items)
{
	struct kernel_triangle *old = xmalloc((count + 1) * sizeof(*old));
	kernel_u32 i;

	for (i = 0; i < count; i++)
		old[i] = triangles[i];
	for (i = 0; i < count; i++)
		triangles[i] = old[items[i].triangle];
	free(old);
}

struct kernel_node *tree_build(
	struct kernel_triangle *triangles, kernel_u32 count, kernel_u32 *node_count)
{
	struct builder b = { xmalloc(((size_t)count + 1) * sizeof(*b.items)), NULL, 0 };
	kernel_u32 i;

	b.nodes = xcalloc((size_t)count + 1, sizeof(*b.nodes));
	for (i = 0; i < count; i++)
		b.items[i] = item_of(&triangles[i], i);
	if (count > KERNEL_LEAF_MAX) {
		build(&b, 0, count, 0);
	} else { /* the root is always an inner node */
		b.node_count = 1;
		set_child(&b.nodes[0], 0, KERNEL_LEAF(0, count), box_of(&b, 0, count));
		set_child(&b.nodes[0], 1, 0, empty_box);
	}
	reorder(triangles, count, b.items);
	free(b.items);
	*node_count = b.node_count;
	return b.nodes;
}
