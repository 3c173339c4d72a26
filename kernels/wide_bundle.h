/* SPDX-License-Identifier: Apache-2.0 */
/* Rays from one point that go much the same way, as from the camera: they walk the tree together. A
 * node is tested once for all of them, by the least and the largest of their inverse directions
 * (interval arithmetic as in Boulos, Wald and Shirley, "Geometric and Arithmetic Culling Methods
 * for Entire Ray Packets", Utah UUCS-06-010); a triangle is tested by all side by side. */
#ifndef KERNELS_WIDE_BUNDLE_H
#define KERNELS_WIDE_BUNDLE_H

#include "kernels/wide_few.h"
#include "kernels/wide_flight.h"

/* Leaves that bundles may see on average and still gain by going together. */
enum { BUNDLE_LEAVES = 8 };

struct bundle {
	struct few_rays rays;
	struct few_ready ready;
	struct few_hits found;
	float origin[3], least[3], most[3]; /* of the inverse directions; by axis, not turned */
	kernel_u32 near[3]; /* 0 or 1: which bound of an axis comes first */
	float t; /* the farthest that any of them still reaches */
	kernel_u32 depth;
	float enter[FLIGHT_STACK];
	kernel_u32 waiting[FLIGHT_STACK];
};

/* Whether the rays are such that they can walk together; if so they are taken over. */
static inline int bundle_start(struct bundle *b, const struct kernel_ray *rays)
{
	const kernel_u32 *axes = few_axes[trace_largest(rays[0].direction)];
	float inverse[MANY];
	kernel_u32 i, k;

	b->rays.axis = trace_largest(rays[0].direction);
	for (i = 0; i < MANY; i++) {
		if (trace_largest(rays[i].direction) != b->rays.axis ||
			rays[i].origin.x != rays[0].origin.x ||
			rays[i].origin.y != rays[0].origin.y ||
			rays[i].origin.z != rays[0].origin.z)
			return 0;
		few_put(&b->rays, i, &rays[i], i);
	}
	few_prepare(&b->rays, &b->ready, &b->found);
	for (k = 0; k < 3; k++) {
		float least, most;

		many_store(inverse, b->ready.inverse[k]);
		least = most = inverse[0];
		for (i = 1; i < MANY; i++) {
			least = trace_min(inverse[i], least);
			most = trace_max(inverse[i], most);
		}
		if ((least < 0) != (most < 0))
			return 0;
		b->origin[axes[k]] = b->rays.origin[k][0];
		b->least[axes[k]] = least;
		b->most[axes[k]] = most;
		b->near[axes[k]] = most < 0;
	}
	b->t = TRACE_MISS;
	b->depth = 0;
	return 1;
}

/* Puts the children that any of the rays may meet on the stack, the nearest on top. */
static inline void bundle_node(struct bundle *b, const struct wide_node *node)
{
	lanes enter = lanes_all(0), leave = lanes_all(TRACE_MISS);
	float at[WIDE];
	kernel_u32 mask;
	int k;

	for (k = 0; k < 3; k++) {
		lanes origin = lanes_all(b->origin[k]), least = lanes_all(b->least[k]),
		      most = lanes_all(b->most[k]);
		lanes near = lanes_sub(lanes_load(node->bound[k][b->near[k]]), origin);
		lanes far = lanes_sub(lanes_load(node->bound[k][1 - b->near[k]]), origin);

		enter = lanes_max(lanes_min(lanes_mul(near, least), lanes_mul(near, most)), enter);
		leave = lanes_min(lanes_max(lanes_mul(far, least), lanes_mul(far, most)), leave);
	}
	leave = lanes_min(lanes_mul(leave, lanes_all(TRACE_WIDER)), lanes_all(b->t));
	lanes_store(at, enter);
	for (mask = lanes_bits(lanes_le(enter, leave)); mask; mask &= mask - 1) {
		kernel_u32 slot = (kernel_u32)__builtin_ctz(mask), i = b->depth++;

		for (; i > 0 && b->enter[i - 1] < at[slot]; i--) {
			b->enter[i] = b->enter[i - 1];
			b->waiting[i] = b->waiting[i - 1];
		}
		b->enter[i] = at[slot];
		b->waiting[i] = node->child[slot];
	}
}

/* Of equal hits the first: the other one's number decides. */
static inline void bundle_take(struct bundle *b, many_mask mask, many t, kernel_u32 number)
{
	many_mask equal = many_and(many_le(t, b->found.t), many_ge(t, b->found.t));
	float here[MANY], now[MANY], bits[MANY];
	kernel_u32 triangle[MANY], i, tie = many_bits(many_and(mask, equal));

	few_take(&b->found, many_and(mask, many_lt(t, b->found.t)), t, number);
	if (!tie)
		return;
	many_store(here, t);
	many_store(now, b->found.t);
	many_store(bits, b->found.triangle);
	__builtin_memcpy(triangle, bits, sizeof(triangle));
	for (i = 0; i < MANY; i++)
		if (tie >> i & 1 && here[i] == now[i] && triangle[i] != KERNEL_NOTHING &&
			number < triangle[i])
			triangle[i] = number;
	__builtin_memcpy(bits, triangle, sizeof(bits));
	b->found.triangle = many_load(bits);
}

static inline void bundle_leaf(struct bundle *b, const struct wide_leaf *leaf)
{
	const kernel_u32 *axes = few_axes[b->rays.axis];
	float t[MANY], farthest = 0;
	kernel_u32 i;
	int k, v;

	for (i = 0; i < WIDE && leaf->triangle[i] != KERNEL_NOTHING; i++) {
		float corners[3][3];
		many_mask mask;
		many distance;

		for (v = 0; v < 3; v++)
			for (k = 0; k < 3; k++)
				corners[v][k] = leaf->corner[v][axes[k]][i];
		mask = few_meets(&b->ready, corners, &distance);
		mask = many_and(mask, many_le(distance, b->found.t));
		if (many_bits(mask))
			bundle_take(b, mask, distance, leaf->triangle[i]);
	}
	many_store(t, b->found.t);
	for (i = 0; i < MANY; i++)
		farthest = trace_max(t[i], farthest);
	b->t = farthest;
}

/* Returns how many leaves were seen. */
static kernel_u32 bundle_walk(const struct wide_scene *scene, struct bundle *b)
{
	kernel_u32 ref = 0, leaves = 0;

	for (;;) {
		if (ref & WIDE_LEAF)
			bundle_leaf(b, &scene->leaves[ref & ~WIDE_LEAF]);
		else
			bundle_node(b, &scene->nodes[ref]);
		leaves += ref >> 31;
		do {
			if (!b->depth)
				return leaves;
			b->depth--;
		} while (b->enter[b->depth] > b->t);
		ref = b->waiting[b->depth];
	}
}

/* flight_trace() for rays from the camera. As soon as bundles are too wide for the triangles that
 * they meet, the rest of the batch goes ray by ray. */
static void bundle_trace(const struct wide_scene *scene, const struct kernel_ray *rays,
	kernel_u32 total, struct kernel_hit *hits, struct flight_deck *deck)
{
	struct bundle bundle;
	kernel_u32 done = 0, leaves = 0;

	while (total - done >= MANY && leaves <= BUNDLE_LEAVES * (done / MANY + 1) &&
		bundle_start(&bundle, rays + done)) {
		leaves += bundle_walk(scene, &bundle);
		few_finish(&bundle.rays, &bundle.found, hits + done);
		done += MANY;
	}
	flight_trace(scene, rays + done, total - done, 0, hits + done, deck);
}

#endif
