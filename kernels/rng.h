/* SPDX-License-Identifier: Apache-2.0 */
/* Sample points without state: a point depends on seed, pixel, sample and dimension only, so any
 * thread, device or order of work gives the same picture. A dimension is a pair: the first two
 * dimensions of Sobol's sequence, its order and both coordinates scrambled anew for each pixel and
 * dimension, so that every 2^k samples in a row fill the square evenly.
 *
 * Scrambling is Owen's, by the hash of Laine and Karras ("Stratified Sampling for Stochastic
 * Transparency", EGSR 2011) with the constants of Vegdahl's search, used as Burley describes
 * ("Practical Hash-based Owen Scrambling", JCGT 9(4), 2020). */
#ifndef KERNELS_RNG_H
#define KERNELS_RNG_H

#include "kernels/compat.h"

struct rng_key {
	kernel_u32 pixel; /* hash of seed and pixel */
	kernel_u32 sample; /* its bits in reverse */
};

struct rng_pair {
	float u, v; /* 0 <= u, v < 1, multiples of 2^-24 */
};

KERNEL_INLINE kernel_u32 rng_reverse(kernel_u32 x)
{
	x = x >> 16 | x << 16;
	x = (x & 0xff00ff00u) >> 8 | (x & 0x00ff00ffu) << 8;
	x = (x & 0xf0f0f0f0u) >> 4 | (x & 0x0f0f0f0fu) << 4;
	x = (x & 0xccccccccu) >> 2 | (x & 0x33333333u) << 2;
	return (x & 0xaaaaaaaau) >> 1 | (x & 0x55555555u) << 1;
}

/* Each bit of the result depends on the bits of x below it only: Owen's scrambling of the number
 * whose bits in reverse are x. */
KERNEL_INLINE kernel_u32 rng_scramble(kernel_u32 x, kernel_u32 seed)
{
	x ^= x * 0x3d20adeau;
	x += seed;
	x *= (seed >> 16) | 1u;
	x ^= x * 0x05526c56u;
	x ^= x * 0x53a22864u;
	return x;
}

/* A bijection that mixes all bits (Wellons, "Prospecting for Hash Functions", lowbias32). */
KERNEL_INLINE kernel_u32 rng_mix(kernel_u32 x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

/* The second dimension of Sobol's sequence, its bits in reverse: multiplication by Pascal's matrix
 * modulo 2, which is its own inverse. */
KERNEL_INLINE kernel_u32 rng_sobol(kernel_u32 x)
{
	x ^= (x & 0xffff0000u) >> 16;
	x ^= (x & 0xff00ff00u) >> 8;
	x ^= (x & 0xf0f0f0f0u) >> 4;
	x ^= (x & 0xccccccccu) >> 2;
	return x ^ (x & 0xaaaaaaaau) >> 1;
}

KERNEL_INLINE float rng_float(kernel_u32 reversed)
{
	return (float)(int)(rng_reverse(reversed) >> 8) * 5.9604644775390625e-8f;
}

KERNEL_FN struct rng_key rng_key_of(kernel_u32 seed, kernel_u32 x, kernel_u32 y, kernel_u32 sample)
{
	struct rng_key key;

	key.pixel = rng_mix(x + rng_mix(y + rng_mix(seed ^ 0x9e3779b9u)));
	key.sample = rng_reverse(sample);
	return key;
}

KERNEL_INLINE struct rng_pair rng_pair(struct rng_key key, kernel_u32 dimension)
{
	kernel_u32 seed = rng_mix(key.pixel + dimension * 0x9e3779b9u);
	kernel_u32 index = rng_reverse(rng_scramble(key.sample, seed));
	struct rng_pair r;

	r.u = rng_float(rng_scramble(index, seed * 0x85ebca6bu + 0x68bc21ebu));
	r.v = rng_float(rng_scramble(rng_sobol(index), seed * 0xc2b2ae35u + 0x02e5be93u));
	return r;
}

#endif
