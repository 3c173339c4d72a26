/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the kernels over a picture on the CPU and times it. */
#ifndef BASELINE_RENDER_H
#define BASELINE_RENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "baseline/scene.h"

enum { BASELINE_SAMPLES_MAX = 65536, BASELINE_THREADS_MAX = 1024, BASELINE_BOUNCES_MAX = 64 };

/* How the rays are traced: the picture is the same. */
enum render_path {
	RENDER_FASTEST, /* that this CPU can run */
	RENDER_SINGLE, /* one ray at a time: the definition */
	RENDER_PORTABLE,
	RENDER_AVX2,
	RENDER_AVX512
};

/* Told now and then by the thread that called, how far the work is. */
struct render_watch {
	void (*tell)(void *data, const char *what, unsigned done, unsigned total);
	void *data;
};

struct render_options {
	kernel_u32 width, height; /* pixels, 1..KERNEL_SIZE_MAX */
	kernel_u32 samples; /* a pixel, 1..BASELINE_SAMPLES_MAX */
	kernel_u32 threads; /* 1..BASELINE_THREADS_MAX */
	kernel_u32 bounces; /* after the camera's hit, 0..BASELINE_BOUNCES_MAX */
	kernel_u32 seed;
	enum render_path path;
	const char *gcd_job; /* NULL, or a file to write the scene to (gcd_job.h) */
	const struct render_watch *watch; /* NULL: nobody looks on */
};

struct render_result {
	float *pixels; /* height x width x RGB, linear radiance, top row first; owned. Of
			* render_sums() the sum over the samples, of render_cpu() their mean. */
	uint64_t rays_closest, rays_shadow;
	double trace_seconds[WIDE_KINDS]; /* wall clock that the threads spent tracing each kind of
					   * ray, summed over them; 0 by RENDER_SINGLE */
	double seconds; /* wall clock, from starting the threads to the end of the last */
	double cpu_seconds; /* of those threads */
};

/* "avx512" and so on; the number of that name, or -1. RENDER_FASTEST is "fastest". */
const char *render_path_name(enum render_path path);
int render_path_find(const char *name);

/* The path that RENDER_FASTEST stands for on this CPU, or `path` itself. */
enum render_path render_path_here(enum render_path path);

/* The build of a path other than RENDER_SINGLE. */
const struct wide_path *render_path_wide(enum render_path path);

/* True when this CPU has the instructions. */
bool render_path_usable(enum render_path path);

/* The settings as the kernels take them. */
struct kernel_params render_params(
	const struct baseline_scene *scene, const struct render_options *options);

/* Renders a finished scene. The pixels depend on the scene and the options but not on the number of
 * threads or the path. -1 when an option is out of range, this CPU lacks the path's instructions,
 * or a thread cannot be started; *out is then untouched. RENDER_SINGLE builds the scene's other
 * tree.
 */
int render_sums(struct baseline_scene *scene, const struct render_options *options,
	struct render_result *out, struct error *err);

/* From sums to means, in place. A sum's last bit may be lost in the division, so devices are held
 * against each other before it. */
void render_divide(struct render_result *sums, const struct render_options *options);

/* Both. */
int render_cpu(struct baseline_scene *scene, const struct render_options *options,
	struct render_result *out, struct error *err);

void render_release(struct render_result *result);

#endif
