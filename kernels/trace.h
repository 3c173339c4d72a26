/* SPDX-License-Identifier: Apache-2.0 */
/* Rays against the scene, one at a time: the definition that any faster path must equal to the bit.
 */
#ifndef KERNELS_TRACE_H
#define KERNELS_TRACE_H

#include "kernels/scene.h"

/* Points origin + t * direction with 0 < t < t_max. The direction need not have length 1. */
struct kernel_ray {
	struct vec3 origin, direction;
	float t_max;
};

struct kernel_hit {
	float t;
	float w0, w1, w2; /* weights of v0, v1, v2; their sum is 1 */
	kernel_u32 triangle;
};

/* Six times the signed volume of the edge p-q and the direction. Swapping p and q negates it
 * exactly, so that a ray cannot slip between two triangles that share an edge. */
KERNEL_FN float trace_edge(struct vec3 p, struct vec3 q, struct vec3 direction)
{
	return vec3_dot(vec3_cross(vec3_sub(p, q), vec3_add(p, q)), direction);
}

/* 1 and *hit when the ray meets triangle `index` nearer than hit->t; either side counts. A triangle
 * without area is never met. */
KERNEL_FN int trace_triangle(KERNEL_GLOBAL const struct kernel_triangle *triangles,
	kernel_u32 index, struct kernel_ray ray, struct kernel_hit *hit)
{
	struct vec3 a = vec3_sub(triangles[index].v0, ray.origin);
	struct vec3 b = vec3_sub(triangles[index].v1, ray.origin);
	struct vec3 c = vec3_sub(triangles[index].v2, ray.origin);
	float e0 = trace_edge(c, b, ray.direction);
	float e1 = trace_edge(a, c, ray.direction);
	float e2 = trace_edge(b, a, ray.direction);
	float sum = e0 + e1 + e2;
	struct vec3 normal;
	float t;

	if (!((e0 >= 0 && e1 >= 0 && e2 >= 0) || (e0 <= 0 && e1 <= 0 && e2 <= 0)) || sum == 0)
		return 0;
	normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
	t = vec3_dot(normal, a) / vec3_dot(normal, ray.direction);
	if (!(t > 0 && t < hit->t))
		return 0;
	hit->t = t;
	hit->w0 = e0 / sum;
	hit->w1 = e1 / sum;
	hit->w2 = e2 / sum;
	hit->triangle = index;
	return 1;
}

/* 1/x, finite for x = 0. */
KERNEL_FN float trace_inverse(float x)
{
	if (x < 1e-20f && x > -1e-20f)
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

#define TRACE_MISS 3e38f

/* Where the ray enters the box (0 inside it), TRACE_MISS when it does not before t_max. The far
 * side is moved out by more than the rounding of both (Ize, "Robust BVH Ray Traversal", JCGT 2(2),
 * 2013). */
KERNEL_FN float trace_box(
	struct vec3 lo, struct vec3 hi, struct vec3 origin, struct vec3 inverse, float t_max)
{
	struct vec3 a = vec3_mul(vec3_sub(lo, origin), inverse);
	struct vec3 b = vec3_mul(vec3_sub(hi, origin), inverse);
	float enter = trace_max(trace_max(trace_min(a.x, b.x), trace_min(a.y, b.y)),
		trace_max(trace_min(a.z, b.z), 0.0f));
	float leave =
		trace_min(trace_min(trace_max(a.x, b.x), trace_max(a.y, b.y)), trace_max(a.z, b.z));

	leave = trace_min(leave * 1.0000004f, t_max);
	return lo.x <= hi.x && enter <= leave ? enter : TRACE_MISS;
}

/* The nearest hit, or with `any` the first one found. 1 and *hit, or 0. */
KERNEL_FN int trace_scene(
	const struct kernel_scene *scene, struct kernel_ray ray, int any, struct kernel_hit *hit)
{
	struct vec3 inverse = vec3_make(trace_inverse(ray.direction.x),
		trace_inverse(ray.direction.y), trace_inverse(ray.direction.z));
	kernel_u32 stack[KERNEL_DEPTH_MAX];
	kernel_u32 depth = 0, ref = 0, i;
	int found = 0;

	hit->t = ray.t_max;
	for (;;) {
		if (KERNEL_LEAF_COUNT(ref)) {
			for (i = 0; i < KERNEL_LEAF_COUNT(ref); i++)
				found |= trace_triangle(
					scene->triangles, KERNEL_LEAF_FIRST(ref) + i, ray, hit);
			if (any && found)
				return 1;
		} else {
			KERNEL_GLOBAL const struct kernel_node *node = &scene->nodes[ref];
			float t0 = trace_box(node->lo[0], node->hi[0], ray.origin, inverse, hit->t);
			float t1 = trace_box(node->lo[1], node->hi[1], ray.origin, inverse, hit->t);
			kernel_u32 near = t1 < t0;

			if (t0 < TRACE_MISS && t1 < TRACE_MISS)
				stack[depth++] = node->child[1 - near];
			if (t0 < TRACE_MISS || t1 < TRACE_MISS) {
				ref = node->child[near];
				continue;
			}
		}
		if (!depth)
			return found;
		ref = stack[--depth];
	}
}

#endif
