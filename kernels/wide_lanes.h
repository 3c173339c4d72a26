/* SPDX-License-Identifier: Apache-2.0 */
/* Eight floats side by side, as the instructions that the file is compiled for allow. Minimum and
 * maximum are those of trace.h, also for NaN. A mask has bit i set for lane i. */
#ifndef KERNELS_WIDE_LANES_H
#define KERNELS_WIDE_LANES_H

#include "kernels/wide.h"

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
#define lanes_mask(a, op, b) ((kernel_u32)_mm256_cmp_ps_mask(a, b, op))
#else
#define lanes_mask(a, op, b) ((kernel_u32)_mm256_movemask_ps(_mm256_cmp_ps(a, b, op)))
#endif
#define lanes_le(a, b) lanes_mask(a, _CMP_LE_OQ, b)
#define lanes_ge(a, b) lanes_mask(a, _CMP_GE_OQ, b)
#define lanes_gt(a, b) lanes_mask(a, _CMP_GT_OQ, b)
#define lanes_ne(a, b) lanes_mask(a, _CMP_NEQ_UQ, b)

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
LANES_COMPARISON(lanes_ne, x != y)

#endif

#define lanes_min3(a, b, c) lanes_min(lanes_min(a, b), c)
#define lanes_max3(a, b, c) lanes_max(lanes_max(a, b), c)

#endif
