/* SPDX-License-Identifier: Apache-2.0 */
/* `oamqual node --memory-check`: the boundary of each memory domain, seen by a bounded control in a
 * child that sees only that domain. A module's total never stands in for a domain's. */
#ifndef CLI_NODE_MEMORY_H
#define CLI_NODE_MEMORY_H

#include "cli/node_open.h"
#include "cli/options.h"

struct memory_request {
	unsigned long long margin_bytes, limit_bytes; /* limit 0: none */
	bool whole, force, json;
	const char *hip_library;
};

/* Reads --margin, --limit, --whole, --force, --json and --hip-library. -1 with a message of what is
 * wrong. */
int memory_request_read(
	const struct options *options, struct memory_request *out, struct error *err);

/* Checks the GCDs of --gcd (node_find; all when none), one after the other, and prints a line each
 * or JSON. Returns STATUS_ACCEPTED when each kept its pattern and refused more than its domain,
 * STATUS_NOT_ACCEPTED when one did not, STATUS_CANNOT_JUDGE when one could not be checked and none
 * failed; -1 when nothing could be begun. */
int node_memory_check(const struct options *options, const struct memory_request *request,
	const struct open_node *open, const char *work, struct error *err);

#endif
