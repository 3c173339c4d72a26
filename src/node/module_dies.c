/* SPDX-License-Identifier: Apache-2.0 */
/* Two-die parts are paired by link width (docs/node.md). */
#include "node/grouping.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "node/links.h"
#include "node/part.h"

enum { MATE_LINKS = 4, MATE_MB_S = MATE_LINKS * LINK_MB_S };

enum edge { EDGE_UNKNOWN, EDGE_OTHER, EDGE_MATE, EDGE_CONFLICT };

struct dies {
	size_t *gpus; /* of the node */
	size_t count;
	unsigned char *edges; /* [i * count + j]: what i says of j */
	struct known_u64
		*hidden; /* the KFD node that is not shown here and to which i has a mate's width */
};

static size_t find_die(const struct node *node, const struct dies *dies, uint64_t kfd_node)
{
	size_t low = 0, high = dies->count;

	/* The GPUs of KFD are in the order of their node numbers. */
	while (low < high) {
		size_t middle = (low + high) / 2;
		uint64_t value = node->gpus[dies->gpus[middle]].kfd_node.value;

		if (value == kfd_node)
			return middle;
		if (value < kfd_node)
			low = middle + 1;
		else
			high = middle;
	}
	return SIZE_MAX;
}

/* A node of the topology that is neither a GPU nor a CPU of our list: its properties could not be
 * read. */
static bool is_hidden(const struct node *node, uint64_t kfd_node)
{
	size_t i;

	for (i = 0; i < node->gpu_count; i++)
		if (node->gpus[i].kfd_node.known && node->gpus[i].kfd_node.value == kfd_node)
			return false;
	for (i = 0; i < node->kfd_cpu_count; i++)
		if (node->kfd_cpus[i] == kfd_node)
			return false;
	return true;
}

static void enter_link(
	const struct node *node, struct dies *dies, size_t from, const struct link *link)
{
	enum edge edge = EDGE_UNKNOWN;
	unsigned char *cell;
	size_t to;

	if (!link->type.known || link->type.value != LINK_XGMI || !link->node_to.known)
		return;
	if (link->max_bandwidth.known)
		edge = link->max_bandwidth.value == MATE_MB_S ? EDGE_MATE : EDGE_OTHER;
	to = find_die(node, dies, link->node_to.value);
	if (to == SIZE_MAX) {
		if (edge == EDGE_MATE && is_hidden(node, link->node_to.value))
			dies->hidden[from] = link->node_to;
		return;
	}
	if (to == from || edge == EDGE_UNKNOWN)
		return;
	cell = &dies->edges[from * dies->count + to];
	*cell = (unsigned char)(*cell == EDGE_UNKNOWN || *cell == edge ? edge : EDGE_CONFLICT);
}

static void read_edges(const struct node *node, struct dies *dies)
{
	size_t i, j;

	for (i = 0; i < dies->count; i++) {
		struct link_list links;

		link_list_read(node->root_fd, node->gpus[dies->gpus[i]].kfd_node.value, &links);
		for (j = 0; j < links.count; j++)
			enter_link(node, dies, i, &links.items[j]);
		link_list_release(&links);
	}
}

/* What both ends say of a link; one end is enough. */
static enum edge edge_between(const struct dies *dies, size_t i, size_t j)
{
	enum edge there = dies->edges[i * dies->count + j], back = dies->edges[j * dies->count + i];

	if (there == EDGE_UNKNOWN || there == back)
		return back;
	return back == EDGE_UNKNOWN ? there : EDGE_CONFLICT;
}

static size_t mates_of(const struct dies *dies, size_t i, size_t *last)
{
	size_t count = 0, j;

	for (j = 0; j < dies->count; j++)
		if (j != i && edge_between(dies, i, j) == EDGE_MATE) {
			*last = j;
			count++;
		}
	return count;
}

static bool all_edges_known(const struct dies *dies, size_t i)
{
	size_t j;

	for (j = 0; j < dies->count; j++)
		if (j != i && edge_between(dies, i, j) != EDGE_OTHER)
			return false;
	return true;
}

static void say_conflicts(struct grouping *grouping, const struct dies *dies)
{
	size_t i, j;

	for (i = 0; i < dies->count; i++)
		for (j = i + 1; j < dies->count; j++) {
			char a[NODE_GFX], b[NODE_GFX];

			if (edge_between(dies, i, j) != EDGE_CONFLICT)
				continue;
			gpu_label(&grouping->node->gpus[dies->gpus[i]], a);
			gpu_label(&grouping->node->gpus[dies->gpus[j]], b);
			finding_add(grouping->findings, "link-inconsistent", FINDING_WARNING, a,
				"read both io_links folders; a link that trained narrower than its "
				"peer "
				"says is a hardware matter",
				"the link between %s and %s is told with two different widths", a,
				b);
		}
}

static void pair(struct grouping *grouping, struct dies *dies, size_t i, size_t j)
{
	struct module *module = grouping_add(grouping, MODULE_LINK_WIDTH, dies->gpus[i]);
	char a[NODE_GFX], b[NODE_GFX];

	grouping_join(grouping, module, dies->gpus[j]);
	gpu_label(&grouping->node->gpus[dies->gpus[i]], a);
	gpu_label(&grouping->node->gpus[dies->gpus[j]], b);
	snprintf(module->why, sizeof(module->why),
		"x%d (%d MB/s) between %s and %s, the only such link of either", MATE_LINKS,
		MATE_MB_S, a, b);
}

static bool is_two_die(const struct grouping *grouping, const struct dies *dies, size_t i)
{
	return part_shape(&grouping->node->gpus[dies->gpus[i]]) == PART_TWO;
}

static void pair_dies(struct grouping *grouping, struct dies *dies)
{
	size_t i, j = 0, back = 0;

	for (i = 0; i < dies->count; i++)
		if (!grouping->placed[dies->gpus[i]] && !dies->hidden[i].known &&
			mates_of(dies, i, &j) == 1 && !dies->hidden[j].known &&
			mates_of(dies, j, &back) == 1 &&
			(is_two_die(grouping, dies, i) || is_two_die(grouping, dies, j)))
			pair(grouping, dies, i, j);
}

static void add_half(struct grouping *grouping, const struct dies *dies, size_t i)
{
	struct module *module = grouping_add(grouping, MODULE_HALF_VISIBLE, dies->gpus[i]);

	if (dies->hidden[i].known)
		snprintf(module->why, sizeof(module->why),
			"x%d (%d MB/s) to KFD node %llu, which is not shown here", MATE_LINKS,
			MATE_MB_S, (unsigned long long)dies->hidden[i].value);
	else
		str_copy(module->why, sizeof(module->why),
			dies->count == 1 ? "one GCD of a two-die part, and no other is visible here"
					 : "one GCD of a two-die part, and its links to all others "
					   "that are visible are narrower than x4");
}

static const char *why_undetermined(const struct dies *dies, size_t i)
{
	size_t j, mates = mates_of(dies, i, &j);
	bool any = false;

	if (mates > 1 || (mates && dies->hidden[i].known))
		return "more than one of its links is x4: the widths do not single out a mate";
	if (mates == 1)
		return "its only x4 peer has more than one x4 link: the widths do not single out a "
		       "mate";
	for (j = 0; j < dies->count; j++)
		any = any || edge_between(dies, i, j) != EDGE_UNKNOWN;
	if (!any)
		return "no link width of it could be read: order, addresses and ids do not tell "
		       "mates";
	return all_edges_known(dies, i)
		       ? "none of its links is x4: the widths do not single out a mate"
		       : "the width of one of its links is unknown, and none that is known is x4";
}

/* The one that is left over when the others have mates has its own out of sight; of several that
 * are left, a link may have trained narrower, so nothing is concluded. */
static void place_rest_of_dies(struct grouping *grouping, struct dies *dies)
{
	size_t left = 0, i;

	for (i = 0; i < dies->count; i++)
		left += !grouping->placed[dies->gpus[i]];
	for (i = 0; i < dies->count; i++) {
		bool two = is_two_die(grouping, dies, i);
		size_t j, mates = mates_of(dies, i, &j);

		if (grouping->placed[dies->gpus[i]])
			continue;
		if (two && mates == 0 &&
			(dies->hidden[i].known || (left == 1 && all_edges_known(dies, i))))
			add_half(grouping, dies, i);
		else if (!two)
			grouping_add_undetermined(grouping, dies->gpus[i],
				"gfx90a of an unknown device id: one die (MI210) or half of two");
		else
			grouping_add_undetermined(
				grouping, dies->gpus[i], why_undetermined(dies, i));
	}
}

void grouping_place_dies(struct grouping *grouping)
{
	const struct node *node = grouping->node;
	struct dies dies = { .gpus = xcalloc(node->gpu_count + 1, sizeof(*dies.gpus)) };
	size_t i;

	for (i = 0; i < node->gpu_count; i++) {
		enum part_shape shape = part_shape(&node->gpus[i]);

		if (grouping->placed[i] || (shape != PART_TWO && shape != PART_PERHAPS_TWO))
			continue;
		if (node->gpus[i].kfd_node.known)
			dies.gpus[dies.count++] = i;
		else
			grouping_add_undetermined(grouping, i,
				"not in KFD's topology, which alone tells link widths");
	}
	dies.edges = xcalloc(dies.count * dies.count + 1, 1);
	dies.hidden = xcalloc(dies.count + 1, sizeof(*dies.hidden));
	read_edges(node, &dies);
	say_conflicts(grouping, &dies);
	pair_dies(grouping, &dies);
	place_rest_of_dies(grouping, &dies);
	free(dies.hidden);
	free(dies.edges);
	free(dies.gpus);
}
