/* SPDX-License-Identifier: Apache-2.0 */
/* The entry for HIP. One launch: `gridDim.x` blocks of the picture from `first_tile` on. `room`
 * has GCD_ROOM words for each of its threads. Attributes and builtins of the compiler instead of
 * HIP's headers: it needs neither them nor a device library. */
#include "kernels/kernel_gcd.h"

/* How many wavefronts of it a SIMD shall hold: what its compiler can do without spilling. */
#if defined(__gfx90a__)
#define GCD_WAVES , amdgpu_waves_per_eu(6)
#elif defined(__gfx942__)
#define GCD_WAVES , amdgpu_waves_per_eu(5)
#else
#define GCD_WAVES
#endif

extern "C" __attribute__((global, amdgpu_flat_work_group_size(GCD_BLOCK, GCD_BLOCK) GCD_WAVES)) void oamqual_baseline(
	const struct kernel_node *nodes, const struct kernel_triangle *triangles,
	const struct kernel_material *materials, const struct kernel_light *lights,
	struct kernel_params params, kernel_u32 first_tile, kernel_u32 blocks, kernel_u32 *room,
	struct gcd_pixel *pixels)
{
	static __attribute__((shared)) kernel_u32 stacks[GCD_STACK * GCD_BLOCK];
	struct kernel_scene scene = { nodes, triangles, materials, lights };
	kernel_u32 block = __builtin_amdgcn_workgroup_id_x();
	struct trace_stack stack = { (KERNEL_LOCAL kernel_u32 *)stacks, room + block * GCD_BLOCK, blocks * GCD_BLOCK,
		__builtin_amdgcn_workitem_id_x() };

	gcd_block(&scene, &params, stack, first_tile + block, pixels);
}
