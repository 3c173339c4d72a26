/* SPDX-License-Identifier: Apache-2.0 */
/* A .blend file by itself: one entry, stored as it is. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "scene/feed.h"
#include "scene/source_kinds.h"

struct blend {
	struct feed feed;
	char *name;
	bool given;
};

void *kind_blend_open(int fd, const char *name)
{
	struct blend *blend = xcalloc(1, sizeof(*blend));

	feed_start(&blend->feed, fd);
	blend->name = xstrdup(name);
	return blend;
}

static int blend_next(void *state, struct raw_item *item, struct error *err)
{
	struct blend *blend = state;

	(void)err;
	if (blend->given)
		return 0;
	blend->given = true;
	item->type = 'f';
	item->path = blend->name;
	return 1;
}

static ssize_t blend_read_block(void *state, const void **block, int64_t *offset, struct error *err)
{
	struct blend *blend = state;
	int64_t at = blend->feed.at;
	ssize_t got = feed_next(&blend->feed, block);

	*offset = at;
	return got < 0 ? error_set(err, "%s", strerror(blend->feed.saved_errno)) : got;
}

static void blend_close(void *state)
{
	struct blend *blend = state;

	feed_release(&blend->feed);
	free(blend->name);
	free(blend);
}

const struct kind_ops kind_blend_ops = { blend_next, blend_read_block, blend_close };
