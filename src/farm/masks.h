/* SPDX-License-Identifier: Apache-2.0 */
/* Which GPUs Slurm gave to the job and to its step, which ones the step can use, and where these
 * disagree.
 *
 * The masks are environment variables and no access control: a process may set its own, and
 * `qualify` does for each attempt. So when the step was given some of the node's GPUs, it is told
 * by address which ones. */
#ifndef FARM_MASKS_H
#define FARM_MASKS_H

#include <jansson.h>
#include <stddef.h>

#include "node/node.h"

/* What the step is pinned to. */
struct mask_pins {
	const struct gpu **gpus; /* borrowed from the node; the array is the caller's to free */
	size_t count;
	const char *basis; /* static: why these; with none, all of the node's are judged */
};

struct mask_counts {
	struct known_u64 job, step; /* GPUs in SLURM_JOB_GPUS and SLURM_STEP_GPUS; unknown: unset */
	uint64_t asked; /* that were asked of Slurm */
	size_t kfd, hip; /* in KFD's topology; that HIP enumerates under the step's masks */
};

/* Items of a list like "0,2-3"; unknown for NULL. */
struct known_u64 masks_count(const char *list);

/* Is `index` one of its items? */
bool masks_holds(const char *list, unsigned long long index);

void masks_choose(const struct node *node, const struct mask_counts *counts, const char *step_gpus,
	struct mask_pins *pins);

/* A new array of {id, severity, text} about `counts`. */
json_t *masks_findings(const struct mask_counts *counts);

/* Reads this process's environment and cgroup, beside the node as HIP shows it. A new reference:
 * {job: {...}, step: {...}, cgroup: [...], asked, allocated, visible, kfd, pinned: [...],
 * pinned_by, findings: [...]}. */
json_t *masks_read(const struct node *node, uint64_t asked, struct mask_pins *pins);

#endif
