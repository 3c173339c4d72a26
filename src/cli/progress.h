/* SPDX-License-Identifier: Apache-2.0 */
/* Live progress on stderr: one line that is rewritten on a terminal; without one, a line for each
 * attempt that ended and a sign of life every ten seconds. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blender/pool.h"

enum { PROGRESS_SHOWN = 64 };

struct progress {
	bool quiet, terminal, simulated;
	size_t total, done;
	const struct attempt *running[PROGRESS_SHOWN];
	size_t running_count;
	int64_t spoken_ms, drawn_ms;
};

void progress_init(struct progress *progress, size_t total, bool simulated, bool quiet);

/* A pool_watcher_fn; the watcher is a struct progress. */
void progress_watch(void *watcher, enum pool_event event, const struct attempt *attempt);

/* For one long piece of work, "rendering 42 %": redrawn on a terminal, else a line every ten
 * seconds. `data` is a struct progress; of `total` 0 no share is shown. */
void progress_share(void *data, const char *what, unsigned done, unsigned total);

/* Clears the live line. */
void progress_end(struct progress *progress);

#endif
