/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/kernel_cpu.h"

void kernel_cpu_pixels(const struct kernel_scene *scene, const struct kernel_params *params,
	kernel_u32 x, kernel_u32 y, kernel_u32 count, float *sums, struct wide_totals *totals)
{
	kernel_u32 i;

	for (i = 0; i < count; i++) {
		struct kernel_counts counts = { 0, 0 };

		path_pixel(scene, params, x + i, y, sums + 3 * i, &counts);
		totals->closest += counts.closest;
		totals->shadow += counts.shadow;
	}
}
