/* SPDX-License-Identifier: Apache-2.0 */
/* How module_group() gets from GPUs to modules: each step takes what the one before it left
 * unplaced. For module.c and the files of the steps only. */
#ifndef NODE_GROUPING_H
#define NODE_GROUPING_H

#include <stdbool.h>
#include <stddef.h>

#include "node/finding.h"
#include "node/module.h"
#include "node/node.h"

struct grouping {
	const struct node *node;
	struct module_list *modules;
	struct finding_list *findings;
	bool *placed; /* by GPU */
};

/* A new module of one GPU, which is then placed. The pointer is good until the next is added. */
struct module *grouping_add(struct grouping *grouping, enum module_basis basis, size_t first);
void grouping_join(struct grouping *grouping, struct module *module, size_t gpu);
void grouping_add_undetermined(struct grouping *grouping, size_t gpu, const char *why);

/* Both known, and the same or not. */
bool grouping_same(struct known_u64 a, struct known_u64 b);
bool grouping_differ(struct known_u64 a, struct known_u64 b);

/* The steps, in their order. */
void grouping_place_duplicates(struct grouping *grouping);
void grouping_place_dies(struct grouping *grouping);
void grouping_place_cards(struct grouping *grouping);

/* What there is to say of the modules found. */
void grouping_find(struct grouping *grouping);
void grouping_find_missing_partitions(struct grouping *grouping); /* a part of it */

#endif
