/* SPDX-License-Identifier: Apache-2.0 */
/* How many processes of this program's own memory cgroup the kernel has killed because memory ran
 * out: the only word from the kernel that tells such a SIGKILL from any other. Children stay in our
 * cgroup. */
#ifndef RUN_OOM_H
#define RUN_OOM_H

#include "base/known.h"

enum { OOM_PATH = 512 };

struct oom_count {
	struct known_u64 kills; /* since the cgroup was made */
	char path[OOM_PATH]; /* the file that says so, below the root; "" none was found */
};

/* Looks below another root than "/", whose proc/self/cgroup and sys/fs/cgroup it reads; NULL for
 * "/" again. The text is borrowed. */
void oom_set_root(const char *root);

/* The count now: memory.events of cgroup v2, memory.oom_control of v1. */
void oom_read(struct oom_count *out);

#endif
