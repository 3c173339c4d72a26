/* SPDX-License-Identifier: Apache-2.0 */
/* What singles a GPU out in ROCR_VISIBLE_DEVICES. ROCr compares GPU-<unique id> with every GPU that
 * it can use; an id that fits more than one, as the partitions of a card share it, ends its list,
 * so the process is left without a device. A GPU whose id is 0 fits none. Indices always work, but
 * count only what the process can open, in KFD's order. */
#ifndef NODE_ISOLATION_H
#define NODE_ISOLATION_H

#include <stdbool.h>

#include "node/finding.h"
#include "node/node.h"

/* Does its unique id single it out? If not and `why` is not NULL, it gets the reason. */
bool isolation_by_id(const struct node *node, const struct gpu *gpu, char why[200]);

/* Adds `isolation-by-index` for the GPUs that their unique id does not single out. */
void isolation_findings(const struct node *node, struct finding_list *findings);

#endif
