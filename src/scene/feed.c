/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/feed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/text.h"

enum { BLOCK_BYTES = 512 * 1024 };

struct filter {
	const char *name;
	const char *magic;
	size_t len;
	int (*support)(struct archive *archive);
};

static const struct filter filters[] = {
	{ "gzip", "\037\213", 2, archive_read_support_filter_gzip },
	{ "zstd", "\050\265\057\375", 4, archive_read_support_filter_zstd },
	{ "xz", "\3757zXZ\000", 6, archive_read_support_filter_xz },
	{ "bzip2", "BZh", 3, archive_read_support_filter_bzip2 },
	{ "lz4", "\004\"M\030", 4, archive_read_support_filter_lz4 },
};

enum { FILTERS = sizeof(filters) / sizeof(filters[0]) };

const char *feed_filter_of(const unsigned char *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < FILTERS; i++)
		if (len >= filters[i].len && memcmp(bytes, filters[i].magic, filters[i].len) == 0)
			return filters[i].name;
	return NULL;
}

int feed_add_filter(struct archive *archive, const char *filter)
{
	size_t i;

	for (i = 0; i < FILTERS; i++)
		if (strcmp(filter, filters[i].name) == 0)
			return filters[i].support(archive);
	return ARCHIVE_OK;
}

ssize_t feed_next(struct feed *feed, const void **block)
{
	ssize_t got;

	do {
		got = pread(feed->fd, feed->block, BLOCK_BYTES, feed->at);
	} while (got < 0 && errno == EINTR);
	if (got < 0) {
		feed->saved_errno = errno;
		return -1;
	}
	feed->at += got;
	*block = feed->block;
	return got;
}

static la_ssize_t feed_read(struct archive *archive, void *data, const void **block)
{
	struct feed *feed = data;
	ssize_t got = feed_next(feed, block);

	if (got < 0)
		archive_set_error(archive, feed->saved_errno, "%s", strerror(feed->saved_errno));
	return got;
}

static la_int64_t feed_seek(struct archive *archive, void *data, la_int64_t offset, int whence)
{
	struct feed *feed = data;
	struct stat info;
	int64_t base = 0;

	(void)archive;
	if (whence == SEEK_CUR)
		base = feed->at;
	else if (whence == SEEK_END)
		base = fstat(feed->fd, &info) == 0 ? info.st_size : -1;
	if (base < 0 || offset < -base || offset > INT64_MAX - base)
		return ARCHIVE_FATAL;
	feed->at = base + offset;
	return feed->at;
}

void feed_start(struct feed *feed, int fd)
{
	feed->fd = fd;
	feed->at = 0;
	feed->saved_errno = 0;
	feed->block = xmalloc(BLOCK_BYTES);
}

int feed_open(struct feed *feed, struct archive *archive, int fd, bool seekable)
{
	feed_start(feed, fd);
	archive_read_set_callback_data(archive, feed);
	archive_read_set_read_callback(archive, feed_read);
	if (seekable)
		archive_read_set_seek_callback(archive, feed_seek);
	return archive_read_open1(archive);
}

void feed_release(struct feed *feed)
{
	free(feed->block);
	feed->block = NULL;
}

int feed_error(struct archive *archive, const char *what, struct error *err)
{
	const char *text = archive ? archive_error_string(archive) : NULL;
	char *shown;

	if (!text || !text[0] || strcmp(text, "(Empty error message)") == 0)
		return error_set(err, "%s: truncated or damaged", what);
	shown = text_printable(text, strlen(text));
	error_set(err, "%s: truncated or damaged: %.200s", what, shown);
	free(shown);
	return -1;
}
