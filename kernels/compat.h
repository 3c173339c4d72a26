/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between the languages the kernels are compiled as: C11 for the CPU, HIP C++ and
 * OpenCL C for a GCD. Everything else in this folder but the wide_* and kernel_* files is their
 * common subset: no libc, no allocation, no recursion, no compound literals, no double.
 *
 * Same bits everywhere: all arithmetic is float with + - * / and square root, each correctly
 * rounded; nothing is contracted to a fused multiply-add, reordered or taken from a maths library.
 * Build with -ffp-contract=off; OpenCL C also with -cl-fp32-correctly-rounded-divide-sqrt. */
#ifndef KERNELS_COMPAT_H
#define KERNELS_COMPAT_H

/* KERNELS_INEXACT is for a benchmark that asks what the same bits everywhere cost. */
#if defined(__FAST_MATH__) && !defined(KERNELS_INEXACT)
#error "the kernels must be built without -ffast-math"
#endif
#if defined(__FLT_EVAL_METHOD__)
#if __FLT_EVAL_METHOD__ != 0
#error "the kernels need float arithmetic in float (x87 has more)"
#endif
#endif
#if defined(__clang__) && !defined(KERNELS_INEXACT)
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(__OPENCL_C_VERSION__)
#define KERNEL_FN static inline
#define KERNEL_GLOBAL __global
#define KERNEL_SIZE(type, size)
#define kernel_sqrt(x) sqrt(x)
#elif defined(__HIP__)
#define KERNEL_FN static inline __device__
#define KERNEL_GLOBAL
#define KERNEL_SIZE(type, size) static_assert(sizeof(type) == (size), #type)
#define kernel_sqrt(x) __fsqrt_rn(x)
#elif defined(__cplusplus)
#define KERNEL_FN static inline
#define KERNEL_GLOBAL
#define KERNEL_SIZE(type, size) static_assert(sizeof(type) == (size), #type)
#define kernel_sqrt(x) __builtin_sqrtf(x)
#else
#define KERNEL_FN static inline
#define KERNEL_GLOBAL
#define KERNEL_SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)
#define kernel_sqrt(x) __builtin_sqrtf(x)
#endif

/* What a loop over many must not call. */
#if defined(__GNUC__) && !defined(__HIP__) && !defined(__OPENCL_C_VERSION__)
#define KERNEL_INLINE KERNEL_FN __attribute__((always_inline))
#else
#define KERNEL_INLINE KERNEL_FN
#endif

typedef unsigned int kernel_u32; /* hiprtc has no <stdint.h> */

#endif
