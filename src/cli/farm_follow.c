/* SPDX-License-Identifier: Apache-2.0 */
/* Submits what is missing and follows it until every node has an outcome, or until it is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "cli/farm.h"
#include "cli/farm_frame.h"
#include "cli/version.h"
#include "farm/layout.h"
#include "farm/script.h"
#include "report/farm.h"
#include "run/stop.h"

/* A shared folder may show a file some seconds after another machine wrote it: NFS keeps
 * attributes for up to a minute by default, and asks anew when it opens. */
enum { LATE_MS = 20000, SILENT_MOST = 60, LIST_MOST = 100000, STEP_MS = 100, JOB_BYTES = 1 << 20 };

/* --- what Slurm says -------------------------------------------------------------------------- */

static int compare_nodes(const void *a, const void *b)
{
	return strcmp(((const struct slurm_node *)a)->name, ((const struct slurm_node *)b)->name);
}

static int compare_jobs(const void *a, const void *b)
{
	return strcmp(((const struct slurm_job *)a)->id, ((const struct slurm_job *)b)->id);
}

/* The unsettled ones as a list of Slurm; NULL when that is too long for a command line. */
static char *unsettled_names(const struct farm_run *run)
{
	struct str names = STR_INIT;
	size_t i;

	for (i = 0; i < run->count && names.len < LIST_MOST; i++)
		if (!run->nodes[i].settled)
			str_addf(&names, "%s%s", names.len ? "," : "", run->nodes[i].name);
	if (names.len < LIST_MOST)
		return str_detach(&names);
	str_release(&names);
	return NULL;
}

static int look_at_nodes(struct farm_run *run, struct error *err)
{
	char *names = unsettled_names(run);
	struct slurm_node *seen = NULL, key, *found;
	long count = slurm_nodes(&run->slurm, names, NULL, &seen, err);
	size_t i;

	free(names);
	if (count < 0)
		return -1;
	if (count)
		qsort(seen, (size_t)count, sizeof(*seen), compare_nodes);
	for (i = 0; i < run->count; i++) {
		struct farm_member *node = &run->nodes[i];

		if (node->settled)
			continue;
		str_copy(key.name, sizeof(key.name), node->name);
		found = count ? bsearch(&key, seen, (size_t)count, sizeof(*seen), compare_nodes)
			      : NULL;
		if (found)
			node->seen = *found;
		else
			memset(&node->seen, 0, sizeof(node->seen));
	}
	free(seen);
	return 0;
}

static void enter_job(struct farm_member *node, const struct slurm_job *found)
{
	struct slurm_job *job = &node->facts.job;

	job->state = found->state;
	memcpy(job->word, found->word, sizeof(job->word));
	memcpy(job->node, found->node, sizeof(job->node));
	memcpy(job->reason, found->reason, sizeof(job->reason));
}

/* A job that squeue no longer lists has ended, or was forgotten. */
static void ask_ending(struct farm_run *run, struct farm_member *node)
{
	struct slurm_job *job = &node->facts.job, ended;

	if (slurm_job_read(&run->slurm, job->id, &ended, NULL) == 0) {
		*job = ended;
	} else if (!slurm_job_ended(job->state)) {
		job->state = SLURM_JOB_UNKNOWN;
		job->word[0] = '\0';
	}
}

static int look_at_jobs(struct farm_run *run, struct error *err)
{
	struct slurm_job *jobs = NULL, key, *found;
	long count = slurm_jobs_named(&run->slurm, run->job_name, &jobs, err);
	size_t i;

	if (count < 0)
		return -1;
	if (count)
		qsort(jobs, (size_t)count, sizeof(*jobs), compare_jobs);
	for (i = 0; i < run->count; i++) {
		struct farm_member *node = &run->nodes[i];

		if (node->settled || !node->facts.job.id[0])
			continue;
		memcpy(key.id, node->facts.job.id, sizeof(key.id));
		found = count ? bsearch(&key, jobs, (size_t)count, sizeof(*jobs), compare_jobs)
			      : NULL;
		if (found)
			enter_job(node, found);
		if (!found || slurm_job_ended(found->state))
			ask_ending(run, node);
	}
	free(jobs);
	return 0;
}

static int look(struct farm_run *run, struct error *err)
{
	return look_at_nodes(run, err) == 0 ? look_at_jobs(run, err) : -1;
}

/* --- submitting ------------------------------------------------------------------------------- */

static void say_not_submitted(struct farm_member *node, const char *why)
{
	free(node->submit_why);
	node->submit_why = xstrdup(why);
	node->facts.submit_why = node->submit_why;
	node->facts.submitted = false;
	node->settled = true;
}

static json_t *words_json(char *const *words)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; words[i]; i++)
		json_array_append_new(array, json_printable_text(words[i]));
	return array;
}

/* A job whose id cannot be kept would run unfollowed, so it is taken back. */
static void keep_job(struct farm_run *run, struct farm_member *node, char *const *words)
{
	char *path = layout_path(run->folder, "jobs", node->name, ".json"), now[21];
	struct error err;
	json_t *json;

	clock_utc(now);
	json = json_pack("{s:s, s:s, s:s, s:s, s:o}", "schema", "oamqual-farm-job/1", "node",
		node->name, "id", node->facts.job.id, "submitted", now, "command",
		words_json(words));
	if (json_write(path, json, &err) == 0) {
		node->facts.submitted = true;
	} else {
		slurm_job_cancel(&run->slurm, node->facts.job.id, NULL);
		error_prefix(&err, "job %s was cancelled at once, since it cannot be kept",
			node->facts.job.id);
		memset(&node->facts.job, 0, sizeof(node->facts.job));
		say_not_submitted(node, err.text);
	}
	json_decref(json);
	free(path);
}

static void submit(struct farm_run *run, struct farm_member *node)
{
	char *job = path_join(run->folder, "job.sh");
	char **words =
		farm_submit_words(run->slurm.sbatch, job, node->name, node->partition, node->gpus);
	struct str out = STR_INIT;
	struct error err;

	memset(&node->facts.job, 0, sizeof(node->facts.job));
	if (slurm_run(&run->slurm, words, &out, &err) != 0 ||
		slurm_sbatch_parse(out.data ? out.data : "", node->facts.job.id, &err) != 0) {
		say_not_submitted(node, err.text);
	} else {
		node->facts.job.state = SLURM_JOB_PENDING;
		str_copy(node->facts.job.word, sizeof(node->facts.job.word), "PENDING");
		keep_job(run, node, words);
	}
	str_release(&out);
	farm_words_free(words);
	free(job);
}

/* A record that cannot be used would be in the way of the next one. */
static int retire_record(
	const struct farm_run *run, const struct farm_member *node, struct error *err)
{
	char *from = layout_path(run->folder, "nodes", node->name, "");
	char *to = xasprintf("%s/earlier/%s-%s.node", run->folder, node->name,
		node->facts.job.id[0] ? node->facts.job.id : "0");
	int rc = 0;

	if (file_exists(from) && rename(from, to) != 0)
		rc = error_errno(err, "%s", from);
	free(from);
	free(to);
	return rc;
}

/* Once more: what the earlier job left is kept beside it. */
static void submit_again(struct farm_run *run, struct farm_member *node)
{
	struct error err;

	if (retire_record(run, node, &err) != 0 ||
		(node->facts.job.id[0] &&
			layout_retire(run->folder, node->name, node->facts.job.id, &err) != 0)) {
		say_not_submitted(node, err.text);
		return;
	}
	node->facts.record_there = false;
	node->facts.mismatch = false;
	submit(run, node);
}

static bool can_take_job(const struct farm_member *node)
{
	return node->seen.state == SLURM_NODE_USABLE;
}

/* The id of a job of an earlier session; "" none. */
static void read_job(const struct farm_run *run, struct farm_member *node)
{
	char *path = layout_path(run->folder, "jobs", node->name, ".json");
	json_t *json = file_exists(path) ? json_read(path, JOB_BYTES, NULL) : NULL;
	const char *id = json_text(json, "id", "");

	if (id[0] && strlen(id) < SLURM_ID && strspn(id, "0123456789") == strlen(id)) {
		str_copy(node->facts.job.id, sizeof(node->facts.job.id), id);
		node->facts.submitted = true;
	}
	json_decref(json);
	free(path);
}

/* Followed on when it still waits or runs; a node without a usable record is tried again. */
static void begin_node(struct farm_run *run, struct farm_member *node)
{
	bool follows = node->facts.submitted && node->facts.job.word[0] &&
		       !slurm_job_ended(node->facts.job.state);

	if (node->settled || follows)
		return;
	if (can_take_job(node))
		submit_again(run, node);
	else
		node->settled = true;
	farm_collect(run->folder, run->manifest, node);
}

static int begin(struct farm_run *run, struct error *err)
{
	size_t i;

	for (i = 0; i < run->count; i++) {
		struct farm_member *node = &run->nodes[i];

		read_job(run, node);
		farm_collect(run->folder, run->manifest, node);
		node->had_record = node->outcome == FARM_QUALIFIED;
		node->settled = node->had_record;
	}
	if (look(run, err) != 0)
		return error_prefix(err, "Slurm does not answer");
	for (i = 0; i < run->count && !stop_is_asked(); i++) {
		begin_node(run, &run->nodes[i]);
		farm_table_show(run, false);
	}
	return 0;
}

/* --- following -------------------------------------------------------------------------------- */

/* It would wait for as long as its node is out of service. */
static void give_up(struct farm_run *run, struct farm_member *node)
{
	if (slurm_job_cancel(&run->slurm, node->facts.job.id, NULL) != 0)
		return;
	node->facts.given_up = true;
	node->facts.job.state = SLURM_JOB_CANCELLED;
	str_copy(node->facts.job.word, sizeof(node->facts.job.word), "CANCELLED");
	farm_collect(run->folder, run->manifest, node);
	node->settled = true;
}

/* The job says that it delivered: its record may still be on its way through the file system. */
static bool is_late(struct farm_member *node, int64_t now_ms)
{
	const struct slurm_job *job = &node->facts.job;

	if (node->outcome != FARM_NO_RECORD || job->state != SLURM_JOB_COMPLETED)
		return false;
	if (!node->ended_ms)
		node->ended_ms = now_ms;
	return now_ms - node->ended_ms < LATE_MS;
}

static void step_node(struct farm_run *run, struct farm_member *node)
{
	enum slurm_job_state state = node->facts.job.state;
	bool ended = slurm_job_ended(state) || !node->facts.job.word[0];

	if (ended) {
		farm_collect(run->folder, run->manifest, node);
		node->settled = !is_late(node, clock_monotonic_ms());
	} else if (state == SLURM_JOB_PENDING && node->seen.state != SLURM_NODE_USABLE &&
		   node->seen.state != SLURM_NODE_UNKNOWN) {
		give_up(run, node);
	} else {
		farm_settle(node);
	}
}

static size_t step(struct farm_run *run)
{
	size_t open = 0, i;

	for (i = 0; i < run->count; i++) {
		if (!run->nodes[i].settled)
			step_node(run, &run->nodes[i]);
		open += !run->nodes[i].settled;
	}
	return open;
}

static void pause_for(const struct farm_run *run)
{
	int64_t until = clock_monotonic_ms() + (int64_t)run->poll_s * 1000;
	struct timespec wait = { .tv_sec = 0, .tv_nsec = STEP_MS * 1000000L };

	while (!stop_is_asked() && clock_monotonic_ms() < until)
		nanosleep(&wait, NULL);
}

/* Slurm may be restarted while jobs run: it is asked again. */
static bool look_again(struct farm_run *run, unsigned *silent)
{
	struct error err;

	if (look(run, &err) == 0) {
		*silent = 0;
		run->silent_why[0] = '\0';
		return true;
	}
	if (!*silent)
		farm_table_say("Slurm does not answer: %s; asking again", err.text);
	str_copy(run->silent_why, sizeof(run->silent_why), err.text);
	++*silent;
	return false;
}

static void follow(struct farm_run *run)
{
	unsigned silent = 0;
	size_t open = 1;

	while (!stop_is_asked() && silent < SILENT_MOST) {
		if (look_again(run, &silent))
			open = step(run);
		farm_table_show(run, open == 0);
		if (open == 0)
			break;
		pause_for(run);
	}
	farm_table_end(run);
	run->left = open > 0;
}

static json_t *tool_json(void)
{
	char *program = program_path(), hex[65];
	json_t *digest =
		digest_file(program, hex, NULL, NULL) == 0 ? json_string(hex) : json_null();

	free(program);
	return json_pack("{s:s, s:s, s:s, s:o}", "name", "oamqual", "version", version_number,
		"commit", version_commit, "sha256", digest);
}

/* The page of all nodes, of the records alone. It is not needed for the answer. */
static void write_page(const struct farm_run *run, const char *list)
{
	char *page = path_join(run->folder, "report.html");
	struct error err;
	struct farm_report *report = farm_report_read_list(list, &err);

	if (!report || farm_report_html_write(report, page, &err) != 0)
		fprintf(stderr, "oamqual: no page of the farm: %s\n", err.text);
	if (report)
		farm_report_free(report);
	free(page);
}

int farm_follow_nodes(struct farm_run *run, struct error *err)
{
	size_t i;

	if (begin(run, err) != 0)
		return -1;
	follow(run);
	for (i = 0; i < run->count; i++)
		if (!run->nodes[i].settled)
			farm_settle(&run->nodes[i]);
	return 0;
}

json_t *farm_follow(struct farm_run *run, struct error *err)
{
	char *path;
	json_t *farm;
	struct error own;

	stop_catch(STOP_AGAIN_ENDS);
	if (farm_follow_nodes(run, err) != 0)
		return NULL;
	farm = farm_json(run->folder, run->manifest, run->manifest_sha256, tool_json(),
		farm_frame(run), run->nodes, run->count);
	path = path_join(run->folder, "farm.json");
	/* The report is printed all the same. */
	if (json_write(path, farm, &own) != 0) {
		fprintf(stderr, "oamqual: %s; what the nodes kept is named below\n", own.text);
		run->unwritten = true;
	} else {
		write_page(run, path);
	}
	free(path);
	return farm;
}
