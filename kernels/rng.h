/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers without state: a number depends on seed, pixel, sample and dimension only, so any
 * thread, device or order of work gives the same picture. A dimension is a pair, the shape that a
 * scrambled low-discrepancy sequence needs when it takes this place. */
#ifndef KERNELS_RNG_H
#define KERNELS_RNG_H

#include "kernels/compat.h"

struct rng_key {
	kernel_u32 seed, x, y, sample;
};

struct rng_pair {
	float u, v; /* 0 <= u, v < 1, multiples of 2^-24 */
};

/* The hash is pcg4d of Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020. */
KERNEL_FN struct rng_pair rng_pair(struct rng_key key, kernel_u32 dimension)
{
	kernel_u32 a = key.x * 1664525u + 1013904223u;
	kernel_u32 b = key.y * 1664525u + 1013904223u;
	kernel_u32 c = key.sample * 1664525u + 1013904223u;
	kernel_u32 d = (dimension + key.seed * 0x9e3779b9u) * 1664525u + 1013904223u;
	struct rng_pair r;
	int round;

	for (round = 0; round < 2; round++) {
		a += b * d;
		b += c * a;
		c += a * b;
		d += b * c;
		if (round == 1)
			break;
		a ^= a >> 16;
		b ^= b >> 16;
		c ^= c >> 16;
		d ^= d >> 16;
	}
	r.u = (float)(a >> 8) * 5.9604644775390625e-8f;
	r.v = (float)(b >> 8) * 5.9604644775390625e-8f;
	return r;
}

#endif
