/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "blender/pool.h"
#include "blender/stability.h"
#include "cli/progress.h"
#include "cli/qualify.h"
#include "cli/qualify_distributed.h"
#include "cli/qualify_state.h"
#include "run/stop.h"

/* What was judged in an earlier session of the run is taken over. */
static void plan(struct qualify *run, const struct render_scene *scene, const struct gpu *gpu,
	enum probe probe, bool together, unsigned repeat)
{
	struct attempt *attempt = &run->attempts[run->attempt_count++];

	attempt_plan(attempt, &run->context, scene, gpu, probe, (unsigned)run->attempt_count,
		run->attempts_folder);
	attempt->together = together;
	attempt->repeat = repeat;
	if (run->request->resume && !run->failed.text[0])
		state_restore(run, attempt, &run->failed);
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
			plan(run, &run->scenes[0], run->gpus[i], PROBE_STRICT, false, 1);
	return run->attempt_count - from;
}

static void plan_repeats(
	struct qualify *run, const struct render_scene *scene, const struct gpu *gpu, size_t first)
{
	size_t i;

	for (i = first; run->request->strict && i <= run->request->repeats; i++)
		plan(run, scene, gpu, PROBE_STRICT, false, (unsigned)i);
}

static size_t plan_alone(struct qualify *run)
{
	size_t i, j, from = run->attempt_count;

	for (j = 0; j < run->scene_count; j++)
		plan(run, &run->scenes[j], NULL, PROBE_CONTROL, false, 1);
	for (i = 0; i < run->gpu_count; i++) {
		for (j = 0; j < run->scene_count; j++) {
			bool done = j == 0 && is_first_of_target(run, i);

			plan_repeats(run, &run->scenes[j], run->gpus[i], done ? 2 : 1);
			if (run->request->as_farm)
				plan(run, &run->scenes[j], run->gpus[i], PROBE_AS_FARM, false, 1);
		}
	}
	return run->attempt_count - from;
}

static bool is_skipped(const struct attempt *attempt)
{
	return json_is_string(json_object_get(attempt->kept, "skipped"));
}

/* By all scenes that this Blender can render. */
static bool accepted_alone(const struct qualify *run, const struct gpu *gpu)
{
	size_t i, seen = 0;

	for (i = 0; i < run->attempt_count; i++) {
		const struct attempt *attempt = &run->attempts[i];

		if (attempt->gpu != gpu || attempt->together || is_skipped(attempt))
			continue;
		seen++;
		if (!attempt->judged || attempt->verdict.id != VERDICT_ACCEPTED)
			return false;
	}
	return seen > 0;
}

static bool is_repeat(
	const struct attempt *attempt, const struct render_scene *scene, const struct gpu *gpu)
{
	return attempt->scene == scene && attempt->gpu == gpu && attempt->probe == PROBE_STRICT &&
	       !attempt->together && attempt->judged;
}

/* The verdict may change, so it is kept anew. */
static int judge_stability(struct qualify *run, const struct render_scene *scene,
	const struct gpu *gpu, struct error *err)
{
	struct attempt **repeats = xcalloc(run->request->repeats, sizeof(*repeats));
	size_t count = 0, i;
	int rc = 0;

	for (i = 0; i < run->attempt_count && count < run->request->repeats; i++)
		if (is_repeat(&run->attempts[i], scene, gpu))
			repeats[count++] = &run->attempts[i];
	if (count > 1)
		stability_judge(repeats, count);
	for (i = 0; count > 1 && rc == 0 && i < count; i++)
		rc = state_keep(run, repeats[i], err);
	free(repeats);
	return rc;
}

static int judge_repeats(struct qualify *run, struct error *err)
{
	size_t i, j;
	int rc = 0;

	for (i = 0; rc == 0 && i < run->gpu_count; i++)
		for (j = 0; rc == 0 && j < run->scene_count; j++)
			rc = judge_stability(run, &run->scenes[j], run->gpus[i], err);
	return rc;
}

const char *qualify_why_skipped(const struct qualify *run, const struct render_scene *scene)
{
	size_t i;

	for (i = 0; i < run->attempt_count; i++)
		if (run->attempts[i].scene == scene && run->attempts[i].probe == PROBE_CONTROL)
			return json_text(run->attempts[i].kept, "skipped", NULL);
	return NULL;
}

static size_t plan_together(struct qualify *run, const struct render_scene *scene)
{
	size_t i, from = run->attempt_count;

	for (i = 0; i < run->gpu_count && !qualify_why_skipped(run, scene); i++)
		if (accepted_alone(run, run->gpus[i]))
			plan(run, scene, run->gpus[i], PROBE_STRICT, true, 1);
	return run->attempt_count - from;
}

struct watch {
	struct qualify *run;
	struct progress progress;
};

/* The state names what judges before the first verdict is kept. */
static int prepare_judging(struct qualify *run, struct error *err)
{
	if (run->can_judge)
		return 0;
	return qualify_prepare_judging(run, err) == 0 ? state_write(run, true, err) : -1;
}

static int act(struct qualify *run, enum pool_event event, const struct attempt *attempt)
{
	if (run->failed.text[0])
		return 0;
	if (event == POOL_STARTED)
		return prepare_judging(run, &run->failed);
	if (event == POOL_JUDGED && !attempt->kept)
		return state_keep(run, &run->attempts[attempt->number - 1], &run->failed);
	return 0;
}

/* Each verdict is on disk before the next thing is done. A run that cannot keep what it sees ends.
 */
static void watch(void *watcher, enum pool_event event, const struct attempt *attempt)
{
	struct watch *all = watcher;

	if (act(all->run, event, attempt) != 0)
		stop_ask();
	progress_watch(&all->progress, event, attempt);
}

static int run_last(
	struct qualify *run, size_t count, size_t jobs, struct watch *all, struct error *err)
{
	struct pool pool = {
		.attempts = run->attempts,
		.first = run->attempt_count - count,
		.count = count,
		.jobs = jobs,
		.watch = watch,
		.watcher = all,
		.stop = stop_flag(),
	};
	int rc = count && !run->failed.text[0] ? pool_run(&pool, err) : 0;

	if (rc == 0 && run->failed.text[0]) {
		*err = run->failed;
		return -1;
	}
	return rc;
}

static int run_alone(struct qualify *run, struct watch *all, struct error *err)
{
	size_t pathfinders = plan_pathfinders(run), rest;
	int rc = run_last(run, pathfinders, 1, all, err);

	if (rc != 0 || stop_is_asked())
		return rc;
	rest = plan_alone(run);
	all->progress.total = pathfinders + rest;
	rc = run_last(run, rest, run->request->jobs, all, err);
	return rc != 0 || stop_is_asked() ? rc : judge_repeats(run, err);
}

static int run_together(struct qualify *run, struct watch *all, struct error *err)
{
	size_t j, count;
	int rc = 0;

	for (j = 0; rc == 0 && !stop_is_asked() && run->request->strict && j < run->scene_count;
		j++) {
		count = plan_together(run, &run->scenes[j]);
		all->progress.total += count;
		rc = run_last(run, count, count, all, err);
	}
	return rc;
}

int qualify_attempt(struct qualify *run, struct error *err)
{
	size_t most = run->scene_count * (1 + (2 + run->request->repeats) * run->gpu_count);
	struct watch all = { .run = run };
	int rc;

	run->attempts = xcalloc(most, sizeof(*run->attempts));
	progress_init(&all.progress, most, run->open.node.simulated, run->request->quiet);
	rc = run_alone(run, &all, err);
	if (rc == 0)
		rc = run_together(run, &all, err);
	progress_end(&all.progress);
	if (rc == 0)
		rc = prepare_judging(run, err);
	if (rc == 0 && run->request->distributed)
		rc = qualify_distribute(run, err);
	run->interrupted = stop_is_asked();
	return rc;
}
