/* SPDX-License-Identifier: Apache-2.0 */
/* `oamqual node --preflight`: one line and an exit status for the health check of a scheduler. It
 * says whether the node can be qualified, never that Cycles works on it. */
#ifndef CLI_NODE_PREFLIGHT_H
#define CLI_NODE_PREFLIGHT_H

#include <stdbool.h>

#include "node/finding.h"
#include "node/node.h"

/* Checks in a fixed order and prints one line (or, `json`, all checks): STATUS_ACCEPTED when every
 * check holds, STATUS_NOT_ACCEPTED with the first that does not, else STATUS_CANNOT_JUDGE with the
 * first that cannot be told. HIP must have been asked. */
int node_preflight(const struct node *node, const struct finding_list *findings, bool json);

#endif
