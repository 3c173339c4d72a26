/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/pool.h"

#include <string.h>

#include "blender/sampler.h"

enum { TICK_MS = 100, JOBS_MAX = 64 };

struct running {
	struct sampler sampler; /* of those in `attempts` */
	struct attempt *attempts[JOBS_MAX];
	size_t count;
	struct attempt *ended[JOBS_MAX]; /* not judged yet */
	size_t ended_count;
};

static void tell(const struct pool *pool, enum pool_event event, const struct attempt *attempt)
{
	if (pool->watch)
		pool->watch(pool->watcher, event, attempt);
}

static size_t end_of(const struct pool *pool)
{
	return pool->first + pool->count;
}

/* An earlier attempt of the run that settles this one too. */
static const struct attempt *settled_by(const struct pool *pool, const struct attempt *attempt)
{
	size_t i;

	for (i = 0; attempt->gpu && i < end_of(pool); i++) {
		const struct attempt *other = &pool->attempts[i];

		if (other != attempt && other->started && attempt_settles_others(other) &&
			strcmp(other->gpu->gfx_target, attempt->gpu->gfx_target) == 0)
			return other;
	}
	return NULL;
}

const struct attempt *pool_stuck_on(
	const struct attempt *attempts, size_t count, const struct gpu *gpu)
{
	size_t i;

	for (i = 0; gpu && i < count; i++)
		if (attempts[i].gpu == gpu && attempts[i].child.ending.how == CHILD_STUCK)
			return &attempts[i];
	return NULL;
}

static bool step(struct running *running, struct attempt *attempt)
{
	bool ended;

	sampler_lock(&running->sampler);
	ended = attempt_step(attempt);
	sampler_unlock(&running->sampler);
	return ended;
}

static void step_all(struct running *running)
{
	size_t i = 0;

	while (i < running->count) {
		struct attempt *attempt = running->attempts[i];

		if (!step(running, attempt)) {
			i++;
			continue;
		}
		sampler_remove(&running->sampler, attempt);
		running->attempts[i] = running->attempts[--running->count];
		running->ended[running->ended_count++] = attempt;
	}
}

static void judge_ended(struct pool *pool, struct running *running)
{
	size_t i;

	for (i = 0; i < running->ended_count; i++) {
		attempt_judge(running->ended[i]);
		tell(pool, POOL_JUDGED, running->ended[i]);
	}
	running->ended_count = 0;
}

static void wait_for_any(const struct running *running)
{
	const struct child *children[JOBS_MAX];
	size_t i;

	for (i = 0; i < running->count; i++)
		children[i] = &running->attempts[i]->child;
	children_wait(children, running->count, TICK_MS);
}

static int start_next(struct pool *pool, struct running *running, size_t *next, struct error *err)
{
	struct attempt *attempt = &pool->attempts[(*next)++];
	const struct attempt *cause = settled_by(pool, attempt);

	if (attempt->judged) {
		tell(pool, POOL_JUDGED, attempt);
		return 0;
	}
	if (pool_stuck_on(pool->attempts, end_of(pool), attempt->gpu)) {
		attempt_not_run(attempt, "an earlier attempt on this GCD is stuck in the kernel "
					 "and could not be killed");
		tell(pool, POOL_JUDGED, attempt);
		return 0;
	}
	if (cause) {
		attempt_settle(attempt, cause);
		tell(pool, POOL_JUDGED, attempt);
		return 0;
	}
	if (attempt_start(attempt, err) != 0)
		return -1;
	running->attempts[running->count++] = attempt;
	sampler_add(&running->sampler, attempt);
	tell(pool, POOL_STARTED, attempt);
	return 0;
}

static void end_all(struct running *running)
{
	size_t i;

	sampler_lock(&running->sampler);
	for (i = 0; i < running->count; i++)
		child_interrupt(&running->attempts[i]->child);
	sampler_unlock(&running->sampler);
}

static int fill(struct pool *pool, struct running *running, size_t *next, struct error *err)
{
	size_t jobs = pool->jobs < JOBS_MAX ? pool->jobs : JOBS_MAX;
	int rc = 0;

	if (*pool->stop)
		*next = end_of(pool);
	while (rc == 0 && *next < end_of(pool) && running->count < jobs)
		rc = start_next(pool, running, next, err);
	return rc;
}

/* Judging reads pictures and waits for the disk: whoever ended makes room for the next one first.
 */
int pool_run(struct pool *pool, struct error *err)
{
	struct running running = { .count = 0 };
	size_t next = pool->first;
	int rc = 0;

	sampler_begin(&running.sampler);
	while (running.count || (rc == 0 && next < end_of(pool))) {
		if (rc == 0)
			rc = fill(pool, &running, &next, err);
		if (rc != 0 || *pool->stop)
			end_all(&running);
		judge_ended(pool, &running);
		if (running.count)
			wait_for_any(&running);
		sampler_look(&running.sampler);
		step_all(&running);
		tell(pool, POOL_TICK, NULL);
	}
	judge_ended(pool, &running);
	sampler_end(&running.sampler);
	return rc;
}
