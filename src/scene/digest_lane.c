/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/digest_lane.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { SLOTS = 8, SLOT_BYTES = 128 * 1024 };

struct slot {
	struct digest *digest;
	size_t len;
	unsigned char bytes[SLOT_BYTES];
};

struct digest_lane {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t put, taken; /* slots filled and emptied since the start */
	bool stop;
	struct slot slots[SLOTS];
};

static void *work(void *data)
{
	struct digest_lane *lane = data;

	pthread_mutex_lock(&lane->lock);
	for (;;) {
		struct slot *slot = &lane->slots[lane->taken % SLOTS];

		while (lane->taken == lane->put && !lane->stop)
			pthread_cond_wait(&lane->changed, &lane->lock);
		if (lane->taken == lane->put)
			break;
		pthread_mutex_unlock(&lane->lock);
		digest_add(slot->digest, slot->bytes, slot->len);
		pthread_mutex_lock(&lane->lock);
		lane->taken++;
		pthread_cond_signal(&lane->changed);
	}
	pthread_mutex_unlock(&lane->lock);
	return NULL;
}

struct digest_lane *digest_lane_start(void)
{
	struct digest_lane *lane = xmalloc(sizeof(*lane));

	lane->put = lane->taken = 0;
	lane->stop = false;
	pthread_mutex_init(&lane->lock, NULL);
	pthread_cond_init(&lane->changed, NULL);
	if (pthread_create(&lane->thread, NULL, work, lane) == 0)
		return lane;
	pthread_cond_destroy(&lane->changed);
	pthread_mutex_destroy(&lane->lock);
	free(lane);
	return NULL;
}

/* Only the caller fills slots, so a free one stays free while it is filled. */
static void put(struct digest_lane *lane, struct digest *digest, const void *bytes, size_t len)
{
	struct slot *slot = &lane->slots[lane->put % SLOTS];

	pthread_mutex_lock(&lane->lock);
	while (lane->put - lane->taken == SLOTS)
		pthread_cond_wait(&lane->changed, &lane->lock);
	pthread_mutex_unlock(&lane->lock);
	slot->digest = digest;
	slot->len = len;
	memcpy(slot->bytes, bytes, len);
	pthread_mutex_lock(&lane->lock);
	lane->put++;
	pthread_cond_signal(&lane->changed);
	pthread_mutex_unlock(&lane->lock);
}

void digest_lane_add(struct digest_lane *lane, struct digest *digest, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	while (len) {
		size_t part = len < SLOT_BYTES ? len : SLOT_BYTES;

		put(lane, digest, p, part);
		p += part;
		len -= part;
	}
}

void digest_lane_wait(struct digest_lane *lane)
{
	if (!lane)
		return;
	pthread_mutex_lock(&lane->lock);
	while (lane->taken != lane->put)
		pthread_cond_wait(&lane->changed, &lane->lock);
	pthread_mutex_unlock(&lane->lock);
}

void digest_lane_stop(struct digest_lane *lane)
{
	if (!lane)
		return;
	pthread_mutex_lock(&lane->lock);
	lane->stop = true;
	pthread_cond_signal(&lane->changed);
	pthread_mutex_unlock(&lane->lock);
	pthread_join(lane->thread, NULL);
	pthread_cond_destroy(&lane->changed);
	pthread_mutex_destroy(&lane->lock);
	free(lane);
}
