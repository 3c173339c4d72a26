/* SPDX-License-Identifier: Apache-2.0 */
/* A node as the commands use it: sysfs read, and HIP asked in a child under a deadline. */
#ifndef CLI_NODE_OPEN_H
#define CLI_NODE_OPEN_H

#include <stdbool.h>

#include "node/node.h"
#include "node/replay.h"

struct open_node {
	struct node node;
	struct replay replay; /* of a replayed node with a node.json */
	bool is_replayed;
};

/* `folder` NULL: this machine. `work` (absolute, existing) takes the probe's output
 * (node/hip-probe.*) and the stage of a replayed node (node/sim). `hip_library` NULL: the usual
 * names. `ask_hip` false leaves HIP unasked. A driver that crashes or hangs is a fact in the node,
 * not an error. */
int node_open(const char *folder, const char *work, const char *hip_library, bool ask_hip,
	struct open_node *out, struct error *err);

void node_close(struct open_node *open);

#endif
