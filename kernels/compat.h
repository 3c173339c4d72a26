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
#define KERNEL_FN static inline __attribute__((always_inline))
#define KERNEL_GLOBAL __global
#define KERNEL_LOCAL __local
#define KERNEL_SIZE(type, size)
#elif defined(__HIP__)
#define KERNEL_FN static inline __attribute__((always_inline, device))
#define KERNEL_GLOBAL
#define KERNEL_LOCAL __attribute__((address_space(3)))
#define KERNEL_SIZE(type, size) static_assert(sizeof(type) == (size), #type)
#elif defined(__cplusplus)
#define KERNEL_FN static inline
#define KERNEL_GLOBAL
#define KERNEL_LOCAL
#define KERNEL_SIZE(type, size) static_assert(sizeof(type) == (size), #type)
#else
#define KERNEL_FN static inline
#define KERNEL_GLOBAL
#define KERNEL_LOCAL
#define KERNEL_SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)
#endif

/* What a loop over many must not call. */
#if defined(__GNUC__) && !defined(__HIP__) && !defined(__OPENCL_C_VERSION__)
#define KERNEL_INLINE KERNEL_FN __attribute__((always_inline))
#else
#define KERNEL_INLINE KERNEL_FN
#endif

/* A value that the compiler takes for a new one: what is computed of it is computed again, where
 * it would else be kept in registers all the way. */
#if defined(__AMDGCN__)
#define KERNEL_OPAQUE(x) __asm__ volatile("" : "+v"(x))
#define KERNEL_OPAQUE_UNIFORM(x) __asm__ volatile("" : "+s"(x)) /* the same in all threads */
#else
#define KERNEL_OPAQUE(x) (void)(x)
#define KERNEL_OPAQUE_UNIFORM(x) (void)(x)
#endif

typedef unsigned int kernel_u32; /* hiprtc has no <stdint.h> */

#if defined(__AMDGCN__)
#include "kernels/root.h"
#define kernel_sqrt(x) root_of(x)
#elif defined(__OPENCL_C_VERSION__)
#define kernel_sqrt(x) sqrt(x)
#else
#define kernel_sqrt(x) __builtin_sqrtf(x)
#endif

#endif
