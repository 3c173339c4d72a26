/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/node_fit.h"
#include "cli/node_memory.h"
#include "cli/node_open.h"
#include "cli/node_peers.h"
#include "cli/node_preflight.h"
#include "cli/node_view.h"
#include "node/survey.h"

/* The stage of a replay and the probe's answer: gone again at the end. */
static char *make_work(struct error *err)
{
	const char *temporary = getenv("TMPDIR");
	char *work = path_join(
		temporary && temporary[0] == '/' ? temporary : "/tmp", "oamqual-node-XXXXXX");

	if (mkdtemp(work))
		return work;
	error_errno(err, "cannot make a folder like %s", work);
	free(work);
	return NULL;
}

/* The exit status, or -1. */
static int show(const struct options *options, const struct memory_request *memory,
	const char *work, struct error *err)
{
	int status = STATUS_ACCEPTED;
	struct open_node open;
	struct survey survey;

	if (node_open(options_text(options, "node"), work, options_text(options, "hip-library"),
		    !options_flag(options, "no-hip"), &open, err) != 0)
		return -1;
	survey_take(&open.node, &survey);
	if (options_flag(options, "memory-check")) {
		status = node_memory_check(options, memory, &open, work, err);
	} else if (options_flag(options, "peers")) {
		status = node_peers(options, &open, &survey.modules, work, err);
	} else if (options_text(options, "fit")) {
		status = node_fit(options, &open.node);
	} else if (options_flag(options, "preflight")) {
		status = node_preflight(&open.node, &survey.findings, options_flag(options, "json"));
	} else if (options_flag(options, "json")) {
		json_t *json = node_view_json(&open.node, &survey);

		json_print(json, stdout);
		json_decref(json);
	} else {
		node_view_print(&open.node, &survey);
	}
	survey_release(&survey);
	node_close(&open);
	return status;
}

static int run(const struct options *options)
{
	struct memory_request memory;
	struct error err;
	char *work;
	int rc;

	if (options_flag(options, "no-hip") && options_text(options, "hip-library")) {
		error_set(&err, "--no-hip and --hip-library exclude each other");
		return cli_usage(options, &err);
	}
	if (options_flag(options, "peers") && options_flag(options, "no-hip")) {
		error_set(&err, "--peers asks HIP, so --no-hip cannot be given");
		return cli_usage(options, &err);
	}
	if (options_text(options, "rccl-library") && !options_flag(options, "peers")) {
		error_set(&err, "--rccl-library goes with --peers");
		return cli_usage(options, &err);
	}
	if (memory_request_read(options, &memory, &err) != 0)
		return cli_usage(options, &err);
	if (node_fit_check(options, &err) != 0)
		return cli_usage(options, &err);
	work = make_work(&err);
	rc = work ? show(options, &memory, work, &err) : -1;
	if (work)
		folder_remove(work, NULL);
	free(work);
	return rc >= 0 ? rc : cli_fail(&err);
}

static const struct option_row rows[] = {
	{ "node", 0, "DIR", "read the recorded or synthetic node in DIR instead of this machine" },
	{ "json", 0, NULL,
		"print every value with its class and source, or why it is unknown, as JSON" },
	{ "hip-library", 0, "FILE", "ask this libamdhip64 instead of the usual names" },
	{ "no-hip", 0, NULL, "do not ask the HIP runtime" },
	{ "preflight", 0, NULL,
		"one line and an exit status for a node health check: 0 ready to be qualified, 1 not, 3 unknown" },
	{ "memory-check", 0, NULL,
		"fill each domain but a margin, check the pattern, and see more than the domain refused" },
	{ "peers", 0, NULL,
		"copy between each two domains, check what arrives, and time it; then a sum over all "
		"by RCCL" },
	{ "rccl-library", 0, "FILE", "load this librccl instead of the usual names" },
	{ "gcd", 0, "GCD", "check only this one: address, number or unique id (may be repeated)" },
	{ "margin", 0, "SIZE", "of the free memory, leave so much alone (default 1GiB)" },
	{ "limit", 0, "SIZE", "fill at most so much of each (default: no limit; replayed: 64MiB)" },
	{ "whole", 0, NULL, "write and read every byte instead of blocks" },
	{ "force", 0, NULL, "check a domain that another process holds memory of" },
	NODE_FIT_ROWS,
	{ 0 },
};

const struct command command_node = {
	.name = "node",
	.operands = "",
	.summary = "GPU domains of this node, as the kernel driver and HIP report them",
	.about = "One line a GPU domain (GCD): PCI address, unique id, target, compute units, "
		 "memory, and whether\n"
		 "KFD and HIP know it. A dash is unknown: it was not told, and is not 0. HIP is "
		 "asked in a child,\n"
		 "so a driver that crashes or hangs is reported as that. HIP sees what the "
		 "caller's\n"
		 "ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES let it see.\n",
	.rows = rows,
	.run = run,
};
