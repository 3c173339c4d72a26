/* SPDX-License-Identifier: Apache-2.0 */
/* Which CPUs are nearest to each GPU. On a live node hwloc says it (PCI locality); where it does
 * not, and on a replayed node, sysfs does: the device's numa_node, and that node's list of CPUs. */
#ifndef NODE_AFFINITY_H
#define NODE_AFFINITY_H

#include <jansson.h>

#include "base/cpus.h"
#include "node/finding.h"
#include "node/node.h"

struct affinity {
	char bdf[NODE_BDF];
	struct known_u64 numa_node;
	bool cpus_known;
	struct cpus cpus;
	const char *from; /* "hwloc", "pci", "kfd"; static; NULL when nothing is known */
	char why[200]; /* of what is unknown */
};

struct affinity_list {
	struct affinity *items; /* one a GPU of the node, in its order */
	size_t count;
	bool this_system; /* processes here can be bound to these CPUs: never of a replayed node */
	char hwloc[32]; /* its version; "" when it was not asked */
};

/* Never fails. Loads hwloc's topology on a live node, which takes longer than all else that
 * `oamqual node` does. */
void affinity_read(const struct node *node, struct affinity_list *out);

void affinity_list_release(struct affinity_list *list);

/* The entry of a GPU, or NULL. */
const struct affinity *affinity_find(const struct affinity_list *list, const char *bdf);

/* The GPUs' indices in the order of their NUMA nodes, equal ones in their own order: what a
 * launcher that numbers its tasks along the CPUs has to give to each. `order` holds list->count. 0,
 * or -1 when a NUMA node is unknown. */
int affinity_order(const struct affinity_list *list, size_t *order);

/* Where an attempt on the GPU is to run: its CPUs among those that this process may use. False with
 * why[] when it is not to be bound. */
bool affinity_choose(
	const struct affinity_list *list, const struct gpu *gpu, struct cpus *out, char why[200]);

/* Adds "bad-affinity" when `mask`, the CPUs that a job may use, leaves out all CPUs near to a GPU
 * that it sees, with the order that would be right. A mask of all CPUs binds nothing and is fine.
 */
void affinity_findings(const struct affinity_list *list, const struct node *node,
	const struct cpus *mask, struct finding_list *findings);

/* The same for this process on a live node; asks hwloc only when the process is bound to some of
 * the CPUs that are online. */
void affinity_check_process(const struct node *node, struct finding_list *findings);

/* A new reference: {gcds: [{bdf, numa_node, cpus}], order, hwloc, process_cpus}, each a fact. */
json_t *affinity_json(const struct affinity_list *list, const struct node *node);

#endif
