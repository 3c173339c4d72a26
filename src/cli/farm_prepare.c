/* SPDX-License-Identifier: Apache-2.0 */
/* What a farm run is made of: nodes, artifacts, the script. */
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/data.h"
#include "cli/farm.h"
#include "cli/farm_frame.h"
#include "cli/version.h"
#include "farm/layout.h"
#include "farm/manifest.h"
#include "farm/outcome.h"
#include "farm/script.h"
#include "inventory/hostlist.h"

enum { NODES_MOST = 65536 };

/* --- what qualify is told --------------------------------------------------------------------- */

enum pass_kind { PASS_WORD, PASS_PATH, PASS_PROGRAM, PASS_LIBRARY, PASS_FLAG };

struct pass_row {
	const char *name;
	enum pass_kind kind;
	const char *artifact; /* kind of artifact, or NULL */
};

/* Options of qualify that a farm takes too. --gcd is not among them: nodes have GCDs of their own.
 */
static const struct pass_row passes[] = {
	{ "scene", PASS_PATH, "scene" },
	{ "suite", PASS_WORD, NULL },
	{ "size", PASS_WORD, NULL },
	{ "samples", PASS_WORD, NULL },
	{ "seed", PASS_WORD, NULL },
	{ "parameter", PASS_WORD, NULL },
	{ "expected", PASS_PATH, "expected" },
	{ "blender", PASS_PROGRAM, NULL },
	{ "probe", PASS_WORD, NULL },
	{ "kernel-cache", PASS_PATH, "kernel-cache" },
	{ "hip-library", PASS_LIBRARY, NULL },
	{ "repeat", PASS_WORD, NULL },
	{ "jobs", PASS_WORD, NULL },
	{ "deadline", PASS_WORD, NULL },
	{ "sandbox", PASS_WORD, NULL },
	{ "memory-limit", PASS_WORD, NULL },
	{ "no-baseline", PASS_FLAG, NULL },
	{ "distributed", PASS_FLAG, NULL },
};

static char *absolute(const char *path, struct error *err)
{
	char *resolved = realpath(path, NULL);

	if (!resolved)
		error_errno(err, "%s", path);
	return resolved;
}

/* A path, or a name in PATH. */
static char *find_program(const char *name, struct error *err)
{
	char *found =
		strchr(name, '/') || folder_exists(name) ? xstrdup(name) : program_search(name);
	char *resolved;

	if (!found) {
		error_set(err, "no %s in PATH; --blender names one that every node has", name);
		return NULL;
	}
	resolved = absolute(found, err);
	free(found);
	return resolved;
}

/* A bare name is looked for by each node's loader. */
static char *find_library(const char *name, struct error *err)
{
	return strchr(name, '/') ? absolute(name, err) : xstrdup(name);
}

static char *pass_value(const struct pass_row *row, const char *value, struct error *err)
{
	switch (row->kind) {
	case PASS_PATH:
		return absolute(value, err);
	case PASS_PROGRAM:
		return find_program(value, err);
	case PASS_LIBRARY:
		return find_library(value, err);
	case PASS_WORD:
	case PASS_FLAG:
		break;
	}
	return xstrdup(value);
}

static int add_artifact(json_t *artifacts, const char *kind, const char *path, struct error *err)
{
	json_t *artifact = farm_artifact(kind, path, err);

	if (!artifact)
		return -1;
	return json_array_append_new(artifacts, artifact);
}

/* What a Blender is made of beside its executable: the folder it was unpacked to, or the files
 * that a distribution keeps for it. */
static int add_blender(json_t *artifacts, const char *path, struct error *err)
{
	static const char *const shares[] = { "share/blender", "../share/blender" };
	char *folder = xstrndup(path, (size_t)(path_base(path) - path)), *release = NULL;
	int rc = add_artifact(artifacts, "blender", path, err);
	size_t i;

	release = xasprintf("%slicense", folder);
	if (rc == 0 && file_exists(release))
		rc = add_artifact(artifacts, "blender-files", folder, err);
	for (i = 0; rc == 0 && i < sizeof(shares) / sizeof(shares[0]); i++) {
		char *share = path_join(folder, shares[i]);
		char *resolved = realpath(share, NULL);

		if (resolved && folder_exists(resolved))
			rc = add_artifact(artifacts, "blender-files", resolved, err);
		free(resolved);
		free(share);
	}
	free(release);
	free(folder);
	return rc;
}

/* An unpacked image: its Blender and that one's files. What the image holds beside them is not
 * covered; the record names the libraries that were mapped. */
static int add_image(json_t *artifacts, const char *root, struct error *err)
{
	static const char *const parts[] = { "usr/bin/blender", "usr/share/blender" };
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < 2; i++) {
		char *path = path_join(root, parts[i]);

		if (i == 0 || file_exists(path))
			rc = add_artifact(artifacts, i ? "blender-files" : "blender", path, err);
		free(path);
	}
	return rc;
}

static int add_value(const struct pass_row *row, const char *given, json_t *words,
	json_t *artifacts, struct error *err)
{
	char *value = pass_value(row, given, err);
	int rc = value ? 0 : -1;

	if (rc == 0 && !text_is_utf8(value, strlen(value)))
		rc = error_set(err, "--%s: its value is not UTF-8", row->name);
	if (rc == 0 && row->artifact)
		rc = add_artifact(artifacts, row->artifact, value, err);
	if (rc == 0 && row->kind == PASS_PROGRAM)
		rc = folder_exists(value) ? add_image(artifacts, value, err)
					  : add_blender(artifacts, value, err);
	if (rc == 0)
		json_array_append_new(words, row->kind == PASS_FLAG
						     ? json_sprintf("--%s", row->name)
						     : json_sprintf("--%s=%s", row->name, value));
	free(value);
	return rc;
}

static int add_passes(
	const struct options *options, json_t *words, json_t *artifacts, struct error *err)
{
	const char *given;
	size_t i, j;

	for (i = 0; i < sizeof(passes) / sizeof(passes[0]); i++)
		for (j = 0; (given = options_nth(options, passes[i].name, j)) != NULL; j++)
			if (add_value(&passes[i], given, words, artifacts, err) != 0)
				return error_prefix(err, "--%s", passes[i].name);
	return 0;
}

/* What qualify takes when it is not told: the program's own, which must be the same too. */
static int add_own(
	const struct options *options, json_t *words, json_t *artifacts, struct error *err)
{
	static const struct pass_row blender = { "blender", PASS_PROGRAM, NULL };
	char *scenes = NULL, *expected = NULL;
	int rc = 0;

	if (!options_flag(options, "blender"))
		rc = add_value(&blender, "blender", words, artifacts, err);
	if (rc == 0 && !options_flag(options, "scene")) {
		scenes = data_scenes(err);
		rc = scenes ? add_artifact(artifacts, "scenes", scenes, err) : -1;
	}
	if (rc == 0 && !options_flag(options, "expected")) {
		expected = data_expected(NULL);
		rc = expected ? add_artifact(artifacts, "expected", expected, err) : 0;
	}
	free(scenes);
	free(expected);
	return rc;
}

static int add_tool(const char *path, json_t *artifacts, struct error *err)
{
	static const char *const places[] = { "../lib/oamqual", ".", NULL };
	char *shim;
	int rc = add_artifact(artifacts, "tool", path, err);

	shim = rc == 0 ? program_find(places, "oamqual-oiio.so", NULL) : NULL;
	if (shim)
		rc = add_artifact(artifacts, "picture-library", shim, err);
	free(shim);
	return rc;
}

/* --- the nodes -------------------------------------------------------------------------------- */

struct naming {
	json_t *nodes, *seen;
	const struct slurm_node *known;
	long count;
	const char *partition; /* that was asked for, or NULL */
	struct error *err;
	bool failed;
};

static const struct slurm_node *known_node(const struct naming *naming, const char *name)
{
	long i;

	for (i = 0; i < naming->count; i++)
		if (strcmp(naming->known[i].name, name) == 0)
			return &naming->known[i];
	return NULL;
}

/* A node that Slurm does not know stays in the list: it is reported as such. */
static bool name_node(const char *name, void *context)
{
	struct naming *naming = context;
	const struct slurm_node *known = known_node(naming, name);

	if (layout_check_name("the node", name, naming->err) != 0) {
		naming->failed = true;
		return false;
	}
	if (json_object_get(naming->seen, name))
		return true;
	json_object_set_new(naming->seen, name, json_true());
	json_array_append_new(
		naming->nodes, json_pack("{s:s, s:I, s:s}", "name", name, "gpus",
				       (json_int_t)(known ? known->gpus : 0), "partition",
				       known		   ? known->partition
				       : naming->partition ? naming->partition
							   : ""));
	return true;
}

/* sinfo says nothing at all of a partition that is not there. */
static int check_partition(
	struct slurm *slurm, const struct farm_request *request, struct error *err)
{
	struct slurm_node *nodes = NULL;
	long count = 1;

	if (request->partition)
		count = slurm_nodes(slurm, NULL, request->partition, &nodes, err);
	free(nodes);
	if (count == 0)
		error_set(err, "Slurm has no node in partition %s", request->partition);
	return count > 0 ? 0 : -1;
}

static json_t *name_nodes(
	struct slurm *slurm, const struct farm_request *request, struct error *err)
{
	struct naming naming = { .nodes = json_array(),
		.seen = json_object(),
		.partition = request->partition,
		.err = err };
	struct slurm_node *known = NULL;
	long i;

	naming.count = slurm_nodes(slurm, request->nodes, request->partition, &known, err);
	naming.known = known;
	if (naming.count == 0 && check_partition(slurm, request, err) != 0)
		naming.count = -1;
	if (naming.count < 0) {
		naming.failed = true;
	} else if (request->nodes) {
		if (hostlist_each(request->nodes, NODES_MOST, name_node, &naming) < 0) {
			error_set(err, "--nodes %s: not a list of nodes", request->nodes);
			naming.failed = true;
		}
	} else {
		for (i = 0; i < naming.count && !naming.failed; i++)
			name_node(known[i].name, &naming);
	}
	if (!naming.failed && json_array_size(naming.nodes) == 0) {
		error_set(err, "--nodes: the list is empty");
		naming.failed = true;
	}
	free(known);
	json_decref(naming.seen);
	if (!naming.failed)
		return naming.nodes;
	json_decref(naming.nodes);
	return NULL;
}

/* --- the run ---------------------------------------------------------------------------------- */

static const char *user_name(void)
{
	const struct passwd *user = getpwuid(geteuid());

	return user ? user->pw_name : "?";
}

/* Two farms that begin in the same second do not get the same. */
static char *own_name(void)
{
	unsigned long long chance = (unsigned long long)getpid();
	struct str bytes = STR_INIT;
	char stamp[17];
	FILE *random = fopen("/dev/urandom", "rb");
	unsigned char four[2] = { 0, 0 };

	if (random) {
		if (fread(four, 1, sizeof(four), random) == sizeof(four))
			chance = (unsigned long long)four[0] << 8 | four[1];
		fclose(random);
	}
	clock_utc_compact(stamp);
	str_addf(&bytes, "%s-%04llx", stamp, chance & 0xffff);
	return str_detach(&bytes);
}

static json_t *make_manifest(struct slurm *slurm, const struct farm_request *request,
	const char *name, const char *tool, struct error *err)
{
	json_t *words = json_array(), *artifacts = json_array(), *nodes, *manifest = NULL;
	char now[21];

	nodes = name_nodes(slurm, request, err);
	clock_utc(now);
	if (nodes && add_tool(tool, artifacts, err) == 0 &&
		add_passes(request->options, words, artifacts, err) == 0 &&
		add_own(request->options, words, artifacts, err) == 0)
		manifest = json_pack("{s:s, s:s, s:s, s:s, s:{s:s, s:s}, s:s, s:O, s:o, s:s, s:I, "
				     "s:O, s:O}",
			"schema", farm_manifest_schema, "name", name, "created", now, "user",
			user_name(), "tool", "version", version_number, "commit", version_commit,
			"slurm", slurm->version, "qualify", words, "node_folder",
			request->node_folder ? json_string(request->node_folder) : json_null(),
			"local", request->local, "minutes", (json_int_t)request->minutes,
			"artifacts", artifacts, "nodes", nodes);
	json_decref(words);
	json_decref(artifacts);
	json_decref(nodes);
	return manifest;
}

/* The manifest's bytes decide its digest, and the script names that. */
static char *manifest_text(const json_t *manifest, char hex[65])
{
	char *text = json_dumps(manifest, JSON_INDENT(2));
	struct digest *digest = digest_new();
	char *whole = xasprintf("%s\n", text);

	digest_add(digest, whole, strlen(whole));
	digest_finish(digest, hex);
	free(text);
	return whole;
}

static int script_text(const struct farm_request *request, const struct farm_run *run,
	const char *tool, struct str *text, struct error *err)
{
	const char *extra[65] = { NULL };
	const json_t *artifacts = json_object_get(run->manifest, "artifacts");
	struct farm_script script = { .run = run->folder,
		.name = json_text(run->manifest, "name", ""),
		.tool = tool,
		.tool_sha256 = json_text(json_array_get(artifacts, 0), "sha256", ""),
		.manifest_sha256 = run->manifest_sha256,
		.local = json_text(run->manifest, "local", ""),
		.account = options_text(request->options, "account"),
		.qos = options_text(request->options, "qos"),
		.reservation = options_text(request->options, "reservation"),
		.minutes = (unsigned)request->minutes,
		.extra = extra };
	size_t i;

	for (i = 0; i < 64 && (extra[i] = options_nth(request->options, "sbatch", i)); i++)
		;
	return farm_script_write(&script, text, err);
}

/* The submission, or as in the run itself what keeps the node from it. */
static void add_dry(const struct farm_run *run, const struct farm_member *node, const char *job,
	const struct slurm_node *seen, struct str *to)
{
	const struct farm_facts facts = { .node = seen ? seen->state : SLURM_NODE_UNKNOWN,
		.node_word = seen ? seen->word : NULL,
		.node_reason = seen ? seen->reason : NULL };
	struct str why = STR_INIT;
	char **words;

	if (facts.node != SLURM_NODE_USABLE) {
		const char *outcome = farm_outcome_name(farm_decide(&facts, &why));

		str_addf(to, "# %s would not be submitted: %s: %s\n", node->name, outcome,
			why.len ? why.data : "no reason is given");
		str_release(&why);
		return;
	}
	words = farm_submit_words(run->slurm.sbatch, job, node->name, node->partition, node->gpus);
	str_add(to, "# ");
	farm_words_show(words, to);
	farm_words_free(words);
}

static int print_dry(const struct farm_request *request, struct farm_run *run, const char *script,
	struct error *err)
{
	struct naming naming = { .known = NULL };
	struct slurm_node *known = NULL;
	struct str text = STR_INIT;
	char *job;
	size_t i;

	naming.count = slurm_nodes(&run->slurm, request->nodes, request->partition, &known, err);
	naming.known = known;
	if (naming.count < 0)
		return -1;
	job = path_join(run->folder, "job.sh");
	str_addf(&text, "%s\n", script);
	for (i = 0; i < run->count; i++)
		add_dry(run, &run->nodes[i], job, known_node(&naming, run->nodes[i].name), &text);
	fputs(text.data, stdout);
	str_release(&text);
	free(job);
	free(known);
	return 0;
}

/* mkdir(2) decides whose it is: two farms of one name cannot both begin. */
static int make_run_folder(
	struct farm_run *run, const char *manifest, const char *script, struct error *err)
{
	char *path = path_join(run->folder, "manifest.json"),
	     *job = path_join(run->folder, "job.sh");
	int rc = 0;

	if (mkdir(run->folder, 0777) != 0) {
		rc = errno == EEXIST ? error_set(err,
					       "%s: is there already; to go on with it: 'oamqual "
					       "farm --resume %s', else another --name",
					       run->folder, run->folder)
				     : error_errno(err, "%s", run->folder);
	} else {
		rc = layout_make(run->folder, err);
		if (rc == 0)
			rc = file_write(path, manifest, strlen(manifest), err);
		if (rc == 0)
			rc = file_write(job, script, strlen(script), err);
		if (rc != 0)
			folder_remove(run->folder, NULL);
	}
	free(path);
	free(job);
	return rc;
}

static int make_run(const struct farm_request *request, struct farm_run *run, const char *tool,
	struct error *err)
{
	struct str script = STR_INIT;
	char *manifest = manifest_text(run->manifest, run->manifest_sha256);
	int rc = script_text(request, run, tool, &script, err);

	if (rc == 0)
		rc = farm_nodes_read(run->manifest, &run->nodes, &run->count, err);
	if (rc == 0 && request->dry_run)
		rc = print_dry(request, run, script.data, err);
	else if (rc == 0)
		rc = make_run_folder(run, manifest, script.data, err);
	if (rc == 0 && !request->dry_run) {
		run->lock = layout_lock(run->folder, err);
		rc = run->lock < 0 ? -1 : 0;
	}
	str_release(&script);
	free(manifest);
	return rc;
}

static int prepare(const struct farm_request *request, struct farm_run *run, struct error *err)
{
	char *share = absolute(request->share, err), *name, *tool;
	int rc = -1;

	if (!share)
		return error_prefix(err, "--share");
	name = request->name ? xstrdup(request->name) : own_name();
	tool = request->tool ? absolute(request->tool, err) : program_path();
	if (tool && layout_check_name("--name", name, err) == 0) {
		run->folder = path_join(share, name);
		run->job_name = farm_job_name(name);
		run->manifest = make_manifest(&run->slurm, request, name, tool, err);
		rc = run->manifest ? make_run(request, run, tool, err) : -1;
	}
	free(share);
	free(name);
	free(tool);
	return rc;
}

static int open_slurm(struct farm_run *run, struct error *err)
{
	if (slurm_open(&run->slurm, err) != 0)
		return -1;
	run->slurm.waits = farm_tell_waiting;
	return 0;
}

int farm_prepare(const struct farm_request *request, struct farm_run *run, struct error *err)
{
	memset(run, 0, sizeof(*run));
	run->lock = -1;
	run->poll_s = (unsigned)request->poll_s;
	run->quiet = request->quiet;
	if (open_slurm(run, err) == 0 && prepare(request, run, err) == 0)
		return 0;
	farm_release(run);
	return -1;
}

/* --- one that was begun ----------------------------------------------------------------------- */

/* The script names the manifest that the jobs were made for. */
static int check_script(const struct farm_run *run, struct error *err)
{
	char *path = path_join(run->folder, "job.sh");
	char *wanted = xasprintf("manifest_sha256='%s'\n", run->manifest_sha256);
	struct str text = STR_INIT;
	int rc = file_read(path, 1 << 20, &text, err);

	if (rc == 0 && (!text.data || !strstr(text.data, wanted)))
		rc = error_set(err,
			"%s: manifest.json is not the one that this run began with; begin a new "
			"run",
			run->folder);
	str_release(&text);
	free(wanted);
	free(path);
	return rc;
}

/* Another scene or Blender now would make a report of two different things. */
static int check_artifacts(const struct farm_run *run, struct error *err)
{
	bool all;
	json_t *checks = farm_artifacts_check(json_object_get(run->manifest, "artifacts"), &all);
	char *wrong = farm_artifacts_wrong(checks);

	if (wrong)
		error_set(err, "not what it was when the run began: %s; begin a new run", wrong);
	free(wrong);
	json_decref(checks);
	return all ? 0 : -1;
}

static int take_up(const char *folder, struct farm_run *run, struct error *err)
{
	char *path;

	run->folder = absolute(folder, err);
	if (!run->folder)
		return -1;
	path = path_join(run->folder, "manifest.json");
	run->manifest = farm_manifest_read(path, NULL, run->manifest_sha256, err);
	free(path);
	if (!run->manifest || check_script(run, err) != 0 || check_artifacts(run, err) != 0 ||
		farm_nodes_read(run->manifest, &run->nodes, &run->count, err) != 0)
		return -1;
	run->job_name = farm_job_name(json_text(run->manifest, "name", ""));
	run->lock = layout_lock(run->folder, err);
	return run->lock < 0 ? -1 : 0;
}

int farm_take_up(const char *folder, struct farm_run *run, struct error *err)
{
	unsigned poll_s = run->poll_s;
	bool quiet = run->quiet;

	memset(run, 0, sizeof(*run));
	run->lock = -1;
	run->poll_s = poll_s;
	run->quiet = quiet;
	if (open_slurm(run, err) == 0 && take_up(folder, run, err) == 0)
		return 0;
	farm_release(run);
	return -1;
}

void farm_release(struct farm_run *run)
{
	slurm_close(&run->slurm);
	farm_frame_free(run->frame);
	farm_nodes_free(run->nodes, run->count);
	json_decref(run->manifest);
	free(run->folder);
	free(run->job_name);
	if (run->lock >= 0)
		close(run->lock);
	memset(run, 0, sizeof(*run));
	run->lock = -1;
}
