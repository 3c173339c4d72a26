/* SPDX-License-Identifier: Apache-2.0 */
/* What is published of each GPU beside what was observed: in `oamqual node` and in the record. */
#ifndef CLI_NODE_PUBLISHED_H
#define CLI_NODE_PUBLISHED_H

#include <jansson.h>

#include "node/node.h"

/* The table of domains and the line on ROCm. */
void node_published_print(const struct node *node);

/* A new reference: {gcds: [{bdf, variants, variant, domain_memory, domain_bytes, units,
 * observed_bytes}], rocm}. */
json_t *node_published_json(const struct node *node);

#endif
