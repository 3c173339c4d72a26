/* SPDX-License-Identifier: Apache-2.0 */
/* One frame of each scene over the GCDs of several nodes, after all nodes have their records: one
 * rank a GCD, numbered over all nodes by node name and then by GCD, each with its own samples. */
#ifndef CLI_FARM_FRAME_H
#define CLI_FARM_FRAME_H

#include "cli/farm.h"

/* Was it asked for? */
bool farm_frame_is_asked(const struct farm_run *run);

/* What becomes of it, "distributed" of farm.json: the nodes' own frames by their records, and the
 * frame over all nodes. A new reference; NULL when it was not asked for. */
json_t *farm_frame(struct farm_run *run);

/* The jobs of it; NULL is fine. */
void farm_frame_free(struct farm_run *frame);

/* enum exit_status of such a member; STATUS_ACCEPTED for NULL. */
int farm_frame_status(const json_t *distributed);

#endif
