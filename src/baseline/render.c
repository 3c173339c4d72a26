/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/render.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "kernels/kernel_cpu.h"

struct job {
	struct kernel_scene scene;
	struct kernel_params params;
	float *pixels;
	atomic_uint next_row;
};

struct worker {
	struct job *job;
	pthread_t thread;
	struct kernel_totals totals;
	double cpu_seconds;
};

static double thread_cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Counts on its own stack: workers lie side by side, and counters that share a cache line cost
 * speed. */
static void *work(void *worker_pointer)
{
	struct worker *worker = worker_pointer;
	struct job *job = worker->job;
	struct kernel_totals totals = { 0, 0 };
	kernel_u32 y;

	while ((y = atomic_fetch_add(&job->next_row, 1)) < job->params.height)
		kernel_cpu_row(&job->scene, &job->params, y,
			job->pixels + (size_t)y * job->params.width * 3, &totals);
	worker->totals = totals;
	worker->cpu_seconds = thread_cpu_seconds();
	return NULL;
}

/* Starts the workers and waits for them all. When one cannot be started the others are sent home
 * early. */
static int run_workers(struct job *job, struct worker *workers, kernel_u32 count, struct error *err)
{
	kernel_u32 started, i;
	int rc = 0;

	for (started = 0; started < count && rc == 0; started += rc == 0) {
		workers[started].job = job;
		rc = pthread_create(&workers[started].thread, NULL, work, &workers[started]);
	}
	if (rc != 0)
		atomic_store(&job->next_row, job->params.height);
	for (i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	return rc ? error_set(err, "cannot start thread %u of %u: %s", started + 1, count,
			    strerror(rc))
		  : 0;
}

static int check_range(
	const char *what, kernel_u32 value, kernel_u32 min, kernel_u32 max, struct error *err)
{
	if (value >= min && value <= max)
		return 0;
	return error_set(err, "%s is %u, not from %u to %u", what, value, min, max);
}

static int check_options(const struct render_options *o, struct error *err)
{
	if (check_range("width", o->width, 1, KERNEL_SIZE_MAX, err) != 0 ||
		check_range("height", o->height, 1, KERNEL_SIZE_MAX, err) != 0 ||
		check_range("samples", o->samples, 1, BASELINE_SAMPLES_MAX, err) != 0 ||
		check_range("threads", o->threads, 1, BASELINE_THREADS_MAX, err) != 0)
		return -1;
	return check_range("bounces", o->bounces, 0, BASELINE_BOUNCES_MAX, err);
}

static struct kernel_params params_of(
	const struct baseline_scene *scene, const struct render_options *o)
{
	return (struct kernel_params){
		.camera = scene->camera,
		.width = o->width,
		.height = o->height,
		.sample_count = o->samples,
		.bounces = o->bounces,
		.seed = o->seed,
		.light_count = scene->light_count,
		.offset = scene->offset,
	};
}

static void sum_workers(
	const struct worker *workers, kernel_u32 count, struct render_result *result)
{
	kernel_u32 i;

	for (i = 0; i < count; i++) {
		result->rays_closest += workers[i].totals.closest;
		result->rays_shadow += workers[i].totals.shadow;
		result->cpu_seconds += workers[i].cpu_seconds;
	}
}

int render_cpu(const struct baseline_scene *scene, const struct render_options *options,
	struct render_result *out, struct error *err)
{
	size_t values = (size_t)options->width * options->height * 3, i;
	struct render_result result = { 0 };
	struct worker *workers;
	struct job job = { .scene = baseline_scene_kernel(scene),
		.params = params_of(scene, options) };
	double start;
	int rc;

	if (check_options(options, err) != 0)
		return -1;
	result.pixels = job.pixels = xcalloc(values, sizeof(*job.pixels));
	workers = xcalloc(options->threads, sizeof(*workers));
	start = clock_monotonic_s();
	rc = run_workers(&job, workers, options->threads, err);
	result.seconds = clock_monotonic_s() - start;
	if (rc == 0) {
		sum_workers(workers, options->threads, &result);
		for (i = 0; i < values; i++)
			result.pixels[i] /= (float)options->samples;
		*out = result;
	} else {
		render_release(&result);
	}
	free(workers);
	return rc;
}

void render_release(struct render_result *result)
{
	free(result->pixels);
	memset(result, 0, sizeof(*result));
}
