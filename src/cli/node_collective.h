/* SPDX-License-Identifier: Apache-2.0 */
/* A sum over all GCDs at once by RCCL, in a child under a deadline. */
#ifndef CLI_NODE_COLLECTIVE_H
#define CLI_NODE_COLLECTIVE_H

#include "cli/node_peers.h"

/* {"outcome": "held" | "failed" | "not-tested", "why", "library", "version", "gcds", "bytes",
 * "repeats", "mb_per_second"}; the rate is that of the bytes of one GCD's part, the algorithm's as
 * RCCL's own tests call it. Never fails. A new reference. */
json_t *node_collective(const struct peers_request *request);

#endif
