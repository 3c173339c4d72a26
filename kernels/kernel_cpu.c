/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/kernel_cpu.h"

void kernel_cpu_row(const struct kernel_scene *scene, const struct kernel_params *params,
	kernel_u32 y, float *row, struct kernel_totals *totals)
{
	kernel_u32 x;

	for (x = 0; x < params->width; x++) {
		struct kernel_counts counts = { 0, 0 };

		path_pixel(scene, params, x, y, row + 3 * x, &counts);
		totals->closest += counts.closest;
		totals->shadow += counts.shadow;
	}
}
