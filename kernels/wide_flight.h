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
	kernel_u32 depth; /* not beside ref: compilers would glue both together for one store */
	kernel_u32 triangle;
	kernel_u32 number; /* of the ray in the batch */
	kernel_u32 ref; /* where it is */
	float enter[FLIGHT_STACK];
	kernel_u32 waiting[FLIGHT_STACK];
} __attribute__((aligned(64)));

struct flight_deck {
	struct flight rays[FLIGHT_RAYS];
	struct flight *at_node[2][FLIGHT_RAYS + 1], *at_leaf[2][FLIGHT_RAYS + 1],
		*free[FLIGHT_RAYS + 1];
};

/* Where the lists of a deck end. */
struct flight_ends {
	struct flight **node, **leaf, **free;
};

static inline void flight_start(struct flight *f, const struct kernel_ray *from, kernel_u32 number)
{
	static const kernel_u32 axes[3][4] = { { 1, 2, 0, 0 }, { 2, 0, 1, 0 }, { 0, 1, 2, 0 } };
	float origin[3] = { from->origin.x, from->origin.y, from->origin.z };
	float direction[3] = { from->direction.x, from->direction.y, from->direction.z };
	float inverse[3];
	const kernel_u32 *turned = axes[trace_largest(from->direction)];
	kernel_u32 k;

	for (k = 0; k < 3; k++)
		inverse[k] = trace_inverse(direction[k]);
	for (k = 0; k < 3; k++) {
		kernel_u32 axis = turned[k], backwards = inverse[axis] < 0;

		f->origin[k] = origin[axis];
		f->inverse[k] = inverse[axis];
		f->near[k] = (2 * axis + backwards) * WIDE;
		f->far[k] = (2 * axis + 1 - backwards) * WIDE;
		f->corner[k] = axis * WIDE;
	}
	f->shear[2] = f->inverse[2];
	f->shear[0] = direction[turned[0]] * f->shear[2];
	f->shear[1] = direction[turned[1]] * f->shear[2];
	f->t = from->t_max;
	f->triangle = KERNEL_NOTHING;
	f->number = number;
	f->ref = 0;
	lanes_store(f->enter, lanes_all(-1));
	__builtin_memset(f->waiting, 0xff, WIDE * sizeof(f->waiting[0])); /* FLIGHT_LANDED */
	f->depth = WIDE;
}

/* The slot of the child that the ray enters first, as far as the upper half of a float tells. */
#if defined(__AVX2__)
static inline kernel_u32 flight_first(lanes enter, lanes_mask met)
{
#if defined(__AVX512VL__)
	__m256 far = _mm256_mask_mov_ps(_mm256_set1_ps(LANES_NONE), met, enter);
	__m128i keys = _mm256_cvtepi32_epi16(_mm256_srli_epi32(_mm256_castps_si256(far), 16));
#else
	__m256 far = _mm256_blendv_ps(_mm256_set1_ps(LANES_NONE), enter, met);
	__m256i upper = _mm256_srli_epi32(_mm256_castps_si256(far), 16);
	__m128i keys =
		_mm_packus_epi32(_mm256_castsi256_si128(upper), _mm256_extracti128_si256(upper, 1));
#endif

	return (kernel_u32)_mm_cvtsi128_si32(_mm_minpos_epu16(keys)) >> 16;
}
#else
static inline kernel_u32 flight_first(lanes enter, lanes_mask met)
{
	float least = LANES_NONE;
	kernel_u32 first = 0, i;

	for (i = 0; i < WIDE; i++)
		if (met >> i & 1 && enter.at[i] < least) {
			least = enter.at[i];
			first = i;
		}
	return first;
}
#endif

/* Puts the children that the ray meets on the stack. The first comes to lie on top, the others by
 * the sides on which they differ from it. When any hit will do, they lie in the order of the slots.
 */
KERNEL_INLINE void flight_push(
	struct flight *f, lanes enter, lanes leave, const kernel_u32 *child, int any)
{
	lanes_mask met = lanes_le(enter, leave);
	kernel_u32 depth = f->depth;
	kernel_u32 turn = any ? 0 : flight_first(enter, met) ^ (WIDE - 1);
#if defined(__AVX2__)
	__m256i refs = _mm256_loadu_si256((const __m256i *)(const void *)child), pick;
	kernel_u32 mask = lanes_bits(met);

	if (!any) {
		__m256i order = _mm256_xor_si256(
			_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)turn));

		refs = _mm256_permutevar8x32_epi32(refs, order);
		enter = _mm256_permutevar8x32_ps(enter, order);
		mask = lanes_bits(lanes_le(enter, _mm256_permutevar8x32_ps(leave, order)));
	}
#if defined(__AVX512VL__)
	_mm256_storeu_ps(f->enter + depth, _mm256_maskz_compress_ps((__mmask8)mask, enter));
	_mm256_storeu_si256((__m256i *)(void *)(f->waiting + depth),
		_mm256_maskz_compress_epi32((__mmask8)mask, refs));
	(void)pick;
#else
	/* The set bits' numbers in a row: pext of the bytes 0 to 7. */
	pick = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)_pext_u64(
		0x0706050403020100u, _pdep_u64(mask, 0x0101010101010101u) * 0xff)));
	_mm256_storeu_ps(f->enter + depth, _mm256_permutevar8x32_ps(enter, pick));
	_mm256_storeu_si256(
		(__m256i *)(void *)(f->waiting + depth), _mm256_permutevar8x32_epi32(refs, pick));
#endif
	f->depth = depth + (kernel_u32)__builtin_popcount(mask);
#else
	kernel_u32 i;

	for (i = 0; i < WIDE; i++) {
		kernel_u32 slot = i ^ turn;

		f->enter[depth] = enter.at[slot];
		f->waiting[depth] = child[slot];
		depth += met >> slot & 1;
	}
	f->depth = depth;
#endif
}

/* Takes the topmost entry that begins before the nearest hit, and lets go of those above it;
 * returns where it leads. */
static inline kernel_u32 flight_pop(struct flight *f)
{
	lanes t = lanes_all(f->t);
	kernel_u32 mask, depth = f->depth, ref;

	while (!(mask = lanes_bits(lanes_le(lanes_load(f->enter + depth - WIDE), t))))
		depth -= WIDE;
	depth -= (kernel_u32)__builtin_clz(mask) - (31 - WIDE);
	ref = f->waiting[depth];
	f->depth = depth;
	f->ref = ref;
	return ref;
}

KERNEL_INLINE void flight_node(struct flight *f, const struct wide_node *node, int any)
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
	flight_push(f, enter, lanes_min(leave, lanes_all(f->t)), node->child, any);
}

/* Takes over the nearest of the triangles in `mask`; of equal ones the first. Hardly a branch here
 * depends on the mask: equal ones are rare. */
static inline void flight_take(
	struct flight *f, lanes distance, kernel_u32 mask, const kernel_u32 *triangle)
{
	float nearest = lanes_least(distance, mask); /* more than any t when there is none */
	kernel_u32 equal = mask & lanes_bits(lanes_le(distance, lanes_all(nearest)));
	kernel_u32 number = triangle[__builtin_ctz(equal | 1u << (WIDE - 1))];
	int is_nearer = nearest < f->t;

	if ((equal & (equal - 1)) || nearest == f->t) {
		for (; equal; equal &= equal - 1) {
			kernel_u32 other = triangle[__builtin_ctz(equal)];

			number = other < number ? other : number;
		}
		is_nearer |= nearest == f->t && number < f->triangle;
	}
	f->t = is_nearer ? nearest : f->t;
	f->triangle = is_nearer ? number : f->triangle;
}

/* trace_triangle() on eight at once. */
static inline void flight_leaf(struct flight *f, const struct wide_leaf *leaf)
{
	const float *corner = &leaf->corner[0][0][0];
	lanes at[3][3], x[3], y[3], span[3][3], e0, e1, e2, sum, distance, enter, leave;
	lanes zero = lanes_all(0);
	lanes_mask mask;
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
	/* A NaN may get lost here, but the sum has it too. */
	mask = lanes_and(lanes_or(lanes_ge(lanes_min3(e0, e1, e2), zero),
				 lanes_le(lanes_max3(e0, e1, e2), zero)),
		lanes_ne(sum, zero));
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
	mask = lanes_and(mask, lanes_and(lanes_le(enter, leave), lanes_gt(distance, zero)));
	mask = lanes_and(mask, lanes_le(distance, lanes_all(f->t)));
	flight_take(f, distance, lanes_bits(mask), leaf->triangle);
}

/* Takes from the stack where the ray goes next, has it fetched, and puts it on the list for that.
 */
KERNEL_INLINE void flight_sort(
	const struct wide_scene *scene, struct flight *f, struct flight_ends *ends)
{
	kernel_u32 ref = flight_pop(f), is_leaf = ref >> 31, is_down = ref == FLIGHT_LANDED;
	unsigned long long nodes = (unsigned long long)scene->nodes;
	unsigned long long leaves = (unsigned long long)scene->leaves;
	unsigned long long number = ref & ~WIDE_LEAF;
	/* Without a branch: nobody can foresee which it is. What is fetched for a ray that is down
	 * does no harm. */
	unsigned long long place =
		nodes + number * sizeof(struct wide_node) +
		((leaves - nodes + number * (sizeof(struct wide_leaf) - sizeof(struct wide_node))) &
			-(unsigned long long)is_leaf);

	__builtin_prefetch((const void *)place);
	__builtin_prefetch((const void *)(place + 64));
	__builtin_prefetch((const void *)(place + 128));
	__builtin_prefetch((const void *)(place + 192));
	__builtin_prefetch((const void *)(place + 256 * is_leaf));
	*ends->node = *ends->leaf = *ends->free = f;
	ends->node += 1 - is_leaf;
	ends->leaf += is_leaf - is_down;
	ends->free += is_down;
}

/* One step of each ray. Nobody takes from its stack before all have put on theirs: a load that
 * overlaps a store just made has to wait for it. */
KERNEL_INLINE void flight_step(const struct wide_scene *scene, struct flight_deck *deck,
	kernel_u32 turn, struct flight_ends ends, int any)
{
	struct flight **at;

	for (at = deck->at_node[turn]; at < ends.node; at++)
		flight_node(*at, &scene->nodes[(*at)->ref], any);
	for (at = deck->at_leaf[turn]; at < ends.leaf; at++) {
		struct flight *f = *at;

		flight_leaf(f, &scene->leaves[f->ref & ~WIDE_LEAF]);
		f->depth = any && f->triangle != KERNEL_NOTHING ? WIDE : f->depth;
	}
}

static inline struct flight_ends flight_lists(struct flight_deck *deck, kernel_u32 turn)
{
	return (struct flight_ends){ deck->at_node[turn], deck->at_leaf[turn], deck->free };
}

KERNEL_INLINE void flight_run(const struct wide_scene *scene, const struct kernel_ray *rays,
	kernel_u32 total, int any, struct kernel_hit *hits, struct flight_deck *deck)
{
	kernel_u32 next, left = total, turn = 0;
	struct flight_ends now = flight_lists(deck, turn);

	for (next = 0; next < FLIGHT_RAYS && next < total; next++) {
		flight_start(&deck->rays[next], &rays[next], next);
		*now.node++ = &deck->rays[next];
	}
	while (left) {
		struct flight_ends after = flight_lists(deck, !turn);
		struct flight **at;

		flight_step(scene, deck, turn, now, any);
		for (at = deck->at_node[turn]; at < now.node; at++)
			flight_sort(scene, *at, &after);
		for (at = deck->at_leaf[turn]; at < now.leaf; at++)
			flight_sort(scene, *at, &after);
		for (at = deck->free; at < after.free; at++) {
			struct flight *f = *at;

			hits[f->number].t = f->t;
			hits[f->number].triangle = f->triangle;
			left--;
			if (next < total) {
				flight_start(f, &rays[next], next);
				*after.node++ = f;
				next++;
			}
		}
		now = after;
		turn = !turn;
	}
}

/* Two copies are faster; without the instructions they only cost the compiler's time. */
#if defined(__AVX2__)
static void flight_nearest(const struct wide_scene *scene, const struct kernel_ray *rays,
	kernel_u32 total, struct kernel_hit *hits, struct flight_deck *deck)
{
	flight_run(scene, rays, total, 0, hits, deck);
}

static void flight_any(const struct wide_scene *scene, const struct kernel_ray *rays,
	kernel_u32 total, struct kernel_hit *hits, struct flight_deck *deck)
{
	flight_run(scene, rays, total, 1, hits, deck);
}

static inline void flight_trace(const struct wide_scene *scene, const struct kernel_ray *rays,
	kernel_u32 total, int any, struct kernel_hit *hits, struct flight_deck *deck)
{
	(any ? flight_any : flight_nearest)(scene, rays, total, hits, deck);
}
#else
static void flight_trace(const struct wide_scene *scene, const struct kernel_ray *rays,
	kernel_u32 total, int any, struct kernel_hit *hits, struct flight_deck *deck)
{
	flight_run(scene, rays, total, any, hits, deck);
}
#endif

#endif
