/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels as the host calls them on the CPU. */
#ifndef KERNELS_KERNEL_CPU_H
#define KERNELS_KERNEL_CPU_H

#include "kernels/wide.h"

/* Adds the launch's samples to `count` pixels of row y from x on (`sums` points at the first one's
 * three floats) and its rays to *totals. Pixels are independent: any thread may do any. */
void kernel_cpu_pixels(const struct kernel_scene *scene, const struct kernel_params *params,
	kernel_u32 x, kernel_u32 y, kernel_u32 count, float *sums, struct wide_totals *totals);

#endif
