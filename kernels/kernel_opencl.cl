/* SPDX-License-Identifier: Apache-2.0 */
/* The entry for OpenCL C, by which tests run the kernel of a GCD on a CPU. */
#include "kernels/kernel_gcd.h"

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void oamqual_baseline(
	__global const struct kernel_node *nodes, __global const struct kernel_triangle *triangles,
	__global const struct kernel_material *materials, __global const struct kernel_light *lights,
	struct kernel_params params, kernel_u32 first_tile, kernel_u32 blocks,
	__global kernel_u32 *room, __global struct gcd_pixel *pixels)
{
	__local kernel_u32 stacks[GCD_STACK * GCD_BLOCK];
	struct kernel_scene scene;
	struct trace_stack stack;

	scene.nodes = nodes;
	scene.triangles = triangles;
	scene.materials = materials;
	scene.lights = lights;
	stack.near = stacks;
	stack.room = room + get_group_id(0) * GCD_BLOCK;
	stack.threads = blocks * GCD_BLOCK;
	stack.lane = get_local_id(0);
	gcd_block(&scene, &params, stack, first_tile + get_group_id(0), pixels);
}
