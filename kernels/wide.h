/* SPDX-License-Identifier: Apache-2.0 */
/* The fast way on the CPU: a tree of eight children a node, eight triangles a leaf, and many rays
 * in flight a thread. It gives the picture of path.h to the bit. */
#ifndef KERNELS_WIDE_H
#define KERNELS_WIDE_H

#include "kernels/path.h"

enum { WIDE = 8, WIDE_FEW = 64 };

/* Child bounds, one axis after the other: bound[axis][0] the low, [1] the high ones. A child that
 * is not there has its low above its high. Children stand so that the bits of their slot say on
 * which side of the node they lie, one bit an axis: a ray's order of visit is then a fixed one. */
struct wide_node {
	float bound[3][2][WIDE];
	kernel_u32 child[WIDE]; /* node number, or leaf number with WIDE_LEAF */
	kernel_u32 unused[WIDE];
};

#define WIDE_LEAF 0x80000000u

/* Corners by vertex and axis. A slot that is not used has three equal corners: never met. */
struct wide_leaf {
	float corner[3][3][WIDE];
	kernel_u32 triangle[WIDE];
};

/* Borrowed from the host. Triangles are in source order. */
struct wide_scene {
	const struct wide_node *nodes; /* [0] is the root */
	const struct wide_leaf *leaves;
	struct kernel_scene shading; /* without nodes */
	kernel_u32 few; /* triangles when no tree is worth it, else 0; at most WIDE_FEW */
};

enum wide_kind { WIDE_CAMERA, WIDE_BOUNCE, WIDE_SHADOW, WIDE_KINDS };

struct wide_totals {
	unsigned long long closest, shadow; /* rays traced */
	unsigned long long ns[WIDE_KINDS]; /* spent tracing each kind, by `clock` */
	unsigned long long (*clock)(void); /* nanoseconds; NULL: nothing is timed */
};

struct wide_work; /* what a thread needs beside the stack */

/* One build of the fast way. */
struct wide_path {
	const char *name;
	unsigned long work_bytes; /* of a struct wide_work, to be aligned to 64 */
	/* Adds the launch's samples to `count` pixels of row y from x on (`sums` points at the
	 * first one's three floats) and its rays to *totals. */
	void (*pixels)(const struct wide_scene *scene, const struct kernel_params *params,
		kernel_u32 x, kernel_u32 y, kernel_u32 count, float *sums,
		struct wide_totals *totals, struct wide_work *work);
	/* hits[i] = what rays[i] meets, its t undefined for nothing; with `any` only
	 * hits[i].triangle says whether it meets anything. */
	void (*trace)(const struct wide_scene *scene, const struct kernel_ray *rays,
		kernel_u32 count, int any, struct kernel_hit *hits, struct wide_work *work);
};

/* The second and third run only where the CPU has AVX2, or AVX-512 F, BW, DQ and VL. */
extern const struct wide_path wide_portable, wide_avx2, wide_avx512;

KERNEL_SIZE(struct wide_node, 256);
KERNEL_SIZE(struct wide_leaf, 320);

#endif
