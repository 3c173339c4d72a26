/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/farm_frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/data.h"
#include "cli/farm_frame_judge.h"
#include "cli/qualify_distributed.h"
#include "distributed/rank.h"
#include "farm/frame_plan.h"
#include "farm/layout.h"
#include "record/parts.h"

bool farm_frame_is_asked(const struct farm_run *run)
{
	const json_t *word;
	size_t i;

	json_array_foreach (json_object_get(run->manifest, "qualify"), i, word)
		if (json_is_string(word) && strcmp(json_string_value(word), "--distributed") == 0)
			return true;
	return false;
}

/* --- farm.json -------------------------------------------------------------------------------- */

/* Each node in the order that was asked; one without a record has nothing to say. */
static json_t *nodes_json(const struct farm_run *run)
{
	json_t *nodes = json_array();
	size_t i;

	for (i = 0; i < run->count; i++) {
		const struct farm_member *node = &run->nodes[i];
		const json_t *own = node->outcome == FARM_QUALIFIED ? node->distributed : NULL;
		json_t *cases = json_object_get(own, "cases");

		json_array_append_new(
			nodes, json_pack("{s:s, s:s, s:o}", "node", node->name, "outcome",
				       json_text(own, "outcome", "not-run"), "cases",
				       cases ? json_incref(cases) : json_array()));
	}
	return nodes;
}

/* --- the plan --------------------------------------------------------------------------------- */

struct planning {
	struct farm_run *run;
	const struct farm_member **nodes; /* with a record, by name */
	json_t **records; /* of these, record_for_frame; NULL: no longer there */
	size_t count;
	const json_t **of_jobs; /* the records of the nodes that take part; borrowed */
	json_t *plan;
	json_t *left_out; /* cases that are not run: as they stand in farm.json */
};

static int compare_names(const void *a, const void *b)
{
	return strcmp((*(const struct farm_member *const *)a)->name,
		(*(const struct farm_member *const *)b)->name);
}

static void read_records(struct planning *planning)
{
	const struct farm_run *run = planning->run;
	struct str room = STR_INIT;
	size_t i, count = 0;

	planning->nodes = xcalloc(run->count + 1, sizeof(*planning->nodes));
	planning->records = xcalloc(run->count + 1, sizeof(*planning->records));
	for (i = 0; i < run->count; i++)
		if (run->nodes[i].outcome == FARM_QUALIFIED)
			planning->nodes[count++] = &run->nodes[i];
	qsort(planning->nodes, count, sizeof(*planning->nodes), compare_names);
	planning->count = count;
	for (i = 0; i < count; i++) {
		char *folder = layout_path(run->folder, "nodes", planning->nodes[i]->name, "");

		planning->records[i] = record_read_parts(folder, record_for_frame, &room, NULL);
		free(folder);
	}
	str_release(&room);
}

/* The k-th GCD of the record that rendered the scene rightly alone, or NULL; *count how many. */
static const char *gcd_of(const json_t *record, const json_t *scene, size_t k, size_t *count)
{
	const char *name = json_text(scene, "name", ""), *found = NULL;
	const json_t *own = frame_scene(record, name), *gcd;
	size_t i;

	*count = 0;
	/* The same manifest gives the same scene; one that differs is no part of this frame. */
	if (!own ||
		strcmp(json_text(own, "tree_sha256", ""), json_text(scene, "tree_sha256", "?")) !=
			0 ||
		!json_equal(json_object_get(own, "settings"), json_object_get(scene, "settings")))
		return NULL;
	json_array_foreach (json_object_get(record, "gcds"), i, gcd) {
		const char *bdf = json_text(gcd, "bdf", "");

		if (!bdf[0] || !frame_accepted_alone(record, name, bdf))
			continue;
		if ((*count)++ == k)
			found = bdf;
	}
	return found;
}

static json_t *ranks_of(const struct planning *planning, const json_t *scene, const size_t *taken,
	size_t total, unsigned samples)
{
	json_t *ranks = json_array();
	size_t i, k, count, number = 0;

	for (i = 0; i < planning->count; i++)
		for (k = 0; k < taken[i]; k++, number++) {
			struct sample_range range =
				rank_range(samples, (unsigned)total, (unsigned)number);

			json_array_append_new(ranks,
				json_pack("{s:i, s:s, s:s, s:i, s:i}", "rank", (int)number, "node",
					planning->nodes[i]->name, "bdf",
					gcd_of(planning->records[i], scene, k, &count), "first",
					(int)range.first, "count", (int)range.count));
		}
	return ranks;
}

static void leave_out(
	struct planning *planning, const char *name, int samples, int seed, const char *why)
{
	json_array_append_new(planning->left_out,
		json_pack("{s:o, s:i, s:i, s:s, s:o, s:[], s:n, s:[]}", "scene",
			json_printable_text(name), "samples", samples, "seed", seed, "outcome",
			"not-run", "why", json_printable_text(why), "ranks", "merged", "findings"));
}

static void plan_scene(struct planning *planning, const json_t *scene)
{
	const json_t *settings = json_object_get(scene, "settings");
	const char *name = json_text(scene, "name", ""), *why = json_text(scene, "skipped", NULL);
	int samples = (int)json_integer_of(settings, "samples", 1),
	    seed = (int)json_integer_of(settings, "seed", 0);
	size_t *available = xcalloc(planning->count, sizeof(*available)),
	       *taken = xcalloc(planning->count, sizeof(*taken)), total, with = 0, i;

	for (i = 0; i < planning->count; i++)
		gcd_of(planning->records[i], scene, 0, &available[i]);
	total = plan_take(available, planning->count, (size_t)(samples > 0 ? samples : 0), taken);
	for (i = 0; i < planning->count; i++)
		with += taken[i] > 0;
	if (!why && json_is_true(json_object_get(settings, "denoising")))
		why = "the scene asks for denoising, which is done to a whole picture and not to "
		      "shares of one";
	if (!why && with < 2)
		why = "GCDs of fewer than two nodes rendered the scene rightly alone, or it has "
		      "one "
		      "sample";
	if (!why && layout_check_name("the scene", name, NULL) != 0)
		why = "its name cannot be a file's";
	if (why)
		leave_out(planning, name, samples, seed, why);
	else
		json_array_append_new(json_object_get(planning->plan, "cases"),
			json_pack("{s:s, s:i, s:i, s:o}", "scene", name, "samples", samples, "seed",
				seed, "ranks",
				ranks_of(planning, scene, taken, total, (unsigned)samples)));
	free(available);
	free(taken);
}

static void make_plan(struct planning *planning)
{
	const json_t *scene;
	size_t i;

	planning->left_out = json_array();
	planning->plan = json_pack("{s:s, s:s, s:[]}", "schema", frame_plan_schema,
		"manifest_sha256", planning->run->manifest_sha256, "cases");
	read_records(planning);
	if (planning->count)
		json_array_foreach (json_object_get(planning->records[0], "scenes"), i, scene)
			plan_scene(planning, scene);
}

static void planning_release(struct planning *planning)
{
	size_t i;

	for (i = 0; i < planning->count; i++)
		json_decref(planning->records[i]);
	free(planning->records);
	free(planning->of_jobs);
	free(planning->nodes);
	json_decref(planning->plan);
	json_decref(planning->left_out);
}

/* --- the jobs --------------------------------------------------------------------------------- */

/* The script of the run, with the plan that its nodes are to render. */
static int write_script(
	const struct farm_run *run, const char *folder, const char *sha256, struct error *err)
{
	char *from = path_join(run->folder, "job.sh"), *to = path_join(folder, "job.sh");
	struct str text = STR_INIT;
	int rc = file_read(from, 1 << 20, &text, err);

	if (rc == 0) {
		while (text.len && text.data[text.len - 1] == '\n')
			str_truncate(&text, text.len - 1);
		str_addf(&text, " --plan-sha256='%s'\n", sha256);
		rc = file_write(to, text.data, text.len, err);
	}
	str_release(&text);
	free(from);
	free(to);
	return rc;
}

static bool takes_part(const json_t *plan, const char *node)
{
	const json_t *one;
	struct plan_rank *ranks;
	unsigned total;
	size_t i, count = 0;

	json_array_foreach (json_object_get(plan, "cases"), i, one) {
		count += plan_ranks(one, node, &total, &ranks);
		free(ranks);
	}
	return count > 0;
}

/* A job for each node that takes part. */
static struct farm_run *make_jobs(struct planning *planning, const char *folder, const char *sha256)
{
	const struct farm_run *run = planning->run;
	struct farm_run *jobs = xcalloc(1, sizeof(*jobs));
	size_t i;

	jobs->slurm = run->slurm;
	jobs->folder = xstrdup(folder);
	jobs->manifest = run->manifest;
	jobs->job_name = run->job_name;
	jobs->poll_s = run->poll_s;
	jobs->quiet = run->quiet;
	jobs->nodes = xcalloc(planning->count + 1, sizeof(*jobs->nodes));
	planning->of_jobs = xcalloc(planning->count + 1, sizeof(*planning->of_jobs));
	for (i = 0; i < planning->count; i++) {
		struct farm_member *node = &jobs->nodes[jobs->count];

		if (!takes_part(planning->plan, planning->nodes[i]->name))
			continue;
		planning->of_jobs[jobs->count++] = planning->records[i];
		node->name = xstrdup(planning->nodes[i]->name);
		node->partition = xstrdup(planning->nodes[i]->partition);
		node->gpus = planning->nodes[i]->gpus;
		node->plan_sha256 = xstrdup(sha256);
	}
	return jobs;
}

/* What is shared with the run stays the run's. */
void farm_frame_free(struct farm_run *frame)
{
	if (!frame)
		return;
	farm_nodes_free(frame->nodes, frame->count);
	free(frame->folder);
	free(frame);
}

static int render(struct planning *planning, struct error *err)
{
	struct farm_run *run = planning->run;
	char *folder = path_join(run->folder, "frame"), *path = path_join(folder, "plan.json"),
	     hex[65];
	int rc = folder_make(folder, err);

	if (rc == 0)
		rc = layout_make(folder, err);
	if (rc == 0)
		rc = json_write(path, planning->plan, err);
	if (rc == 0)
		rc = digest_file(path, hex, NULL, err);
	if (rc == 0)
		rc = write_script(run, folder, hex, err);
	if (rc == 0) {
		run->frame = make_jobs(planning, folder, hex);
		rc = farm_follow_nodes(run->frame, err);
	}
	free(path);
	free(folder);
	return rc;
}

/* --- what comes of it ------------------------------------------------------------------------- */

/* The folder that the nodes were given, or the program's own. */
static char *expected_folder(const struct farm_run *run)
{
	static const char option[] = "--expected=";
	const json_t *word;
	size_t i;

	json_array_foreach (json_object_get(run->manifest, "qualify"), i, word)
		if (json_is_string(word) && str_starts(json_string_value(word), option))
			return xstrdup(json_string_value(word) + strlen(option));
	return data_expected(NULL);
}

static void judge(struct planning *planning, json_t *cases)
{
	char *expected = expected_folder(planning->run);
	const struct frame_view view = { .run = planning->run->folder,
		.jobs = planning->run->frame,
		.records = planning->of_jobs,
		.expected = expected };
	const json_t *one;
	size_t i;

	json_array_foreach (json_object_get(planning->plan, "cases"), i, one)
		json_array_append_new(cases, frame_judge(&view, one));
	free(expected);
}

/* All planned cases were not run, for the same reason. */
static void leave_all_out(struct planning *planning, const char *why)
{
	const json_t *one;
	size_t i;

	json_array_foreach (json_object_get(planning->plan, "cases"), i, one)
		leave_out(planning, json_text(one, "scene", "?"),
			(int)json_integer_of(one, "samples", 1),
			(int)json_integer_of(one, "seed", 0), why);
}

static void run_plan(struct planning *planning, json_t *cases)
{
	struct error err;

	if (!json_array_size(json_object_get(planning->plan, "cases")))
		return;
	if (planning->run->left)
		leave_all_out(planning, "the farm run was left before its turn");
	else if (render(planning, &err) != 0)
		leave_all_out(planning, err.text);
	else if (planning->run->frame->left)
		leave_all_out(planning, "the farm run was left while its ranks were rendered");
	else
		judge(planning, cases);
}

json_t *farm_frame(struct farm_run *run)
{
	struct planning planning = { .run = run };
	json_t *json, *cases;

	if (!farm_frame_is_asked(run))
		return NULL;
	cases = json_array();
	make_plan(&planning);
	run_plan(&planning, cases);
	json_array_extend(cases, planning.left_out);
	planning_release(&planning);
	json = json_pack("{s:o, s:o}", "nodes", nodes_json(run), "cases", cases);
	json_object_set_new(json, "outcome", json_string(qualify_distributed_outcome(json)));
	return json;
}

static int status_of(const char *outcome)
{
	if (strcmp(outcome, "accepted") == 0)
		return STATUS_ACCEPTED;
	return strcmp(outcome, "failed") == 0 ? STATUS_NOT_ACCEPTED : STATUS_CANNOT_JUDGE;
}

/* A node with one GCD has no frame of its own: that is no failing of the farm's. */
int farm_frame_status(const json_t *distributed)
{
	const json_t *node;
	int worst, status;
	size_t i;

	if (!distributed)
		return STATUS_ACCEPTED;
	worst = status_of(json_text(distributed, "outcome", ""));
	json_array_foreach (json_object_get(distributed, "nodes"), i, node) {
		const char *outcome = json_text(node, "outcome", "");

		status = strcmp(outcome, "not-run") == 0 ? STATUS_ACCEPTED : status_of(outcome);
		worst = status > worst ? status : worst;
	}
	return worst;
}
