/* SPDX-License-Identifier: Apache-2.0 */
/* Cards, whole or in partitions: one domain, bus and device is one card. */
#include "node/grouping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "node/part.h"
#include "node/pci.h"

/* Equal bus numbers in different domains are different cards; without the domains only the id can
 * say that two are one. */
static bool same_card(const struct gpu *a, const struct gpu *b)
{
	if (a->bdf[0] && b->bdf[0])
		return pci_same_card(a->bdf, b->bdf) &&
		       !grouping_differ(a->unique_id, b->unique_id);
	return pci_same_card(a->location, b->location) && grouping_same(a->unique_id, b->unique_id);
}

static int function_of(const struct gpu *gpu)
{
	const char *dot = strrchr(gpu->bdf[0] ? gpu->bdf : gpu->location, '.');

	return dot ? dot[1] - '0' : -1;
}

/* "0000:0a:00" of the first of it. */
static void card_label(
	const struct grouping *grouping, const struct module *module, char label[NODE_GFX])
{
	char *dot;

	gpu_label(&grouping->node->gpus[module->gpus[0]], label);
	dot = strrchr(label, '.');
	if (dot)
		*dot = '\0';
}

static void explain_card(struct grouping *grouping, struct module *module)
{
	const struct gpu *first = &grouping->node->gpus[module->gpus[0]];
	const struct part *part = part_of(first);
	char card[NODE_GFX];

	card_label(grouping, module, card);
	if (module->gpu_count > 1) {
		module->basis = MODULE_PARTITION_PARENT;
		snprintf(module->why, sizeof(module->why), "%zu partitions of the card %s%s",
			module->gpu_count, card,
			first->unique_id.known
				? ", with one unique id"
				: ", by their address alone: the unique id is unknown");
	} else if (part && part->xcc && first->num_xcc.known && first->num_xcc.value &&
		   first->num_xcc.value < part->xcc) {
		module->basis = MODULE_PARTITION_PARENT;
		snprintf(module->why, sizeof(module->why),
			"a partition with %llu of the %u compute dies of the card %s",
			(unsigned long long)first->num_xcc.value, part->xcc, card);
	} else if (function_of(first) > 0 &&
		   !(part && part->xcc && grouping_same(first->num_xcc, known_u64(part->xcc)))) {
		module->basis = MODULE_PARTITION_PARENT;
		snprintf(module->why, sizeof(module->why),
			"function %d of the card %s, whose first is not shown here",
			function_of(first), card);
	} else {
		str_copy(module->why, sizeof(module->why),
			part && part->xcc && !first->num_xcc.known
				? "one device a card; num_xcc is unknown, so whether it is the "
				  "whole card is not known"
				: "one device a card");
	}
}

void grouping_place_cards(struct grouping *grouping)
{
	const struct node *node = grouping->node;
	size_t i, j;

	for (i = 0; i < node->gpu_count; i++) {
		const struct gpu *gpu = &node->gpus[i];
		enum part_shape shape = part_shape(gpu);
		struct module *module;

		if (grouping->placed[i])
			continue;
		if (shape == PART_UNKNOWN || (!gpu->bdf[0] && !gpu->location[0])) {
			grouping_add_undetermined(grouping, i,
				shape == PART_UNKNOWN ? "neither its target nor its device id "
							"tells what part it is"
						      : "its address is unknown");
			continue;
		}
		module = grouping_add(grouping, MODULE_SINGLE, i);
		for (j = i + 1; j < node->gpu_count; j++)
			if (!grouping->placed[j] && part_shape(&node->gpus[j]) == PART_CARD &&
				same_card(gpu, &node->gpus[j]))
				grouping_join(grouping, module, j);
		explain_card(grouping, module);
	}
}

/* --- missing partitions ----------------------------------------------------------------------- */

/* Compute dies a partition, the same for all of the module; 0 when not known. */
static uint64_t partition_xcc(const struct grouping *grouping, const struct module *module)
{
	uint64_t xcc = 0;
	size_t i;

	for (i = 0; i < module->gpu_count; i++) {
		const struct gpu *gpu = &grouping->node->gpus[module->gpus[i]];

		if (!gpu->num_xcc.known || !gpu->num_xcc.value ||
			(xcc && xcc != gpu->num_xcc.value))
			return 0;
		xcc = gpu->num_xcc.value;
	}
	return xcc;
}

/* Cards of one kind in one mode: the other has more partitions, so this one lacks some. */
static bool same_mode(
	const struct grouping *grouping, const struct module *a, const struct module *b)
{
	const struct gpu *one = &grouping->node->gpus[a->gpus[0]],
			 *two = &grouping->node->gpus[b->gpus[0]];

	return b->basis == MODULE_PARTITION_PARENT &&
	       grouping_same(one->pci_device_id, two->pci_device_id) &&
	       (one->num_xcc.known || two->num_xcc.known
			       ? grouping_same(one->num_xcc, two->num_xcc)
			       : grouping_same(one->simd_count, two->simd_count));
}

/* How many partitions the card has: by the highest function, by its compute dies, by its like on
 * this node. */
static size_t expected_partitions(const struct grouping *grouping, const struct module *module)
{
	const struct part *part = part_of(&grouping->node->gpus[module->gpus[0]]);
	uint64_t xcc = partition_xcc(grouping, module);
	size_t expected = module->gpu_count, i;

	for (i = 0; i < module->gpu_count; i++) {
		int function = function_of(&grouping->node->gpus[module->gpus[i]]);

		if (function >= 0 && (size_t)function + 1 > expected)
			expected = (size_t)function + 1;
	}
	if (part && part->xcc && xcc && part->xcc % xcc == 0 && part->xcc / xcc > expected)
		expected = part->xcc / (size_t)xcc;
	for (i = 0; i < grouping->modules->count; i++) {
		const struct module *other = &grouping->modules->items[i];

		if (other != module && other->gpu_count > expected &&
			same_mode(grouping, module, other))
			expected = other->gpu_count;
	}
	return expected;
}

/* ".3, .5" of the functions below `expected` that are not there. */
static char *missing_functions(
	const struct grouping *grouping, const struct module *module, size_t expected)
{
	struct str text = STR_INIT;
	size_t function, i;

	for (function = 0; function < expected && function < 8; function++) {
		for (i = 0; i < module->gpu_count; i++)
			if (function_of(&grouping->node->gpus[module->gpus[i]]) == (int)function)
				break;
		if (i == module->gpu_count)
			str_addf(&text, "%s.%zu", text.len ? ", " : "", function);
	}
	return str_detach(&text);
}

static size_t all_expected(const struct grouping *grouping, size_t *present)
{
	size_t expected = 0, i;

	*present = 0;
	for (i = 0; i < grouping->modules->count; i++)
		if (grouping->modules->items[i].basis == MODULE_PARTITION_PARENT) {
			*present += grouping->modules->items[i].gpu_count;
			expected += expected_partitions(grouping, &grouping->modules->items[i]);
		}
	return expected;
}

void grouping_find_missing_partitions(struct grouping *grouping)
{
	size_t present, expected = all_expected(grouping, &present), i;
	bool hidden = grouping->node->kfd_hidden_count > 0;

	for (i = 0; i < grouping->modules->count; i++) {
		const struct module *module = &grouping->modules->items[i];
		size_t of_card;
		char card[NODE_GFX], *functions;

		if (module->basis != MODULE_PARTITION_PARENT)
			continue;
		of_card = expected_partitions(grouping, module);
		if (of_card <= module->gpu_count)
			continue;
		card_label(grouping, module, card);
		functions = missing_functions(grouping, module, of_card);
		finding_add(grouping->findings, "partition-missing",
			hidden ? FINDING_WARNING : FINDING_FAULT, card,
			hidden ? "ask the scheduler for the whole card, or look from outside the "
				 "allocation"
			       : "look for the card's errors in the kernel's log, then set its "
				 "partition mode again",
			"%zu of the %zu partitions of card %s are in KFD's topology (%zu of %zu on "
			"this "
			"node); missing: %s%s",
			module->gpu_count, of_card, card, present, expected,
			functions[0] ? functions : "unknown",
			hidden ? "; some topology nodes cannot be read here, so they may only be "
				 "hidden"
			       : "");
		free(functions);
	}
}
