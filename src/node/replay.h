/* SPDX-License-Identifier: Apache-2.0 */
/* The stage for the stand-in runtime of a replayed node: a folder of the run with
 *   lib/libamdhip64.so.N  links to the stand-ins that node.json lets be found
 *   bin/                  the PATH of a node whose hipcc is out of reach
 *   sim.conf              what the runtime reads (one `key value` a line; src/simhip/config.h)
 *   state/                what it writes: <pid>.counters, and kfd/proc/<pid>/vram_<gpu_id> as KFD
 * does */
#ifndef NODE_REPLAY_H
#define NODE_REPLAY_H

#include "node/node.h"

struct replay {
	char *folder; /* absolute */
	char **variables; /* NULL-terminated "NAME=value": LD_LIBRARY_PATH, OAMQUAL_SIM, PATH when
			     hipcc is hidden */
	char *state; /* what the runtime writes */
	char **reads; /* NULL-terminated: what it needs that lies elsewhere, absolute */
};

/* Makes `folder` (absolute) with its contents. `simhip` is the folder of the built stand-ins. 0 or
 * -1. */
int replay_make(const struct node *node, const char *simhip, const char *folder, struct replay *out,
	struct error *err);

void replay_release(struct replay *replay);

/* What the stand-in counted, below `state`, in process `pid` for the device at `bdf`. 0, or -1 when
 * it left no counters. */
struct replay_counters {
	unsigned long long launches, allocations, modules, errors, vram_peak;
	unsigned long long first_sample, end_sample; /* end 0: no rendering was seen */
};

int replay_counters_read(const char *state, long pid, const char *bdf, struct replay_counters *out,
	struct error *err);

#endif
