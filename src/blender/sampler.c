/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/sampler.h"

#include <signal.h>
#include <time.h>

enum { PERIOD_MS = 50 };

static void look_at_all(struct sampler *sampler)
{
	size_t i;

	for (i = 0; i < sampler->count; i++)
		attempt_sample(sampler->attempts[i]);
}

static struct timespec after_period(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec += PERIOD_MS * 1000000L;
	if (at.tv_nsec >= 1000000000L) {
		at.tv_nsec -= 1000000000L;
		at.tv_sec++;
	}
	return at;
}

static void *run(void *data)
{
	struct sampler *sampler = data;
	struct timespec at;

	pthread_mutex_lock(&sampler->lock);
	while (!sampler->stop) {
		look_at_all(sampler);
		at = after_period();
		pthread_cond_timedwait(&sampler->wake, &sampler->lock, &at);
	}
	pthread_mutex_unlock(&sampler->lock);
	return NULL;
}

/* Signals are the main thread's: its waits must be interrupted by them. */
static bool start_thread(struct sampler *sampler)
{
	sigset_t all, before;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(&sampler->thread, NULL, run, sampler) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

void sampler_begin(struct sampler *sampler)
{
	pthread_condattr_t clock;

	*sampler = (struct sampler){ .count = 0 };
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_mutex_init(&sampler->lock, NULL);
	pthread_cond_init(&sampler->wake, &clock);
	pthread_condattr_destroy(&clock);
	sampler->has_thread = start_thread(sampler);
}

void sampler_end(struct sampler *sampler)
{
	sampler_lock(sampler);
	sampler->stop = true;
	pthread_cond_signal(&sampler->wake);
	sampler_unlock(sampler);
	if (sampler->has_thread)
		pthread_join(sampler->thread, NULL);
	pthread_cond_destroy(&sampler->wake);
	pthread_mutex_destroy(&sampler->lock);
}

void sampler_add(struct sampler *sampler, struct attempt *attempt)
{
	sampler_lock(sampler);
	if (sampler->count < SAMPLER_ATTEMPTS_MAX)
		sampler->attempts[sampler->count++] = attempt;
	sampler_unlock(sampler);
}

void sampler_remove(struct sampler *sampler, const struct attempt *attempt)
{
	size_t i;

	sampler_lock(sampler);
	for (i = 0; i < sampler->count; i++)
		if (sampler->attempts[i] == attempt)
			sampler->attempts[i] = sampler->attempts[--sampler->count];
	sampler_unlock(sampler);
}

void sampler_lock(struct sampler *sampler)
{
	pthread_mutex_lock(&sampler->lock);
}

void sampler_unlock(struct sampler *sampler)
{
	pthread_mutex_unlock(&sampler->lock);
}

void sampler_look(struct sampler *sampler)
{
	if (!sampler->has_thread)
		look_at_all(sampler);
}
