/* SPDX-License-Identifier: Apache-2.0 */
/* What `oamqual node` shows of a node and what was concluded of it. */
#ifndef CLI_NODE_VIEW_H
#define CLI_NODE_VIEW_H

#include <jansson.h>

#include "node/node.h"
#include "node/survey.h"

/* As text on stdout. */
void node_view_print(const struct node *node, const struct survey *survey);

/* A new reference. */
json_t *node_view_json(const struct node *node, const struct survey *survey);

#endif
