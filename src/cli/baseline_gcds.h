/* SPDX-License-Identifier: Apache-2.0 */
/* The GCD half of `oamqual baseline`: which of them run, and how it is printed. */
#ifndef CLI_BASELINE_GCDS_H
#define CLI_BASELINE_GCDS_H

#include <stdio.h>

#include "baseline/gcd.h"
#include "cli/node_open.h"
#include "cli/options.h"

/* Rows of the options that baseline_gcds_open() reads. */
#define BASELINE_GCDS_ROWS                                                                         \
	{ "device", 0, "NAME",                                                                     \
		"cpu: the CPU alone; all (default); or a GCD: address, number or unique id, "      \
		"repeated for more" },                                                             \
		{ "hip-library", 0, "FILE", "use this libamdhip64 instead of the usual names" },   \
		{ "gcd-seconds", 0, "N",                                                           \
			"each GCD renders the picture again and again for N s (default 2; "        \
			"replayed: 0)" },                                                          \
	{                                                                                          \
		"deadline", 0, "S", "end a GCD that takes longer (default 120)"                    \
	}

struct baseline_gcds {
	const struct options *options;
	struct open_node open;
	char *work; /* a folder of its own, gone at the end */
	char *job; /* where the scene is to be written; NULL: no GCD runs */
	unsigned long long seconds, deadline_s;
};

/* Opens the node of --node and checks the options. -1 with *is_usage telling a wrong option from
 * what cannot be done; *out untouched. */
int baseline_gcds_open(const struct options *options, struct baseline_gcds *out, bool *is_usage,
	struct error *err);

/* Runs those that were asked for and hands what was seen to the baseline. */
void baseline_gcds_run(struct baseline_gcds *gcds, struct baseline *baseline);

/* One line a GCD and one for all. */
void baseline_gcds_print(const struct baseline *baseline, const struct node *node, FILE *to);

/* STATUS_NOT_ACCEPTED when one differs or failed, STATUS_CANNOT_JUDGE when one that was asked for
 * by
 * --device did not run. */
enum exit_status baseline_gcds_status(
	const struct baseline_gcds *gcds, const struct baseline *baseline);

void baseline_gcds_close(struct baseline_gcds *gcds);

#endif
