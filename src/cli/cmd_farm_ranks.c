/* SPDX-License-Identifier: Apache-2.0 */
/* A node's own ranks of a frame over several nodes: renders each scene's share on each GCD that the
 * plan names here, all of a scene at once, and writes ranks.json beside their evidence. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "blender/pool.h"
#include "cli/commands.h"
#include "cli/qualify.h"
#include "cli/qualify_state.h"
#include "cli/version.h"
#include "distributed/rank.h"
#include "farm/frame_plan.h"
#include "node/survey.h"
#include "record/record.h"
#include "run/stop.h"

static const struct option_row rows[] = {
	{ "plan", 0, "FILE", "the plan of the frame" },
	{ "plan-sha256", 0, "HEX", "its digest" },
	{ "node-name", 0, "NAME", "the node's name in it" },
	{ NULL, 0, NULL, NULL },
};

struct share {
	const char *node, *sha256;
	const json_t *plan;
	struct qualify *run;
	struct survey survey;
	json_t *ranks; /* of ranks.json */
};

/* --- one scene -------------------------------------------------------------------------------- */

static const struct render_scene *find_scene(const struct qualify *run, const char *name)
{
	size_t i;

	for (i = 0; i < run->scene_count; i++)
		if (strcmp(run->scenes[i].spec.name, name) == 0)
			return &run->scenes[i];
	return NULL;
}

static const struct gpu *find_gpu(const struct qualify *run, const char *bdf)
{
	size_t i;

	for (i = 0; i < run->gpu_count; i++)
		if (strcmp(run->gpus[i]->bdf, bdf) == 0)
			return run->gpus[i];
	return NULL;
}

static void lose(
	struct share *share, const char *scene, const struct plan_rank *rank, const char *why)
{
	json_array_append_new(share->ranks, json_pack("{s:s, s:i, s:s}", "scene", scene, "rank",
						    (int)rank->number, "lost", why));
}

/* Plans what can be rendered here; the rest is lost with its reason. The number of attempts. */
static size_t plan_attempts(struct share *share, const char *name, unsigned total,
	const struct plan_rank *ranks, size_t count, struct attempt *attempts)
{
	const struct qualify *run = share->run;
	const struct render_scene *scene = find_scene(run, name);
	char *place = xasprintf("ranks/%s", name), *folder = path_join(run->out, place);
	size_t i, planned = 0;

	for (i = 0; i < count; i++) {
		const struct gpu *gpu = find_gpu(run, ranks[i].bdf);
		struct attempt *attempt = &attempts[planned];

		if (!scene || (unsigned)scene->spec.settings.samples != total) {
			lose(share, name, &ranks[i],
				"the node has no scene of that name and number of samples");
		} else if (!gpu) {
			lose(share, name, &ranks[i],
				"the node no longer has this GCD, or Slurm did not give it to the "
				"job");
		} else {
			attempt_plan(attempt, &run->context, scene, gpu, PROBE_RANK,
				ranks[i].number, folder);
			attempt->together = true;
			attempt->range = (struct sample_range){
				.first = ranks[i].first, .count = ranks[i].count, .total = total
			};
			planned++;
		}
	}
	free(folder);
	free(place);
	return planned;
}

/* What only this node can say; the rest is read again from the files where the parts are merged. */
static void keep(struct share *share, const struct attempt *attempt)
{
	struct rank rank;
	json_t *json;

	rank_read(attempt, &share->survey.modules, &rank);
	str_copy(rank.node, sizeof(rank.node), share->node);
	json = json_pack("{s:s, s:i, s:n, s:o, s:o}", "scene", attempt->scene->spec.name, "rank",
		(int)rank.number, "lost", "line", rank_json(&rank, &share->run->open.node),
		"attempt", state_attempt_json(share->run, attempt));
	json_object_set_new(json, "pid_inside",
		rank.pid.known ? json_integer((json_int_t)rank.pid.value) : json_null());
	json_object_set_new(json, "kfd_gpu_id",
		rank.kfd_gpu_id.known ? json_integer((json_int_t)rank.kfd_gpu_id.value)
				      : json_null());
	json_array_append_new(share->ranks, json);
}

static int make_folder(const struct share *share, const char *name, struct error *err)
{
	char *place = xasprintf("ranks/%s", name), *folder = path_join(share->run->out, place);
	int rc = folder_make(folder, err);

	free(folder);
	free(place);
	return rc;
}

static int render(struct share *share, struct attempt *attempts, size_t count, struct error *err)
{
	struct pool pool = {
		.attempts = attempts, .count = count, .jobs = count, .stop = stop_flag()
	};
	int rc = count ? pool_run(&pool, err) : 0;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!attempts[i].judged)
			attempt_not_run(&attempts[i], "the run was interrupted before its turn");
		if (rc == 0)
			keep(share, &attempts[i]);
	}
	return rc;
}

static int render_case(struct share *share, const json_t *one, struct error *err)
{
	const char *scene = json_text(one, "scene", "");
	unsigned total;
	struct plan_rank *ranks;
	struct attempt *attempts;
	size_t count = plan_ranks(one, share->node, &total, &ranks), planned, i;
	int rc = 0;

	if (count) {
		attempts = xcalloc(count, sizeof(*attempts));
		planned = plan_attempts(share, scene, total, ranks, count, attempts);
		rc = make_folder(share, scene, err);
		if (rc == 0)
			rc = render(share, attempts, planned, err);
		for (i = 0; i < planned; i++)
			attempt_release(&attempts[i]);
		free(attempts);
	}
	free(ranks);
	return rc;
}

/* --- all -------------------------------------------------------------------------------------- */

static json_t *tool_json(void)
{
	char *program = program_path(), hex[65];
	json_t *digest =
		digest_file(program, hex, NULL, NULL) == 0 ? json_string(hex) : json_null();

	free(program);
	return json_pack("{s:s, s:o}", "commit", version_commit, "sha256", digest);
}

/* What the record of the node holds already, or what nobody needs once the ranks ended. */
static void drop_copies(const struct qualify *run)
{
	static const char *const names[] = { "scenes", "cache", "node", "attempts", "references" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = path_join(run->out, names[i]);

		folder_remove(path, NULL);
		free(path);
	}
}

static int write_word(struct share *share, struct error *err)
{
	const struct qualify *run = share->run;
	char *path = path_join(run->out, "ranks.json");
	json_t *files, *word;
	int rc = -1;

	drop_copies(run);
	files = record_files(run->out, err);
	if (files) {
		word = json_pack("{s:s, s:s, s:s, s:s, s:o, s:{s:s, s:s}, s:O, s:o}", "schema",
			frame_ranks_schema, "node", share->node, "plan_sha256", share->sha256,
			"source", node_class(&run->open.node), "tool", tool_json(), "blender",
			"version", run->blender.version, "sha256", run->blender.sha256, "ranks",
			share->ranks, "files", files);
		rc = json_write(path, word, err);
		json_decref(word);
	}
	free(path);
	return rc;
}

static int render_all(struct share *share, struct error *err)
{
	const json_t *one;
	size_t i;
	int rc = qualify_prepare_judging(share->run, err);

	if (rc != 0)
		return -1;
	share->ranks = json_array();
	survey_take(&share->run->open.node, &share->survey);
	json_array_foreach (json_object_get(share->plan, "cases"), i, one)
		if (rc == 0)
			rc = render_case(share, one, err);
	if (rc == 0 && stop_is_asked())
		rc = error_set(err, "interrupted");
	if (rc == 0)
		rc = write_word(share, err);
	survey_release(&share->survey);
	json_decref(share->ranks);
	return rc;
}

static int render_share(const struct qualify_request *request, void *data)
{
	struct share *share = data;
	struct qualify run;
	struct error err;
	int rc;

	stop_catch(STOP_AGAIN_ENDS);
	children_adopt_orphans();
	image_load_ahead();
	rc = qualify_prepare(request, &run, &err);
	if (rc == 0) {
		share->run = &run;
		rc = render_all(share, &err);
		qualify_release(&run);
	}
	children_end_orphans();
	image_load_wait();
	return rc == 0 ? STATUS_ACCEPTED : cli_fail(&err);
}

static int run_farm_ranks(const struct options *options)
{
	const char *path = options_text(options, "plan");
	struct share share = { .node = options_text(options, "node-name"),
		.sha256 = options_text(options, "plan-sha256") };
	char **words;
	struct error err;
	json_t *plan;
	int status;

	if (!path || !share.node || !share.sha256) {
		error_set(&err, "is run by the job of 'oamqual farm'");
		return cli_usage(options, &err);
	}
	plan = frame_plan_read(path, share.sha256, &err);
	if (!plan)
		return cli_fail(&err);
	share.plan = plan;
	words = xcalloc(options_operand_count(options) + 1, sizeof(*words));
	memcpy(words, options_operands(options), options_operand_count(options) * sizeof(*words));
	status = qualify_with(words, render_share, &share);
	free(words);
	json_decref(plan);
	return status;
}

const struct command command_farm_ranks = {
	.name = "farm-ranks",
	.operands = "qualify WORD...",
	.operands_min = 1,
	.operands_max = 1024,
	.summary = "a node's ranks of a frame over several nodes",
	.about = "",
	.rows = rows,
	.run = run_farm_ranks,
	.hidden = true,
};
