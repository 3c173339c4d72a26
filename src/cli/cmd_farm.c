/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/farm.h"
#include "cli/qualify.h"
#include "farm/script.h"
#include "run/child.h"

enum { MINUTES_DEFAULT = 240, POLL_DEFAULT_S = 5 };

static const struct option_row rows[] = {
	{ "nodes", 'w', "LIST", "the nodes, as Slurm lists them: node[01-12],gpu3" },
	{ "partition", 'p', "NAME", "all nodes of a partition" },
	{ "share", 0, "DIR", "a folder that every node sees at the same path; takes DIR/<run>/" },
	{ "name", 0, "NAME", "name of the run (default: UTC time and four digits)" },
	{ "resume", 0, "DIR",
		"go on with the run in DIR: follow what still runs, try again what has no record" },
	{ "dry-run", 0, NULL, "print the job script and the submissions, and do nothing" },
	{ "time", 't', "MINUTES", "time limit of a node's job (default 240)" },
	{ "account", 0, "NAME", "Slurm account" },
	{ "qos", 0, "NAME", "Slurm quality of service" },
	{ "reservation", 0, "NAME", "Slurm reservation" },
	{ "sbatch", 0, "OPTION", "a further #SBATCH option, such as --constraint=mi250; repeat" },
	{ "tool", 0, "PATH", "oamqual on the nodes (default: this one's own path)" },
	{ "local", 0, "DIR",
		"takes each node's evidence before it is delivered (default /var/tmp)" },
	{ "node", 0, "DIR",
		"replay recorded or synthetic nodes; %N stands for the node's name: nodes/%N" },
	{ "poll", 0, "SECONDS", "how often Slurm is asked (default 5)" },
	{ "scene", 's', "PATH", "what each node renders; this and what follows is as for qualify" },
	{ "suite", 0, "NAME", "basic or full" },
	{ "size", 0, "WxH", "resolution of a scene without scene.json" },
	{ "samples", 0, "N", "its samples per pixel" },
	{ "seed", 0, "N", "its seed" },
	{ "parameter", 0, "NAME=VALUE", "a parameter of scene.json; repeat for more" },
	{ "expected", 0, "DIR", "references" },
	{ "blender", 'b', "PATH", "one Blender, at this path on every node" },
	{ "probe", 0, "NAME", "only strict or only as-farm" },
	{ "kernel-cache", 0, "DIR", "kernel files to start with" },
	{ "hip-library", 0, "FILE", "libamdhip64 to ask instead of the usual names" },
	{ "repeat", 0, "N", "render each scene N times on each GCD alone" },
	{ "jobs", 'j', "N", "attempts at once on a node" },
	{ "deadline", 0, "SECONDS", "for each attempt" },
	{ "sandbox", 0, "MODE", "auto, require or none" },
	{ "memory-limit", 0, "BYTES", "what each Blender may write to" },
	{ "no-baseline", 0, NULL, "leave out the path-tracing baseline" },
	{ "distributed", 0, NULL,
		"then render one frame of each scene over all accepted GCDs: of each node, and of "
		"all nodes together" },
	{ "json", 0, NULL, "print farm.json instead of the report" },
	{ "quiet", 'q', NULL, "no live table" },
	{ NULL, 0, NULL, NULL },
};

/* What follows from farm.json, as the report or as itself. */
static int finish(struct farm_run *run, bool json)
{
	struct error err;
	json_t *farm = farm_follow(run, &err);
	int status;

	if (!farm) {
		status = cli_fail(&err);
		fprintf(stderr, "oamqual: to go on: oamqual farm --resume %s\n", run->folder);
		return status;
	}
	if (json)
		json_print(farm, stdout);
	else
		farm_text_print(run, farm, stdout);
	status = farm_status(run, farm);
	json_decref(farm);
	return status;
}

static int read_common(
	const struct options *options, struct farm_request *request, struct error *err)
{
	request->poll_s = POLL_DEFAULT_S;
	request->json = options_flag(options, "json");
	request->quiet = options_flag(options, "quiet");
	return options_number(options, "poll", 1, 3600, &request->poll_s, err);
}

static int run_resume(const struct options *options)
{
	static const char *const allowed[] = { "resume", "json", "quiet", "poll", NULL };
	const char *other = options_other(options, allowed);
	struct farm_request request = { .options = options };
	struct farm_run run;
	struct error err;
	int status;

	memset(&run, 0, sizeof(run));
	if (other)
		error_set(&err,
			"--resume takes the options of the run itself, so --%s cannot be given",
			other);
	if (other || read_common(options, &request, &err) != 0)
		return cli_usage(options, &err);
	run.poll_s = (unsigned)request.poll_s;
	run.quiet = request.quiet;
	if (farm_take_up(options_text(options, "resume"), &run, &err) != 0)
		return cli_fail(&err);
	status = finish(&run, request.json);
	farm_release(&run);
	return status;
}

/* "/var/tmp" -> "/var/tmp/oamqual-farm-1000": a folder of this user's own on each node. */
static char *local_folder(const char *given)
{
	return xasprintf(
		"%s/oamqual-farm-%lu", given ? given : "/var/tmp", (unsigned long)geteuid());
}

/* Must be absolute for the nodes; what stands for the node's name is no path here. */
static char *absolute_pattern(const char *pattern)
{
	char *here = pattern[0] == '/' ? NULL : getcwd(NULL, 0);
	char *whole = here ? xasprintf("%s/%s", here, pattern) : xstrdup(pattern);

	free(here);
	return whole;
}

static int read_request(
	const struct options *options, struct farm_request *request, struct error *err)
{
	request->minutes = MINUTES_DEFAULT;
	request->nodes = options_text(options, "nodes");
	request->partition = options_text(options, "partition");
	request->share = options_text(options, "share");
	request->name = options_text(options, "name");
	request->tool = options_text(options, "tool");
	request->dry_run = options_flag(options, "dry-run");
	if (!request->nodes && !request->partition)
		return error_set(err, "--nodes LIST or --partition NAME is missing");
	if (!request->share)
		return error_set(err, "--share DIR is missing: a folder that every node sees");
	if (options_nth(options, "blender", 1))
		return error_set(err, "takes one --blender; begin a run for each");
	if (options_text(options, "local") && options_text(options, "local")[0] != '/')
		return error_set(err, "--local takes an absolute path");
	if (options_number(options, "time", 1, 525600, &request->minutes, err) != 0)
		return -1;
	return read_common(options, request, err);
}

/* Said here rather by every node: is what is passed on something that qualify takes? */
static int check_passed(const struct options *options)
{
	static const char *const own[] = { "nodes", "partition", "share", "name", "dry-run", "time",
		"account", "qos", "reservation", "sbatch", "tool", "local", "node", "poll", "json",
		"quiet", NULL };
	char **words = options_words_without(options, own, 0);
	int status = qualify_check_words(words);

	farm_words_free(words);
	return status;
}

static int run_new(const struct options *options)
{
	const char *pattern = options_text(options, "node");
	struct farm_request request = { .options = options };
	struct farm_run run;
	struct error err;
	char *local = local_folder(options_text(options, "local")),
	     *node = pattern ? absolute_pattern(pattern) : NULL;
	int status = STATUS_ACCEPTED;

	request.local = local;
	request.node_folder = node;
	if (read_request(options, &request, &err) != 0) {
		status = cli_usage(options, &err);
	} else if (check_passed(options) != STATUS_ACCEPTED) {
		status = STATUS_USAGE;
	} else if (farm_prepare(&request, &run, &err) != 0) {
		status = cli_fail(&err);
	} else {
		if (!request.dry_run)
			status = finish(&run, request.json);
		farm_release(&run);
	}
	free(local);
	free(node);
	return status;
}

static int run_farm(const struct options *options)
{
	children_adopt_orphans();
	return options_flag(options, "resume") ? run_resume(options) : run_new(options);
}

const struct command command_farm = {
	.name = "farm",
	.operands = "",
	.summary = "the same job on many nodes, through Slurm",
	.about = "Submits one exclusive job for each node, which first proves that the scenes, the "
		 "Blender\n"
		 "and the program it received are those of the manifest, then runs 'oamqual "
		 "qualify' on\n"
		 "the GPUs that Slurm gave it, and delivers its record to DIR/<run>/nodes/NODE. "
		 "Follows\n"
		 "the jobs and writes DIR/<run>/farm.json: every node has an outcome, also one "
		 "that is\n"
		 "down, drained, timed out or lost. Works as any user; changes nothing in Slurm.\n"
		 "Ctrl-C leaves the jobs running and says how to go on.\n\n"
		 "Exit status: 0 all GCDs of all nodes are render workers, 1 all nodes were judged "
		 "and some\n"
		 "GCD is none, 3 a node could not be judged.\n\n"
		 "Examples:\n"
		 "  oamqual farm -w node[01-12] --share /shared/farm\n"
		 "  oamqual farm -p render --share /shared/farm --suite full -t 480\n"
		 "  oamqual farm -p render --share /shared/farm --distributed   and one frame over "
		 "all nodes\n"
		 "  oamqual farm -w node01 --share /shared/farm --dry-run    the script, and "
		 "nothing is done\n"
		 "  oamqual farm --resume /shared/farm/20261130T120000Z-1a2b  what is missing\n",
	.rows = rows,
	.run = run_farm,
};
