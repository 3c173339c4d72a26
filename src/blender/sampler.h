/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at what KFD keeps of the running attempts, beside whatever else the pool does: an entry is
 * gone once its process has ended, and judging another attempt may take as long as a short render.
 */
#ifndef BLENDER_SAMPLER_H
#define BLENDER_SAMPLER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "blender/attempt.h"

enum { SAMPLER_ATTEMPTS_MAX = 64 };

struct sampler {
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* of all below, and of each attempt that is listed */
	pthread_cond_t wake;
	bool stop;
	struct attempt *attempts[SAMPLER_ATTEMPTS_MAX];
	size_t count;
};

/* Without a thread nobody looks but sampler_look(). */
void sampler_begin(struct sampler *sampler);
void sampler_end(struct sampler *sampler);

/* Between add and remove an attempt may be touched only between lock and unlock. */
void sampler_add(struct sampler *sampler, struct attempt *attempt);
void sampler_remove(struct sampler *sampler, const struct attempt *attempt);
void sampler_lock(struct sampler *sampler);
void sampler_unlock(struct sampler *sampler);

/* Looks at all of them once when there is no thread that does. */
void sampler_look(struct sampler *sampler);

#endif
