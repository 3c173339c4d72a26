/* SPDX-License-Identifier: Apache-2.0 */
/* The distributed case: one frame of each suitable scene over all GCDs that were accepted alone,
 * one rank a GCD, all at once; the shares merged and held against the picture of one GCD. */
#ifndef CLI_QUALIFY_DISTRIBUTED_H
#define CLI_QUALIFY_DISTRIBUTED_H

#include "cli/qualify.h"

/* Runs it after the other attempts, and keeps what came of it in run->distributed. Nothing that a
 * rank does changes the verdict of a GCD. -1 for a reason of ours (folder, disk, process). */
int qualify_distribute(struct qualify *run, struct error *err);

/* "accepted", "failed", "inconclusive", "not-run": the worst of the cases. Static. */
const char *qualify_distributed_outcome(const json_t *distributed);

#endif
