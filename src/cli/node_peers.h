/* SPDX-License-Identifier: Apache-2.0 */
/* Transport between the GCDs of a node, apart from any rendering: peer access and copies through
 * HIP, each ordered pair by itself, and all of them together by RCCL. */
#ifndef CLI_NODE_PEERS_H
#define CLI_NODE_PEERS_H

#include "cli/node_open.h"
#include "cli/options.h"
#include "node/module.h"

struct peers_request {
	const struct open_node *open;
	const struct gpu *const *gpus;
	size_t count;
	const struct module_list *modules;
	const char *work; /* takes the children's output; absolute */
	const char *hip_library;
	const char *rccl_library; /* NULL: the usual names; of a replayed node: none */
	uint64_t bytes; /* of each copy; 0: 64 MiB, of a replayed node 1 MiB */
};

/* What a child of the node's runtime has in its environment: an array to be freed, NULL-terminated,
 * whose words are borrowed. */
const char **peers_environment(const struct open_node *open);

/* Both tests, as docs/record.schema.json has "transport". Never fails: what could not be tested
 * says why. A new reference. */
json_t *node_transport(const struct peers_request *request);

/* The outcome of the peers and of the collective, on a line each, and a line a pair. */
void node_transport_print(const json_t *transport, bool simulated);

/* By the peers and, where it was tested, the collective. */
enum exit_status node_transport_status(const json_t *transport);

/* `oamqual node --peers`: tests the GCDs of --gcd (all when none) and prints a table or JSON. The
 * exit status, or -1. */
int node_peers(const struct options *options, const struct open_node *open,
	const struct module_list *modules, const char *work, struct error *err);

#endif
