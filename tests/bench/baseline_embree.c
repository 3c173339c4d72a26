/* SPDX-License-Identifier: Apache-2.0 */
/* Our rays against Embree's: the same scene, estimator and sample points, only the tracing differs.
 *
 *   baseline_embree SCENE THREADS SIZE SAMPLES ROUNDS
 *   baseline_embree SCENE memory embree|oamqual     peak of a process that holds that back end
 * alone
 *
 * Back ends take turns, strip by strip of the picture, each thread on its own. Rates are rays over
 * the CPU time of the threads that trace, so that what else runs on the machine counts less; ratios
 * are formed within a round over the whole picture, the median of all is printed. */
#include <embree3/rtcore.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct embree_job;
static __thread RTCScene embree_scene; /* that of the thread at work */

struct wide_scene;
struct kernel_ray;
struct kernel_hit;
struct flight_deck;
static void embree_stream(const struct wide_scene *scene, const struct kernel_ray *rays,
	unsigned count, int any, struct kernel_hit *hits, struct flight_deck *deck);
static void embree_stream_first(const struct wide_scene *scene, const struct kernel_ray *rays,
	unsigned count, struct kernel_hit *hits, struct flight_deck *deck);

#define WIDE_TRACE embree_stream
#define WIDE_TRACE_FIRST embree_stream_first
#include "kernels/wide_pixels.h"
#include "baseline/render.h"
#include "baseline/scenes.h"
#include "baseline_build.h"

/* --- Embree as tracer --- */

static void fill_ray(struct RTCRay *to, const struct kernel_ray *from)
{
	memset(to, 0, sizeof(*to));
	to->org_x = from->origin.x;
	to->org_y = from->origin.y;
	to->org_z = from->origin.z;
	to->dir_x = from->direction.x;
	to->dir_y = from->direction.y;
	to->dir_z = from->direction.z;
	to->tfar = from->t_max;
	to->mask = 0xffffffff;
}

static void embree_many(const struct kernel_ray *rays, unsigned count, int any,
	struct kernel_hit *hits, enum RTCIntersectContextFlags flags)
{
	static __thread struct RTCRayHit full[BATCH];
	static __thread struct RTCRay shadow[BATCH];
	struct RTCIntersectContext context;
	unsigned i;

	rtcInitIntersectContext(&context);
	context.flags = flags;
	if (any) {
		for (i = 0; i < count; i++)
			fill_ray(&shadow[i], &rays[i]);
		rtcOccluded1M(embree_scene, &context, shadow, count, sizeof(shadow[0]));
		for (i = 0; i < count; i++)
			hits[i].triangle = shadow[i].tfar < 0 ? 0 : KERNEL_NOTHING;
		return;
	}
	for (i = 0; i < count; i++) {
		fill_ray(&full[i].ray, &rays[i]);
		full[i].hit.geomID = RTC_INVALID_GEOMETRY_ID;
		full[i].hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
	}
	rtcIntersect1M(embree_scene, &context, full, count, sizeof(full[0]));
	for (i = 0; i < count; i++) {
		hits[i].t = full[i].ray.tfar;
		hits[i].triangle = full[i].hit.geomID == RTC_INVALID_GEOMETRY_ID
					   ? KERNEL_NOTHING
					   : full[i].hit.primID;
	}
}

static void embree_stream(const struct wide_scene *scene, const struct kernel_ray *rays,
	unsigned count, int any, struct kernel_hit *hits, struct flight_deck *deck)
{
	(void)scene;
	(void)deck;
	embree_many(rays, count, any, hits, RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT);
}

/* From the camera: Embree may know what to do with that too. */
static void embree_stream_first(const struct wide_scene *scene, const struct kernel_ray *rays,
	unsigned count, struct kernel_hit *hits, struct flight_deck *deck)
{
	(void)scene;
	(void)deck;
	embree_many(rays, count, 0, hits, RTC_INTERSECT_CONTEXT_FLAG_COHERENT);
}

static int embree_trace(RTCScene scene, struct kernel_ray ray, int any, struct kernel_hit *hit)
{
	struct RTCIntersectContext context;
	struct RTCRayHit full;

	rtcInitIntersectContext(&context);
	fill_ray(&full.ray, &ray);
	if (any) {
		rtcOccluded1(scene, &context, &full.ray);
		return full.ray.tfar < 0;
	}
	full.hit.geomID = RTC_INVALID_GEOMETRY_ID;
	full.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
	rtcIntersect1(scene, &context, &full);
	hit->t = full.ray.tfar;
	hit->triangle =
		full.hit.geomID == RTC_INVALID_GEOMETRY_ID ? KERNEL_NOTHING : full.hit.primID;
	return hit->triangle != KERNEL_NOTHING;
}

/* path_sample() with Embree's single rays. */
static struct vec3 embree_sample(const struct kernel_scene *scene,
	const struct kernel_params *params, kernel_u32 x, kernel_u32 y, kernel_u32 sample,
	struct wide_totals *totals)
{
	struct path path;
	struct kernel_ray ray, shadow;
	struct kernel_hit hit;
	int todo;

	path_start(params, x, y, sample, &path, &ray);
	do {
		struct rng_pair light = rng_pair(path.key, path_dimension(&path, PATH_DIM_LIGHT));
		struct rng_pair bounce = rng_pair(path.key, path_dimension(&path, PATH_DIM_BOUNCE));

		totals->closest++;
		embree_trace(embree_scene, ray, 0, &hit);
		todo = path_hit(scene, params, hit, light, bounce, &path, &ray, &shadow);
		if (todo & PATH_SHADOW) {
			totals->shadow++;
			if (!embree_trace(embree_scene, shadow, 1, &hit))
				path_unblocked(&path);
		}
	} while (todo & PATH_GOES_ON);
	return path.radiance;
}

static void embree_pixels(const struct wide_scene *scene, const struct kernel_params *params,
	kernel_u32 x, kernel_u32 y, kernel_u32 count, float *sums, struct wide_totals *totals,
	struct wide_work *work)
{
	kernel_u32 i, s;

	(void)work;
	for (i = 0; i < count; i++)
		for (s = 0; s < params->sample_count; s++) {
			struct vec3 radiance =
				embree_sample(&scene->shading, params, x + i, y, s, totals);

			sums[3 * i] += radiance.x;
			sums[3 * i + 1] += radiance.y;
			sums[3 * i + 2] += radiance.z;
		}
}

static RTCScene embree_build(RTCDevice device, const struct baseline_scene *scene)
{
	RTCGeometry mesh = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
	RTCScene made = rtcNewScene(device);
	unsigned *corners = rtcSetNewGeometryBuffer(
		mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, scene->triangle_count);
	kernel_u32 i;

	/* Vertices stay where they are, four places a triangle, of which three hold one. */
	rtcSetSharedGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
		scene->triangles, 0, 12, 4 * (size_t)scene->triangle_count);
	for (i = 0; i < 3 * scene->triangle_count; i++)
		corners[i] = i / 3 * 4 + i % 3;
	rtcCommitGeometry(mesh);
	rtcAttachGeometry(made, mesh);
	rtcReleaseGeometry(mesh);
	return made;
}

/* --- threads and time --- */

typedef void pixels_fn(const struct wide_scene *, const struct kernel_params *, kernel_u32,
	kernel_u32, kernel_u32, float *, struct wide_totals *, struct wide_work *);

enum { OURS, SINGLE, STREAM, BACK_ENDS };

/* One back end. */
struct tracer {
	const char *name;
	pixels_fn *pixels;
	RTCScene embree;
	unsigned long work_bytes;
	float *sums; /* of the round */
};

struct run {
	struct wide_scene scene;
	struct kernel_params params;
	struct tracer tracers[BACK_ENDS];
	kernel_u32 next_strip;
};

struct thread {
	struct run *run;
	pthread_t thread;
	struct wide_totals totals[BACK_ENDS];
	double seconds[BACK_ENDS];
};

/* Long enough that a back end's own tree fills the caches again. */
enum { STRIP_ROWS = 16 };

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void trace_strip(struct thread *thread, kernel_u32 strip, unsigned which, void *scratch)
{
	const struct run *run = thread->run;
	const struct tracer *tracer = &run->tracers[which];
	struct wide_totals totals = { 0 };
	kernel_u32 y = strip * STRIP_ROWS, end = y + STRIP_ROWS;
	double start = now(CLOCK_THREAD_CPUTIME_ID);

	embree_scene = tracer->embree;
	for (; y < end && y < run->params.height; y++)
		tracer->pixels(&run->scene, &run->params, 0, y, run->params.width,
			tracer->sums + 3 * (size_t)y * run->params.width, &totals, scratch);
	thread->seconds[which] += now(CLOCK_THREAD_CPUTIME_ID) - start;
	thread->totals[which].closest += totals.closest;
	thread->totals[which].shadow += totals.shadow;
}

static void *work(void *pointer)
{
	struct thread *thread = pointer;
	struct run *run = thread->run;
	void *scratch[BACK_ENDS];
	kernel_u32 strip;
	unsigned n;

	for (n = 0; n < BACK_ENDS; n++) {
		size_t bytes = (run->tracers[n].work_bytes + 63) / 64 * 64;

		scratch[n] = aligned_alloc(64, bytes);
		memset(scratch[n], 0, bytes);
	}
	while ((strip = __atomic_fetch_add(&run->next_strip, 1, __ATOMIC_RELAXED)) * STRIP_ROWS <
		run->params.height)
		for (n = 0; n < BACK_ENDS; n++)
			trace_strip(thread, strip, (n + strip) % BACK_ENDS,
				scratch[(n + strip) % BACK_ENDS]);
	for (n = 0; n < BACK_ENDS; n++)
		free(scratch[n]);
	return NULL;
}

struct outcome {
	double rate; /* millions of rays a CPU-second */
	double mean; /* of the picture */
	unsigned long long rays;
};

static void measure(struct run *run, unsigned threads, struct outcome outcomes[BACK_ENDS])
{
	size_t values = 3 * (size_t)run->params.width * run->params.height, i;
	struct thread all[64];
	unsigned n, which;

	memset(all, 0, sizeof(all));
	for (which = 0; which < BACK_ENDS; which++)
		run->tracers[which].sums = calloc(values, sizeof(float));
	run->next_strip = 0;
	for (n = 0; n < threads; n++) {
		all[n].run = run;
		pthread_create(&all[n].thread, NULL, work, &all[n]);
	}
	for (n = 0; n < threads; n++)
		pthread_join(all[n].thread, NULL);
	for (which = 0; which < BACK_ENDS; which++) {
		struct outcome outcome = { 0, 0, 0 };
		double seconds = 0;

		for (n = 0; n < threads; n++) {
			seconds += all[n].seconds[which];
			outcome.rays += all[n].totals[which].closest + all[n].totals[which].shadow;
		}
		for (i = 0; i < values; i++)
			outcome.mean += run->tracers[which].sums[i] / run->params.sample_count /
					(double)values;
		outcome.rate = (double)outcome.rays / seconds * 1e-6;
		outcomes[which] = outcome;
		free(run->tracers[which].sums);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

static void compare_rates(struct run *run, const char *name, unsigned threads, unsigned rounds)
{
	double rates[BACK_ENDS][64], single[64], stream[64];
	struct outcome outcomes[BACK_ENDS];
	unsigned round, n;

	for (round = 0; round < rounds; round++) {
		measure(run, threads, outcomes);
		for (n = 0; n < BACK_ENDS; n++)
			rates[n][round] = outcomes[n].rate;
		single[round] = outcomes[OURS].rate / outcomes[SINGLE].rate;
		stream[round] = outcomes[OURS].rate / outcomes[STREAM].rate;
	}
	for (n = 0; n < BACK_ENDS; n++)
		printf("%-8s %u threads  %-14s %7.2f Mrays/CPU-s  %llu rays  mean %.6f\n", name,
			threads, run->tracers[n].name, median(rates[n], rounds), outcomes[n].rays,
			outcomes[n].mean);
	printf("ratio %s-embree%s %.3f\n", name, threads > 1 ? "" : "-1", median(single, rounds));
	printf("ratio %s-stream%s %.3f\n", name, threads > 1 ? "" : "-1", median(stream, rounds));
}

/* What the same bits everywhere cost, and where the time goes; on one thread. */
static void compare_arithmetic(struct run *run, const char *name, unsigned rounds)
{
	static const char *const stages[WIDE_STAGES] = { "start", "trace camera", "trace bounces",
		"trace shadows", "sample points", "shade" };
	static const struct wide_path *const builds[] = { &build_exact, &build_contract,
		&build_fast };
	static const char *const names[] = { "exact", "contracted", "fast-math" };
	struct run other = *run;
	double contract[64], fast[64], total = 0;
	struct outcome outcomes[BACK_ENDS];
	const double *seconds = build_stages_exact();
	unsigned round, n;

	for (n = 0; n < BACK_ENDS; n++)
		other.tracers[n] = (struct tracer){ names[n], builds[n]->pixels, NULL,
			builds[n]->work_bytes, NULL };
	for (round = 0; round < rounds; round++) {
		measure(&other, 1, outcomes);
		contract[round] = outcomes[0].rate / outcomes[1].rate;
		fast[round] = outcomes[0].rate / outcomes[2].rate;
	}
	for (n = 0; n < BACK_ENDS; n++)
		printf("%-8s 1 threads  %-14s %7.2f Mrays/CPU-s  %llu rays  mean %.6f\n", name,
			names[n], outcomes[n].rate, outcomes[n].rays, outcomes[n].mean);
	printf("ratio %s-exact-contracted %.3f\n", name, median(contract, rounds));
	printf("ratio %s-exact-fastmath %.3f\n", name, median(fast, rounds));
	for (n = 0; n < WIDE_STAGES; n++)
		total += seconds[n];
	printf("%-8s time:", name);
	for (n = 0; n < WIDE_STAGES; n++)
		printf(" %s %.0f %%%s", stages[n], 100 * seconds[n] / total,
			n + 1 < WIDE_STAGES ? "," : "\n");
}

static void compare_builds(RTCDevice device, struct baseline_scene *scene, const char *name,
	unsigned threads, unsigned rounds)
{
	double ratios[64], wall[2][64], cpu[2][64];
	unsigned round;

	for (round = 0; round < rounds; round++) {
		RTCScene embree = embree_build(device, scene);
		double start[2] = { now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID) };

		rtcCommitScene(embree);
		wall[0][round] = now(CLOCK_MONOTONIC) - start[0];
		cpu[0][round] = now(CLOCK_PROCESS_CPUTIME_ID) - start[1];
		rtcReleaseScene(embree);
		wide_tree_release(&scene->wide);
		start[0] = now(CLOCK_MONOTONIC);
		start[1] = now(CLOCK_PROCESS_CPUTIME_ID);
		wide_tree_build(&scene->wide, scene->triangles, scene->triangle_count, threads);
		wall[1][round] = now(CLOCK_MONOTONIC) - start[0];
		cpu[1][round] = now(CLOCK_PROCESS_CPUTIME_ID) - start[1];
		ratios[round] = wall[1][round] / wall[0][round];
	}
	printf("%-8s build on %u threads: oamqual %.0f ms (%.0f CPU), embree %.0f ms (%.0f CPU); "
	       "tree %.1f MiB\n",
		name, threads, 1e3 * median(wall[1], rounds), 1e3 * median(cpu[1], rounds),
		1e3 * median(wall[0], rounds), 1e3 * median(cpu[0], rounds),
		(double)wide_tree_bytes(&scene->wide) / (1 << 20));
	if (strcmp(name, "million") == 0)
		printf("ratio build-embree %.3f\n", median(ratios, rounds));
}

static int print_memory(const struct baseline_scene_row *row, const char *back_end)
{
	static struct baseline_scene scene;
	struct rusage usage;
	RTCScene embree;

	row->make(&scene, 0);
	if (strcmp(back_end, "embree") == 0) {
		embree = embree_build(rtcNewDevice(NULL), &scene);
		rtcCommitScene(embree);
	} else if (baseline_scene_finish(&scene, 2, NULL) != 0) {
		return 1;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_maxrss);
	return 0;
}

int main(int argc, char **argv)
{
	struct render_options options = { 0 };
	const struct baseline_scene_row *row;
	struct baseline_scene scene;
	struct run run;
	RTCScene embree;
	const struct wide_path *path = render_path_wide(RENDER_FASTEST);
	unsigned threads, rounds;
	RTCDevice device;
	char config[64];

	if (argc == 4 && strcmp(argv[2], "memory") == 0 && (row = baseline_scene_find(argv[1])))
		return print_memory(row, argv[3]);
	if (argc != 6 || !(row = baseline_scene_find(argv[1]))) {
		fprintf(stderr, "usage: baseline_embree SCENE THREADS SIZE SAMPLES ROUNDS\n");
		return 2;
	}
	threads = (unsigned)atoi(argv[2]);
	options.width = options.height = (kernel_u32)atoi(argv[3]);
	options.samples = (kernel_u32)atoi(argv[4]);
	rounds = (unsigned)atoi(argv[5]);
	options.bounces = row->bounces;
	if (threads < 1 || threads > 64 || rounds < 1 || rounds > 64 || !options.width ||
		!options.samples)
		return 2;
	snprintf(config, sizeof(config), "threads=%u", threads);
	device = rtcNewDevice(config);
	baseline_scene_make(row, 0, threads, &scene);
	run.scene = baseline_scene_wide(&scene);
	run.params = render_params(&scene, &options);
	embree = embree_build(device, &scene);
	rtcCommitScene(embree);
	run.tracers[OURS] =
		(struct tracer){ "oamqual", path->pixels, NULL, path->work_bytes, NULL };
	run.tracers[SINGLE] = (struct tracer){ "embree", embree_pixels, embree, 64, NULL };
	run.tracers[STREAM] = (struct tracer){ "embree-stream", wide_pixels, embree,
		sizeof(struct wide_work), NULL };
	printf("%s: %u triangles, %s\n", row->name, scene.triangle_count, path->name);
	compare_rates(&run, row->name, 1, rounds);
	if (threads > 1)
		compare_rates(&run, row->name, threads, rounds);
	compare_arithmetic(&run, row->name, rounds);
	if (scene.triangle_count > 1000)
		compare_builds(device, &scene, row->name, threads, rounds);
	rtcReleaseScene(embree);
	rtcReleaseDevice(device);
	baseline_scene_release(&scene);
	return 0;
}
