/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/render.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "baseline/cpu.h"
#include "kernels/kernel_cpu.h"

/* Samples that a thread takes at a time: a few batches. */
enum { PIECE_SAMPLES = 4096 };

struct job {
	struct kernel_scene scene; /* of single rays */
	struct wide_scene wide;
	const struct wide_path *path; /* NULL: single rays */
	struct kernel_params params;
	float *pixels;
	kernel_u32 piece; /* pixels of a row */
	kernel_u32 pieces; /* of a row */
	atomic_uint next, end; /* pieces of the picture */
	pthread_mutex_t lock;
	pthread_cond_t ended;
	kernel_u32 working; /* workers that have not ended; by lock */
};

struct worker {
	struct job *job;
	pthread_t thread;
	struct wide_totals totals;
	double cpu_seconds;
};

struct path_row {
	const char *name;
	const struct wide_path *wide;
};

static const struct path_row paths[] = {
	[RENDER_FASTEST] = { "fastest", NULL },
	[RENDER_SINGLE] = { "single", NULL },
	[RENDER_PORTABLE] = { "portable", &wide_portable },
	[RENDER_AVX2] = { "avx2", &wide_avx2 },
	[RENDER_AVX512] = { "avx512", &wide_avx512 },
};

const char *render_path_name(enum render_path path)
{
	return paths[path].name;
}

int render_path_find(const char *name)
{
	int i;

	for (i = 0; i <= RENDER_AVX512; i++)
		if (strcmp(paths[i].name, name) == 0)
			return i;
	return -1;
}

bool render_path_usable(enum render_path path)
{
	if (path == RENDER_AVX2)
		return cpu_has_avx2();
	return path != RENDER_AVX512 || cpu_has_avx512();
}

enum render_path render_path_here(enum render_path path)
{
	if (path != RENDER_FASTEST)
		return path;
	return cpu_has_avx512() ? RENDER_AVX512 : cpu_has_avx2() ? RENDER_AVX2 : RENDER_PORTABLE;
}

const struct wide_path *render_path_wide(enum render_path path)
{
	return paths[render_path_here(path)].wide;
}

static double thread_cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void render_piece(
	struct job *job, kernel_u32 number, struct wide_totals *totals, struct wide_work *scratch)
{
	kernel_u32 y = number / job->pieces, x = number % job->pieces * job->piece;
	kernel_u32 rest = job->params.width - x, count = rest < job->piece ? rest : job->piece;
	float *sums = job->pixels + ((size_t)y * job->params.width + x) * 3;

	if (job->path)
		job->path->pixels(&job->wide, &job->params, x, y, count, sums, totals, scratch);
	else
		kernel_cpu_pixels(&job->scene, &job->params, x, y, count, sums, totals);
}

static unsigned long long trace_clock(void)
{
	return clock_monotonic_ns();
}

/* Counts on its own stack: workers lie side by side, and counters that share a cache line cost
 * speed. */
static void *work(void *worker_pointer)
{
	struct worker *worker = worker_pointer;
	struct job *job = worker->job;
	struct wide_totals totals = { .clock = trace_clock };
	char *memory = xmalloc((job->path ? job->path->work_bytes : 0) + 64);
	char *scratch = memory + (64 - (uintptr_t)memory % 64);
	kernel_u32 number;

	while ((number = atomic_fetch_add(&job->next, 1)) < atomic_load(&job->end))
		render_piece(job, number, &totals, (struct wide_work *)(void *)scratch);
	free(memory);
	worker->totals = totals;
	worker->cpu_seconds = thread_cpu_seconds();
	pthread_mutex_lock(&job->lock);
	job->working--;
	pthread_cond_signal(&job->ended);
	pthread_mutex_unlock(&job->lock);
	return NULL;
}

/* Tells the watch five times a second until the last worker ended; that the end wakes it keeps the
 * waiting out of the measured time. */
static void tell_until_ended(struct job *job, const struct render_watch *watch)
{
	pthread_mutex_lock(&job->lock);
	while (job->working) {
		kernel_u32 total = atomic_load(&job->end), next = atomic_load(&job->next);
		struct timespec until;

		watch->tell(watch->data, "rendering", next < total ? next : total, total);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += 200000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&job->ended, &job->lock, &until);
	}
	pthread_mutex_unlock(&job->lock);
}

/* Starts the workers and waits for them all. When one cannot be started the others are sent home
 * early. */
static int run_workers(struct job *job, struct worker *workers, kernel_u32 count,
	const struct render_watch *watch, struct error *err)
{
	kernel_u32 started, i;
	int rc = 0;

	for (started = 0; started < count && rc == 0; started += rc == 0) {
		workers[started].job = job;
		pthread_mutex_lock(&job->lock);
		job->working++;
		pthread_mutex_unlock(&job->lock);
		rc = pthread_create(&workers[started].thread, NULL, work, &workers[started]);
	}
	if (rc != 0)
		atomic_store(&job->end, 0);
	else if (watch)
		tell_until_ended(job, watch);
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
	if (check_range("bounces", o->bounces, 0, BASELINE_BOUNCES_MAX, err) != 0)
		return -1;
	if (!render_path_usable(o->path))
		return error_set(
			err, "this CPU lacks the instructions of %s", render_path_name(o->path));
	return 0;
}

static bool is_bright(const struct baseline_scene *scene)
{
	kernel_u32 i;

	for (i = 0; i < scene->material_count; i++) {
		const struct kernel_material *m = &scene->materials[i];

		if (!m->light && (m->emission.x > 0 || m->emission.y > 0 || m->emission.z > 0))
			return true;
	}
	return scene->sky.x > 0 || scene->sky.y > 0 || scene->sky.z > 0;
}

struct kernel_params render_params(
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
		.sky = scene->sky,
		.is_bright = is_bright(scene),
	};
}

static void sum_workers(
	const struct worker *workers, kernel_u32 count, struct render_result *result)
{
	kernel_u32 i, kind;

	for (i = 0; i < count; i++) {
		result->rays_closest += workers[i].totals.closest;
		result->rays_shadow += workers[i].totals.shadow;
		result->cpu_seconds += workers[i].cpu_seconds;
		for (kind = 0; kind < WIDE_KINDS; kind++)
			result->trace_seconds[kind] += 1e-9 * (double)workers[i].totals.ns[kind];
	}
}

static void job_locks(struct job *job)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&job->lock, NULL);
	pthread_cond_init(&job->ended, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

static void job_fill(
	struct job *job, struct baseline_scene *scene, const struct render_options *options)
{
	job->path = render_path_wide(options->path);
	job->wide = baseline_scene_wide(scene);
	if (!job->path)
		job->scene = baseline_scene_kernel(scene);
	job->params = render_params(scene, options);
	job->piece = PIECE_SAMPLES / options->samples;
	job->piece = job->piece < 8 ? 8 : job->piece;
	job->piece = job->piece > options->width ? options->width : job->piece;
	job->pieces = (options->width + job->piece - 1) / job->piece;
	atomic_store(&job->next, 0);
	atomic_store(&job->end, job->pieces * options->height);
}

int render_sums(struct baseline_scene *scene, const struct render_options *options,
	struct render_result *out, struct error *err)
{
	size_t values = (size_t)options->width * options->height * 3;
	struct render_result result = { 0 };
	struct worker *workers;
	struct job job = { .pixels = NULL };
	double start;
	int rc;

	if (check_options(options, err) != 0)
		return -1;
	job_fill(&job, scene, options);
	job_locks(&job);
	result.pixels = job.pixels = xcalloc(values, sizeof(*job.pixels));
	workers = xcalloc(options->threads, sizeof(*workers));
	start = clock_monotonic_s();
	rc = run_workers(&job, workers, options->threads, options->watch, err);
	result.seconds = clock_monotonic_s() - start;
	pthread_mutex_destroy(&job.lock);
	pthread_cond_destroy(&job.ended);
	if (rc == 0) {
		sum_workers(workers, options->threads, &result);
		*out = result;
	} else {
		render_release(&result);
	}
	free(workers);
	return rc;
}

void render_divide(struct render_result *sums, const struct render_options *options)
{
	size_t values = (size_t)options->width * options->height * 3, i;

	for (i = 0; i < values; i++)
		sums->pixels[i] /= (float)options->samples;
}

int render_cpu(struct baseline_scene *scene, const struct render_options *options,
	struct render_result *out, struct error *err)
{
	int rc = render_sums(scene, options, out, err);

	if (rc == 0)
		render_divide(out, options);
	return rc;
}

void render_release(struct render_result *result)
{
	free(result->pixels);
	memset(result, 0, sizeof(*result));
}
