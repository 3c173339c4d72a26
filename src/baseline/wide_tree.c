/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/wide_tree.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "baseline/block.h"
#include "baseline/split.h"
#include "baseline/team.h"
#include "baseline/tree.h"

enum { TASK_MIN = 4096, TASKS_MAX = 4096, TASKS_A_THREAD = 4, TOGETHER_MIN = 8 * TASK_MIN };

struct task {
	struct split_range range;
	kernel_u32 node;
	unsigned depth;
};

struct builder {
	const struct kernel_triangle *triangles;
	const struct split_way *way;
	struct split_item *items;
	struct wide_node *nodes;
	struct wide_leaf *leaves;
	atomic_uint node_count, leaf_count;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct task tasks[TASKS_MAX]; /* waiting, the largest not first */
	unsigned task_count, busy;
	unsigned team; /* threads that cut one range */
};

static size_t node_bytes_of(const struct wide_tree *tree)
{
	return tree->node_count * sizeof(*tree->nodes);
}

static size_t leaf_bytes_of(const struct wide_tree *tree)
{
	return (tree->leaf_count ? tree->leaf_count : 1) * sizeof(*tree->leaves);
}

static void fill_leaf(struct builder *b, struct wide_leaf *leaf, const struct split_range *range)
{
	kernel_u32 i;

	for (i = 0; i < WIDE; i++) {
		bool used = i < range->count;
		kernel_u32 number = split_item_triangle(&b->items[range->first + (used ? i : 0)]);
		const struct kernel_triangle *t = &b->triangles[number];
		const struct vec3 v[3] = { t->v0, used ? t->v1 : t->v0, used ? t->v2 : t->v0 };
		int k;

		for (k = 0; k < 3; k++) {
			leaf->corner[k][0][i] = v[k].x;
			leaf->corner[k][1][i] = v[k].y;
			leaf->corner[k][2][i] = v[k].z;
		}
		leaf->triangle[i] = used ? number : KERNEL_NOTHING;
	}
}

/* Triangles of a leaf lie anywhere; asking for all of a node's at once waits for them once. */
static void ask_for_triangles(const struct builder *b, const struct split_range *parts, int count)
{
	kernel_u32 at;
	int i;

	for (i = 0; i < count; i++)
		for (at = 0; parts[i].count <= WIDE && at < parts[i].count; at++) {
			const struct kernel_triangle *t =
				&b->triangles[split_item_triangle(&b->items[parts[i].first + at])];

			__builtin_prefetch(t);
			__builtin_prefetch(&t->v2);
		}
}

/* The range to cut next: the one with the largest surface that is too large for a leaf; once ranges
 * are halved by count, the fullest. -1 none. */
static int next_to_split(const struct split_range *parts, int count, bool halve)
{
	float most = -1;
	int best = -1, i;

	for (i = 0; i < count; i++) {
		float weight = halve ? (float)parts[i].count : split_half_area(&parts[i].box);

		if (parts[i].count > WIDE && weight > most) {
			most = weight;
			best = i;
		}
	}
	return best;
}

static int cut(struct builder *b, const struct task *task, struct split_range parts[WIDE])
{
	bool halve = task->depth >= TREE_SAH_DEPTH;
	int count = 1, at;

	parts[0] = task->range;
	while (count < WIDE && (at = next_to_split(parts, count, halve)) >= 0) {
		struct split_range both[2];

		b->way->range(b->items, &parts[at], WIDE, halve, b->team, both);
		parts[at] = both[0];
		parts[count++] = both[1];
	}
	return parts[0].count ? count : 0; /* nothing at all */
}

/* How far the range's centre lies on the side of the node's that each slot's bits name. */
static void slot_gains(
	const struct split_range *part, const struct split_box *node, float gains[WIDE])
{
	float off[3];
	int axis, slot;

	for (axis = 0; axis < 3; axis++)
		off[axis] = (SPLIT_HIGH(&part->box, axis) + SPLIT_LOW(&part->box, axis)) -
			    (SPLIT_HIGH(node, axis) + SPLIT_LOW(node, axis));
	for (slot = 0; slot < WIDE; slot++)
		gains[slot] = (slot & 1 ? off[0] : -off[0]) + (slot & 2 ? off[1] : -off[1]) +
			      (slot & 4 ? off[2] : -off[2]);
}

/* The slot of the largest gain among the free ones. */
static int best_slot(const float gains[WIDE], const int slots[WIDE])
{
	int best = -1, slot;

	for (slot = 0; slot < WIDE; slot++)
		if (slots[slot] < 0 && (best < 0 || gains[slot] > gains[best]))
			best = slot;
	return best;
}

/* Gives each part a slot, the largest gain first; slots[i] is the part in slot i or -1. */
static void assign_slots(
	const struct split_range *parts, int count, const struct split_box *node, int slots[WIDE])
{
	float gains[WIDE][WIDE];
	int wish[WIDE], n, i; /* of a part that has none yet; else -1 */

	memset(slots, -1, WIDE * sizeof(*slots));
	for (i = 0; i < count; i++) {
		slot_gains(&parts[i], node, gains[i]);
		wish[i] = best_slot(gains[i], slots);
	}
	for (n = 0; n < count; n++) {
		int best = -1, taken;

		for (i = 0; i < count; i++)
			if (wish[i] >= 0 &&
				(best < 0 || gains[i][wish[i]] > gains[best][wish[best]]))
				best = i;
		taken = wish[best];
		slots[taken] = best;
		wish[best] = -1;
		for (i = 0; i < count; i++)
			if (wish[i] == taken)
				wish[i] = best_slot(gains[i], slots);
	}
}

static void set_slot(struct wide_node *node, int slot, const struct split_range *part)
{
	int axis;

	for (axis = 0; axis < 3; axis++) {
		node->bound[axis][0][slot] = part ? SPLIT_LOW(&part->box, axis) : TRACE_MISS;
		node->bound[axis][1][slot] = part ? SPLIT_HIGH(&part->box, axis) : -TRACE_MISS;
	}
}

static bool give_away(struct builder *b, const struct task *task)
{
	bool given;

	if (task->range.count < TASK_MIN)
		return false;
	pthread_mutex_lock(&b->lock);
	given = b->task_count < TASKS_MAX;
	if (given)
		b->tasks[b->task_count++] = *task;
	pthread_cond_signal(&b->changed);
	pthread_mutex_unlock(&b->lock);
	return given;
}

static void build(struct builder *b, const struct task *task)
{
	struct wide_node *node = &b->nodes[task->node];
	struct split_range parts[WIDE];
	int slots[WIDE], count = cut(b, task, parts), slot;

	ask_for_triangles(b, parts, count);
	assign_slots(parts, count, &task->range.box, slots);
	memset(node, 0, sizeof(*node));
	for (slot = 0; slot < WIDE; slot++) {
		const struct split_range *part = slots[slot] < 0 ? NULL : &parts[slots[slot]];

		set_slot(node, slot, part);
		if (part && part->count <= WIDE) {
			kernel_u32 leaf = atomic_fetch_add(&b->leaf_count, 1);

			fill_leaf(b, &b->leaves[leaf], part);
			node->child[slot] = leaf | WIDE_LEAF;
		} else if (part) {
			struct task child = { *part, atomic_fetch_add(&b->node_count, 1),
				task->depth + 1 };

			node->child[slot] = child.node;
			if (!give_away(b, &child))
				build(b, &child);
		}
	}
}

/* Takes tasks until there is none and nobody is left who could make one. */
static void work(void *builder, unsigned part, unsigned parts)
{
	struct builder *b = builder;

	(void)part;
	(void)parts;
	pthread_mutex_lock(&b->lock);
	while (b->task_count || b->busy) {
		struct task task;

		if (!b->task_count) {
			pthread_cond_wait(&b->changed, &b->lock);
			continue;
		}
		task = b->tasks[--b->task_count];
		b->busy++;
		pthread_mutex_unlock(&b->lock);
		build(b, &task);
		pthread_mutex_lock(&b->lock);
		b->busy--;
	}
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

static unsigned largest_task(const struct builder *b)
{
	unsigned best = 0, i;

	for (i = 1; i < b->task_count; i++)
		if (b->tasks[i].range.count > b->tasks[best].range.count)
			best = i;
	return best;
}

/* Until there is enough for each thread to do on its own, all of them cut one range together. */
static void build_together(struct builder *b, unsigned threads)
{
	unsigned at;

	b->team = threads;
	while (b->task_count && b->task_count < TASKS_A_THREAD * threads &&
		b->tasks[at = largest_task(b)].range.count >= TOGETHER_MIN) {
		struct task task = b->tasks[at];

		b->tasks[at] = b->tasks[--b->task_count];
		build(b, &task);
	}
	b->team = 1;
}

void wide_tree_build(struct wide_tree *tree, const struct kernel_triangle *triangles,
	kernel_u32 count, unsigned threads)
{
	struct builder *b = xcalloc(1, sizeof(*b));
	size_t item_bytes = ((size_t)count + 1) * sizeof(*b->items);
	size_t node_bytes = ((size_t)count + 1) * sizeof(*b->nodes);
	size_t leaf_bytes = ((size_t)count + 1) * sizeof(*b->leaves);

	b->triangles = triangles;
	b->way = split_way();
	b->items = block_new(item_bytes);
	b->nodes = block_new(node_bytes);
	b->leaves = block_new(leaf_bytes);
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	atomic_store(&b->node_count, 1);
	b->tasks[0] = (struct task){ b->way->items(b->items, triangles, count, threads), 0, 0 };
	b->task_count = 1;
	if (threads > 1)
		build_together(b, threads);
	team_run(threads < 2 || count < TASK_MIN ? 1 : threads, work, b);
	tree->nodes = b->nodes;
	tree->leaves = b->leaves;
	tree->node_count = b->node_count;
	tree->leaf_count = b->leaf_count;
	block_shrink(tree->nodes, node_bytes, node_bytes_of(tree));
	block_shrink(tree->leaves, leaf_bytes, leaf_bytes_of(tree));
	block_free(b->items, item_bytes);
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

void wide_tree_release(struct wide_tree *tree)
{
	block_free(tree->nodes, node_bytes_of(tree));
	block_free(tree->leaves, leaf_bytes_of(tree));
	memset(tree, 0, sizeof(*tree));
}

size_t wide_tree_bytes(const struct wide_tree *tree)
{
	return node_bytes_of(tree) + leaf_bytes_of(tree);
}
