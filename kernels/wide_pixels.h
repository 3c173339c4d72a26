/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of path.h in batches: all of a batch take a stage before any takes the next. A file
 * that includes this is one build of the fast way. */
#ifndef KERNELS_WIDE_PIXELS_H
#define KERNELS_WIDE_PIXELS_H

#include "kernels/wide_bundle.h"

/* A benchmark puts other tracers in their place. */
#if !defined(WIDE_TRACE)
#define WIDE_TRACE batch_trace
#define WIDE_TRACE_FIRST batch_trace_first
#endif

/* A benchmark notes the time at the end of each stage. */
#if !defined(WIDE_STAGE)
#define WIDE_STAGE(stage) ((void)0)
#endif

enum wide_stage {
	WIDE_STAGE_START, /* rays from the camera, and the sums of the batch before */
	WIDE_STAGE_FIRST, /* these rays traced */
	WIDE_STAGE_BOUNCE, /* those of bounces */
	WIDE_STAGE_SHADOW,
	WIDE_STAGE_POINTS, /* sample points */
	WIDE_STAGE_SHADE,
	WIDE_STAGES
};

enum { BATCH = 1024 };

struct wide_work {
	struct flight_deck deck;
	struct path paths[BATCH];
	struct kernel_ray rays[BATCH], shadows[BATCH]; /* by place in the list of those alive */
	struct kernel_hit hits[BATCH];
	kernel_u32 alive[BATCH], shadowed[BATCH];
	kernel_u32 pixel[BATCH], sample[BATCH]; /* struct rng_key of the path in that place */
	float light_u[BATCH], light_v[BATCH], bounce_u[BATCH], bounce_v[BATCH];
};

/* hits[i] = what rays[i] meets; with `any` only whether. */
static inline void batch_trace(const struct wide_scene *scene, const struct kernel_ray *rays,
	kernel_u32 count, int any, struct kernel_hit *hits, struct flight_deck *deck)
{
	if (scene->few)
		few_trace(scene, rays, count, hits);
	else
		flight_trace(scene, rays, count, any, hits, deck);
}

/* The same for rays from the camera, those of a pixel in a row. */
static inline void batch_trace_first(const struct wide_scene *scene, const struct kernel_ray *rays,
	kernel_u32 count, struct kernel_hit *hits, struct flight_deck *deck)
{
	if (scene->few)
		few_trace(scene, rays, count, hits);
	else
		bundle_trace(scene, rays, count, hits, deck);
}

/* One dimension's points for all keys; the compiler does many at once. */
static void batch_dimension(
	const struct wide_work *w, kernel_u32 count, kernel_u32 dimension, float *u, float *v)
{
	kernel_u32 i;

	for (i = 0; i < count; i++) {
		struct rng_key key = { w->pixel[i], w->sample[i] };
		struct rng_pair pair = rng_pair(key, dimension);

		u[i] = pair.u;
		v[i] = pair.v;
	}
}

/* The sample points of the hit that all paths alive come to. */
static void batch_points(struct wide_work *w, kernel_u32 count, kernel_u32 bounce)
{
	kernel_u32 dimension = PATH_DIM_HIT + PATH_DIMS_A_HIT * bounce, i;

	for (i = 0; i < count; i++) {
		w->pixel[i] = w->paths[w->alive[i]].key.pixel;
		w->sample[i] = w->paths[w->alive[i]].key.sample;
	}
	batch_dimension(w, count, dimension + PATH_DIM_LIGHT, w->light_u, w->light_v);
	batch_dimension(w, count, dimension + PATH_DIM_BOUNCE, w->bounce_u, w->bounce_v);
}

/* Shades all hits; the lists are those of the next rays afterwards. Returns how many go on. */
static kernel_u32 batch_hits(const struct wide_scene *scene, const struct kernel_params *params,
	struct wide_work *w, kernel_u32 count, kernel_u32 *shadow_count)
{
	kernel_u32 on = 0, shadows = 0, i;

	for (i = 0; i < count; i++) {
		kernel_u32 number = w->alive[i];
		struct kernel_ray ray = w->rays[i];
		struct rng_pair to_light = { w->light_u[i], w->light_v[i] };
		struct rng_pair to_bounce = { w->bounce_u[i], w->bounce_v[i] };
		int todo;

		if (i + 8 < count && w->hits[i + 8].triangle != KERNEL_NOTHING)
			__builtin_prefetch(&scene->shading.triangles[w->hits[i + 8].triangle]);
		todo = path_hit(&scene->shading, params, w->hits[i], to_light, to_bounce,
			&w->paths[number], &ray, &w->shadows[shadows]);
		w->shadowed[shadows] = number;
		shadows += (todo & PATH_SHADOW) != 0;
		w->rays[on] = ray;
		w->alive[on] = number;
		on += (todo & PATH_GOES_ON) != 0;
	}
	*shadow_count = shadows;
	return on;
}

/* Traces a batch and counts its rays and the time it took. */
static void batch_timed(const struct wide_scene *scene, const struct kernel_ray *rays,
	kernel_u32 count, enum wide_kind kind, struct wide_work *w, struct wide_totals *totals)
{
	unsigned long long start = totals->clock ? totals->clock() : 0;

	if (kind == WIDE_CAMERA)
		WIDE_TRACE_FIRST(scene, rays, count, w->hits, &w->deck);
	else
		WIDE_TRACE(scene, rays, count, kind == WIDE_SHADOW, w->hits, &w->deck);
	if (totals->clock)
		totals->ns[kind] += totals->clock() - start;
	if (kind == WIDE_SHADOW)
		totals->shadow += count;
	else
		totals->closest += count;
}

static void batch_run(const struct wide_scene *scene, const struct kernel_params *params,
	struct wide_work *w, kernel_u32 count, struct wide_totals *totals)
{
	kernel_u32 bounce, shadows, i;

	for (bounce = 0; count; bounce++) {
		batch_timed(scene, w->rays, count, bounce ? WIDE_BOUNCE : WIDE_CAMERA, w, totals);
		WIDE_STAGE(bounce == 0 ? WIDE_STAGE_FIRST : WIDE_STAGE_BOUNCE);
		batch_points(w, count, bounce);
		WIDE_STAGE(WIDE_STAGE_POINTS);
		count = batch_hits(scene, params, w, count, &shadows);
		WIDE_STAGE(WIDE_STAGE_SHADE);
		batch_timed(scene, w->shadows, shadows, WIDE_SHADOW, w, totals);
		WIDE_STAGE(WIDE_STAGE_SHADOW);
		for (i = 0; i < shadows; i++)
			if (w->hits[i].triangle == KERNEL_NOTHING)
				path_unblocked(&w->paths[w->shadowed[i]]);
		WIDE_STAGE(WIDE_STAGE_SHADE);
	}
}

/* Sums are added up sample by sample, as path_pixel() does. */
static void wide_pixels(const struct wide_scene *scene, const struct kernel_params *params,
	kernel_u32 x, kernel_u32 y, kernel_u32 count, float *sums, struct wide_totals *totals,
	struct wide_work *w)
{
	unsigned long long total = (unsigned long long)count * params->sample_count, first;

	for (first = 0; first < total; first += BATCH) {
		kernel_u32 n = total - first < BATCH ? (kernel_u32)(total - first) : BATCH, i;

		for (i = 0; i < n; i++) {
			kernel_u32 pixel = (kernel_u32)((first + i) / params->sample_count);
			kernel_u32 sample = (kernel_u32)((first + i) % params->sample_count);

			w->alive[i] = i;
			path_start(params, x + pixel, y, params->first_sample + sample,
				&w->paths[i], &w->rays[i]);
		}
		WIDE_STAGE(WIDE_STAGE_START);
		batch_run(scene, params, w, n, totals);
		for (i = 0; i < n; i++) {
			float *sum = sums + 3 * ((first + i) / params->sample_count);

			sum[0] = sum[0] + w->paths[i].radiance.x;
			sum[1] = sum[1] + w->paths[i].radiance.y;
			sum[2] = sum[2] + w->paths[i].radiance.z;
		}
	}
}

static inline void wide_trace(const struct wide_scene *scene, const struct kernel_ray *rays,
	kernel_u32 count, int any, struct kernel_hit *hits, struct wide_work *work)
{
	batch_trace(scene, rays, count, any, hits, &work->deck);
}

#define WIDE_PATH(label)                                                                           \
	{                                                                                          \
		label, sizeof(struct wide_work), wide_pixels, wide_trace                           \
	}

#endif
