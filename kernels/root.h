/* SPDX-License-Identifier: Apache-2.0 */
/* The square root of AMD GPUs, correctly rounded. The instruction is off by up to one unit in the
 * last place, and what turns it into the right one differs between compilers and their libraries;
 * here it is settled from two exact residuals, as AMD's device library does. */
#ifndef KERNELS_ROOT_H
#define KERNELS_ROOT_H

#include "kernels/compat.h" /* which includes this one for a GCD */

#if defined(__OPENCL_C_VERSION__)
#define root_fma(a, b, c) fma(a, b, c)
#else
#define root_fma(a, b, c) __builtin_fmaf(a, b, c)
#endif

union root_bits {
	float value;
	kernel_u32 bits;
};

/* The root of x from `guess`, which is at most one unit in the last place off. x is 0, not a
 * number, infinite, or so large that residuals do not underflow: at least 2^-96. */
KERNEL_FN float root_settle(float x, float guess)
{
	union root_bits below, above;

	below.value = above.value = guess;
	below.bits -= 1;
	above.bits += 1;
	/* x <= below * guess: the guess is too large; x > above * guess: too small. */
	if (root_fma(-below.value, guess, x) <= 0)
		return below.value;
	return root_fma(-above.value, guess, x) > 0 ? above.value : guess;
}

#if defined(__AMDGCN__)
KERNEL_FN float root_of(float x)
{
	int is_small = x < 1.262177448e-29f; /* 2^-96 */
	float scaled = is_small ? x * 4294967296.0f : x;
	float root = root_settle(scaled, __builtin_amdgcn_sqrtf(scaled));

	return is_small ? root * 1.52587890625e-5f : root;
}
#endif

#endif
