/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/file_hash.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/str.h"
#include "scene/feed.h"

struct file_hash {
	struct feed feed;
	struct digest *digest;
	pthread_t thread;
	bool has_thread;
	atomic_bool stop;
};

static void *work(void *data)
{
	struct file_hash *hash = data;
	const void *block;
	ssize_t got;

	while (!atomic_load_explicit(&hash->stop, memory_order_relaxed) &&
		(got = feed_next(&hash->feed, &block)) > 0)
		digest_add(hash->digest, block, (size_t)got);
	return NULL;
}

struct file_hash *file_hash_start(int fd, bool beside)
{
	struct file_hash *hash = xcalloc(1, sizeof(*hash));

	hash->digest = digest_new();
	feed_start(&hash->feed, fd);
	/* Without a thread the work is done at the end. */
	hash->has_thread = beside && pthread_create(&hash->thread, NULL, work, hash) == 0;
	return hash;
}

static void end(struct file_hash *hash)
{
	digest_free(hash->digest);
	feed_release(&hash->feed);
	free(hash);
}

int file_hash_finish(struct file_hash *hash, uint64_t size, char hex[65], struct error *err)
{
	int rc = 0;

	if (hash->has_thread)
		pthread_join(hash->thread, NULL);
	else
		work(hash);
	if (hash->feed.saved_errno)
		rc = error_set(err, "%s", strerror(hash->feed.saved_errno));
	else if ((uint64_t)hash->feed.at != size)
		rc = error_set(err, "changed while it was read");
	if (rc == 0) {
		digest_finish(hash->digest, hex);
		hash->digest = NULL;
	}
	end(hash);
	return rc;
}

void file_hash_cancel(struct file_hash *hash)
{
	if (!hash)
		return;
	atomic_store(&hash->stop, true);
	if (hash->has_thread)
		pthread_join(hash->thread, NULL);
	end(hash);
}
