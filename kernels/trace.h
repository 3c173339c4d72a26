/* SPDX-License-Identifier: Apache-2.0 */
/* Rays against the scene, one at a time: the definition that any faster path must equal to the bit.
 *
 * What a ray meets is defined without the tree: of all triangles that trace_triangle() accepts the
 * one with the smallest t, of equal ones that with the smallest source number. No tree and no order
 * of work can change it, because a distance is never outside the interval in which the ray is in
 * the triangle's own box, the rounded interval of a larger box holds that of a smaller one (each
 * step of its computation is monotone), and a box is passed over only when its interval begins
 * behind the nearest hit. */
#ifndef KERNELS_TRACE_H
#define KERNELS_TRACE_H

#include "kernels/scene.h"

/* Points origin + t * direction with 0 < t <= t_max. The direction need not have length 1. */
struct kernel_ray {
	struct vec3 origin, direction;
	float t_max;
};

struct kernel_hit {
	float t;
	kernel_u32 triangle; /* KERNEL_NOTHING: none */
};

#define KERNEL_NOTHING 0xffffffffu
#define TRACE_MISS 3e38f
/* More than the rounding of both ends of an interval (Ize, "Robust BVH Ray Traversal", JCGT 2(2),
 * 2013). */
#define TRACE_WIDER 1.0000004f

/* A ray made ready: `inverse` of the direction, and the shear that turns the direction into the
 * axis `axis`, its largest (Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", JCGT 2(1),
 * 2013). */
struct trace_ray {
	struct vec3 origin, inverse;
	float shear_x, shear_y, shear_z;
	kernel_u32 axis;
};

/* 1/x, finite for x = 0. The one branch is hardly ever taken, whatever the sign. */
KERNEL_FN float trace_inverse(float x)
{
	float size = x < 0 ? -x : x;

	if (size < 1e-20f)
		return x < 0 ? -1e20f : 1e20f;
	return 1.0f / x;
}

KERNEL_FN float trace_min(float a, float b)
{
	return a < b ? a : b;
}

KERNEL_FN float trace_max(float a, float b)
{
	return a > b ? a : b;
}

/* (x, y, z) turned so that `axis` comes last. */
KERNEL_FN struct vec3 trace_turn(struct vec3 v, kernel_u32 axis)
{
	return axis == 0 ? vec3_make(v.y, v.z, v.x) : axis == 1 ? vec3_make(v.z, v.x, v.y) : v;
}

/* The number of the largest; of equal ones the last. Without a branch: directions are random. */
KERNEL_FN kernel_u32 trace_largest(struct vec3 d)
{
	float x = d.x < 0 ? -d.x : d.x, y = d.y < 0 ? -d.y : d.y, z = d.z < 0 ? -d.z : d.z;
	kernel_u32 is_x = (kernel_u32)(x > y) & (kernel_u32)(x > z), is_y = (kernel_u32)(y > z);

	return (2 - is_y) * (1 - is_x);
}

KERNEL_FN struct trace_ray trace_ready(struct kernel_ray ray)
{
	struct vec3 d = ray.direction, turned;
	struct trace_ray r;

	r.origin = ray.origin;
	r.inverse = vec3_make(trace_inverse(d.x), trace_inverse(d.y), trace_inverse(d.z));
	r.axis = trace_largest(d);
	turned = trace_turn(d, r.axis);
	r.shear_z = trace_turn(r.inverse, r.axis).z;
	r.shear_x = turned.x * r.shear_z;
	r.shear_y = turned.y * r.shear_z;
	return r;
}

/* A corner, seen from the origin, in the sheared space where the ray is the last axis. */
KERNEL_FN struct vec3 trace_shear(struct trace_ray ray, struct vec3 corner)
{
	struct vec3 p = trace_turn(corner, ray.axis);

	return vec3_make(p.x - ray.shear_x * p.z, p.y - ray.shear_y * p.z, p.z);
}

/* Where the ray enters (at least 0) and leaves the smallest box about three points that are seen
 * from its origin. */
KERNEL_FN void trace_span(struct trace_ray ray, struct vec3 a, struct vec3 b, struct vec3 c,
	float *enter, float *leave)
{
	struct vec3 p = vec3_mul(a, ray.inverse), q = vec3_mul(b, ray.inverse),
		    r = vec3_mul(c, ray.inverse);

	*enter = trace_max(
		trace_max(trace_min(trace_min(p.x, q.x), r.x), trace_min(trace_min(p.y, q.y), r.y)),
		trace_max(trace_min(trace_min(p.z, q.z), r.z), 0.0f));
	*leave = trace_min(trace_min(trace_max(trace_max(p.x, q.x), r.x),
				   trace_max(trace_max(p.y, q.y), r.y)),
			 trace_max(trace_max(p.z, q.z), r.z)) *
		 TRACE_WIDER;
}

/* 1 and *t when the ray meets the triangle; either side counts. The three edges give exactly
 * opposite values to the two triangles that share them and 0 counts as inside, so that no ray slips
 * between two triangles. A triangle without area is never met. */
KERNEL_FN int trace_triangle(
	KERNEL_GLOBAL const struct kernel_triangle *triangle, struct trace_ray ray, float *t)
{
	struct vec3 a = vec3_sub(triangle->v0, ray.origin);
	struct vec3 b = vec3_sub(triangle->v1, ray.origin);
	struct vec3 c = vec3_sub(triangle->v2, ray.origin);
	struct vec3 p = trace_shear(ray, a), q = trace_shear(ray, b), r = trace_shear(ray, c);
	float e0 = r.x * q.y - r.y * q.x;
	float e1 = p.x * r.y - p.y * r.x;
	float e2 = q.x * p.y - q.y * p.x;
	float sum = e0 + e1 + e2;
	float enter, leave, distance;

	if (!((e0 >= 0 && e1 >= 0 && e2 >= 0) || (e0 <= 0 && e1 <= 0 && e2 <= 0)) || sum == 0)
		return 0;
	trace_span(ray, a, b, c, &enter, &leave);
	distance = (e0 * p.z + e1 * q.z + e2 * r.z) * ray.shear_z / sum;
	distance = trace_min(trace_max(distance, enter), leave);
	*t = distance;
	return enter <= leave && distance > 0;
}

/* Makes triangle `index` the hit when the ray meets it and it comes before *hit. */
KERNEL_FN int trace_nearer(KERNEL_GLOBAL const struct kernel_triangle *triangles, kernel_u32 index,
	struct trace_ray ray, struct kernel_hit *hit)
{
	float t;

	if (!trace_triangle(&triangles[index], ray, &t) || !(t <= hit->t))
		return 0;
	if (t == hit->t && hit->triangle != KERNEL_NOTHING &&
		triangles[hit->triangle].source < triangles[index].source)
		return 0;
	hit->t = t;
	hit->triangle = index;
	return 1;
}

/* Where the ray enters the box (0 inside it), TRACE_MISS when it does not up to t_max. */
KERNEL_FN float trace_box(struct vec3 lo, struct vec3 hi, struct trace_ray ray, float t_max)
{
	struct vec3 a = vec3_mul(vec3_sub(lo, ray.origin), ray.inverse);
	struct vec3 b = vec3_mul(vec3_sub(hi, ray.origin), ray.inverse);
	float enter = trace_max(trace_max(trace_min(a.x, b.x), trace_min(a.y, b.y)),
		trace_max(trace_min(a.z, b.z), 0.0f));
	float leave =
		trace_min(trace_min(trace_max(a.x, b.x), trace_max(a.y, b.y)), trace_max(a.z, b.z));

	leave = trace_min(leave * TRACE_WIDER, t_max);
	return lo.x <= hi.x && enter <= leave ? enter : TRACE_MISS;
}

/* What a walk still has to visit. A device has a place of its own for it (kernel_gcd.h). */
#if !defined(TRACE_STACK)
struct trace_stack {
	kernel_u32 refs[KERNEL_DEPTH_MAX];
};

KERNEL_FN void trace_push(struct trace_stack *stack, kernel_u32 depth, kernel_u32 ref)
{
	stack->refs[depth] = ref;
}

KERNEL_FN kernel_u32 trace_pop(const struct trace_stack *stack, kernel_u32 depth)
{
	return stack->refs[depth];
}
#endif

/* The nearest hit, or with `any` the first one found. 1 and *hit, or 0. */
KERNEL_FN int trace_scene(const struct kernel_scene *scene, struct trace_stack *stack,
	struct kernel_ray from, int any, struct kernel_hit *hit)
{
	struct trace_ray ray = trace_ready(from);
	kernel_u32 depth = 0, ref = 0, i;

	hit->t = from.t_max;
	hit->triangle = KERNEL_NOTHING;
	for (;;) {
		if (KERNEL_LEAF_COUNT(ref)) {
			for (i = 0; i < KERNEL_LEAF_COUNT(ref); i++)
				trace_nearer(
					scene->triangles, KERNEL_LEAF_FIRST(ref) + i, ray, hit);
			if (any && hit->triangle != KERNEL_NOTHING)
				return 1;
		} else {
			KERNEL_GLOBAL const struct kernel_node *node = &scene->nodes[ref];
			float t0 = trace_box(node->lo[0], node->hi[0], ray, hit->t);
			float t1 = trace_box(node->lo[1], node->hi[1], ray, hit->t);
			kernel_u32 near = t1 < t0;

			if (t0 < TRACE_MISS && t1 < TRACE_MISS)
				trace_push(stack, depth++, node->child[1 - near]);
			if (t0 < TRACE_MISS || t1 < TRACE_MISS) {
				ref = node->child[near];
				continue;
			}
		}
		if (!depth)
			return hit->triangle != KERNEL_NOTHING;
		ref = trace_pop(stack, --depth);
	}
}

#endif
