/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/blend_read.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

#include "base/digest.h"
#include "scene/blend_scan.h"
#include "scene/feed.h"
#include "scene/sniff.h"

enum { TAIL_BYTES = 32 };

struct reading {
	blend_block_fn next;
	void *context;
	bool next_failed;
	struct error next_error;
	uint64_t outer_bytes;

	unsigned char head[SNIFF_NEED_BYTES]; /* of the uncompressed bytes */
	size_t head_len;
	unsigned char tail[TAIL_BYTES];
	size_t tail_len;
	uint64_t inner_bytes;
	struct digest *digest; /* NULL for a plain one */
	struct blend_scan *scan;
};

static la_ssize_t read_outer(struct archive *archive, void *data, const void **block)
{
	struct reading *reading = data;
	ssize_t got = reading->next(reading->context, block, &reading->next_error);

	if (got < 0) {
		reading->next_failed = true;
		archive_set_error(archive, EIO, "the file around it could not be read");
		return -1;
	}
	reading->outer_bytes += (uint64_t)got;
	return got;
}

static void keep_tail(struct reading *reading, const unsigned char *block, size_t len)
{
	size_t kept;

	if (len >= TAIL_BYTES) {
		memcpy(reading->tail, block + len - TAIL_BYTES, TAIL_BYTES);
		reading->tail_len = TAIL_BYTES;
		return;
	}
	kept = reading->tail_len < TAIL_BYTES - len ? reading->tail_len : TAIL_BYTES - len;
	memmove(reading->tail, reading->tail + reading->tail_len - kept, kept);
	memcpy(reading->tail + kept, block, len);
	reading->tail_len = kept + len;
}

static void take(struct reading *reading, const void *block, size_t len)
{
	size_t room = sizeof(reading->head) - reading->head_len;
	size_t kept = len < room ? len : room;

	memcpy(reading->head + reading->head_len, block, kept);
	reading->head_len += kept;
	keep_tail(reading, block, len);
	reading->inner_bytes += len;
	if (reading->digest)
		digest_add(reading->digest, block, len);
	blend_scan_add(reading->scan, block, len);
}

static enum blend_outer outer_of(struct archive *archive)
{
	switch (archive_filter_code(archive, 0)) {
	case ARCHIVE_FILTER_GZIP:
		return BLEND_GZIP;
	case ARCHIVE_FILTER_ZSTD:
		return BLEND_ZSTD;
	default:
		return BLEND_PLAIN;
	}
}

static int fail(const struct reading *reading, struct archive *archive, enum blend_outer outer,
	struct error *err)
{
	char what[40] = "a .blend in ";

	if (reading->next_failed)
		return error_set(err, "%s", reading->next_error.text);
	strcat(what, blend_outer_name(outer));
	return feed_error(archive, what, err);
}

static int read_inner(struct reading *reading, struct archive *archive, enum blend_outer outer,
	uint64_t limit, struct error *err)
{
	const void *block;
	size_t len;
	la_int64_t offset;
	int rc;

	while ((rc = archive_read_data_block(archive, &block, &len, &offset)) == ARCHIVE_OK) {
		if (len > limit - reading->inner_bytes)
			return error_set(err, "over the limit of %llu bytes inside its compression",
				(unsigned long long)limit);
		if (len)
			take(reading, block, len);
	}
	/* Looking for a further gzip member, libarchive takes a failed read for the end. */
	if (rc == ARCHIVE_EOF && !reading->next_failed)
		return 0;
	return fail(reading, archive, outer, err);
}

/* What the decompressor left behind the end of its data still belongs to the file's own digest. */
static int read_rest(struct reading *reading, struct error *err)
{
	const void *block;
	ssize_t got;

	while ((got = reading->next(reading->context, &block, err)) > 0)
		;
	return got < 0 ? -1 : 0;
}

static int check_whole(
	const struct reading *reading, const struct blend_header *header, struct error *err)
{
	size_t len = blend_block_head_bytes(header);

	if (reading->tail_len >= len &&
		memcmp(reading->tail + reading->tail_len - len, "ENDB", 4) == 0)
		return 0;
	return error_set(err,
		"truncated .blend: ends after %llu bytes without its last block (ENDB)",
		(unsigned long long)reading->inner_bytes);
}

static int read_opened(struct reading *reading, struct archive *archive, uint64_t limit,
	struct blend_header *header, struct error *err)
{
	enum blend_outer outer = outer_of(archive);

	/* The last filter is the reading itself. */
	if (archive_filter_count(archive) > 2)
		return error_set(err, "not a .blend file: compressed more than once");
	if (outer != BLEND_PLAIN)
		reading->digest = digest_new();
	if (read_inner(reading, archive, outer, limit, err) != 0 ||
		blend_header_read(reading->head, reading->head_len, header, err) != 0 ||
		check_whole(reading, header, err) != 0)
		return -1;
	header->outer = outer;
	return read_rest(reading, err);
}

static int open_archive(struct reading *reading, struct archive *archive, struct error *err)
{
	struct archive_entry *entry;

	archive_read_support_format_raw(archive);
	archive_read_support_filter_gzip(archive);
	archive_read_support_filter_zstd(archive);
	archive_read_set_callback_data(archive, reading);
	archive_read_set_read_callback(archive, read_outer);
	if (archive_read_open1(archive) == ARCHIVE_OK &&
		archive_read_next_header(archive, &entry) == ARCHIVE_OK)
		return 0;
	if (!reading->next_failed && !reading->outer_bytes)
		return error_set(err, "not a .blend file: empty");
	return fail(reading, archive, outer_of(archive), err);
}

int blend_read(blend_block_fn next, void *context, uint64_t limit, struct blend_header *header,
	char inner_sha256[65], struct blend_needs *needs, struct error *err)
{
	struct reading reading = { .next = next, .context = context };
	struct archive *archive = archive_read_new();
	struct blend_header found;
	int rc = open_archive(&reading, archive, err);

	reading.scan = blend_scan_new();
	if (rc == 0)
		rc = read_opened(&reading, archive, limit, &found, err);
	archive_read_free(archive);
	if (rc != 0) {
		digest_free(reading.digest);
		blend_scan_free(reading.scan);
		return -1;
	}
	inner_sha256[0] = '\0';
	if (reading.digest)
		digest_finish(reading.digest, inner_sha256);
	blend_scan_finish(reading.scan, needs);
	*header = found;
	return 0;
}
