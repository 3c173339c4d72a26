/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/str.h"
#include "scene/feed.h"
#include "scene/kind_archive.h"

struct seven {
	struct feed feed;
	struct archive *archive;
};

static void seven_close(void *state)
{
	struct seven *seven = state;

	archive_read_free(seven->archive);
	feed_release(&seven->feed);
	free(seven);
}

void *kind_seven_open(int fd, struct error *err)
{
	struct seven *seven = xcalloc(1, sizeof(*seven));

	seven->archive = archive_read_new();
	archive_read_support_format_7zip(seven->archive);
	if (feed_open(&seven->feed, seven->archive, fd, true) == ARCHIVE_OK)
		return seven;
	feed_error(seven->archive, "7z", err);
	seven_close(seven);
	return NULL;
}

static int seven_next(void *state, struct raw_item *item, struct error *err)
{
	struct seven *seven = state;
	struct archive_entry *entry;
	/* Names are UTF-16 in a 7z; as UTF-8 they are the bytes that the other containers hold. */
	int rc = kind_next_header(seven->archive, "C.UTF-8", &entry);

	if (rc == ARCHIVE_EOF)
		return 0;
	if (rc == ARCHIVE_WARN && kind_is_name_warning(seven->archive))
		return error_set(err, "7z: a name that is not valid UTF-16");
	if (rc != ARCHIVE_OK)
		return kind_header_error(seven->archive, "7z", err);
	return kind_fill_item(entry, item, err) == 0 ? 1 : -1;
}

static ssize_t seven_read(void *state, const void **block, int64_t *offset, struct error *err)
{
	struct seven *seven = state;

	return kind_read_block(seven->archive, "7z", block, offset, err);
}

const struct kind_ops kind_seven_ops = { seven_next, seven_read, seven_close };
