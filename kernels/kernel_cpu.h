/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels as the host calls them on the CPU. */
#ifndef KERNELS_KERNEL_CPU_H
#define KERNELS_KERNEL_CPU_H

#include "kernels/path.h"

struct kernel_totals {
	unsigned long long closest, shadow; /* rays traced */
};

/* Adds the launch's samples to row `y` of the sums (`row` points at its width * 3 floats) and its
 * rays to *totals. Rows are independent: any thread may do any row. */
void kernel_cpu_row(const struct kernel_scene *scene, const struct kernel_params *params,
	kernel_u32 y, float *row, struct kernel_totals *totals);

#endif
