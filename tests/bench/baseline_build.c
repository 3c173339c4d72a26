/* SPDX-License-Identifier: Apache-2.0 */
/* The fast way once more, for the benchmark: it notes where the time goes, and is built with other
 * arithmetic too. BUILD_NAME is the name of this build. For one thread at a time. */
#include <time.h>

static double build_seconds[16]; /* by enum wide_stage */
static double build_last;

static double build_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void build_note(int stage)
{
	double now = build_now();

	build_seconds[stage] += now - build_last;
	build_last = now;
}

#define WIDE_STAGE(stage) build_note(stage)
#include "kernels/wide_pixels.h"
#include "baseline_build.h"

const double *build_stages_contract(void), *build_stages_fast(void);

#define BUILD_JOIN(a, b) a##b
#define BUILD(a, b) BUILD_JOIN(a, b)

static void build_pixels(const struct wide_scene *scene, const struct kernel_params *params,
	kernel_u32 x, kernel_u32 y, kernel_u32 count, float *sums, struct wide_totals *totals,
	struct wide_work *work)
{
	build_last = build_now();
	wide_pixels(scene, params, x, y, count, sums, totals, work);
	build_note(WIDE_STAGE_START);
}

const struct wide_path BUILD(
	build_, BUILD_NAME) = { "build", sizeof(struct wide_work), build_pixels, wide_trace };

const double *BUILD(build_stages_, BUILD_NAME)(void)
{
	return build_seconds;
}
