/* SPDX-License-Identifier: Apache-2.0 */
#include "farm/collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "farm/frame_plan.h"
#include "farm/layout.h"
#include "farm/manifest.h"
#include "record/record.h"

enum { WORD_BYTES = 16 << 20, RANKS_BYTES = 256 << 20, NODES_MOST = 65536 };

const char farm_schema[] = "oamqual-farm/1";

/* --- the nodes of the manifest ---------------------------------------------------------------- */

static int read_node(const json_t *json, struct farm_member *node, struct error *err)
{
	const char *name = json_text(json, "name", "");
	json_int_t gpus = json_integer_of(json, "gpus", 0);

	if (layout_check_name("the node", name, err) != 0)
		return -1;
	if (gpus < 0 || gpus > 4096)
		return error_set(err, "%s: its number of GPUs is not one", name);
	node->name = xstrdup(name);
	node->gpus = (uint64_t)gpus;
	node->partition = xstrdup(json_text(json, "partition", ""));
	return 0;
}

int farm_nodes_read(
	const json_t *manifest, struct farm_member **nodes, size_t *count, struct error *err)
{
	const json_t *list = json_object_get(manifest, "nodes"), *json;
	struct farm_member *all;
	json_t *seen = json_object();
	size_t i;
	int rc = 0;

	if (json_array_size(list) > NODES_MOST)
		rc = error_set(err, "the manifest names more than %d nodes", NODES_MOST);
	all = xcalloc(json_array_size(list) + 1, sizeof(*all));
	for (i = 0; rc == 0 && i < json_array_size(list); i++) {
		json = json_array_get(list, i);
		rc = read_node(json, &all[i], err);
		if (rc == 0 && json_object_get(seen, all[i].name))
			rc = error_set(err, "the manifest names node %s twice", all[i].name);
		if (rc == 0)
			json_object_set_new(seen, all[i].name, json_true());
	}
	json_decref(seen);
	if (rc != 0) {
		farm_nodes_free(all, i);
		return -1;
	}
	*nodes = all;
	*count = i;
	return 0;
}

void farm_nodes_free(struct farm_member *nodes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		free(nodes[i].name);
		free(nodes[i].partition);
		free(nodes[i].submit_why);
		free(nodes[i].record_why);
		free(nodes[i].mismatch_why);
		free(nodes[i].first);
		json_decref(nodes[i].distributed);
		json_decref(nodes[i].ranks);
		free(nodes[i].plan_sha256);
		str_release(&nodes[i].why);
	}
	free(nodes);
}

/* --- its files -------------------------------------------------------------------------------- */

static json_t *read_word(const char *run, const char *node)
{
	char *path = layout_path(run, "words", node, ".json");
	json_t *word = file_exists(path) ? json_read(path, WORD_BYTES, NULL) : NULL;

	free(path);
	return word;
}

static void set_text(char **field, const char **shown, char *text)
{
	free(*field);
	*field = text;
	*shown = text;
}

/* What qualify was told to write to. */
static const char *folder_of(const json_t *record)
{
	const json_t *command = json_object_get(json_object_get(record, "run"), "command"), *word;
	size_t i;

	json_array_foreach (command, i, word)
		if (json_is_string(word) && str_starts(json_string_value(word), "--out="))
			return json_string_value(word) + strlen("--out=");
	return "";
}

/* The folder on the node is named after the run and the node (layout_local()), so a copy of another
 * node's record, or one of another run, gives itself away. */
static bool is_own(const json_t *manifest, const struct farm_member *node, const json_t *record)
{
	const char *folder = folder_of(record), *local = json_text(manifest, "local", ""), *digits;
	char *head = xasprintf("%s/%s-", local, json_text(manifest, "name", ""));
	char *tail = xasprintf("/%s/run", node->name), *shown = text_printable(head, strlen(head));
	bool own = str_starts(folder, shown);

	digits = own ? folder + strlen(shown) : "";
	own = own && strspn(digits, "0123456789abcdef") == 16 && strcmp(digits + 16, tail) == 0;
	free(shown);
	free(tail);
	free(head);
	return own;
}

/* A record speaks only when it can be read, is of this node and a run that came to its end, does
 * not contradict itself and has its evidence beside it. */
static char *why_unusable(const char *folder, const json_t *manifest,
	const struct farm_member *node, const json_t *record)
{
	const char *contradiction = record_contradiction(record);
	json_t *problems;
	struct error err;
	char *why = NULL;

	if (json_is_true(json_object_get(json_object_get(record, "run"), "interrupted")))
		return xstrdup("its run was interrupted");
	if (!is_own(manifest, node, record))
		return xasprintf("it is of another node or another farm run: it was written to %s",
			folder_of(record));
	if (contradiction)
		return xasprintf("it contradicts itself: %s", contradiction);
	problems = record_check_files(folder, &err);
	if (!problems)
		return xstrdup(err.text);
	if (json_array_size(problems))
		why = xasprintf("its evidence is not what was recorded: %s",
			json_string_value(json_array_get(problems, 0)));
	json_decref(problems);
	return why;
}

static char *first_refused(const json_t *gcds)
{
	const json_t *gcd;
	size_t i;

	json_array_foreach (gcds, i, gcd)
		if (!json_is_true(json_object_get(gcd, "render_worker")))
			return xasprintf("%s %s", json_text(gcd, "bdf", "?"),
				json_text(gcd, "verdict", "?"));
	return xstrdup("");
}

/* The outcome of each scene's frame over the node's own GCDs. The ranks stay in the record. */
static json_t *own_frame(const json_t *distributed)
{
	const json_t *given = json_object_get(distributed, "cases"), *one;
	json_t *cases = json_array();
	size_t i;

	json_array_foreach (given, i, one)
		json_array_append_new(
			cases, json_pack("{s:o, s:o, s:o}", "scene",
				       json_printable_text(json_text(one, "scene", "?")), "outcome",
				       json_printable_text(json_text(one, "outcome", "?")), "why",
				       json_text(one, "why", NULL)
					       ? json_printable_text(json_text(one, "why", ""))
					       : json_null()));
	return json_pack("{s:o, s:o}", "outcome",
		json_printable_text(json_text(distributed, "outcome", "?")), "cases", cases);
}

static void take_sums(const json_t *record, struct farm_member *node)
{
	const json_t *gcds = json_object_get(record, "gcds"), *gcd;
	const json_t *distributed = json_object_get(record, "distributed");
	size_t i;

	node->simulated = strcmp(json_text(record, "source", ""), "observed") != 0;
	node->gcds = json_array_size(gcds);
	node->workers = 0;
	json_array_foreach (gcds, i, gcd)
		node->workers += json_is_true(json_object_get(gcd, "render_worker"));
	free(node->first);
	node->first = first_refused(gcds);
	json_decref(node->distributed);
	node->distributed = json_object_get(distributed, "cases") ? own_frame(distributed) : NULL;
}

static void read_record(const char *run, const json_t *manifest, struct farm_member *node)
{
	char *folder = layout_path(run, "nodes", node->name, ""), *differs = NULL, *why = NULL;
	json_t *record = NULL;
	struct error err;

	node->facts.record_there = file_exists(folder);
	node->facts.record_good = false;
	if (node->facts.record_there) {
		record = record_read(folder, &err);
		why = record ? why_unusable(folder, manifest, node, record) : xstrdup(err.text);
	}
	if (record && !why)
		differs = farm_record_differs(manifest, record);
	node->facts.record_good = record && !why && !differs;
	if (node->facts.record_good)
		take_sums(record, node);
	set_text(&node->record_why, &node->facts.record_why, why);
	if (differs) {
		node->facts.mismatch = true;
		set_text(&node->mismatch_why, &node->facts.mismatch_why, differs);
	}
	json_decref(record);
	free(folder);
}

/* Ranks speak when they are of this plan and their evidence is what the node hashed. */
static char *why_unusable_ranks(
	const char *folder, const json_t *ranks, const struct farm_member *node)
{
	json_t *files;
	struct error err;
	bool same;
	size_t i;

	if (strcmp(json_text(ranks, "schema", ""), frame_ranks_schema) != 0 ||
		strcmp(json_text(ranks, "node", ""), node->name) != 0)
		return xstrdup("its ranks.json is not one of this node");
	if (strcmp(json_text(ranks, "plan_sha256", ""), node->plan_sha256) != 0)
		return xstrdup("its ranks are of another plan");
	files = record_files(folder, &err);
	if (!files)
		return xstrdup(err.text);
	for (i = 0; i < json_array_size(files); i++)
		if (strcmp(json_text(json_array_get(files, i), "path", ""), "ranks.json") == 0)
			json_array_remove(files, i--);
	same = json_equal(files, json_object_get(ranks, "files"));
	json_decref(files);
	return same ? NULL : xstrdup("the evidence of its ranks is not what it hashed");
}

static void read_ranks(const char *run, const json_t *manifest, struct farm_member *node)
{
	char *folder = layout_path(run, "nodes", node->name, ""),
	     *path = path_join(folder, "ranks.json"), *why = NULL, *differs = NULL;
	struct error err;

	json_decref(node->ranks);
	node->ranks = NULL;
	node->facts.record_there = file_exists(folder);
	if (node->facts.record_there) {
		node->ranks = json_read(path, RANKS_BYTES, &err);
		why = node->ranks ? why_unusable_ranks(folder, node->ranks, node)
				  : xstrdup(err.text);
	}
	if (node->ranks && !why)
		differs = farm_record_differs(manifest, node->ranks);
	node->facts.record_good = node->ranks && !why && !differs;
	set_text(&node->record_why, &node->facts.record_why, why);
	if (differs) {
		node->facts.mismatch = true;
		set_text(&node->mismatch_why, &node->facts.mismatch_why, differs);
	}
	free(path);
	free(folder);
}

static void hear_word(const char *run, struct farm_member *node)
{
	json_t *word = read_word(run, node->name);
	const json_t *checks = json_object_get(word, "artifacts");

	if (strcmp(json_text(json_object_get(word, "job"), "id", "?"), node->facts.job.id) == 0 &&
		json_is_array(checks) && json_is_false(json_object_get(word, "artifacts_same"))) {
		node->facts.mismatch = true;
		set_text(&node->mismatch_why, &node->facts.mismatch_why,
			farm_artifacts_wrong(checks));
	}
	json_decref(word);
}

void farm_settle(struct farm_member *node)
{
	str_release(&node->why);
	node->facts.node = node->seen.state;
	node->facts.node_word = node->seen.word;
	node->facts.node_reason = node->seen.reason;
	node->outcome = farm_decide(&node->facts, &node->why);
}

void farm_collect(const char *run, const json_t *manifest, struct farm_member *node)
{
	node->facts.mismatch = false;
	if (node->plan_sha256)
		read_ranks(run, manifest, node);
	else
		read_record(run, manifest, node);
	if (!node->facts.mismatch)
		hear_word(run, node);
	farm_settle(node);
}

/* --- farm.json -------------------------------------------------------------------------------- */

static json_t *job_json(const struct farm_member *node)
{
	const struct slurm_job *job = &node->facts.job;

	if (!job->id[0])
		return json_null();
	return json_pack("{s:s, s:n, s:o, s:o}", "id", job->id, "task", "state",
		job->word[0] ? json_string(job->word) : json_null(), "exit",
		job->exit_known ? json_sprintf("%d:%d", job->exit_code, job->exit_signal)
				: json_null());
}

/* What was left of a run that came to no record, and where. */
static json_t *evidence_json(const char *run, const struct farm_member *node)
{
	char *name = xasprintf("%s-%s", node->name, node->facts.job.id);
	char *path = layout_path(run, "partial", name, "");
	json_t *json = node->facts.job.id[0] && file_exists(path) ? json_sprintf("partial/%s", name)
								  : json_null();

	free(path);
	free(name);
	return json;
}

static bool stays_on_node(const struct farm_member *node)
{
	const struct slurm_job *job = &node->facts.job;

	return node->outcome == FARM_LOST || node->outcome == FARM_TIMED_OUT ||
	       node->outcome == FARM_CANCELLED || node->outcome == FARM_NO_RECORD ||
	       (node->outcome == FARM_JOB_FAILED &&
		       (!job->exit_known || job->exit_code == FARM_EXIT_NOT_WRITABLE ||
			       job->exit_code == FARM_EXIT_FULL ||
			       !farm_exit_help(job->exit_code)));
}

static json_t *kept_json(const json_t *manifest, const char *sha256, const struct farm_member *node)
{
	char *path;
	json_t *json;

	if (!node->facts.job.id[0] || !stays_on_node(node))
		return json_null();
	path = layout_local(json_text(manifest, "local", "?"), json_text(manifest, "name", "?"),
		sha256, node->name);
	json = json_sprintf("%s:%s", node->name, path);
	free(path);
	return json;
}

static json_t *record_digest(const char *run, const struct farm_member *node)
{
	char *path = layout_path(run, "nodes", node->name, "/record.json"), hex[65];
	json_t *json = digest_file(path, hex, NULL, NULL) == 0 ? json_string(hex) : json_null();

	free(path);
	return json;
}

static json_t *member_or_null(const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	return value ? json_incref(value) : json_null();
}

static json_t *node_json_of(
	const char *run, const json_t *manifest, const char *sha256, const struct farm_member *node)
{
	bool good = node->outcome == FARM_QUALIFIED;
	json_t *word = read_word(run, node->name);
	json_t *json = json_pack("{s:s, s:s, s:o, s:o}", "name", node->name, "outcome",
		farm_outcome_name(node->outcome), "why",
		node->why.len ? json_printable_text(node->why.data) : json_null(), "job",
		job_json(node));

	json_object_set_new(json, "masks", member_or_null(word, "masks"));
	json_object_set_new(json, "artifacts", member_or_null(word, "artifacts"));
	json_object_set_new(json, "record",
		good ? json_sprintf("nodes/%s/record.json", node->name) : json_null());
	json_object_set_new(json, "record_sha256", good ? record_digest(run, node) : json_null());
	json_object_set_new(json, "evidence", evidence_json(run, node));
	json_object_set_new(json, "kept_on_node", kept_json(manifest, sha256, node));
	json_decref(word);
	return json;
}

/* "simulated" as soon as one record is; null when there is none to say. */
static json_t *source_of(const struct farm_member *nodes, size_t count)
{
	const char *source = NULL;
	size_t i;

	for (i = 0; i < count; i++)
		if (nodes[i].outcome == FARM_QUALIFIED && (!source || nodes[i].simulated))
			source = nodes[i].simulated ? "simulated" : "observed";
	return source ? json_string(source) : json_null();
}

json_t *farm_json(const char *run, const json_t *manifest, const char *manifest_sha256,
	json_t *tool_stolen, json_t *distributed_stolen, const struct farm_member *nodes,
	size_t count)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < count; i++)
		json_array_append_new(
			list, node_json_of(run, manifest, manifest_sha256, &nodes[i]));
	return json_pack("{s:s, s:o, s:o, s:{s:s, s:s, s:s, s:O}, s:o, s:o}", "schema", farm_schema,
		"tool", tool_stolen, "source", source_of(nodes, count), "manifest", "path",
		"manifest.json", "sha256", manifest_sha256, "name",
		json_text(manifest, "name", "?"), "artifacts",
		json_object_get(manifest, "artifacts"), "distributed",
		distributed_stolen ? distributed_stolen : json_null(), "nodes", list);
}

/* --- sums ------------------------------------------------------------------------------------- */

void farm_sum(const struct farm_member *nodes, size_t count, struct farm_sums *sums)
{
	size_t i;

	memset(sums, 0, sizeof(*sums));
	sums->nodes = count;
	for (i = 0; i < count; i++) {
		const struct farm_member *node = &nodes[i];

		sums->by_outcome[node->outcome]++;
		if (node->outcome != FARM_QUALIFIED)
			continue;
		sums->simulated |= node->simulated;
		sums->gcds += node->gcds;
		sums->workers += node->workers;
		sums->accepted_nodes += node->gcds && node->workers == node->gcds;
	}
}
