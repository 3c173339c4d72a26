/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/zip_directory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "scene/label.h"

enum {
	END_BYTES = 22,
	END64_BYTES = 56,
	LOCATOR_BYTES = 20,
	CENTRAL_BYTES = 46,
	LOCAL_BYTES = 30,
	COMMENT_MAX = 65535,
	EXTRA_ZIP64 = 0x0001,
	EXTRA_UNICODE_PATH = 0x7075,
	HOST_MSDOS = 0
};

struct range {
	uint64_t offset, size, count;
};

struct reader {
	int fd;
	uint64_t file_size;
	unsigned char *names; /* the central and the local name with their extras: 2 * 2 * 65535 */
};

static uint64_t number(const unsigned char *at, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

static bool read_at(const struct reader *reader, uint64_t offset, void *to, size_t len)
{
	unsigned char *p = to;

	if (offset > reader->file_size || len > reader->file_size - offset)
		return false;
	while (len) {
		ssize_t got = pread(reader->fd, p, len, (off_t)offset);

		if (got <= 0)
			return false;
		p += got;
		offset += (uint64_t)got;
		len -= (size_t)got;
	}
	return true;
}

/* The last end record whose comment reaches exactly to the end of the file, or -1. */
static long find_end(const unsigned char *tail, size_t len)
{
	long i;

	for (i = (long)len - END_BYTES; i >= 0; i--)
		if (memcmp(tail + i, "PK\005\006", 4) == 0 &&
			(size_t)i + END_BYTES + number(tail + i + 20, 2) == len)
			return i;
	return -1;
}

/* With a zip64 locator in front of the end record, the directory ends at the zip64 end record. */
static int read_end64(const struct reader *reader, uint64_t end_at, struct range *range,
	uint64_t *directory_end, struct error *err)
{
	unsigned char locator[LOCATOR_BYTES], end[END64_BYTES];
	uint64_t at;

	if (end_at < LOCATOR_BYTES ||
		!read_at(reader, end_at - LOCATOR_BYTES, locator, LOCATOR_BYTES) ||
		memcmp(locator, "PK\006\007", 4) != 0)
		return 0;
	at = number(locator + 8, 8);
	if (!read_at(reader, at, end, END64_BYTES) || memcmp(end, "PK\006\006", 4) != 0)
		return error_set(err, "zip: truncated or damaged: its zip64 end record is missing");
	range->count = number(end + 32, 8);
	range->size = number(end + 40, 8);
	range->offset = number(end + 48, 8);
	*directory_end = at;
	return 0;
}

static int find_directory(const struct reader *reader, struct range *range, struct error *err)
{
	size_t len = reader->file_size < END_BYTES + COMMENT_MAX ? (size_t)reader->file_size
								 : END_BYTES + COMMENT_MAX;
	uint64_t start = reader->file_size - len, directory_end;
	unsigned char *tail = xmalloc(len);
	long at = read_at(reader, start, tail, len) ? find_end(tail, len) : -1;

	if (at >= 0) {
		range->count = number(tail + at + 10, 2);
		range->size = number(tail + at + 12, 4);
		range->offset = number(tail + at + 16, 4);
		directory_end = start + (uint64_t)at;
	}
	free(tail);
	if (at < 0)
		return error_set(err, "zip: truncated: its end record is missing");
	if (read_end64(reader, directory_end, range, &directory_end, err) != 0)
		return -1;
	/* An offset that is off means bytes in front: a zip inside a cut zip looks like that. */
	if (range->offset > directory_end || range->size != directory_end - range->offset)
		return error_set(err, "zip: truncated or damaged: its end record does not fit "
				      "the file");
	return 0;
}

/* CRC-32 of zip, bit by bit: names are short. */
static uint32_t crc32_of(const unsigned char *p, size_t len)
{
	uint32_t crc = 0xffffffffu;
	int bit;

	while (len--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* The extra field `id`: its bytes and *size, or NULL. */
static const unsigned char *find_extra(
	const unsigned char *extra, size_t len, unsigned int id, size_t *size)
{
	while (len >= 4) {
		size_t field = (size_t)number(extra + 2, 2);

		if (field > len - 4)
			return NULL;
		if (number(extra, 2) == id) {
			*size = field;
			return extra + 4;
		}
		extra += 4 + field;
		len -= 4 + field;
	}
	return NULL;
}

/* Packed size and place of an entry. zip64 keeps only those of plain size, packed size and offset,
 * in this order, that are all ones in the entry itself. */
static bool read_place(const unsigned char *central, const unsigned char *extra, size_t extra_len,
	struct zip_name *entry)
{
	static const struct {
		int at;
		size_t offset; /* in struct zip_name */
	} rows[] = { { 24, SIZE_MAX }, { 20, offsetof(struct zip_name, packed) },
		{ 42, offsetof(struct zip_name, header) } };
	size_t size = 0, used = 0, i;
	const unsigned char *field = find_extra(extra, extra_len, EXTRA_ZIP64, &size);

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t value = number(central + rows[i].at, 4);

		if (value == 0xffffffffu && field) {
			if (size < used + 8)
				return false;
			value = number(field + used, 8);
			used += 8;
		}
		if (rows[i].offset != SIZE_MAX)
			memcpy((char *)entry + rows[i].offset, &value, sizeof(value));
	}
	return true;
}

/* The name to use: the Unicode path of Info-ZIP when it belongs to this name, else the stored
 * bytes; an MS-DOS or Windows name has backslashes for slashes. */
static char *final_name(const unsigned char *name, size_t len, const unsigned char *extra,
	size_t extra_len, unsigned int host, char **stored)
{
	size_t size = 0, i;
	const unsigned char *unicode = find_extra(extra, extra_len, EXTRA_UNICODE_PATH, &size);
	char *result;

	if (unicode && size > 5 && unicode[0] == 1 &&
		number(unicode + 1, 4) == crc32_of(name, len)) {
		if (size - 5 != len || memcmp(name, unicode + 5, len) != 0)
			*stored = xstrndup((const char *)name, len);
		name = unicode + 5;
		len = size - 5;
	}
	if (memchr(name, 0, len))
		return NULL;
	result = xstrndup((const char *)name, len);
	for (i = 0; host == HOST_MSDOS && i < len; i++)
		if (result[i] == '\\')
			result[i] = '/';
	return result;
}

/* The local header must be there and carry the same name. */
static int read_local(const struct reader *reader, const unsigned char *name, size_t len,
	struct zip_name *entry, struct error *err)
{
	unsigned char local[LOCAL_BYTES];
	unsigned char *copy = reader->names + 2 * (size_t)COMMENT_MAX;

	if (!read_at(reader, entry->header, local, LOCAL_BYTES) ||
		memcmp(local, "PK\003\004", 4) != 0)
		return label_error(err, entry->name,
			"truncated or damaged zip: nothing where this entry should begin");
	if (number(local + 26, 2) != len ||
		!read_at(reader, entry->header + LOCAL_BYTES, copy, len) ||
		memcmp(copy, name, len) != 0)
		return label_error(err, entry->name,
			"damaged zip: this entry has another name in front of its data");
	entry->content = entry->header + LOCAL_BYTES + len + number(local + 28, 2);
	return 0;
}

static int read_entry(const struct reader *reader, uint64_t *at, uint64_t end,
	struct zip_name *entry, struct error *err)
{
	unsigned char central[CENTRAL_BYTES];
	const unsigned char *name = reader->names, *extra;
	size_t len, extra_len, whole;

	if (end - *at < CENTRAL_BYTES || !read_at(reader, *at, central, CENTRAL_BYTES) ||
		memcmp(central, "PK\001\002", 4) != 0)
		return error_set(err, "zip: truncated or damaged central directory");
	len = (size_t)number(central + 28, 2);
	extra_len = (size_t)number(central + 30, 2);
	whole = CENTRAL_BYTES + len + extra_len + (size_t)number(central + 32, 2);
	if (end - *at < whole ||
		!read_at(reader, *at + CENTRAL_BYTES, reader->names, len + extra_len))
		return error_set(err, "zip: truncated or damaged central directory");
	extra = name + len;
	if (!read_place(central, extra, extra_len, entry))
		return error_set(err, "zip: damaged central directory: a zip64 number is missing");
	entry->name = final_name(name, len, extra, extra_len, central[5], &entry->stored);
	if (!entry->name)
		return error_set(err, "zip: a name with a NUL byte in it");
	*at += whole;
	return read_local(reader, name, len, entry, err);
}

static int by_header(const void *a, const void *b)
{
	const struct zip_name *x = a, *y = b;

	return x->header < y->header ? -1 : x->header > y->header;
}

/* Each entry's data end before the next one begins: a bomb of a few kilobytes that unpacks to
 * gigabytes uses the same data many times. */
static int check_overlap(
	const struct zip_directory *directory, uint64_t directory_at, struct error *err)
{
	size_t i;

	for (i = 0; i < directory->count; i++) {
		const struct zip_name *name = &directory->names[i];
		bool is_last = i + 1 == directory->count;
		uint64_t end = is_last ? directory_at : name[1].header;

		if (!is_last && name[1].header == name->header)
			return label_error(
				err, name[1].name, "damaged zip: two entries share the same data");
		if (name->content > end || name->packed > end - name->content)
			return label_error(err, name->name, "damaged zip: its data run into %s",
				is_last ? "the directory" : "those of another entry");
	}
	return 0;
}

static int read_entries(const struct reader *reader, const struct range *range,
	struct zip_directory *directory, struct error *err)
{
	uint64_t at = range->offset, end = range->offset + range->size, i;

	directory->names = xcalloc((size_t)range->count, sizeof(*directory->names));
	for (i = 0; i < range->count; i++) {
		directory->count = (size_t)i + 1;
		if (read_entry(reader, &at, end, &directory->names[i], err) != 0)
			return -1;
	}
	if (at != end)
		return error_set(err, "zip: damaged central directory: %llu bytes too many",
			(unsigned long long)(end - at));
	if (directory->count)
		qsort(directory->names, directory->count, sizeof(*directory->names), by_header);
	return check_overlap(directory, range->offset, err);
}

int zip_directory_read(int fd, uint64_t file_size, size_t max_entries, struct zip_directory *out,
	struct error *err)
{
	struct reader reader = { .fd = fd, .file_size = file_size };
	struct zip_directory directory = { 0 };
	struct range range = { 0 };
	int rc;

	if (find_directory(&reader, &range, err) != 0)
		return -1;
	if (range.count > max_entries)
		return error_set(err, "more than %zu entries", max_entries);
	if (range.count > range.size / CENTRAL_BYTES)
		return error_set(err, "zip: damaged: it cannot hold the %llu entries it announces",
			(unsigned long long)range.count);
	reader.names = xmalloc(4 * (size_t)COMMENT_MAX);
	rc = read_entries(&reader, &range, &directory, err);
	free(reader.names);
	if (rc != 0)
		zip_directory_release(&directory);
	else
		*out = directory;
	return rc;
}

void zip_directory_release(struct zip_directory *directory)
{
	size_t i;

	for (i = 0; i < directory->count; i++) {
		free(directory->names[i].name);
		free(directory->names[i].stored);
	}
	free(directory->names);
	memset(directory, 0, sizeof(*directory));
}
