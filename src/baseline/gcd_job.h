/* SPDX-License-Identifier: Apache-2.0 */
/* One scene and its settings in a file, from the program to the child that runs it on a device.
 * Host byte order: it never leaves the machine. */
#ifndef BASELINE_GCD_JOB_H
#define BASELINE_GCD_JOB_H

#include <stddef.h>

#include "base/error.h"
#include "baseline/render.h"
#include "kernels/gcd.h"

/* What one launch does at most, so that none takes long. */
enum { GCD_LAUNCH_BLOCKS = 4096, GCD_LAUNCH_SAMPLES = 1 << 21 };

#define GCD_JOB_MAGIC "OAMGCD1"

/* What the file begins with; nodes, triangles, materials and lights follow, without gaps. */
struct gcd_job_head {
	char magic[8];
	kernel_u32 node_count, triangle_count, material_count, light_count;
	struct kernel_params params;
};

struct gcd_job {
	struct kernel_params params; /* first_sample 0, sample_count all of them */
	kernel_u32 node_count, triangle_count, material_count, light_count;
	struct kernel_scene scene; /* points into `bytes` */
	void *bytes; /* mapped */
	size_t len;
};

/* Writes a finished scene; builds its tree of single rays. */
int gcd_job_write(const char *path, struct baseline_scene *scene,
	const struct render_options *options, struct error *err);

/* Maps and checks it: sizes, and that no number in it leads outside. gcd_job_release() when done.
 */
int gcd_job_read(const char *path, struct gcd_job *out, struct error *err);

void gcd_job_release(struct gcd_job *job);

/* Blocks of the whole picture; blocks and samples of one launch. */
kernel_u32 gcd_job_tiles(const struct kernel_params *params);
kernel_u32 gcd_job_launch_blocks(const struct kernel_params *params);
kernel_u32 gcd_job_launch_samples(const struct kernel_params *params);

#endif
