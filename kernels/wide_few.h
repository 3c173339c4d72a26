/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of few triangles: no tree, but many rays side by side against one triangle after the
 * other.
 */
#ifndef KERNELS_WIDE_FEW_H
#define KERNELS_WIDE_FEW_H

#include "kernels/wide_lanes.h"

/* Rays with the same largest axis, turned so that it comes last; [k][i] is axis k of ray i. */
struct few_rays {
	float origin[3][MANY], direction[3][MANY];
	float t[MANY];
	kernel_u32 number[MANY]; /* in the batch */
	kernel_u32 axis;
};

/* A row of numbers as floats of the same bits, to be chosen between but never computed with. */
struct few_hits {
	many t, triangle;
};

static inline many few_bits(kernel_u32 number)
{
	float bits;

	__builtin_memcpy(&bits, &number, sizeof(bits));
	return many_all(bits);
}

/* trace_inverse() */
static inline many few_inverse(many x)
{
	many tiny = many_choose(many_lt(x, many_all(0)), many_all(-1e20f), many_all(1e20f));
	many_mask is_tiny = many_and(many_lt(x, many_all(1e-20f)), many_gt(x, many_all(-1e-20f)));

	return many_choose(is_tiny, tiny, many_div(many_all(1), x));
}

struct few_ready {
	many origin[3], inverse[3], shear[2];
};

/* trace_triangle() for many rays; `corners` are the triangle's three, turned. */
static inline many_mask few_meets(const struct few_ready *ray, float corners[3][3], many *t)
{
	many at[3][3], x[3], y[3], low[3], high[3], e0, e1, e2, sum, distance, enter, leave;
	many zero = many_all(0);
	many_mask mask;
	int k, v;

	for (v = 0; v < 3; v++) {
		for (k = 0; k < 3; k++)
			at[v][k] = many_sub(many_all(corners[v][k]), ray->origin[k]);
		x[v] = many_sub(at[v][0], many_mul(ray->shear[0], at[v][2]));
		y[v] = many_sub(at[v][1], many_mul(ray->shear[1], at[v][2]));
	}
	e0 = many_sub(many_mul(x[2], y[1]), many_mul(y[2], x[1]));
	e1 = many_sub(many_mul(x[0], y[2]), many_mul(y[0], x[2]));
	e2 = many_sub(many_mul(x[1], y[0]), many_mul(y[1], x[0]));
	sum = many_add(many_add(e0, e1), e2);
	mask = many_and(
		many_or(many_ge(many_min3(e0, e1, e2), zero), many_le(many_max3(e0, e1, e2), zero)),
		many_ne(sum, zero));
	distance = many_add(
		many_add(many_mul(e0, at[0][2]), many_mul(e1, at[1][2])), many_mul(e2, at[2][2]));
	distance = many_div(many_mul(distance, ray->inverse[2]), sum);
	for (k = 0; k < 3; k++) {
		many p = many_mul(at[0][k], ray->inverse[k]),
		     q = many_mul(at[1][k], ray->inverse[k]),
		     r = many_mul(at[2][k], ray->inverse[k]);

		low[k] = many_min3(p, q, r);
		high[k] = many_max3(p, q, r);
	}
	enter = many_max(many_max(low[0], low[1]), many_max(low[2], zero));
	leave = many_mul(many_min3(high[0], high[1], high[2]), many_all(TRACE_WIDER));
	distance = many_min(many_max(distance, enter), leave);
	*t = distance;
	return many_and(mask, many_and(many_le(enter, leave), many_gt(distance, zero)));
}

static inline void few_take(struct few_hits *hits, many_mask mask, many t, kernel_u32 number)
{
	hits->t = many_choose(mask, t, hits->t);
	hits->triangle = many_choose(mask, few_bits(number), hits->triangle);
}

static const kernel_u32 few_axes[3][3] = { { 1, 2, 0 }, { 2, 0, 1 }, { 0, 1, 2 } };

static inline void few_prepare(
	const struct few_rays *rays, struct few_ready *ready, struct few_hits *found)
{
	int k;

	for (k = 0; k < 3; k++) {
		ready->origin[k] = many_load(rays->origin[k]);
		ready->inverse[k] = few_inverse(many_load(rays->direction[k]));
	}
	for (k = 0; k < 2; k++)
		ready->shear[k] = many_mul(many_load(rays->direction[k]), ready->inverse[2]);
	found->t = many_load(rays->t);
	found->triangle = few_bits(KERNEL_NOTHING);
}

static inline void few_finish(
	const struct few_rays *rays, const struct few_hits *found, struct kernel_hit *hits)
{
	float t[MANY], bits[MANY];
	kernel_u32 triangle[MANY], i;

	many_store(t, found->t);
	many_store(bits, found->triangle);
	__builtin_memcpy(triangle, bits, sizeof(triangle));
	for (i = 0; i < MANY; i++) {
		hits[rays->number[i]].t = t[i];
		hits[rays->number[i]].triangle = triangle[i];
	}
}

/* Triangles come by number, so that of equal hits the first stays. */
static void few_packet(
	const struct wide_scene *scene, const struct few_rays *rays, struct kernel_hit *hits)
{
	const kernel_u32 *axes = few_axes[rays->axis];
	struct few_ready ready;
	struct few_hits found;
	kernel_u32 i;
	int k, v;

	few_prepare(rays, &ready, &found);
	for (i = 0; i < scene->few; i++) {
		const struct vec3 *corner = &scene->shading.triangles[i].v0;
		float corners[3][3];
		many_mask mask;
		many t;

		for (v = 0; v < 3; v++)
			for (k = 0; k < 3; k++)
				corners[v][k] = (&corner[v].x)[axes[k]];
		mask = few_meets(&ready, corners, &t);
		few_take(&found, many_and(mask, many_lt(t, found.t)), t, i);
	}
	few_finish(rays, &found, hits);
}

static inline void few_put(
	struct few_rays *to, kernel_u32 place, const struct kernel_ray *ray, kernel_u32 number)
{
	const float origin[3] = { ray->origin.x, ray->origin.y, ray->origin.z };
	const float direction[3] = { ray->direction.x, ray->direction.y, ray->direction.z };
	kernel_u32 bits, k;

	for (k = 0; k < 3; k++) {
		to->origin[k][place] = origin[few_axes[to->axis][k]];
		to->direction[k][place] = direction[few_axes[to->axis][k]];
	}
	/* The next float: a hit at t_max itself counts. */
	__builtin_memcpy(&bits, &ray->t_max, sizeof(bits));
	bits++;
	__builtin_memcpy(&to->t[place], &bits, sizeof(bits));
	to->number[place] = number;
}

static void few_trace(const struct wide_scene *scene, const struct kernel_ray *rays,
	kernel_u32 total, struct kernel_hit *hits)
{
	struct few_rays packets[3];
	kernel_u32 used[3] = { 0, 0, 0 }, i, axis;

	for (axis = 0; axis < 3; axis++)
		packets[axis].axis = axis;
	for (i = 0; i < total; i++) {
		axis = trace_largest(rays[i].direction);
		few_put(&packets[axis], used[axis]++, &rays[i], i);
		if (used[axis] == MANY) {
			few_packet(scene, &packets[axis], hits);
			used[axis] = 0;
		}
	}
	for (axis = 0; axis < 3; axis++) {
		if (!used[axis])
			continue;
		for (i = used[axis]; i < MANY; i++) { /* the first again */
			kernel_u32 first = packets[axis].number[0];

			few_put(&packets[axis], i, &rays[first], first);
		}
		few_packet(scene, &packets[axis], hits);
	}
}

#endif
