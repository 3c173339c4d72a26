/* SPDX-License-Identifier: Apache-2.0 */
/* Rays in flight. Each takes one step at a time, all of them in turn, those before a node apart
 * from those before a leaf: while one waits for memory the others work, and hardly a branch depends
 * on what a ray met. */
#ifndef KERNELS_WIDE_FLIGHT_H
#define KERNELS_WIDE_FLIGHT_H

#include "kernels/wide_lanes.h"

enum {
	FLIGHT_RAYS = 32,
	/* A node leaves seven more to be done; a store writes eight; the bottom says so. */
	FLIGHT_STACK = 7 * KERNEL_DEPTH_MAX + 3 * WIDE
};

#define FLIGHT_LANDED 0xffffffffu /* as a reference: the stack is empty */

struct flight {
	/* Turned so that the ray's largest axis comes last, as trace.h has it. */
	float origin[3], inverse[3], shear[3];
	float t;
	kernel_u32 near[3], far[3]; /* where a node keeps them, in floats */
	kernel_u32 corner[3]; /* where a leaf keeps the axis, in floats */
	kernel_u32 order; /* xor to a slot: 7 for what comes first */
	kernel_u32 triangle;
	kernel_u32 number; /* of the ray in the batch */
	kernel_u32 ref; /* where it is */
	kernel_u32 depth;
	float enter[FLIGHT_STACK];
	kernel_u32 waiting[FLIGHT_STACK];
} __attribute__((aligned(64)));

struct flight_deck {
	struct flight rays[FLIGHT_RAYS];
	kernel_u32 at_node[2][FLIGHT_RAYS + 1], at_leaf[2][FLIGHT_RAYS + 1], free[FLIGHT_RAYS + 1];
};

static inline void flight_start(struct flight *f, struct kernel_ray from, kernel_u32 number)
{
	static const kernel_u32 axes[3][3] = { { 1, 2, 0 }, { 2, 0, 1 }, { 0, 1, 2 } };
	struct trace_ray ray = trace_ready(from);
	float origin[3] = { ray.origin.x, ray.origin.y, ray.origin.z };
	float inverse[3] = { ray.inverse.x, ray.inverse.y, ray.inverse.z };
	kernel_u32 k;

	f->order = 0;
	for (k = 0; k < 3; k++) {
		kernel_u32 axis = axes[ray.axis][k], backwards = inverse[axis] < 0;

		f->origin[k] = origin[axis];
		f->inverse[k] = inverse[axis];
		f->near[k] = (2 * axis + backwards) * WIDE;
		f->far[k] = (2 * axis + 1 - backwards) * WIDE;
		f->corner[k] = axis * WIDE;
		f->order |= (1 - backwards) << axis;
	}
	f->shear[0] = ray.shear_x;
	f->shear[1] = ray.shear_y;
	f->shear[2] = ray.shear_z;
	f->t = from.t_max;
	f->triangle = KERNEL_NOTHING;
	f->number = number;
	f->ref = 0;
	for (k = 0; k < WIDE; k++) {
		f->enter[k] = -1;
		f->waiting[k] = FLIGHT_LANDED;
	}
	f->depth = WIDE;
}

/* Puts the children whose mask bit is set on the stack, in the ray's order, the first on top. */
static inline void flight_push(struct flight *f, lanes enter, lanes leave, const kernel_u32 *child)
{
#if defined(__AVX512VL__)
	__m256i order = _mm256_xor_si256(
		_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)f->order));
	__m256i refs = _mm256_permutexvar_epi32(
		order, _mm256_loadu_si256((const __m256i *)(const void *)child));
	__m256 ordered = _mm256_permutexvar_ps(order, enter);
	__mmask8 mask =
		_mm256_cmp_ps_mask(ordered, _mm256_permutexvar_ps(order, leave), _CMP_LE_OQ);

	_mm256_storeu_ps(f->enter + f->depth, _mm256_maskz_compress_ps(mask, ordered));
	_mm256_storeu_si256((__m256i *)(void *)(f->waiting + f->depth),
		_mm256_maskz_compress_epi32(mask, refs));
	f->depth += (kernel_u32)__builtin_popcount(mask);
#elif defined(__AVX2__)
	__m256i order = _mm256_xor_si256(
		_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)f->order));
	__m256i refs = _mm256_permutevar8x32_epi32(
		_mm256_loadu_si256((const __m256i *)(const void *)child), order);
	__m256 ordered = _mm256_permutevar8x32_ps(enter, order);
	unsigned mask = (unsigned)_mm256_movemask_ps(
		_mm256_cmp_ps(ordered, _mm256_permutevar8x32_ps(leave, order), _CMP_LE_OQ));
	/* The set bits' numbers in a row: pext of the bytes 0 to 7. */
	unsigned long long bytes = _pdep_u64(mask, 0x0101010101010101u) * 0xff;
	__m256i pick = _mm256_cvtepu8_epi32(
		_mm_cvtsi64_si128((long long)_pext_u64(0x0706050403020100u, bytes)));

	_mm256_storeu_ps(f->enter + f->depth, _mm256_permutevar8x32_ps(ordered, pick));
	_mm256_storeu_si256((__m256i *)(void *)(f->waiting + f->depth),
		_mm256_permutevar8x32_epi32(refs, pick));
	f->depth += (kernel_u32)__builtin_popcount(mask);
#else
	kernel_u32 i;

	for (i = 0; i < WIDE; i++) {
		kernel_u32 slot = i ^ f->order;

		f->enter[f->depth] = enter.at[slot];
		f->waiting[f->depth] = child[slot];
		f->depth += enter.at[slot] <= leave.at[slot];
	}
#endif
}

/* Takes the topmost entry that begins before the nearest hit, and lets go of those above it. */
static inline void flight_pop(struct flight *f)
{
	lanes t = lanes_all(f->t);
	kernel_u32 mask;

	while (!(mask = lanes_le(lanes_load(f->enter + f->depth - WIDE), t)))
		f->depth -= WIDE;
	f->depth -= WIDE - (31u - (kernel_u32)__builtin_clz(mask));
	f->ref = f->waiting[f->depth];
}

static inline void flight_node(struct flight *f, const struct wide_node *node)
{
	const float *bound = &node->bound[0][0][0];
	lanes zero = lanes_all(0), enter, leave;
	lanes origin[3], inverse[3], near[3], far[3];
	int k;

	for (k = 0; k < 3; k++) {
		origin[k] = lanes_all(f->origin[k]);
		inverse[k] = lanes_all(f->inverse[k]);
		near[k] =
			lanes_mul(lanes_sub(lanes_load(bound + f->near[k]), origin[k]), inverse[k]);
		far[k] = lanes_mul(lanes_sub(lanes_load(bound + f->far[k]), origin[k]), inverse[k]);
	}
	enter = lanes_max(lanes_max(near[0], near[1]), lanes_max(near[2], zero));
	leave = lanes_mul(lanes_min3(far[0], far[1], far[2]), lanes_all(TRACE_WIDER));
	flight_push(f, enter, lanes_min(leave, lanes_all(f->t)), node->child);
}

/* Takes over the nearest of the triangles in `mask`; of equal ones the first. */
static inline void flight_take(
	struct flight *f, lanes distance, kernel_u32 mask, const kernel_u32 *triangle)
{
	float t[WIDE];

	lanes_store(t, distance);
	for (; mask; mask &= mask - 1) {
		int i = __builtin_ctz(mask);

		if (t[i] < f->t || triangle[i] < f->triangle) {
			if (t[i] > f->t)
				continue;
			f->t = t[i];
			f->triangle = triangle[i];
		}
	}
}

/* trace_triangle() on eight at once. */
static inline void flight_leaf(struct flight *f, const struct wide_leaf *leaf)
{
	const float *corner = &leaf->corner[0][0][0];
	lanes at[3][3], x[3], y[3], span[3][3], e0, e1, e2, sum, distance, enter, leave;
	lanes zero = lanes_all(0);
	kernel_u32 mask;
	int k, v;

	for (v = 0; v < 3; v++) {
		for (k = 0; k < 3; k++)
			at[v][k] = lanes_sub(lanes_load(corner + 3 * WIDE * v + f->corner[k]),
				lanes_all(f->origin[k]));
		x[v] = lanes_sub(at[v][0], lanes_mul(lanes_all(f->shear[0]), at[v][2]));
		y[v] = lanes_sub(at[v][1], lanes_mul(lanes_all(f->shear[1]), at[v][2]));
	}
	e0 = lanes_sub(lanes_mul(x[2], y[1]), lanes_mul(y[2], x[1]));
	e1 = lanes_sub(lanes_mul(x[0], y[2]), lanes_mul(y[0], x[2]));
	e2 = lanes_sub(lanes_mul(x[1], y[0]), lanes_mul(y[1], x[0]));
	sum = lanes_add(lanes_add(e0, e1), e2);
	mask = (lanes_ge(e0, zero) & lanes_ge(e1, zero) & lanes_ge(e2, zero)) |
	       (lanes_le(e0, zero) & lanes_le(e1, zero) & lanes_le(e2, zero));
	mask &= lanes_ne(sum, zero);
	if (!mask)
		return;
	for (v = 0; v < 3; v++)
		for (k = 0; k < 3; k++)
			span[k][v] = lanes_mul(at[v][k], lanes_all(f->inverse[k]));
	enter = lanes_max(lanes_max(lanes_min3(span[0][0], span[0][1], span[0][2]),
				  lanes_min3(span[1][0], span[1][1], span[1][2])),
		lanes_max(lanes_min3(span[2][0], span[2][1], span[2][2]), zero));
	leave = lanes_mul(lanes_min3(lanes_max3(span[0][0], span[0][1], span[0][2]),
				  lanes_max3(span[1][0], span[1][1], span[1][2]),
				  lanes_max3(span[2][0], span[2][1], span[2][2])),
		lanes_all(TRACE_WIDER));
	distance = lanes_add(lanes_add(lanes_mul(e0, at[0][2]), lanes_mul(e1, at[1][2])),
		lanes_mul(e2, at[2][2]));
	distance = lanes_div(lanes_mul(distance, lanes_all(f->shear[2])), sum);
	distance = lanes_min(lanes_max(distance, enter), leave);
	mask &= lanes_le(enter, leave) & lanes_gt(distance, zero) &
		lanes_le(distance, lanes_all(f->t));
	if (mask)
		flight_take(f, distance, mask, leaf->triangle);
}

/* Looks up where the ray goes next, has it fetched, and puts it on the list for that. */
static inline void flight_sort(const struct wide_scene *scene, struct flight_deck *deck,
	kernel_u32 ray, kernel_u32 turn, kernel_u32 count[3])
{
	kernel_u32 ref = deck->rays[ray].ref;
	kernel_u32 is_leaf = ref >> 31, is_down = ref == FLIGHT_LANDED;
	const char *place = is_leaf ? (const char *)(scene->leaves + (ref & ~WIDE_LEAF))
				    : (const char *)(scene->nodes + ref);

	if (is_down)
		place = (const char *)&deck->rays[ray];
	__builtin_prefetch(place);
	__builtin_prefetch(place + 64);
	__builtin_prefetch(place + 128);
	__builtin_prefetch(place + 192);
	__builtin_prefetch(place + 256);
	deck->at_node[turn][count[0]] = ray;
	deck->at_leaf[turn][count[1]] = ray;
	deck->free[count[2]] = ray;
	count[0] += 1 - is_leaf;
	count[1] += is_leaf - is_down;
	count[2] += is_down;
}

static void flight_trace(const struct wide_scene *scene, const struct kernel_ray *rays,
	kernel_u32 total, int any, struct kernel_hit *hits, struct flight_deck *deck)
{
	kernel_u32 next = 0, left = total, turn = 0, i;
	kernel_u32 now[3] = { 0, 0, 0 };

	for (i = 0; i < FLIGHT_RAYS && next < total; i++) {
		flight_start(&deck->rays[i], rays[next], next);
		deck->at_node[0][now[0]++] = i;
		next++;
	}
	while (left) {
		kernel_u32 after[3] = { 0, 0, 0 };

		for (i = 0; i < now[0]; i++) {
			kernel_u32 ray = deck->at_node[turn][i];
			struct flight *f = &deck->rays[ray];

			flight_node(f, &scene->nodes[f->ref]);
			flight_pop(f);
			flight_sort(scene, deck, ray, !turn, after);
		}
		for (i = 0; i < now[1]; i++) {
			kernel_u32 ray = deck->at_leaf[turn][i];
			struct flight *f = &deck->rays[ray];

			flight_leaf(f, &scene->leaves[f->ref & ~WIDE_LEAF]);
			if (any && f->triangle != KERNEL_NOTHING)
				f->depth = WIDE;
			flight_pop(f);
			flight_sort(scene, deck, ray, !turn, after);
		}
		for (i = 0; i < after[2]; i++) {
			kernel_u32 ray = deck->free[i];
			struct flight *f = &deck->rays[ray];

			hits[f->number].t = f->t;
			hits[f->number].triangle = f->triangle;
			left--;
			if (next < total) {
				flight_start(f, rays[next], next);
				deck->at_node[!turn][after[0]++] = ray;
				next++;
			}
		}
		now[0] = after[0];
		now[1] = after[1];
		turn = !turn;
	}
}

#endif
