/* SPDX-License-Identifier: Apache-2.0 */
/* The scene in the memory of the device: flat arrays that the host fills, read only to the kernels.
 */
#ifndef KERNELS_SCENE_H
#define KERNELS_SCENE_H

#include "kernels/vec.h"

/* The front is the side from which v0, v1, v2 run counter-clockwise. */
struct kernel_triangle {
	struct vec3 v0, v1, v2;
	kernel_u32 material;
	kernel_u32 source; /* its number before the tree reordered the triangles */
	kernel_u32 unused;
};

enum kernel_surface { KERNEL_DIFFUSE, KERNEL_MIRROR, KERNEL_GLASS };

/* Diffuse and mirror alike on both sides; glass lies behind the front; light leaves the front only.
 */
struct kernel_material {
	struct vec3 reflectance, emission; /* glass: what each reflection and refraction keeps */
	kernel_u32 surface; /* enum kernel_surface */
	kernel_u32 light; /* 1 + the number of its kernel_light, which shadow rays find; 0 none */
	float index; /* of refraction */
	kernel_u32 unused;
};

/* A parallelogram that shadow rays aim at; its two triangles are in the scene as well. */
struct kernel_light {
	struct vec3 corner, edge_u, edge_v;
	struct vec3 normal; /* unit, edge_u x edge_v: the side that shines */
	struct vec3 emission;
	float area;
};

/* Both children of an inner node of the binary tree. A child is KERNEL_LEAF(first, count) or the
 * number of an inner node; one with lo.x > hi.x is not there. */
struct kernel_node {
	struct vec3 lo[2], hi[2];
	kernel_u32 child[2];
	kernel_u32 unused[2];
};

#define KERNEL_LEAF(first, count) ((kernel_u32)(first) | (kernel_u32)(count) << 28)
#define KERNEL_LEAF_COUNT(ref) ((ref) >> 28)
#define KERNEL_LEAF_FIRST(ref) ((ref)&0x0fffffffu)

enum {
	KERNEL_LEAF_MAX = 2, /* of the tree that single rays walk */
	KERNEL_TRIANGLES_MAX = 1 << 27,
	KERNEL_DEPTH_MAX = 48 /* inner nodes above a leaf: the size of a traversal stack */
};

struct kernel_scene {
	KERNEL_GLOBAL const struct kernel_node *nodes; /* [0] is the root */
	KERNEL_GLOBAL const struct kernel_triangle *triangles;
	KERNEL_GLOBAL const struct kernel_material *materials;
	KERNEL_GLOBAL const struct kernel_light *lights;
};

KERNEL_SIZE(struct kernel_triangle, 48);
KERNEL_SIZE(struct kernel_material, 40);
KERNEL_SIZE(struct kernel_light, 64);
KERNEL_SIZE(struct kernel_node, 64);

#endif
