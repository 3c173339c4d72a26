/* SPDX-License-Identifier: Apache-2.0 */
/* What host and kernel agree on for a GCD. */
#ifndef KERNELS_GCD_H
#define KERNELS_GCD_H

#include "kernels/params.h"
#include "kernels/scene.h"

#define GCD_KERNEL "oamqual_baseline"

enum {
	GCD_SIDE = 8, /* a block is a square of pixels */
	GCD_BLOCK = 64, /* threads */
	GCD_STACK = 10, /* entries of a thread's stack in LDS */
	GCD_KEPT = 13, /* words of a path that waits for its ray */
	GCD_ROOM = GCD_KEPT + KERNEL_DEPTH_MAX - GCD_STACK, /* words of a thread in memory */
	GCD_LDS_BYTES = GCD_STACK * GCD_BLOCK * 4 /* a block */
};

/* Blocks that cover so many pixels. */
#define GCD_TILES(pixels) (((pixels) + GCD_SIDE - 1) / GCD_SIDE)

/* Height x width of them, top row first. `samples` says how many the sum holds. */
struct gcd_pixel {
	struct vec3 sum;
	kernel_u32 closest, shadow; /* rays traced */
	kernel_u32 samples;
};

KERNEL_SIZE(struct gcd_pixel, 24);

#endif
