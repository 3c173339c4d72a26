/* SPDX-License-Identifier: Apache-2.0 */
/* Pairing rests on link widths and card addresses only: order, bus distance, NUMA nodes, subsystem
 * ids and unique ids of mates say nothing (docs/node.md). */
#include "node/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "node/grouping.h"

static const char *const basis_names[] = {
	[MODULE_LINK_WIDTH] = "link-width",
	[MODULE_SINGLE] = "single",
	[MODULE_PARTITION_PARENT] = "partition-parent",
	[MODULE_HALF_VISIBLE] = "half-visible",
	[MODULE_UNDETERMINED] = "undetermined",
};

const char *module_basis_name(enum module_basis basis)
{
	return basis_names[basis];
}

/* --- for the steps ---------------------------------------------------------------------------- */

void grouping_join(struct grouping *grouping, struct module *module, size_t gpu)
{
	module->gpus = xrealloc(module->gpus, (module->gpu_count + 1) * sizeof(*module->gpus));
	module->gpus[module->gpu_count++] = gpu;
	grouping->placed[gpu] = true;
}

struct module *grouping_add(struct grouping *grouping, enum module_basis basis, size_t first)
{
	struct module *module;

	grouping->modules->items = xrealloc(grouping->modules->items,
		(grouping->modules->count + 1) * sizeof(*grouping->modules->items));
	module = &grouping->modules->items[grouping->modules->count++];
	memset(module, 0, sizeof(*module));
	module->basis = basis;
	grouping_join(grouping, module, first);
	return module;
}

void grouping_add_undetermined(struct grouping *grouping, size_t gpu, const char *why)
{
	str_copy(grouping_add(grouping, MODULE_UNDETERMINED, gpu)->why,
		sizeof(((struct module *)0)->why), why);
}

bool grouping_same(struct known_u64 a, struct known_u64 b)
{
	return a.known && b.known && a.value == b.value;
}

bool grouping_differ(struct known_u64 a, struct known_u64 b)
{
	return a.known && b.known && a.value != b.value;
}

/* --- modules ---------------------------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
	const struct module *x = a, *y = b;

	return (x->gpus[0] > y->gpus[0]) - (x->gpus[0] < y->gpus[0]);
}

void module_group(const struct node *node, struct module_list *out, struct finding_list *findings)
{
	struct grouping grouping = { node, out, findings,
		xcalloc(node->gpu_count + 1, sizeof(bool)) };

	memset(out, 0, sizeof(*out));
	grouping_place_duplicates(&grouping);
	grouping_place_dies(&grouping);
	grouping_place_cards(&grouping);
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), by_first);
	grouping_find(&grouping);
	free(grouping.placed);
}

void module_list_release(struct module_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		free(list->items[i].gpus);
	free(list->items);
	memset(list, 0, sizeof(*list));
}

json_t *module_list_json(const struct module_list *list, const struct node *node)
{
	json_t *array = json_array();
	size_t i, j;

	for (i = 0; i < list->count; i++) {
		const struct module *module = &list->items[i];
		json_t *gcds = json_array();

		for (j = 0; j < module->gpu_count; j++) {
			char label[NODE_GFX];

			gpu_label(&node->gpus[module->gpus[j]], label);
			json_array_append_new(gcds, json_string(label));
		}
		json_array_append_new(
			array, json_pack("{s:o, s:s, s:s}", "gcds", gcds, "basis",
				       module_basis_name(module->basis), "why", module->why));
	}
	return array;
}
