/* SPDX-License-Identifier: Apache-2.0 */
/* Runs planned attempts, several at once up to a limit, and judges each as it ends. One that hangs
 * holds up its own place until its deadline, never the others. */
#ifndef BLENDER_POOL_H
#define BLENDER_POOL_H

#include <signal.h>
#include <stddef.h>

#include "blender/attempt.h"

enum pool_event { POOL_STARTED, POOL_TICK, POOL_JUDGED };

/* `attempt` is NULL for POOL_TICK (a few times a second, for live display). */
typedef void pool_watcher_fn(void *watcher, enum pool_event event, const struct attempt *attempt);

struct pool {
	struct attempt *attempts; /* all of the run, in order; owned by the caller */
	size_t first, count; /* which of them to run; the ones before were run earlier */
	size_t jobs; /* at once, 1..64 */
	pool_watcher_fn *watch; /* or NULL */
	void *watcher;
	const volatile sig_atomic_t
		*stop; /* set from a signal handler: end what runs, start no more */
};

/* Runs all of them but those that are judged already. -1 when one could not be started for a reason
 * of ours (folder, disk, process): what runs is ended and judged first. Attempts that were never
 * started stay unjudged. */
int pool_run(struct pool *pool, struct error *err);

/* The one of `count` attempts on this GCD whose process not even SIGKILL ended, or NULL. The driver
 * still holds it, so the GCD is asked nothing more. */
const struct attempt *pool_stuck_on(
	const struct attempt *attempts, size_t count, const struct gpu *gpu);

#endif
