/* SPDX-License-Identifier: Apache-2.0 */
/* tar in two stages, so that the whole decompressed stream is seen: libarchive's tar reader stops
 * at the end mark and takes a missing one for an end, and neither may pass for a whole archive. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "scene/feed.h"
#include "scene/kind_archive.h"

enum { TAR_END_BYTES = 1024 };

struct tar {
	struct feed feed;
	struct archive *raw; /* takes the compression off; NULL when there is none */
	struct archive *tar;
	char what[32]; /* "tar", "gzip tar" */
	bool raw_failed, opened;
	uint64_t stream_bytes; /* of the uncompressed tar, so far */
	uint64_t used_bytes; /* up to and with the last byte that is not zero */
};

/* How much of the block is left when the zero bytes at its end are taken off. */
static size_t trimmed(const unsigned char *block, size_t len)
{
	while (len && !block[len - 1])
		len--;
	return len;
}

static ssize_t next_stream_block(struct tar *tar, const void **block)
{
	struct error ignored;
	int64_t offset;
	ssize_t got;

	got = tar->raw ? kind_read_block(tar->raw, "", block, &offset, &ignored)
		       : feed_next(&tar->feed, block);
	if (got < 0) {
		tar->raw_failed = true;
	} else if (got > 0) {
		size_t kept = trimmed(*block, (size_t)got);

		if (kept)
			tar->used_bytes = tar->stream_bytes + kept;
		tar->stream_bytes += (uint64_t)got;
	}
	return got;
}

static la_ssize_t read_stream(struct archive *archive, void *data, const void **block)
{
	ssize_t got = next_stream_block(data, block);

	if (got < 0)
		archive_set_error(archive, EIO, "the compressed data ended early");
	return got;
}

static int fail(struct tar *tar, struct error *err)
{
	if (tar->raw_failed && tar->raw)
		return feed_error(tar->raw, tar->what, err);
	if (tar->raw_failed)
		return error_set(err, "%s: %s", tar->what, strerror(tar->feed.saved_errno));
	return tar->opened ? kind_header_error(tar->tar, tar->what, err)
			   : feed_error(tar->tar, tar->what, err);
}

static int open_raw(struct tar *tar, int fd, const char *filter)
{
	struct archive_entry *entry;

	tar->raw = archive_read_new();
	archive_read_support_format_raw(tar->raw);
	feed_add_filter(tar->raw, filter);
	if (feed_open(&tar->feed, tar->raw, fd, false) != ARCHIVE_OK ||
		archive_read_next_header(tar->raw, &entry) != ARCHIVE_OK) {
		tar->raw_failed = true;
		return -1;
	}
	return 0;
}

static int open_both(struct tar *tar, int fd, const char *filter)
{
	if (strcmp(filter, "none") == 0)
		feed_start(&tar->feed, fd);
	else if (open_raw(tar, fd, filter) != 0)
		return -1;
	tar->tar = archive_read_new();
	archive_read_support_format_tar(tar->tar);
	archive_read_set_callback_data(tar->tar, tar);
	archive_read_set_read_callback(tar->tar, read_stream);
	tar->opened = archive_read_open1(tar->tar) == ARCHIVE_OK;
	return tar->opened ? 0 : -1;
}

static void tar_close(void *state)
{
	struct tar *tar = state;

	archive_read_free(tar->tar);
	archive_read_free(tar->raw);
	feed_release(&tar->feed);
	free(tar);
}

void *kind_tar_open(int fd, const char *filter, struct error *err)
{
	struct tar *tar = xcalloc(1, sizeof(*tar));

	if (strcmp(filter, "none") == 0)
		str_copy(tar->what, sizeof(tar->what), "tar");
	else
		snprintf(tar->what, sizeof(tar->what), "%s tar", filter);
	if (open_both(tar, fd, filter) != 0) {
		fail(tar, err);
		tar_close(tar);
		return NULL;
	}
	return tar;
}

/* Behind the last entry there must be zero bytes to the end of the stream, the two blocks of the
 * end mark at least: less is a truncated tar, anything else is content that no listing shows. */
static int check_end(struct tar *tar, struct error *err)
{
	uint64_t end = (uint64_t)archive_read_header_position(tar->tar);
	const void *block;
	ssize_t got;

	while ((got = next_stream_block(tar, &block)) > 0)
		;
	if (got < 0)
		return fail(tar, err);
	if (tar->stream_bytes < end + TAR_END_BYTES)
		return error_set(err,
			"%s: truncated: it ends without the two zero blocks that "
			"close a tar",
			tar->what);
	if (tar->used_bytes > end)
		return error_set(err, "%s: truncated or damaged: more data follows the last entry",
			tar->what);
	return 0;
}

static int tar_next(void *state, struct raw_item *item, struct error *err)
{
	struct tar *tar = state;
	struct archive_entry *entry;
	int rc = kind_next_header(tar->tar, "C", &entry);

	if (rc == ARCHIVE_EOF)
		return tar->raw_failed ? fail(tar, err) : check_end(tar, err);
	if (rc != ARCHIVE_OK && !(rc == ARCHIVE_WARN && kind_is_name_warning(tar->tar)))
		return fail(tar, err);
	return kind_fill_item(entry, item, err) == 0 ? 1 : -1;
}

static ssize_t tar_read(void *state, const void **block, int64_t *offset, struct error *err)
{
	struct tar *tar = state;
	struct error ignored;
	ssize_t got = kind_read_block(tar->tar, tar->what, block, offset, &ignored);

	return got < 0 ? fail(tar, err) : got;
}

const struct kind_ops kind_tar_ops = { tar_next, tar_read, tar_close };
