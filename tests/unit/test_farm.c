/* SPDX-License-Identifier: Apache-2.0 */
/* What a farm run makes of what Slurm prints. The texts here are hostile, or hold what no recording
 * has; real ones are in tests/farm/recorded (test_slurm_recorded.c). */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "farm/collect.h"
#include "farm/deliver.h"
#include "farm/layout.h"
#include "farm/manifest.h"
#include "farm/masks.h"
#include "farm/outcome.h"
#include "farm/script.h"
#include "farm/slurm_text.h"
#include "farm/tree.h"
#include "tap.h"

/* --- scontrol show job ------------------------------------------------------------------------ */

/* A job that waits and one that failed, each with a comment that looks like the lines after it. */
#define FORGED                                                                                     \
	"   Comment=JobState=COMPLETED ExitCode=0:0 NodeList=x\n"                                  \
	"   JobState=COMPLETED Reason=None Dependency=(null)\n"                                    \
	"   Requeue=0 ExitCode=0:0\n"                                                              \
	"   NodeList=x\n"

static const char two_jobs[] =
	"JobId=2 JobName=JobState=COMPLETED\n"
	"   UserId=render(1002) GroupId=render(1002) MCS_label=N/A\n"
	"   JobState=PENDING Reason=ReqNodeNotAvail,_UnavailableNodes:n1 Dependency=(null)\n"
	"   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
	"   ReqNodeList=n1 ExcNodeList=(null)\n"
	"   NodeList=\n"
	"   Command=/shared/job.sh\n" FORGED "   \n"
	"\n"
	"JobId=2468 JobName=oamqual-a\n"
	"   UserId=render(1002) GroupId=render(1002) MCS_label=N/A\n"
	"   JobState=FAILED Reason=RaisedSignal:9(Killed) Dependency=(null)\n"
	"   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=72:9\n"
	"   ReqNodeList=g07 ExcNodeList=(null)\n"
	"   NodeList=g07\n"
	"   Command=/shared/job.sh\n" FORGED "JobId=2 JobName=x\n"
	"   JobState=COMPLETED Reason=None Dependency=(null)\n"
	"   NodeList=x\n"
	"   \n";

static void test_scontrol(void)
{
	struct slurm_job job;

	tap_ok(slurm_scontrol_parse(two_jobs, "2", &job), "of two blocks the first");
	tap_number(job.state, SLURM_JOB_PENDING, "  waits, whatever its name and comment say");
	tap_text(job.node, "", "  and has no node");
	tap_text(job.reason, "ReqNodeNotAvail,_UnavailableNodes:n1", "  for a reason");
	tap_ok(slurm_scontrol_parse(two_jobs, "2468", &job), "of two blocks the second");
	tap_number(job.state, SLURM_JOB_FAILED, "  failed");
	tap_text(job.reason, "RaisedSignal:9(Killed)", "  with the reason");
	tap_ok(job.exit_known && job.exit_code == 72 && job.exit_signal == 9, "  and 72:9");
	tap_text(job.node, "g07", "  on its node");
	tap_ok(!slurm_scontrol_parse(two_jobs, "246", &job), "another job is not taken for it");
	tap_ok(!slurm_scontrol_parse("", "1", &job), "nothing is no job");
}

/* --- squeue, sacct, sbatch -------------------------------------------------------------------- */

static const char squeue_text[] = "4|PENDING||ReqNodeNotAvail, UnavailableNodes:n4\n"
				  "2|NODE_FAIL|n1|NodeDown\n"
				  "some chatter of a wrapper\n"
				  "1|TIMEOUT|n2|TimeLimit\n"
				  "17_3|RUNNING|n2|None\n" /* another's array */
				  "9|RUNNING|n3|a | b \033[2J\n"
				  "10|A_STATE_OF_THE_FUTURE|n3|None\n"
				  "11|COMPLETING|n5|None";

static void test_squeue(void)
{
	struct slurm_job *jobs;
	size_t count = slurm_squeue_parse(squeue_text, &jobs);

	tap_number(count, 6, "squeue: six jobs of ours");
	if (count == 6) {
		tap_number(jobs[0].state, SLURM_JOB_PENDING, "  one waits");
		tap_text(jobs[0].reason, "ReqNodeNotAvail, UnavailableNodes:n4", "  for its node");
		tap_text(jobs[0].node, "", "  and has none yet");
		tap_number(jobs[2].state, SLURM_JOB_TIMED_OUT, "  one timed out");
		tap_text(jobs[3].reason, "a | b \\x1b[2J", "  a hostile reason is only text");
		tap_number(jobs[4].state, SLURM_JOB_UNKNOWN, "  an unknown state is unknown");
		tap_ok(!slurm_job_ended(jobs[4].state), "  and has not ended");
		tap_number(jobs[5].state, SLURM_JOB_RUNNING, "  what completes still runs");
	}
	free(jobs);
	tap_number(slurm_squeue_parse("", &jobs), 0, "nothing: no job");
	free(jobs);
}

static void test_sacct(void)
{
	static const char text[] = "468295|CANCELLED by 4004328|0:0|n428\n"
				   "468296|TIMEOUT|0:0|n429\n"
				   "468297|OUT_OF_MEMORY|0:125|n430\n"
				   "468298|COMPLETED|0:0|None assigned\n"
				   "468299.batch|COMPLETED|0:0|n1\n";
	struct slurm_job *jobs;
	size_t count = slurm_sacct_parse(text, &jobs);

	tap_number(count, 4, "sacct: allocations only");
	if (count == 4) {
		tap_number(jobs[0].state, SLURM_JOB_CANCELLED, "  cancelled by somebody");
		tap_number(jobs[1].state, SLURM_JOB_TIMED_OUT, "  timed out");
		tap_number(jobs[2].state, SLURM_JOB_OUT_OF_MEMORY, "  out of memory");
		tap_number(jobs[2].exit_signal, 125, "  with its code");
		tap_text(jobs[3].node, "", "  never on a node");
	}
	free(jobs);
}

static void test_sbatch(void)
{
	char id[SLURM_ID] = "";
	struct error err;

	tap_ok(slurm_sbatch_parse("123\n", id, &err) == 0 && strcmp(id, "123") == 0,
		"sbatch: a job id");
	tap_ok(slurm_sbatch_parse("124;blue\n", id, &err) == 0 && strcmp(id, "124") == 0,
		"  with its cluster");
	tap_ok(slurm_sbatch_parse("Welcome. Project 42 is billed.\n125\n", id, &err) == 0 &&
			strcmp(id, "125") == 0,
		"  after a site's greeting");
	tap_ok(slurm_sbatch_parse("sorry\n", id, &err) == -1 && strstr(err.text, "sorry"),
		"  none, with what was said");
	tap_text(id, "125", "  and the id untouched");
	tap_ok(slurm_sbatch_parse("123456789012345678901234567890\n", id, &err) == -1,
		"  a number too long is none");
}

/* --- sinfo ------------------------------------------------------------------------------------ */

static const char sinfo_text[] =
	"n1|idle|render*|gpu:mi250x:8(S:0-3)|mi250x,rocm6|none\n"
	"n1|idle|long|gpu:mi250x:8(S:0-3)|mi250x,rocm6|none\n"
	"n2|down*|long|(null)|(null)|Not responding\n"
	"n3|drained|render*|gpu:4,gpu:big:2,nic:1|(null)|bad | thing, State=IDLE NodeName=x\n"
	"n4|mixed-|long|gpu:8|(null)|none\n"
	"n4|mixed-|render*|gpu:8|(null)|none\n"
	"n5|idle~|cloud|gpu:8|(null)|none\n"
	"broken line\n";

static void test_sinfo(void)
{
	struct slurm_node *nodes;
	size_t count = slurm_sinfo_parse(sinfo_text, &nodes);

	tap_number(count, 5, "sinfo: each node once");
	if (count == 5) {
		tap_number(nodes[0].gpus, 8, "  its GPUs");
		tap_text(nodes[0].features, "mi250x,rocm6", "  its features");
		tap_text(nodes[0].partition, "", "  in the default partition");
		tap_number(nodes[1].state, SLURM_NODE_DOWN, "  down");
		tap_text(nodes[1].reason, "Not responding", "  with the reason");
		tap_text(nodes[1].partition, "long", "  a partition to ask for");
		tap_number(nodes[1].gpus, 0, "  no GPU");
		tap_number(nodes[2].state, SLURM_NODE_DRAINED, "  drained");
		tap_number(nodes[2].gpus, 6, "  several kinds are added");
		tap_text(nodes[2].reason, "bad | thing, State=IDLE NodeName=x",
			"  a reason that looks like fields is a reason");
		tap_text(nodes[3].partition, "", "  the default one wherever it stands");
		tap_number(nodes[3].state, SLURM_NODE_USABLE, "  mixed- takes jobs");
		tap_number(nodes[4].state, SLURM_NODE_USABLE, "  and so does idle~");
	}
	free(nodes);
}

static void test_states(void)
{
	static const struct {
		const char *word;
		enum slurm_node_state state;
	} rows[] = { { "idle", SLURM_NODE_USABLE }, { "allocated+", SLURM_NODE_USABLE },
		{ "planned", SLURM_NODE_USABLE }, { "reserved", SLURM_NODE_USABLE },
		{ "maint", SLURM_NODE_USABLE }, { "powering_down", SLURM_NODE_USABLE },
		{ "idle#", SLURM_NODE_USABLE }, { "draining", SLURM_NODE_DRAINED },
		{ "drained*", SLURM_NODE_DRAINED }, { "draining@", SLURM_NODE_DRAINED },
		{ "failing", SLURM_NODE_DRAINED }, { "down~", SLURM_NODE_DOWN },
		{ "down$", SLURM_NODE_DOWN }, { "fail*", SLURM_NODE_DOWN },
		{ "inval", SLURM_NODE_DOWN }, { "unknown", SLURM_NODE_DOWN },
		{ "", SLURM_NODE_UNKNOWN }, { "*", SLURM_NODE_UNKNOWN } };
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		tap_ok(slurm_node_state_of(rows[i].word) == rows[i].state, "node '%s'",
			rows[i].word);
}

/* --- outcomes --------------------------------------------------------------------------------- */

static void decide(const struct farm_facts *facts, const char *name, const char *why)
{
	struct str text = STR_INIT;
	const char *got = farm_outcome_name(farm_decide(facts, &text));

	tap_text(got, name, name);
	tap_ok(why[0] ? text.data && strstr(text.data, why) != NULL : text.len == 0,
		"  why: '%s' holds '%s'", text.data ? text.data : "", why);
	str_release(&text);
}

static struct slurm_job job_in(enum slurm_job_state state, const char *word)
{
	struct slurm_job job;

	memset(&job, 0, sizeof(job));
	strcpy(job.id, "7");
	job.state = state;
	str_copy(job.word, sizeof(job.word), word);
	return job;
}

static void test_outcomes(void)
{
	struct farm_facts facts = { .submitted = true, .node = SLURM_NODE_USABLE };

	facts.job = job_in(SLURM_JOB_COMPLETED, "COMPLETED");
	facts.record_there = facts.record_good = true;
	decide(&facts, "qualified", "");
	facts.job.state = SLURM_JOB_TIMED_OUT;
	decide(&facts, "qualified", "");
	facts.mismatch = true;
	facts.mismatch_why = "scene x";
	decide(&facts, "artifact-mismatch", "scene x");
	facts.mismatch = facts.record_good = false;
	facts.job.state = SLURM_JOB_COMPLETED;
	facts.record_why = "cut short";
	decide(&facts, "no-record", "cut short");
	facts.record_there = false;
	decide(&facts, "no-record", "left no record");
	facts.job = job_in(SLURM_JOB_UNKNOWN, "");
	decide(&facts, "no-record", "no longer knows");
	facts.job = job_in(SLURM_JOB_TIMED_OUT, "TIMEOUT");
	decide(&facts, "timed-out", "");
	facts.job = job_in(SLURM_JOB_NODE_FAILED, "NODE_FAIL");
	facts.node = SLURM_NODE_DOWN;
	facts.node_word = "down*";
	facts.node_reason = "Not responding";
	decide(&facts, "lost", "down*; Not responding");
	facts.job = job_in(SLURM_JOB_PENDING, "PENDING");
	decide(&facts, "node-down", "Not responding");
	facts.node = SLURM_NODE_DRAINED;
	decide(&facts, "drained", "Not responding");
	facts.job = job_in(SLURM_JOB_CANCELLED, "CANCELLED");
	decide(&facts, "cancelled", "");
	facts.given_up = true;
	decide(&facts, "drained", "Not responding");
	facts.given_up = false;
	facts.node = SLURM_NODE_USABLE;
	facts.job = job_in(SLURM_JOB_CANCELLED, "PREEMPTED");
	decide(&facts, "cancelled", "PREEMPTED");
	facts.job = job_in(SLURM_JOB_RUNNING, "RUNNING");
	decide(&facts, "running", "");
	facts.job = job_in(SLURM_JOB_PENDING, "PENDING");
	decide(&facts, "not-run", "in the queue");
	facts.job = job_in(SLURM_JOB_FAILED, "FAILED");
	facts.job.exit_known = true;
	facts.job.exit_code = FARM_EXIT_FULL;
	decide(&facts, "job-failed", "full");
	facts.job.exit_code = FARM_EXIT_MISMATCH;
	decide(&facts, "artifact-mismatch", "not the one of the manifest");
	facts.job.exit_code = 9;
	decide(&facts, "job-failed", "exit status 9");
	facts.submitted = false;
	facts.submit_why = "Invalid account";
	decide(&facts, "not-run", "Invalid account");
	facts.node = SLURM_NODE_UNKNOWN;
	decide(&facts, "not-run", "no such node");
	facts.node = SLURM_NODE_DOWN;
	decide(&facts, "node-down", "Not responding");
}

static void test_outcome_names(void)
{
	enum farm_outcome i;

	for (i = 0; i < FARM_OUTCOME_COUNT; i++)
		tap_ok(farm_outcome_find(farm_outcome_name(i)) == i && farm_outcome_help(i)[0],
			"%s is found by its name", farm_outcome_name(i));
	tap_number(farm_outcome_find("fine"), FARM_OUTCOME_COUNT, "others are not");
}

/* --- masks ------------------------------------------------------------------------------------ */

static const char *first_id(const struct mask_counts *counts, json_t **keep)
{
	*keep = masks_findings(counts);
	return json_text(json_array_get(*keep, 0), "id", "");
}

static void finding(struct mask_counts counts, const char *id, const char *title)
{
	json_t *keep;

	tap_text(first_id(&counts, &keep), id, title);
	json_decref(keep);
}

static void test_masks(void)
{
	struct known_u64 none = { .known = false, .value = 0 };

	tap_number(masks_count("0,2-4").value, 4, "0,2-4 are four");
	tap_ok(!masks_count(NULL).known, "unset is unknown");
	tap_ok(masks_count("").known && masks_count("").value == 0, "empty is none");
	tap_ok(!masks_count("GPU-74a1").known, "what is no list is unknown");
	tap_ok(masks_holds("0,2-4", 3) && !masks_holds("0,2-4", 1), "3 is one, 1 is not");
	finding((struct mask_counts){ known_u64(2), known_u64(2), 2, 8, 2 }, "", "all agree");
	finding((struct mask_counts){ known_u64(2), known_u64(2), 2, 8, 8 },
		"allocated-fewer-than-visible", "2 allocated, 8 visible");
	finding((struct mask_counts){ known_u64(24), known_u64(24), 24, 24, 6 },
		"allocated-more-than-visible", "24 allocated, 6 visible");
	finding((struct mask_counts){ known_u64(8), known_u64(1), 8, 8, 1 },
		"step-differs-from-job", "the step got fewer than the job");
	finding((struct mask_counts){ none, none, 8, 8, 8 }, "none-allocated",
		"asked for and none named");
	finding((struct mask_counts){ none, none, 0, 8, 8 }, "not-scheduled",
		"Slurm gives none out");
	finding((struct mask_counts){ none, none, 0, 0, 0 }, "", "a node without GPUs");
}

static void test_pins(void)
{
	struct gpu gpus[4];
	struct node node;
	struct mask_pins pins;
	struct mask_counts counts = { known_u64(2), known_u64(2), 2, 4, 2 };
	size_t i;

	memset(gpus, 0, sizeof(gpus));
	memset(&node, 0, sizeof(node));
	node.gpus = gpus;
	node.gpu_count = 4;
	for (i = 0; i < 4; i++)
		gpus[i].in_hip = i == 1 || i == 3 ? KNOWN_YES : KNOWN_NO;
	masks_choose(&node, &counts, "1,3", &pins);
	tap_ok(pins.count == 2 && pins.gpus[0] == &gpus[1] && pins.gpus[1] == &gpus[3],
		"pinned to what HIP enumerates");
	free(pins.gpus);
	for (i = 0; i < 4; i++) {
		gpus[i].in_hip = KNOWN_YES;
		gpus[i].hip_index = known_u64(i);
	}
	counts.hip = 4;
	masks_choose(&node, &counts, "0,3", &pins);
	tap_ok(pins.count == 2 && pins.gpus[0] == &gpus[0] && pins.gpus[1] == &gpus[3],
		"to the indices that Slurm named when nothing is hidden");
	free(pins.gpus);
	counts.step = known_u64(4);
	masks_choose(&node, &counts, "0-3", &pins);
	tap_number(pins.count, 0, "to nothing when all are ours");
	free(pins.gpus);
}

/* --- files ------------------------------------------------------------------------------------ */

static char *make_place(void)
{
	char *place = xstrdup("/tmp/oamqual-test-farm-XXXXXX");

	if (!mkdtemp(place))
		abort();
	return place;
}

static void put(const char *folder, const char *name, const char *text)
{
	char *path = path_join(folder, name);

	if (file_write(path, text, strlen(text), NULL) != 0)
		abort();
	free(path);
}

/* Expected values: `sha256sum`, and for the folder Python's hashlib over the documented bytes. */
static void test_tree(void)
{
	char *place = make_place(), *folder = path_join(place, "f"), *sub = path_join(folder, "b");
	char *file = path_join(folder, "a"), *link = path_join(folder, "c");
	struct tree_digest digest;
	struct error err;

	mkdir(folder, 0700);
	mkdir(sub, 0700);
	put(folder, "a", "hello\n");
	put(folder, "b/x", "");
	if (symlink("/nowhere/at/all", link) != 0)
		abort();
	tap_ok(tree_digest(file, &digest, &err) == 0 && !digest.is_folder && digest.bytes == 6,
		"a file");
	tap_text(digest.sha256, "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
		"  has the digest of its bytes");
	tap_ok(tree_digest(folder, &digest, &err) == 0 && digest.is_folder && digest.files == 3,
		"a folder");
	tap_text(digest.sha256, "8217e1e47f809e00b8465e1cf94c5f5659e05d325d12be5083d9bc5a6facae3b",
		"  has the digest of its list");
	put(folder, "b/x", "1");
	tap_ok(tree_digest(folder, &digest, &err) == 0 && strncmp(digest.sha256, "8217e1e4", 8),
		"  which changes with a file");
	free(sub);
	sub = path_join(folder, "pipe");
	if (mkfifo(sub, 0600) != 0)
		abort();
	tap_ok(tree_digest(folder, &digest, &err) == -1 && strstr(err.text, "pipe"),
		"  a pipe is refused by name");
	tap_ok(tree_digest(link, &digest, &err) == -1, "  a path that leads nowhere too");
	folder_remove(place, NULL);
	free(place);
	free(folder);
	free(sub);
	free(file);
	free(link);
}

static void test_deliver(void)
{
	char *place = make_place(), *from = path_join(place, "from"), *to = path_join(place, "to");
	char *sub = path_join(from, "sub"), *got = path_join(place, "to/sub/x");
	char *part = path_join(place, ".to.part");
	struct error err;

	mkdir(from, 0700);
	mkdir(sub, 0700);
	put(from, "a", "one");
	put(from, "sub/x", "two");
	tap_ok(deliver_folder(from, to, &err) == DELIVERED && file_exists(got), "delivered");
	tap_ok(!file_exists(part), "  with nothing left beside it");
	tap_ok(deliver_folder(from, to, &err) == DELIVER_NOT_WRITABLE,
		"  never over what is there");
	tap_ok(!file_exists(part) && file_exists(got), "  which stays as it was");
	folder_remove(place, NULL);
	free(place);
	free(from);
	free(to);
	free(sub);
	free(got);
	free(part);
}

/* A shell reads the words back as they were. */
static void test_script(void)
{
	static char *const words[] = { (char *)"a b", (char *)"it's", (char *)"$HOME", NULL };
	struct farm_script script = { .run = "/s/it's",
		.name = "n",
		.tool = "/t",
		.tool_sha256 = "x",
		.manifest_sha256 = "y",
		.local = "/l",
		.minutes = 5 };
	const char *bad[] = { "rm -rf /", NULL };
	struct str text = STR_INIT;
	struct error err;

	farm_words_show(words, &text);
	tap_text(text.data, "'a b' 'it'\\''s' '$HOME'\n", "words for a shell");
	str_truncate(&text, 0);
	tap_ok(farm_script_write(&script, &text, &err) == 0 &&
			strstr(text.data, "run='/s/it'\\''s'\n"),
		"a path with a quote");
	str_truncate(&text, 0);
	script.run = "/s/a\nb";
	tap_ok(farm_script_write(&script, &text, &err) == -1, "a path with a line end is refused");
	script.run = "/s";
	script.extra = bad;
	tap_ok(farm_script_write(&script, &text, &err) == -1, "and what is no option of sbatch");
	script.extra = NULL;
	script.account = "a b";
	tap_ok(farm_script_write(&script, &text, &err) == -1, "and an account of two words");
	tap_number(text.len, 0, "with nothing written");
	str_release(&text);
}

static void test_names(void)
{
	struct error err;

	tap_ok(layout_check_name("node", "node-01.site", &err) == 0, "a node's name");
	tap_ok(layout_check_name("node", "../x", &err) == -1, "none that leaves its folder");
	tap_ok(layout_check_name("node", ".x", &err) == -1, "none that hides");
	tap_ok(layout_check_name("node", "", &err) == -1, "none that is empty");
}

static void test_lock(void)
{
	char *place = make_place();
	struct error err;
	int fd = layout_lock(place, &err);

	tap_ok(fd >= 0, "a run is locked");
	close(fd);
	tap_ok(layout_lock("/nowhere/at/all", &err) == -1 && strstr(err.text, "/nowhere"),
		"a folder that is not there is named");
	folder_remove(place, NULL);
	free(place);
}

/* Frees `record`. NULL as wanted: it is of the manifest. */
static void expect_differs(
	const json_t *manifest, json_t *record, const char *wanted, const char *title)
{
	char *why = farm_record_differs(manifest, record);

	if (wanted)
		tap_ok(why && strstr(why, wanted), "%s", title);
	else
		tap_ok(!why, "%s", title);
	free(why);
	json_decref(record);
}

static void test_record_differs(void)
{
	json_t *manifest = json_pack("{s:[{s:s,s:s},{s:s,s:s}]}", "artifacts", "kind", "tool",
		"sha256", "aa", "kind", "blender", "sha256", "bb");

	expect_differs(manifest,
		json_pack("{s:{s:s}, s:{s:s}}", "tool", "sha256", "aa", "blender", "sha256", "bb"),
		NULL, "a record of the manifest's artifacts");
	expect_differs(manifest,
		json_pack("{s:{s:s}, s:{s:s}}", "tool", "sha256", "aa", "blender", "sha256", "cc"),
		"another blender", "a record of another Blender");
	expect_differs(manifest, json_pack("{s:{s:s}, s:{}}", "tool", "sha256", "aa", "blender"),
		"does not say which blender", "a record that does not say which Blender");
	expect_differs(manifest,
		json_pack("{s:{s:n}, s:{s:s}}", "tool", "sha256", "blender", "sha256", "bb"),
		"does not say which tool", "nor which program");
	json_decref(manifest);
}

static json_t *with_scenes(const char *first, const char *sha256, const char *second)
{
	json_t *record =
		json_pack("{s:[{s:s, s:s}]}", "scenes", "archive", first, "archive_sha256", sha256);

	if (second)
		json_array_append_new(json_object_get(record, "scenes"),
			json_pack("{s:s, s:s}", "archive", second, "archive_sha256", "dd"));
	return record;
}

static void test_scenes_differ(void)
{
	json_t *manifest = json_pack("{s:[{s:s,s:s,s:s,s:s}, {s:s,s:s,s:s,s:s}]}", "artifacts",
		"kind", "scene", "path", "/s/a.tar", "form", "file", "sha256", "aa", "kind",
		"scene", "path", "/s/b", "form", "folder", "sha256", "bb");
	json_t *own = json_pack("{s:[{s:s,s:s,s:s,s:s}]}", "artifacts", "kind", "scenes", "path",
		"/own", "form", "folder", "sha256", "cc");

	expect_differs(manifest, with_scenes("/s/a.tar", "aa", "/s/b/b.tar"), NULL,
		"a record of the manifest's scenes, one an archive, one in a folder");
	expect_differs(manifest, with_scenes("/s/a.tar", "ab", "/s/b/b.tar"), "another scene",
		"another archive at the same path");
	expect_differs(manifest, with_scenes("/s/a.tar", "aa", "/s/bb.tar"), "does not name",
		"a scene that is only named alike");
	expect_differs(manifest, with_scenes("/s/a.tar/x", "aa", "/s/b/b.tar"), "does not name",
		"nothing lies in a file");
	expect_differs(manifest, with_scenes("/s/a.tar", "aa", NULL), "lacks the scene /s/b",
		"a scene that was left out");
	expect_differs(own, with_scenes("/elsewhere/a.tar", "aa", NULL), NULL,
		"which of the program's own scenes the suite says");
	json_decref(manifest);
	json_decref(own);
}

/* --- a node's record ---------------------------------------------------------------------------
 */

/* A run's folder with a record for node n1 that qualify was told to write to `out`. */
static void expect_collected(const char *out, enum farm_outcome wanted, const char *title)
{
	char *place = make_place(), *folder = path_join(place, "nodes/n1"),
	     *path = path_join(folder, "record.json");
	json_t *manifest =
		json_pack("{s:s, s:s, s:[]}", "local", "/var/tmp/farm", "name", "run", "artifacts");
	struct farm_member node = { .name = xstrdup("n1"), .partition = xstrdup("") };
	struct farm_member *nodes = xcalloc(1, sizeof(*nodes));
	struct error err;
	json_t *record = json_pack("{s:s, s:s, s:{s:s, s:[]}, s:[], s:[], s:[], s:{s:b, s:[s, s]}}",
		"schema", "oamqual-record/1", "source", "simulated", "node", "source", "simulated",
		"gpus", "attempts", "gcds", "files", "run", "interrupted", 0, "command", "qualify",
		out);

	node.facts.submitted = true;
	node.facts.job.state = SLURM_JOB_COMPLETED;
	*nodes = node;
	if (folder_make(folder, &err) != 0 || json_write(path, record, &err) != 0)
		tap_ok(false, "%s: %s", title, err.text);
	farm_collect(place, manifest, nodes);
	tap_ok(nodes->outcome == wanted, "%s: %s", title,
		nodes->why.data ? nodes->why.data : "nothing to say");
	farm_nodes_free(nodes, 1);
	json_decref(record);
	json_decref(manifest);
	folder_remove(place, NULL);
	free(path);
	free(folder);
	free(place);
}

static void test_collect(void)
{
	expect_collected("--out=/var/tmp/farm/run-0123456789abcdef/n1/run", FARM_QUALIFIED,
		"a node's own record");
	expect_collected("--out=/var/tmp/farm/run-0123456789abcdef/n2/run", FARM_NO_RECORD,
		"a copy of another node's");
	expect_collected("--out=/var/tmp/farm/walk-0123456789abcdef/n1/run", FARM_NO_RECORD,
		"one of another run");
	expect_collected("--out=/var/tmp/farm/run-0123456789abcdef/n2/../n1/run", FARM_NO_RECORD,
		"one that would be taken for its own");
	expect_collected("--quiet", FARM_NO_RECORD, "one that does not say where it was written");
}

int main(void)
{
	test_scontrol();
	test_squeue();
	test_sacct();
	test_sbatch();
	test_sinfo();
	test_states();
	test_outcomes();
	test_outcome_names();
	test_masks();
	test_pins();
	test_tree();
	test_deliver();
	test_script();
	test_names();
	test_lock();
	test_record_differs();
	test_scenes_differ();
	test_collect();
	return tap_done();
}
