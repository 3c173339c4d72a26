/* SPDX-License-Identifier: Apache-2.0 */
/* What a farm's job runs on its node: prove the artifacts, read the masks, qualify, deliver. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/node_open.h"
#include "cli/version.h"
#include "farm/deliver.h"
#include "farm/layout.h"
#include "farm/manifest.h"
#include "farm/masks.h"
#include "farm/outcome.h"
#include "run/child.h"
#include "run/stop.h"

/* Slurm's own KillWait is 30 s unless the site says otherwise. */
enum { GRACE_MS = 20000, POLL_MS = 200, WORDS_MOST = 512, LOG_BYTES = 16 << 20 };

static const struct option_row rows[] = {
	{ "run", 0, "DIR", "the farm run's folder" },
	{ "node-name", 0, "NAME", "the node that the job was made for" },
	{ "manifest-sha256", 0, "HEX", "digest of the run's manifest" },
	{ "local", 0, "DIR", "takes the evidence before it is delivered" },
	{ "gpus", 0, "N", "GPUs that were asked of Slurm" },
	{ "plan-sha256", 0, "HEX", "render this node's ranks of the plan of a frame" },
	{ NULL, 0, NULL, NULL },
};

struct visit {
	const char *run, *name, *local_root;
	const char *plan_sha256; /* of the frame that it renders a part of; NULL: it qualifies */
	char *to; /* where its word and what it delivers goes: the run's folder, or its frame's */
	unsigned long long gpus;
	json_t *manifest;
	char job[64];
	char *local; /* of this node in this run */
	char *out, *log; /* below it */
	json_t *word;
	json_t *pinned; /* borrowed from the word's masks */
	enum deliver_end worst;
};

/* --- its own folder on the node --------------------------------------------------------------- */

/* Lies where others can write: it must be ours, closed to them, and no link. */
static int make_private(const char *path, struct error *err)
{
	struct stat info;

	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return error_errno(err, "%s", path);
	if (lstat(path, &info) != 0)
		return error_errno(err, "%s", path);
	if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 077))
		return error_set(err,
			"%s: is not a folder of this user alone; see --local of 'oamqual farm'",
			path);
	return 0;
}

static int make_local(struct visit *visit, const char *sha256, struct error *err)
{
	char *of_run, *name = xasprintf("%s%s", visit->name, visit->plan_sha256 ? ".frame" : "");
	int rc;

	visit->local = layout_local(
		visit->local_root, json_text(visit->manifest, "name", "?"), sha256, name);
	free(name);
	visit->out = path_join(visit->local, "run");
	visit->log = path_join(visit->local, "log.txt");
	of_run = xstrndup(visit->local, (size_t)(path_base(visit->local) - visit->local) - 1);
	rc = make_private(visit->local_root, err);
	if (rc == 0)
		rc = make_private(of_run, err);
	if (rc == 0)
		rc = make_private(visit->local, err);
	free(of_run);
	return rc;
}

/* --- its word --------------------------------------------------------------------------------- */

static void note_end(struct visit *visit, enum deliver_end end, const struct error *err)
{
	if (end == DELIVERED)
		return;
	fprintf(stderr, "oamqual: not delivered: %s\n", err->text);
	if (visit->worst != DELIVER_FULL)
		visit->worst = end;
}

static void speak(struct visit *visit, const char *state)
{
	char *path = layout_path(visit->to, "words", visit->name, ".json"), now[21], *text;
	struct error err;

	clock_utc(now);
	json_object_set_new(visit->word, "state", json_string(state));
	json_object_set_new(visit->word, "at", json_string(now));
	text = json_dumps(visit->word, JSON_INDENT(2));
	note_end(visit, deliver_text(path, text, strlen(text), &err), &err);
	free(text);
	free(path);
}

static json_t *begin_word(const struct visit *visit)
{
	const char *step = getenv("SLURM_STEP_ID");
	char now[21], host[256] = "";

	clock_utc(now);
	gethostname(host, sizeof(host) - 1);
	return json_pack("{s:s, s:s, s:o, s:s, s:{s:s, s:o}, s:s}", "schema", "oamqual-farm-node/1",
		"node", visit->name, "host", json_printable_text(host), "tool", version_commit,
		"job", "id", visit->job, "step", step ? json_printable_text(step) : json_null(),
		"started", now);
}

static bool prove_artifacts(struct visit *visit)
{
	bool all;
	json_t *checks = farm_artifacts_check(json_object_get(visit->manifest, "artifacts"), &all);

	json_object_set_new(visit->word, "artifacts", checks);
	json_object_set_new(visit->word, "artifacts_same", json_boolean(all));
	return all;
}

/* "nodes/%N": one replayed node for each node of the farm. NULL: this machine. */
static char *node_folder(const struct visit *visit)
{
	const char *pattern = json_text(visit->manifest, "node_folder", NULL), *mark;

	if (!pattern)
		return NULL;
	mark = strstr(pattern, "%N");
	return mark ? xasprintf("%.*s%s%s", (int)(mark - pattern), pattern, visit->name, mark + 2)
		    : xstrdup(pattern);
}

static void read_masks(struct visit *visit)
{
	char *work = path_join(visit->local, "probe"), *folder = node_folder(visit);
	struct open_node open;
	struct mask_pins pins;
	struct error err;
	json_t *masks;

	folder_remove(work, NULL);
	if (folder_make(work, &err) == 0 && node_open(folder, work, NULL, true, &open, &err) == 0) {
		masks = masks_read(&open.node, visit->gpus, &pins);
		visit->pinned = json_object_get(masks, "pinned");
		free(pins.gpus);
		node_close(&open);
	} else {
		masks = fact_unknown(err.text);
	}
	json_object_set_new(visit->word, "masks", masks);
	folder_remove(work, NULL);
	free(work);
	free(folder);
}

/* --- qualify ---------------------------------------------------------------------------------- */

static bool add_word(char **words, size_t *count, char *word)
{
	if (*count + 1 >= WORDS_MOST) {
		free(word);
		return false;
	}
	words[(*count)++] = word;
	return true;
}

static char **qualify_words(const struct visit *visit, bool resume)
{
	char **words = xcalloc(WORDS_MOST, sizeof(*words)), *folder = node_folder(visit);
	const json_t *word;
	size_t count = 0, i;

	add_word(words, &count, program_path());
	add_word(words, &count, xstrdup("qualify"));
	add_word(words, &count, xasprintf("--%s=%s", resume ? "resume" : "out", visit->out));
	add_word(words, &count, xstrdup("--quiet"));
	if (!resume) {
		json_array_foreach (json_object_get(visit->manifest, "qualify"), i, word)
			if (json_is_string(word))
				add_word(words, &count, xstrdup(json_string_value(word)));
		if (folder)
			add_word(words, &count, xasprintf("--node=%s", folder));
		json_array_foreach (visit->pinned, i, word)
			add_word(words, &count, xasprintf("--gcd=%s", json_string_value(word)));
	}
	free(folder);
	return words;
}

/* The kernel files that the node compiled when it was qualified: all ranks would else compile them
 * again, at the same time. NULL: an operator gave some, or there are none. */
static char *kernels_of_record(const struct visit *visit)
{
	char *folder = layout_path(visit->run, "nodes", visit->name, "/cache/cycles/kernels");
	const json_t *word;
	size_t i;

	json_array_foreach (json_object_get(visit->manifest, "qualify"), i, word)
		if (json_is_string(word) && str_starts(json_string_value(word), "--kernel-cache="))
			break;
	if (i == json_array_size(json_object_get(visit->manifest, "qualify")) &&
		folder_exists(folder) && !folder_is_empty(folder))
		return folder;
	free(folder);
	return NULL;
}

/* `farm-ranks` with the words of this node's qualify. */
static char **ranks_words(const struct visit *visit)
{
	char **qualify = qualify_words(visit, false),
	     **words = xcalloc(WORDS_MOST + 8, sizeof(*words)), *kernels = kernels_of_record(visit);
	size_t count = 0, i;

	words[count++] = qualify[0];
	words[count++] = xstrdup("farm-ranks");
	words[count++] = xasprintf("--plan=%s/plan.json", visit->to);
	words[count++] = xasprintf("--plan-sha256=%s", visit->plan_sha256);
	words[count++] = xasprintf("--node-name=%s", visit->name);
	words[count++] = xstrdup("--");
	for (i = 1; qualify[i]; i++)
		words[count++] = qualify[i];
	if (kernels)
		words[count++] = xasprintf("--kernel-cache=%s", kernels);
	free(kernels);
	free(qualify);
	return words;
}

static void words_free(char **words)
{
	size_t i;

	for (i = 0; words[i]; i++)
		free(words[i]);
	free(words);
}

/* Runs it to its end, or until we are told to stop: it then ends its attempts and writes what it
 * has. */
static int follow(struct child *child)
{
	const struct child *all[] = { child };
	bool told = false;

	while (!child_step(child)) {
		if (stop_is_asked() && !told) {
			child_interrupt(child);
			told = true;
		}
		children_wait(all, 1, POLL_MS);
	}
	return child->ending.how == CHILD_EXITED ? child->ending.code : -1;
}

static int qualify_once(struct visit *visit, bool resume, struct error *err)
{
	/* The job's own masks were for the record only. */
	char **words = visit->plan_sha256 ? ranks_words(visit) : qualify_words(visit, resume);
	struct child_command command = { .argv = words,
		.stdout_path = visit->log,
		.stderr_path = visit->log,
		.grace_ms = GRACE_MS };
	struct child child;
	char ending[200];
	int code = -2;

	unlink(visit->log);
	if (child_start(&child, &command, err) == 0) {
		code = follow(&child);
		child_ending_text(&child.ending, ending, sizeof(ending));
		json_object_set_new(visit->word, "qualify",
			json_pack("{s:b, s:s}", "resumed", resume, "ending", ending));
	}
	words_free(words);
	return code;
}

/* What an earlier job of this run left here is gone on with; what cannot be is put aside. Ranks
 * belong to one plan, so they are rendered anew. */
static int qualify_here(struct visit *visit, struct error *err)
{
	char *state = path_join(visit->out, "state.json"), *aside;
	bool begun = !visit->plan_sha256 && file_exists(state);
	int code = begun ? qualify_once(visit, true, err) : STATUS_CANNOT_JUDGE;

	free(state);
	if (begun && code != STATUS_CANNOT_JUDGE && code != STATUS_USAGE)
		return code;
	if (stop_is_asked())
		return code;
	if (file_exists(visit->out)) {
		aside = xasprintf("%s/before-%s", visit->local, visit->job);
		if (rename(visit->out, aside) != 0)
			fprintf(stderr, "oamqual: %s: %s\n", visit->out, strerror(errno));
		free(aside);
	}
	return qualify_once(visit, false, err);
}

/* --- delivery --------------------------------------------------------------------------------- */

static bool is_finished(const struct visit *visit)
{
	char *path = path_join(visit->out, visit->plan_sha256 ? "ranks.json" : "record.json");
	json_t *record = json_read(path, 256u << 20, NULL);
	const json_t *run = json_object_get(record, "run");
	bool finished = record &&
			(visit->plan_sha256 || json_is_false(json_object_get(run, "interrupted")));

	json_decref(record);
	free(path);
	return finished;
}

static void deliver_log(struct visit *visit)
{
	char *name = xasprintf("%s-%s", visit->name, visit->job);
	char *path = layout_path(visit->to, "logs", name, ".txt");
	struct str text = STR_INIT;
	struct error err;

	if (file_read(visit->log, LOG_BYTES, &text, NULL) == 0)
		note_end(visit, deliver_text(path, text.data ? text.data : "", text.len, &err),
			&err);
	str_release(&text);
	free(path);
	free(name);
}

static void deliver_evidence(struct visit *visit, bool finished)
{
	char *name = xasprintf("%s-%s", visit->name, visit->job);
	char *to = finished ? layout_path(visit->to, "nodes", visit->name, "")
			    : layout_path(visit->to, "partial", name, "");
	struct error err;

	if (file_exists(visit->out))
		note_end(visit, deliver_folder(visit->out, to, &err), &err);
	free(to);
	free(name);
}

static int exit_of(const struct visit *visit, bool finished)
{
	if (visit->worst == DELIVER_FULL)
		return FARM_EXIT_FULL;
	if (visit->worst == DELIVER_NOT_WRITABLE)
		return FARM_EXIT_NOT_WRITABLE;
	if (finished)
		return 0;
	return stop_is_asked() ? FARM_EXIT_INTERRUPTED : FARM_EXIT_CANNOT_JUDGE;
}

/* The folder of the run goes with its last node's: elsewhere there is only one. */
static void remove_local(const struct visit *visit)
{
	size_t len = (size_t)(path_base(visit->local) - visit->local) - 1;
	char *of_run = xstrndup(visit->local, len);

	folder_remove(visit->local, NULL);
	rmdir(of_run);
	free(of_run);
}

/* The folder on the node goes only when all of it has arrived. */
static int hand_over(struct visit *visit)
{
	bool finished = is_finished(visit);
	int code;

	visit->worst = DELIVERED;
	deliver_evidence(visit, finished);
	deliver_log(visit);
	speak(visit, visit->worst != DELIVERED ? "kept" : finished ? "delivered" : "ended");
	code = exit_of(visit, finished);
	if (code == 0)
		remove_local(visit);
	return code;
}

static int visit_node(struct visit *visit)
{
	struct error err;
	int code;

	if (!prove_artifacts(visit)) {
		speak(visit, "artifact-mismatch");
		return FARM_EXIT_MISMATCH;
	}
	read_masks(visit);
	speak(visit, "running");
	code = qualify_here(visit, &err);
	if (code == -2) {
		fprintf(stderr, "oamqual: %s\n", err.text);
		return FARM_EXIT_CANNOT_JUDGE;
	}
	json_object_set_new(visit->word, "exit", json_integer(code));
	return hand_over(visit);
}

static int prepare(struct visit *visit, const char *sha256, struct error *err)
{
	const char *here = getenv("SLURMD_NODENAME");
	char *path = path_join(visit->run, "manifest.json");

	visit->manifest = farm_manifest_read(path, sha256, NULL, err);
	free(path);
	if (!visit->manifest)
		return FARM_EXIT_NO_MANIFEST;
	if (here && strcmp(here, visit->name) != 0) {
		error_set(err, "this is node %s and not %s", here, visit->name);
		return FARM_EXIT_WRONG_NODE;
	}
	return make_local(visit, sha256, err) == 0 ? 0 : FARM_EXIT_CANNOT_JUDGE;
}

static int run_farm_node(const struct options *options)
{
	const char *job = getenv("SLURM_JOB_ID"),
		   *sha256 = options_text(options, "manifest-sha256");
	struct visit visit = { .run = options_text(options, "run"),
		.name = options_text(options, "node-name"),
		.local_root = options_text(options, "local"),
		.plan_sha256 = options_text(options, "plan-sha256") };
	struct error err;
	int code;

	if (!visit.run || !visit.name || !visit.local_root || !sha256) {
		error_set(&err, "is run by the job of 'oamqual farm'");
		return cli_usage(options, &err);
	}
	if (options_number(options, "gpus", 0, 4096, &visit.gpus, &err) != 0 ||
		layout_check_name("the node", visit.name, &err) != 0)
		return cli_usage(options, &err);
	str_copy(visit.job, sizeof(visit.job),
		job && strspn(job, "0123456789") == strlen(job) ? job : "0");
	visit.to = visit.plan_sha256 ? path_join(visit.run, "frame") : xstrdup(visit.run);
	stop_catch(STOP_AGAIN_IS_THE_SAME);
	children_adopt_orphans();
	code = prepare(&visit, sha256, &err);
	if (code == 0) {
		visit.word = begin_word(&visit);
		code = visit_node(&visit);
	} else {
		cli_fail(&err);
	}
	json_decref(visit.word);
	json_decref(visit.manifest);
	free(visit.to);
	free(visit.local);
	free(visit.out);
	free(visit.log);
	return code;
}

const struct command command_farm_node = {
	.name = "farm-node",
	.operands = "",
	.summary = "what the job of 'oamqual farm' runs on its node",
	.about = "",
	.rows = rows,
	.run = run_farm_node,
	.hidden = true,
};
