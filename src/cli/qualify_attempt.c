/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "blender/pool.h"
#include "cli/progress.h"
#include "cli/qualify.h"

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/* The first signal ends the run in good order, a second one at once. */
void qualify_catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	size_t i;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	action.sa_flags = (int)SA_RESETHAND;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

bool qualify_is_stopped(void)
{
	return stop != 0;
}

static struct attempt *plan(struct qualify *run, const struct render_scene *scene,
	const struct gpu *gpu, enum probe probe)
{
	struct attempt *attempt = &run->attempts[run->attempt_count++];

	attempt_plan(attempt, &run->context, scene, gpu, probe, (unsigned)run->attempt_count,
		run->attempts_folder);
	return attempt;
}

static bool is_first_of_target(const struct qualify *run, size_t gpu)
{
	size_t i;

	for (i = 0; i < gpu; i++)
		if (strcmp(run->gpus[i]->gfx_target, run->gpus[gpu]->gfx_target) == 0)
			return false;
	return true;
}

/* One strict attempt a gfx target goes ahead: it finds or builds the kernel that all of them share.
 */
static size_t plan_pathfinders(struct qualify *run)
{
	size_t i, from = run->attempt_count;

	for (i = 0; run->request->strict && i < run->gpu_count; i++)
		if (is_first_of_target(run, i))
			plan(run, &run->scenes[0], run->gpus[i], PROBE_STRICT);
	return run->attempt_count - from;
}

static size_t plan_alone(struct qualify *run)
{
	size_t i, j, from = run->attempt_count;

	for (j = 0; j < run->scene_count; j++)
		plan(run, &run->scenes[j], NULL, PROBE_CONTROL);
	for (i = 0; i < run->gpu_count; i++) {
		for (j = 0; j < run->scene_count; j++) {
			bool done = j == 0 && is_first_of_target(run, i);

			if (run->request->strict && !done)
				plan(run, &run->scenes[j], run->gpus[i], PROBE_STRICT);
			if (run->request->as_farm)
				plan(run, &run->scenes[j], run->gpus[i], PROBE_AS_FARM);
		}
	}
	return run->attempt_count - from;
}

static bool accepted_alone(const struct qualify *run, const struct gpu *gpu)
{
	size_t i, seen = 0;

	for (i = 0; i < run->attempt_count; i++) {
		const struct attempt *attempt = &run->attempts[i];

		if (attempt->gpu != gpu || attempt->together)
			continue;
		seen++;
		if (!attempt->judged || attempt->verdict.id != VERDICT_ACCEPTED)
			return false;
	}
	return seen > 0;
}

static size_t plan_together(struct qualify *run, const struct render_scene *scene)
{
	size_t i, from = run->attempt_count;

	for (i = 0; i < run->gpu_count; i++)
		if (accepted_alone(run, run->gpus[i]))
			plan(run, scene, run->gpus[i], PROBE_STRICT)->together = true;
	return run->attempt_count - from;
}

static int run_last(struct qualify *run, size_t count, size_t jobs, struct progress *progress,
	struct error *err)
{
	struct pool pool = {
		.attempts = run->attempts,
		.first = run->attempt_count - count,
		.count = count,
		.jobs = jobs,
		.watch = progress_watch,
		.watcher = progress,
		.stop = &stop,
	};

	return count ? pool_run(&pool, err) : 0;
}

static int run_alone(struct qualify *run, struct progress *progress, struct error *err)
{
	size_t pathfinders = plan_pathfinders(run), rest;
	int rc = run_last(run, pathfinders, 1, progress, err);

	if (rc != 0 || stop)
		return rc;
	rest = plan_alone(run);
	progress->total = pathfinders + rest;
	return run_last(run, rest, run->request->jobs, progress, err);
}

static int run_together(struct qualify *run, struct progress *progress, struct error *err)
{
	size_t j, count;
	int rc = 0;

	for (j = 0; rc == 0 && !stop && run->request->strict && j < run->scene_count; j++) {
		count = plan_together(run, &run->scenes[j]);
		progress->total += count;
		rc = run_last(run, count, count, progress, err);
	}
	return rc;
}

int qualify_attempt(struct qualify *run, struct error *err)
{
	size_t most = run->scene_count * (1 + 3 * run->gpu_count);
	struct progress progress;
	int rc;

	run->attempts = xcalloc(most, sizeof(*run->attempts));
	progress_init(&progress, most, run->open.node.simulated, run->request->quiet);
	children_adopt_orphans();
	rc = run_alone(run, &progress, err);
	if (rc == 0)
		rc = run_together(run, &progress, err);
	progress_end(&progress);
	children_end_orphans();
	run->interrupted = stop != 0;
	return rc;
}
