/* SPDX-License-Identifier: Apache-2.0 */
/* A small process that outlives us by a moment: should we be killed, it kills the process groups
 * that we left behind, with all that they started. Ending a child at our own death is not enough,
 * because what the child started would go on. */
#ifndef RUN_GUARD_H
#define RUN_GUARD_H

#include <sys/types.h>

/* Starts it; without effect when it runs already. Should it not start, nothing is guarded. */
void guard_start(void);

/* A process group that is to be killed when we die, and one that has ended. */
void guard_add(pid_t group);
void guard_remove(pid_t group);

/* Ends it; nothing is killed. */
void guard_stop(void);

#endif
