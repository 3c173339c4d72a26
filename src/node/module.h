/* SPDX-License-Identifier: Apache-2.0 */
/* Which GCDs share a physical module (OAM), and how that is known. */
#ifndef NODE_MODULE_H
#define NODE_MODULE_H

#include <jansson.h>

#include "node/finding.h"
#include "node/node.h"

/* In the order of preference of the evidence. */
enum module_basis {
	MODULE_LINK_WIDTH,       /* the links single out one mate for each GCD */
	MODULE_SINGLE,           /* one die, one device: MI210, MI300X in SPX */
	MODULE_PARTITION_PARENT, /* partitions of one card: same domain, bus, device and unique_id */
	MODULE_HALF_VISIBLE,     /* a GCD of a two-die part whose mate cannot be seen here */
	MODULE_UNDETERMINED      /* the links do not decide; the GCDs stand alone in the list */
};

struct module {
	size_t *gpus; /* indices into node->gpus, ascending */
	size_t gpu_count;
	enum module_basis basis;
	char why[300]; /* the evidence in words: "x4 (200000 MB/s) between 0000:c1:00.0 and 0000:c6:00.0" */
};

struct module_list {
	struct module *items;
	size_t count;
};

/* Groups all GPUs of the node; each is in exactly one module. Adds findings (missing partition, duplicate identity,
 * inconsistent subsystem ids ...). Never by order, bus distance, NUMA or ids (docs/node.md). */
void module_group(const struct node *node, struct module_list *out, struct finding_list *findings);

void module_list_release(struct module_list *list);

/* "link-width", "single", "partition-parent", "half-visible", "undetermined". Static. */
const char *module_basis_name(enum module_basis basis);

/* A new reference: [{gcds: ["0000:c1:00.0", ...], basis, why}]. */
json_t *module_list_json(const struct module_list *list, const struct node *node);

#endif
