/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the kernels over a picture on the CPU and times it. */
#ifndef BASELINE_RENDER_H
#define BASELINE_RENDER_H

#include <stdint.h>

#include "base/error.h"
#include "baseline/scene.h"

enum { BASELINE_SAMPLES_MAX = 65536, BASELINE_THREADS_MAX = 1024, BASELINE_BOUNCES_MAX = 64 };

struct render_options {
	kernel_u32 width, height; /* pixels, 1..KERNEL_SIZE_MAX */
	kernel_u32 samples; /* a pixel, 1..BASELINE_SAMPLES_MAX */
	kernel_u32 threads; /* 1..BASELINE_THREADS_MAX */
	kernel_u32 bounces; /* after the camera's hit, 0..BASELINE_BOUNCES_MAX */
	kernel_u32 seed;
};

struct render_result {
	float *pixels; /* height x width x RGB, linear radiance, top row first; owned */
	uint64_t rays_closest, rays_shadow;
	double seconds; /* wall clock, from starting the threads to the end of the last */
	double cpu_seconds; /* of those threads */
};

/* Renders a finished scene. The pixels depend on the scene and the options but not on the number of
 * threads. -1 when an option is out of range or a thread cannot be started; *out is then untouched.
 */
int render_cpu(const struct baseline_scene *scene, const struct render_options *options,
	struct render_result *out, struct error *err);

void render_release(struct render_result *result);

#endif
