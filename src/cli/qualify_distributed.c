/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/qualify_distributed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "blender/pool.h"
#include "cli/node_peers.h"
#include "cli/progress.h"
#include "cli/qualify_state.h"
#include "distributed/frame.h"
#include "distributed/rank_map.h"
#include "node/survey.h"
#include "run/stop.h"

/* One frame of one scene. */
struct frame {
	struct qualify *run;
	const struct render_scene *scene;
	const struct module_list *modules;
	const struct gpu **gpus; /* one a rank */
	size_t count;
	const struct attempt *whole; /* the same frame on one of these GCDs, accepted */
	char *folder; /* absolute */
	struct attempt *attempts;
	struct rank *ranks;
	struct finding_list findings;
	json_t *json;
};

/* --- what can be distributed ------------------------------------------------------------------ */

static const struct attempt *accepted_alone(
	const struct qualify *run, const struct render_scene *scene, const struct gpu *gpu)
{
	size_t i;

	for (i = 0; i < run->attempt_count; i++) {
		const struct attempt *attempt = &run->attempts[i];

		if (attempt->scene == scene && attempt->gpu == gpu && !attempt->together &&
			attempt->probe == PROBE_STRICT && attempt->judged &&
			attempt->verdict.id == VERDICT_ACCEPTED)
			return attempt;
	}
	return NULL;
}

/* Fewer ranks than GCDs when there are fewer samples than GCDs. */
static void choose_gpus(struct frame *frame)
{
	const struct qualify *run = frame->run;
	size_t most = (size_t)frame->scene->spec.settings.samples, i;

	frame->gpus = xcalloc(run->gpu_count + 1, sizeof(*frame->gpus));
	for (i = 0; i < run->gpu_count && frame->count < most; i++) {
		const struct attempt *whole = accepted_alone(run, frame->scene, run->gpus[i]);

		if (!whole)
			continue;
		if (!frame->count)
			frame->whole = whole;
		frame->gpus[frame->count++] = run->gpus[i];
	}
}

/* Why nothing is distributed; NULL: it can be. The text is borrowed. */
static const char *why_not(const struct frame *frame)
{
	const char *skipped = qualify_why_skipped(frame->run, frame->scene);

	if (stop_is_asked())
		return "the run was interrupted before its turn";
	if (skipped)
		return skipped;
	if (frame->scene->spec.settings.denoising)
		return "the scene asks for denoising, which is done to a whole picture and not to "
		       "shares of one";
	if (frame->count < 2)
		return "fewer than two GCDs rendered the scene rightly alone, or it has one sample";
	return NULL;
}

/* --- the ranks -------------------------------------------------------------------------------- */

static void plan(struct frame *frame)
{
	unsigned samples = (unsigned)frame->scene->spec.settings.samples;
	size_t i;

	frame->attempts = xcalloc(frame->count, sizeof(*frame->attempts));
	for (i = 0; i < frame->count; i++) {
		struct attempt *attempt = &frame->attempts[i];

		attempt_plan(attempt, &frame->run->context, frame->scene, frame->gpus[i],
			PROBE_RANK, (unsigned)i, frame->folder);
		attempt->together = true;
		attempt->range = rank_range(samples, (unsigned)frame->count, (unsigned)i);
	}
}

static int render(struct frame *frame, struct error *err)
{
	struct progress progress;
	struct pool pool = { .attempts = frame->attempts,
		.count = frame->count,
		.jobs = frame->count,
		.watch = progress_watch,
		.watcher = &progress,
		.stop = stop_flag() };
	size_t i;
	int rc;

	progress_init(&progress, frame->count, frame->run->open.node.simulated,
		frame->run->request->quiet);
	rc = pool_run(&pool, err);
	progress_end(&progress);
	for (i = 0; i < frame->count; i++)
		if (!frame->attempts[i].judged)
			attempt_not_run(
				&frame->attempts[i], "the run was interrupted before its turn");
	return rc;
}

static void judge_ranks(struct frame *frame)
{
	size_t i;

	frame->ranks = xcalloc(frame->count, sizeof(*frame->ranks));
	for (i = 0; i < frame->count; i++)
		rank_read(&frame->attempts[i], frame->modules, &frame->ranks[i]);
	rank_map_judge(
		frame->ranks, frame->count, frame->attempts[0].range.total, &frame->findings);
	if (!rank_map_overlaps(frame->ranks, frame->count))
		finding_add(&frame->findings, "not-at-once", FINDING_NOTE, "", NULL,
			"there was no moment at which all ranks ran");
}

static json_t *ranks_json(const struct frame *frame)
{
	json_t *ranks = json_array();
	size_t i;

	for (i = 0; i < frame->count; i++) {
		json_t *rank = rank_json(&frame->ranks[i], &frame->run->open.node);

		json_object_set_new(
			rank, "attempt", state_attempt_json(frame->run, &frame->attempts[i]));
		json_array_append_new(ranks, rank);
	}
	return ranks;
}

/* --- the merged picture ----------------------------------------------------------------------- */

/* The pixels stay the attempts'. */
static struct image *images_of(const struct frame *frame)
{
	struct image *images = xcalloc(frame->count, sizeof(*images));
	size_t i;

	for (i = 0; i < frame->count; i++)
		if (frame->attempts[i].image_read)
			images[i] = frame->attempts[i].image;
	return images;
}

/* Says which files and which GCD. */
static void complete_merged(const struct frame *frame, const char *path, json_t *merged)
{
	json_t *whole = json_object_get(merged, "whole");

	json_object_set_new(
		merged, "file", json_printable_text(path + strlen(frame->run->out) + 1));
	json_object_set_new(whole, "attempt", json_integer((json_int_t)frame->whole->number));
	json_object_set_new(whole, "bdf", json_string(frame->whole->gpu->bdf));
}

static int merge_and_judge(struct frame *frame, struct error *err)
{
	char *path = path_join(frame->folder, "merged.exr");
	char *whole = path_join(frame->whole->folder, "image.exr");
	struct image *images = images_of(frame);
	const struct frame_parts parts = { .ranks = frame->ranks,
		.images = images,
		.count = frame->count,
		.total = frame->attempts[0].range.total,
		.references = &frame->scene->references,
		.whole = whole };
	json_t *merged = frame_merge(&parts, path, &frame->findings, err);

	if (json_is_object(merged))
		complete_merged(frame, path, merged);
	json_object_set_new(frame->json, "merged", merged);
	free(images);
	free(whole);
	free(path);
	return merged ? 0 : -1;
}

/* --- one frame -------------------------------------------------------------------------------- */

static int distribute_frame(struct frame *frame, struct error *err)
{
	int rc = folder_make(frame->folder, err);

	if (rc != 0)
		return -1;
	plan(frame);
	rc = render(frame, err);
	if (rc != 0)
		return -1;
	judge_ranks(frame);
	rc = merge_and_judge(frame, err);
	json_object_set_new(frame->json, "ranks", ranks_json(frame));
	json_object_set_new(frame->json, "at_once",
		json_boolean(rank_map_overlaps(frame->ranks, frame->count)));
	json_object_set_new(frame->json, "outcome", json_string(frame_outcome(&frame->findings)));
	json_object_set_new(frame->json, "why", frame_why_json(&frame->findings));
	json_object_set_new(frame->json, "findings", finding_list_json(&frame->findings));
	return rc;
}

static void leave_out(struct frame *frame, const char *why)
{
	json_object_set_new(frame->json, "merged", json_null());
	json_object_set_new(frame->json, "ranks", json_array());
	json_object_set_new(frame->json, "at_once", json_false());
	json_object_set_new(frame->json, "outcome", json_string("not-run"));
	json_object_set_new(frame->json, "why", json_printable_text(why));
	json_object_set_new(frame->json, "findings", json_array());
}

static void release_frame(struct frame *frame)
{
	size_t i;

	for (i = 0; frame->attempts && i < frame->count; i++)
		attempt_release(&frame->attempts[i]);
	finding_list_release(&frame->findings);
	json_decref(frame->json);
	free(frame->attempts);
	free(frame->ranks);
	free(frame->gpus);
	free(frame->folder);
}

static int distribute_scene(struct qualify *run, const struct render_scene *scene,
	const struct module_list *modules, json_t *cases, struct error *err)
{
	struct frame frame = { .run = run, .scene = scene, .modules = modules };
	char *place = xasprintf("distributed/%s", scene->spec.name);
	const char *why;
	int rc = 0;

	frame.folder = path_join(run->out, place);
	frame.json = json_pack("{s:s, s:i, s:i}", "scene", scene->spec.name, "samples",
		scene->spec.settings.samples, "seed", scene->spec.settings.seed);
	choose_gpus(&frame);
	why = why_not(&frame);
	if (why)
		leave_out(&frame, why);
	else
		rc = distribute_frame(&frame, err);
	if (rc == 0)
		json_array_append(cases, frame.json);
	release_frame(&frame);
	free(place);
	return rc;
}

/* --- all -------------------------------------------------------------------------------------- */

const char *qualify_distributed_outcome(const json_t *distributed)
{
	static const char *const order[] = { "accepted", "not-run", "inconclusive", "failed" };
	const json_t *one;
	size_t worst = 0, ran = 0, i, j;

	json_array_foreach (json_object_get(distributed, "cases"), i, one)
		for (j = 0; j < sizeof(order) / sizeof(order[0]); j++)
			if (strcmp(json_text(one, "outcome", ""), order[j]) == 0) {
				ran += j != 1;
				/* A scene that cannot be distributed does not spoil the others. */
				if (j > worst && j != 1)
					worst = j;
			}
	return ran ? order[worst] : order[1];
}

/* Apart from rendering: no rank needs it, and it decides nothing about any. */
static void test_transport(struct qualify *run, const struct module_list *modules)
{
	struct peers_request request = { .open = &run->open,
		.gpus = run->gpus,
		.count = run->gpu_count,
		.modules = modules,
		.work = run->out,
		.hip_library = run->request->hip_library };

	run->transport = node_transport(&request);
}

int qualify_distribute(struct qualify *run, struct error *err)
{
	json_t *distributed = json_pack("{s:s}", "source", node_class(&run->open.node));
	json_t *cases = json_array();
	struct survey survey;
	size_t i;
	int rc = 0;

	survey_take(&run->open.node, &survey);
	for (i = 0; rc == 0 && i < run->scene_count; i++)
		rc = distribute_scene(run, &run->scenes[i], &survey.modules, cases, err);
	if (rc == 0 && !stop_is_asked())
		test_transport(run, &survey.modules);
	survey_release(&survey);
	json_object_set_new(distributed, "cases", cases);
	json_object_set_new(
		distributed, "outcome", json_string(qualify_distributed_outcome(distributed)));
	if (rc == 0)
		run->distributed = distributed;
	else
		json_decref(distributed);
	return rc;
}
