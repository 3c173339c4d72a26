/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that claim one identity: never merged, and never a reason to drop one. */
#include "node/grouping.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "node/pci.h"

/* Two entries that cannot be two devices: one address, or, where the domain is unknown, one
 * location and one gpu_id. */
static bool are_duplicates(const struct gpu *a, const struct gpu *b)
{
	if (a->bdf[0] && b->bdf[0])
		return strcmp(a->bdf, b->bdf) == 0;
	return a->location[0] && strcmp(a->location, b->location) == 0 &&
	       grouping_same(a->kfd_gpu_id, b->kfd_gpu_id);
}

/* One card has one address but for the function; a unique id on two cards is an error of
 * somebody's. */
static bool shares_id_elsewhere(const struct gpu *a, const struct gpu *b)
{
	return grouping_same(a->unique_id, b->unique_id) && a->bdf[0] && b->bdf[0] &&
	       !pci_same_card(a->bdf, b->bdf);
}

static void say_duplicate(struct grouping *grouping, size_t a, size_t b, const char *what)
{
	const struct gpu *one = &grouping->node->gpus[a], *two = &grouping->node->gpus[b];
	char label[NODE_GFX], other[NODE_GFX], id[2][24];

	gpu_label(one, label);
	gpu_label(two, other);
	snprintf(id[0], sizeof(id[0]), one->unique_id.known ? "0x%016llx" : "unknown",
		(unsigned long long)one->unique_id.value);
	snprintf(id[1], sizeof(id[1]), two->unique_id.known ? "0x%016llx" : "unknown",
		(unsigned long long)two->unique_id.value);
	finding_add(grouping->findings, "duplicate-identity", FINDING_FAULT, label,
		"compare the topology with lspci; do not schedule on either entry until it is "
		"clear which exists",
		"%s: KFD node %llu (%s, unique id %s) and KFD node %llu (%s, unique id %s); they "
		"are "
		"not merged",
		what, (unsigned long long)one->kfd_node.value, label, id[0],
		(unsigned long long)two->kfd_node.value, other, id[1]);
}

/* The next entry that claims what `i` claims; each is told once. */
static size_t next_duplicate(const struct grouping *grouping, size_t i, const char **what)
{
	const struct gpu *gpus = grouping->node->gpus;
	size_t j;

	for (j = i + 1; j < grouping->node->gpu_count; j++) {
		if (are_duplicates(&gpus[i], &gpus[j]))
			*what = "two entries have one address";
		else if (shares_id_elsewhere(&gpus[i], &gpus[j]))
			*what = "one unique id stands at two addresses";
		else
			continue;
		return j;
	}
	return SIZE_MAX;
}

void grouping_place_duplicates(struct grouping *grouping)
{
	const struct node *node = grouping->node;
	bool *doubled = xcalloc(node->gpu_count + 1, sizeof(*doubled));
	size_t i;

	for (i = 0; i < node->gpu_count; i++) {
		const char *what = NULL;
		size_t j = next_duplicate(grouping, i, &what);

		if (j == SIZE_MAX)
			continue;
		doubled[i] = doubled[j] = true;
		say_duplicate(grouping, i, j, what);
	}
	for (i = 0; i < node->gpu_count; i++)
		if (doubled[i])
			grouping_add_undetermined(grouping, i, "its identity is claimed twice");
	free(doubled);
}
