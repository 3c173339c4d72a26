/* SPDX-License-Identifier: Apache-2.0 */
/* Eight floats side by side, as the instructions that the file is compiled for allow. Minimum and
 * maximum are those of trace.h, also for NaN. A mask has bit i set for lane i. */
#ifndef KERNELS_WIDE_LANES_H
#define KERNELS_WIDE_LANES_H

#include "kernels/wide.h"

#define LANES_NONE 3.4e38f /* more than any distance */

#if defined(__AVX2__)
#include <immintrin.h>

typedef __m256 lanes;

#define lanes_load(from) _mm256_loadu_ps(from)
#define lanes_store(to, a) _mm256_storeu_ps(to, a)
#define lanes_all(x) _mm256_set1_ps(x)
#define lanes_add(a, b) _mm256_add_ps(a, b)
#define lanes_sub(a, b) _mm256_sub_ps(a, b)
#define lanes_mul(a, b) _mm256_mul_ps(a, b)
#define lanes_div(a, b) _mm256_div_ps(a, b)
#define lanes_min(a, b) _mm256_min_ps(a, b)
#define lanes_max(a, b) _mm256_max_ps(a, b)
#if defined(__AVX512VL__)
typedef __mmask8 lanes_mask;
#define lanes_compare(a, op, b) _mm256_cmp_ps_mask(a, b, op)
#define lanes_and(a, b) ((lanes_mask)((a) & (b)))
#define lanes_or(a, b) ((lanes_mask)((a) | (b)))
#define lanes_bits(mask) ((kernel_u32)(mask))
#else
typedef __m256 lanes_mask;
#define lanes_compare(a, op, b) _mm256_cmp_ps(a, b, op)
#define lanes_and(a, b) _mm256_and_ps(a, b)
#define lanes_or(a, b) _mm256_or_ps(a, b)
#define lanes_bits(mask) ((kernel_u32)_mm256_movemask_ps(mask))
#endif
#define lanes_le(a, b) lanes_compare(a, _CMP_LE_OQ, b)
#define lanes_ge(a, b) lanes_compare(a, _CMP_GE_OQ, b)
#define lanes_gt(a, b) lanes_compare(a, _CMP_GT_OQ, b)
#define lanes_lt(a, b) lanes_compare(a, _CMP_LT_OQ, b)
/* Neither equal nor NaN. */
#define lanes_ne(a, b) lanes_compare(a, _CMP_NEQ_OQ, b)

/* The least of the lanes in `mask`, or LANES_NONE. */
static inline float lanes_least(lanes a, kernel_u32 mask)
{
#if defined(__AVX512VL__)
	__m256 all = _mm256_mask_mov_ps(_mm256_set1_ps(LANES_NONE), (__mmask8)mask, a);
#else
	__m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
	__m256i in = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)mask), bit), bit);
	__m256 all = _mm256_blendv_ps(_mm256_set1_ps(LANES_NONE), a, _mm256_castsi256_ps(in));
#endif
	__m128 half = _mm_min_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));

	half = _mm_min_ps(half, _mm_movehl_ps(half, half));
	return _mm_cvtss_f32(_mm_min_ss(half, _mm_movehdup_ps(half)));
}

#else

typedef struct {
	float at[WIDE];
} lanes;

static inline lanes lanes_load(const float *from)
{
	lanes r;

	__builtin_memcpy(&r, from, sizeof(r));
	return r;
}

static inline void lanes_store(float *to, lanes a)
{
	__builtin_memcpy(to, &a, sizeof(a));
}

static inline lanes lanes_all(float x)
{
	lanes r;
	int i;

	for (i = 0; i < WIDE; i++)
		r.at[i] = x;
	return r;
}

#define LANES_ARITHMETIC(name, expression)                                                         \
	static inline lanes name(lanes a, lanes b)                                                 \
	{                                                                                          \
		lanes r;                                                                           \
		int i;                                                                             \
                                                                                                   \
		for (i = 0; i < WIDE; i++) {                                                       \
			float x = a.at[i], y = b.at[i];                                            \
                                                                                                   \
			r.at[i] = expression;                                                      \
		}                                                                                  \
		return r;                                                                          \
	}
#define LANES_COMPARISON(name, expression)                                                         \
	static inline kernel_u32 name(lanes a, lanes b)                                            \
	{                                                                                          \
		kernel_u32 mask = 0;                                                               \
		int i;                                                                             \
                                                                                                   \
		for (i = 0; i < WIDE; i++) {                                                       \
			float x = a.at[i], y = b.at[i];                                            \
                                                                                                   \
			mask |= (kernel_u32)(expression) << i;                                     \
		}                                                                                  \
		return mask;                                                                       \
	}

LANES_ARITHMETIC(lanes_add, x + y)
LANES_ARITHMETIC(lanes_sub, x - y)
LANES_ARITHMETIC(lanes_mul, x *y)
LANES_ARITHMETIC(lanes_div, x / y)
LANES_ARITHMETIC(lanes_min, x < y ? x : y)
LANES_ARITHMETIC(lanes_max, x > y ? x : y)
LANES_COMPARISON(lanes_le, x <= y)
LANES_COMPARISON(lanes_ge, x >= y)
LANES_COMPARISON(lanes_gt, x > y)
LANES_COMPARISON(lanes_lt, x < y)
LANES_COMPARISON(lanes_ne, x<y || x> y)

typedef kernel_u32 lanes_mask;
#define lanes_and(a, b) ((a) & (b))
#define lanes_or(a, b) ((a) | (b))
#define lanes_bits(mask) (mask)

static inline float lanes_least(lanes a, kernel_u32 mask)
{
	float least = LANES_NONE;
	int i;

	for (i = 0; i < WIDE; i++)
		least = mask >> i & 1 && a.at[i] < least ? a.at[i] : least;
	return least;
}

#endif

/* As many floats as the instructions take at once, for which rays are put side by side. */
#if defined(__AVX512F__)
enum { MANY = 16 };
typedef __m512 many;
typedef __mmask16 many_mask;
#define many_load(from) _mm512_loadu_ps(from)
#define many_store(to, a) _mm512_storeu_ps(to, a)
#define many_all(x) _mm512_set1_ps(x)
#define many_add(a, b) _mm512_add_ps(a, b)
#define many_sub(a, b) _mm512_sub_ps(a, b)
#define many_mul(a, b) _mm512_mul_ps(a, b)
#define many_div(a, b) _mm512_div_ps(a, b)
#define many_min(a, b) _mm512_min_ps(a, b)
#define many_max(a, b) _mm512_max_ps(a, b)
#define many_le(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ)
#define many_ge(a, b) _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ)
#define many_gt(a, b) _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)
#define many_lt(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define many_ne(a, b) _mm512_cmp_ps_mask(a, b, _CMP_NEQ_OQ)
#define many_and(a, b) ((many_mask)((a) & (b)))
#define many_or(a, b) ((many_mask)((a) | (b)))
#define many_bits(mask) ((kernel_u32)(mask))
/* a where the mask is set, else b. */
#define many_choose(mask, a, b) _mm512_mask_mov_ps(b, mask, a)
#else
enum { MANY = WIDE };
typedef lanes many;
typedef lanes_mask many_mask;
#define many_load(from) lanes_load(from)
#define many_store(to, a) lanes_store(to, a)
#define many_all(x) lanes_all(x)
#define many_add(a, b) lanes_add(a, b)
#define many_sub(a, b) lanes_sub(a, b)
#define many_mul(a, b) lanes_mul(a, b)
#define many_div(a, b) lanes_div(a, b)
#define many_min(a, b) lanes_min(a, b)
#define many_max(a, b) lanes_max(a, b)
#define many_le(a, b) lanes_le(a, b)
#define many_ge(a, b) lanes_ge(a, b)
#define many_gt(a, b) lanes_gt(a, b)
#define many_lt(a, b) lanes_lt(a, b)
#define many_ne(a, b) lanes_ne(a, b)
#define many_and(a, b) lanes_and(a, b)
#define many_or(a, b) lanes_or(a, b)
#define many_bits(mask) lanes_bits(mask)
#if defined(__AVX2__)
#define many_choose(mask, a, b) _mm256_blendv_ps(b, a, mask)
#else
static inline lanes many_choose(lanes_mask mask, lanes a, lanes b)
{
	int i;

	for (i = 0; i < WIDE; i++)
		b.at[i] = mask >> i & 1 ? a.at[i] : b.at[i];
	return b;
}
#endif
#endif

#define lanes_min3(a, b, c) lanes_min(lanes_min(a, b), c)
#define lanes_max3(a, b, c) lanes_max(lanes_max(a, b), c)
#define many_min3(a, b, c) many_min(many_min(a, b), c)
#define many_max3(a, b, c) many_max(many_max(a, b), c)

#endif
