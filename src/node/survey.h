/* SPDX-License-Identifier: Apache-2.0 */
/* What is concluded of a node once it was read: its modules, the counts of each source side by
 * side, and the findings of all who look at them. */
#ifndef NODE_SURVEY_H
#define NODE_SURVEY_H

#include "node/counts.h"
#include "node/finding.h"
#include "node/module.h"
#include "node/node.h"

struct survey {
	struct module_list modules;
	struct counts counts;
	struct finding_list findings;
};

/* Reads nothing anew but the masks and CPUs of this process. */
void survey_take(const struct node *node, struct survey *out);

void survey_release(struct survey *survey);

#endif
