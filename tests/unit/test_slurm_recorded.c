/* SPDX-License-Identifier: Apache-2.0 */
/* Every recording of tests/farm/recorded against what its jobs and nodes were made to be
 * (tests/farm/record-slurm). The tables were written from that, not from what the parsers say. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "base/text.h"
#include "farm/slurm.h"
#include "farm/slurm_text.h"
#include "inventory/inventory.h"
#include "tap.h"

enum { VERSIONS_MOST = 32, JOBS_MOST = 64, LABEL = 32 };

/* --- files ------------------------------------------------------------------------------------ */

static char folder[4096];

static const char *recorded(void)
{
	static char path[2048];
	const char *source = getenv("SOURCE");

	snprintf(path, sizeof(path), "%s/tests/farm/recorded", source ? source : ".");
	return path;
}

/* The caller frees. A recording that lacks a file fails. */
static char *text_of(const char *name)
{
	char *path = xasprintf("%s/%s.txt", folder, name);
	struct str text = STR_INIT;
	struct error err;

	if (file_read(path, 1 << 20, &text, &err) != 0)
		tap_ok(false, "%s", err.text);
	free(path);
	str_add(&text, "");
	return str_detach(&text);
}

struct labelled {
	char label[LABEL], id[SLURM_ID];
};

static struct labelled ids[JOBS_MOST];
static size_t id_count;

static void read_labels(void)
{
	char *text = text_of("jobs"), *line, *rest;

	id_count = 0;
	for (line = strtok_r(text, "\n", &rest); line && id_count < JOBS_MOST;
		line = strtok_r(NULL, "\n", &rest))
		if (sscanf(line, "%31s %23s", ids[id_count].label, ids[id_count].id) == 2)
			id_count++;
	free(text);
}

static const char *id_of(const char *label)
{
	size_t i;

	for (i = 0; i < id_count; i++)
		if (strcmp(ids[i].label, label) == 0)
			return ids[i].id;
	return "";
}

/* --- jobs ------------------------------------------------------------------------------------- */

struct made {
	const char *label;
	enum slurm_job_state state;
	const char *exit; /* code and signal; of newer versions after a blank when it is another */
	const char *accounted; /* the same in the accounting, when it differs there */
	const char *node;
	const char *why; /* its reason holds this, in every version; "" they differ or have none */
};

/* 15 is what Slurm itself ends a job with, 53 that its output cannot be opened. */
static const struct made made[] = {
	{ "completed", SLURM_JOB_COMPLETED, "0:0", NULL, "n1", "" },
	{ "failed", SLURM_JOB_FAILED, "3:0", NULL, "n1", "NonZeroExitCode" },
	{ "full", SLURM_JOB_FAILED, "72:0", NULL, "n1", "NonZeroExitCode" },
	{ "signalled", SLURM_JOB_FAILED, "0:9", NULL, "n1", "" },
	{ "no-output", SLURM_JOB_FAILED, "0:53", NULL, "n1", "" },
	{ "forged", SLURM_JOB_FAILED, "5:0", NULL, "n1", "NonZeroExitCode" },
	{ "two-nodes", SLURM_JOB_COMPLETED, "0:0", NULL, "n[1-2]", "" },
	{ "special", SLURM_JOB_PENDING, "0:0", NULL, "", "" },
	{ "out-of-memory", SLURM_JOB_FAILED, "0:9", NULL, "n2", "" },
	{ "killed-by-user", SLURM_JOB_CANCELLED, "0:15", "0:0", "n2", "" },
	{ "timed-out", SLURM_JOB_TIMED_OUT, "0:15", "0:0", "n3", "TimeLimit" },
	{ "lost", SLURM_JOB_NODE_FAILED, "0:0 0:1", "0:0 1:0", "n5", "NodeDown" },
	{ "preempted", SLURM_JOB_CANCELLED, "0:15", "0:0", "n8", "" },
	{ "draining", SLURM_JOB_RUNNING, "0:0", NULL, "n7", "" },
	{ "suspended", SLURM_JOB_RUNNING, "0:0", NULL, "n9", "" },
	{ "deadline", SLURM_JOB_TIMED_OUT, "0:1", "1:0", "", "DeadLine" },
	{ "urgent", SLURM_JOB_COMPLETED, "0:0", NULL, "n8", "" },
	{ "het", SLURM_JOB_COMPLETED, "0:0", NULL, "n1", "" },
	{ "running", SLURM_JOB_RUNNING, "0:0", NULL, "n2", "" },
	{ "waits", SLURM_JOB_PENDING, "0:0", NULL, "", "Resources" },
	{ "node-drained", SLURM_JOB_PENDING, "0:0", NULL, "", "ReqNodeNotAvail" },
	{ "node-down", SLURM_JOB_PENDING, "0:0", NULL, "", "ReqNodeNotAvail" },
	{ "held", SLURM_JOB_PENDING, "0:0", NULL, "", "JobHeldUser" },
	{ "never", SLURM_JOB_PENDING, "0:0", NULL, "", "DependencyNeverSatisfied" },
	{ "begins", SLURM_JOB_PENDING, "0:0", NULL, "", "BeginTime" },
	{ "array", SLURM_JOB_PENDING, "0:0", NULL, "", "JobArrayTaskLimit" },
	{ "taken-back", SLURM_JOB_CANCELLED, "0:0", NULL, "", "" },
};

enum { MADE = sizeof(made) / sizeof(made[0]) };

static bool is_as_made(const struct slurm_job *job, const struct made *want)
{
	return job->state == want->state && strcmp(job->node, want->node) == 0;
}

/* Versions may differ: `words` is what one or the other says, with blanks between. */
static bool is_one_of(const char *text, const char *words)
{
	size_t len = strlen(text);

	for (; *words; words += strcspn(words, " "), words += *words == ' ')
		if (strcspn(words, " ") == len && memcmp(words, text, len) == 0)
			return true;
	return false;
}

static bool ended_with(const struct slurm_job *job, const char *exit)
{
	char text[32];

	snprintf(text, sizeof(text), "%d:%d", job->exit_code, job->exit_signal);
	return job->exit_known && is_one_of(text, exit);
}

static void test_scontrol(const char *version)
{
	char *text = text_of("scontrol-jobs");
	size_t i;

	for (i = 0; i < MADE; i++) {
		const struct made *want = &made[i];
		struct slurm_job job;
		bool found;

		memset(&job, 0, sizeof(job));
		found = slurm_scontrol_parse(text, id_of(want->label), &job);
		tap_ok(found && is_as_made(&job, want) && strstr(job.reason, want->why) &&
				ended_with(&job, want->exit),
			"%s scontrol: %s: %s on '%s', %d:%d, %s", version, want->label, job.word,
			job.node, job.exit_code, job.exit_signal, job.reason);
	}
	free(text);
}

static const struct slurm_job *find(
	const struct slurm_job *jobs, size_t count, const char *id, size_t *times)
{
	const struct slurm_job *found = NULL;
	size_t i;

	*times = 0;
	for (i = 0; i < count; i++)
		if (strcmp(jobs[i].id, id) == 0) {
			found = &jobs[i];
			++*times;
		}
	return found;
}

/* One that only squeue's filter by name leaves out: it has another. */
static bool is_named(const struct made *want)
{
	return strcmp(want->label, "forged") != 0;
}

static void test_squeue(const char *version)
{
	char *text = text_of("squeue");
	struct slurm_job *jobs;
	size_t count = slurm_squeue_parse(text, &jobs), i, times;

	/* The second half of the heterogeneous job and the array's first task are jobs too. */
	tap_number(count, MADE - 1 + 2, "squeue: every job of the name");
	for (i = 0; i < MADE; i++) {
		const struct made *want = &made[i];
		const struct slurm_job *job = find(jobs, count, id_of(want->label), &times);

		if (is_named(want))
			tap_ok(times == 1 && is_as_made(job, want) &&
					strstr(job->reason, want->why),
				"%s squeue: %s: %s on '%s', %s", version, want->label,
				job ? job->word : "none", job ? job->node : "",
				job ? job->reason : "");
	}
	free(jobs);
	free(text);
}

static void test_sacct(const char *version)
{
	char *text = text_of("sacct");
	struct slurm_job *jobs;
	size_t count = slurm_sacct_parse(text, &jobs), i, times;

	for (i = 0; i < MADE; i++) {
		const struct made *want = &made[i];
		const struct slurm_job *job = find(jobs, count, id_of(want->label), &times);

		tap_ok(times == 1 && is_as_made(job, want) &&
				ended_with(job, want->accounted ? want->accounted : want->exit),
			"%s sacct: %s: %s on '%s', %d:%d", version, want->label,
			job ? job->word : "none", job ? job->node : "", job ? job->exit_code : -1,
			job ? job->exit_signal : -1);
	}
	free(jobs);
	free(text);
}

/* What is asked for one job, in the form in which a farm asks. */
static void test_single(const char *version)
{
	static const char *const labels[] = { "completed", "forged", "array", "het" };
	size_t i;

	for (i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		char *name = xasprintf("scontrol-%s", labels[i]), *text = text_of(name);
		struct slurm_job job;

		tap_ok(slurm_scontrol_parse(text, id_of(labels[i]), &job) &&
				!slurm_scontrol_parse(text, "999999", &job),
			"%s: %s alone", version, labels[i]);
		free(text);
		free(name);
	}
}

/* --- sbatch, and nothing ---------------------------------------------------------------------- */

static void test_sbatch(const char *version)
{
	static const char *const good[] = { "sbatch", "sbatch-verbose" };
	static const char *const bad[] = { "sbatch-no-partition", "sbatch-no-node", "sbatch-no-gpu",
		"dead-sbatch" };
	char id[SLURM_ID];
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		char *text = text_of(good[i]);

		tap_ok(slurm_sbatch_parse(text, id, NULL) == 0 && atoi(id) > 0, "%s %s: a job",
			version, good[i]);
		free(text);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *text = text_of(bad[i]);

		tap_ok(slurm_sbatch_parse(text, id, NULL) == -1, "%s %s: none", version, bad[i]);
		free(text);
	}
}

static void test_nothing(const char *version)
{
	char *squeue = text_of("squeue-none"), *dead = text_of("dead-squeue");
	char *sacct = text_of("sacct-no-job"), *lost = text_of("dead-sacct");
	char *no_job = text_of("scontrol-no-job"), *no_node = text_of("sinfo-no-node");
	struct slurm_job *jobs, job;
	struct slurm_node *nodes;

	tap_number(slurm_squeue_parse(squeue, &jobs), 0, version);
	free(jobs);
	tap_number(slurm_squeue_parse(dead, &jobs), 0, "  no job of a dead controller");
	free(jobs);
	tap_number(slurm_sacct_parse(sacct, &jobs), 0, "  none of that id in the accounting");
	free(jobs);
	tap_number(slurm_sacct_parse(lost, &jobs), 0, "  none of a dead one");
	free(jobs);
	tap_ok(!slurm_scontrol_parse(no_job, "999999", &job), "  none of that id");
	tap_number(slurm_sinfo_parse(no_node, &nodes), 0, "  no such node");
	free(nodes);
	free(squeue);
	free(dead);
	free(sacct);
	free(lost);
	free(no_job);
	free(no_node);
}

/* --- nodes ------------------------------------------------------------------------------------ */

#define FORGED "fan | replaced, State=IDLE NodeName=n1|idle|render*"

static const struct made_node {
	const char *name;
	enum slurm_node_state state;
	const char *word; /* as above */
	const char *features, *reason; /* a reason of scontrol has who gave it after it */
	uint64_t lost_gpus; /* newer versions do not count them */
} made_nodes[] = {
	{ "n1", SLURM_NODE_USABLE, "allocated", "mi250x,rocm6", "", 0 },
	{ "n2", SLURM_NODE_USABLE, "allocated", "mi250x,rocm6", "", 0 },
	{ "n3", SLURM_NODE_DRAINED, "drained", "", "disk is replaced on Monday", 0 },
	{ "n4", SLURM_NODE_DOWN, "down*", "", "no power", 0 },
	{ "n5", SLURM_NODE_DOWN, "down*", "", "Not responding", 0 },
	{ "n6", SLURM_NODE_DOWN, "inval", "",
		"gres/gpu count reported lower than configured (1 < 2)", 1 },
	{ "n7", SLURM_NODE_DRAINED, "draining", "", FORGED, 0 },
	{ "n8", SLURM_NODE_USABLE, "maint", "", "", 0 },
	{ "n9", SLURM_NODE_USABLE, "idle mixed", "", "", 0 },
};

enum { MADE_NODES = sizeof(made_nodes) / sizeof(made_nodes[0]) };

static bool has_gpus(uint64_t gpus, const struct made_node *want)
{
	return gpus == 2 || gpus == 2 - want->lost_gpus;
}

static void check_node(
	const char *version, const struct slurm_node *node, const struct made_node *want)
{
	tap_ok(strcmp(node->name, want->name) == 0 && node->state == want->state &&
			is_one_of(node->word, want->word) && has_gpus(node->gpus, want) &&
			strcmp(node->features, want->features) == 0 &&
			strcmp(node->reason, want->reason) == 0,
		"%s sinfo: %s: %s, %d GPUs, '%s', '%s'", version, node->name, node->word,
		(int)node->gpus, node->features, node->reason);
}

static void test_sinfo(const char *version)
{
	char *all = text_of("sinfo"), *some = text_of("sinfo-nodes");
	char *partition = text_of("sinfo-partition");
	struct slurm_node *nodes;
	size_t count = slurm_sinfo_parse(all, &nodes), i;

	tap_number(count, MADE_NODES, "sinfo: each node once");
	for (i = 0; i < count && i < MADE_NODES; i++) {
		check_node(version, &nodes[i], &made_nodes[i]);
		tap_text(nodes[i].partition, "", "  in the default partition");
	}
	free(nodes);
	tap_number(slurm_sinfo_parse(some, &nodes), 3, "n[1-2],n4 are three");
	free(nodes);
	count = slurm_sinfo_parse(partition, &nodes);
	tap_ok(count == 4 && strcmp(nodes[3].name, "n4") == 0 &&
			strcmp(nodes[3].partition, "long") == 0,
		"a partition of four");
	free(nodes);
	free(all);
	free(some);
	free(partition);
}

static bool begins_with(const char *text, const char *with)
{
	return text && strncmp(text, with, strlen(with)) == 0;
}

static void test_inventory(const char *version, const char *name)
{
	char *path = xasprintf("%s/%s.txt", folder, name);
	struct inventory inventory;
	struct error err = { "" };
	size_t i;

	if (inventory_read(path, INVENTORY_KIND_COUNT, &inventory, &err) != 0) {
		tap_ok(false, "%s", err.text);
		free(path);
		return;
	}
	tap_ok(inventory.kind == INVENTORY_SCONTROL && inventory.count == MADE_NODES,
		"%s %s: %d nodes", version, name, (int)inventory.count);
	for (i = 0; i < inventory.count && i < MADE_NODES; i++) {
		const struct inventory_item *item = &inventory.items[i];

		tap_ok(strcmp(item->host, made_nodes[i].name) == 0 && item->is_gpu &&
				item->count.known && has_gpus(item->count.value, &made_nodes[i]) &&
				strcmp(item->type, "test") == 0 && item->core_count.known &&
				item->core_count.value == 1 &&
				begins_with(item->reason, made_nodes[i].reason),
			"  %s: '%s'", item->host, item->reason);
	}
	inventory_release(&inventory);
	free(path);
}

/* --- the commands themselves ------------------------------------------------------------------ */

/* Links with the names of Slurm's commands, which answer exactly what was recorded. */
static char *make_commands(void)
{
	static const char *const names[] = { "sbatch", "squeue", "sinfo", "scontrol", "scancel",
		"sacct" };
	char *place = xstrdup("/tmp/oamqual-test-slurm-XXXXXX");
	char *replay = xasprintf("%s/../replay-slurm", recorded());
	size_t i;

	if (!mkdtemp(place))
		abort();
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *link = path_join(place, names[i]);

		if (symlink(replay, link) != 0)
			abort();
		free(link);
	}
	free(replay);
	return place;
}

static void check_count(long count, void *rows, long want, const char *title)
{
	tap_number(count, want, title);
	if (count >= 0)
		free(rows);
}

static void test_live(struct slurm *slurm)
{
	struct slurm_node *nodes = NULL;
	struct slurm_job *jobs = NULL, job;
	struct error err;
	long count;
	bool found;

	count = slurm_nodes(slurm, NULL, NULL, &nodes, &err);
	check_count(count, nodes, MADE_NODES, "asked for all nodes");
	count = slurm_nodes(slurm, "n[1-2],n4", NULL, &nodes, &err);
	check_count(count, nodes, 3, "  for a list");
	count = slurm_nodes(slurm, NULL, "long", &nodes, &err);
	check_count(count, nodes, 4, "  for a partition");
	count = slurm_nodes(slurm, NULL, "nonesuch", &nodes, &err);
	check_count(count, nodes, 0, "  for one that there is not");
	count = slurm_nodes(slurm, "ghost", NULL, &nodes, &err);
	check_count(count, nodes, 0, "  for a node that there is not");
	count = slurm_jobs_named(slurm, "oamqual-rec", &jobs, &err);
	check_count(count, jobs, MADE - 1 + 2, "  for the jobs of a name");
	count = slurm_jobs_named(slurm, "oamqual-none", &jobs, &err);
	check_count(count, jobs, 0, "  of one that none has");
	found = slurm_job_read(slurm, id_of("completed"), &job, &err) == 0;
	tap_ok(found && job.state == SLURM_JOB_COMPLETED, "  for a job");
	/* scontrol was not asked for this one alone: as if slurmctld had forgotten it. */
	found = slurm_job_read(slurm, id_of("lost"), &job, &err) == 0;
	tap_ok(found && job.state == SLURM_JOB_NODE_FAILED && strcmp(job.node, "n5") == 0,
		"  for one that only the accounting knows");
	found = slurm_job_read(slurm, "999999", &job, &err) == 0;
	tap_ok(!found && strstr(err.text, "999999"), "  for one that nobody knows");
	tap_ok(slurm_job_cancel(slurm, "999999", &err) == 0, "  to cancel one that is gone");
}

static void test_dead(struct slurm *slurm)
{
	static const char why[] = "Unable to contact slurm controller (connect failure)";
	struct slurm_node *nodes = NULL;
	struct slurm_job *jobs = NULL, job;
	struct error err = { "" };
	bool found;

	tap_ok(slurm_jobs_named(slurm, "oamqual-rec", &jobs, &err) == -1 && strstr(err.text, why),
		"a dead controller: %s", err.text);
	tap_ok(slurm_nodes(slurm, NULL, NULL, &nodes, &err) == -1 && strstr(err.text, why),
		"  and for sinfo");
	tap_ok(slurm_job_cancel(slurm, id_of("running"), &err) == -1 && strstr(err.text, why),
		"  and for scancel");
	found = slurm_job_read(slurm, id_of("lost"), &job, &err) == 0;
	tap_ok(!found && strstr(err.text, id_of("lost")), "  with a dead accounting");
}

static void test_commands(const char *version)
{
	char *place = make_commands();
	struct slurm slurm;
	struct error err = { "" };

	setenv("PATH", place, 1);
	setenv("OAMQUAL_REPLAY", folder, 1);
	unsetenv("OAMQUAL_REPLAY_DEAD");
	if (slurm_open(&slurm, &err) != 0) {
		tap_ok(false, "%s: %s", version, err.text);
	} else {
		tap_ok(strstr(slurm.version, version) != NULL, "%s replayed: %s", version,
			slurm.version);
		test_live(&slurm);
		setenv("OAMQUAL_REPLAY_DEAD", "dead-", 1);
		test_dead(&slurm);
		slurm_close(&slurm);
	}
	folder_remove(place, NULL);
	free(place);
}

/* --- versions --------------------------------------------------------------------------------- */

static void test_version(const char *version)
{
	char *text;

	snprintf(folder, sizeof(folder), "%s/%s", recorded(), version);
	text = text_of("version");
	tap_ok(strstr(text, version) != NULL, "%s is of that version", version);
	free(text);
	read_labels();
	test_scontrol(version);
	test_squeue(version);
	test_sacct(version);
	test_single(version);
	test_sbatch(version);
	test_nothing(version);
	test_sinfo(version);
	test_inventory(version, "scontrol-nodes");
	test_inventory(version, "scontrol-nodes-oneline");
	test_commands(version);
}

static int is_version(const struct dirent *entry)
{
	return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

int main(void)
{
	struct dirent **entries = NULL;
	int count = scandir(recorded(), &entries, is_version, alphasort), i;

	tap_ok(count >= 3, "%d versions", count);
	for (i = 0; i < count; i++) {
		test_version(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return tap_done();
}
