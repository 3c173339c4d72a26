/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/blend.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "scene/sniff.h"

enum { SHORT_HEADER = 12, LONG_HEADER = 17 };

const char *blend_outer_name(enum blend_outer outer)
{
	static const char *const names[] = { "plain", "gzip", "zstd" };

	return names[outer];
}

enum blend_outer blend_outer_of(const unsigned char *bytes, size_t len)
{
	if (len >= 2 && memcmp(bytes, "\037\213", 2) == 0)
		return BLEND_GZIP;
	if (len >= 4 && memcmp(bytes, "\050\265\057\375", 4) == 0)
		return BLEND_ZSTD;
	return BLEND_PLAIN;
}

/* Minor versions had two digits up to 2.93 and have been plain numbers since 3.0. */
void blend_version_text(const struct blend_header *header, char text[32])
{
	snprintf(text, 32, header->version_major < 3 ? "%d.%02d" : "%d.%d", header->version_major,
		header->version_minor);
}

/* Code, length, old address, SDNA index and count, the numbers with 4 bytes each but the address,
 * or with 8 from the 17-byte header on. */
size_t blend_block_head_bytes(const struct blend_header *header)
{
	if (header->format_version > 0)
		return 32;
	return header->pointer_bytes == 8 ? 24 : 20;
}

/* `count` decimal digits as a number, or -1. */
static int digits(const unsigned char *at, int count)
{
	int value = 0, i;

	for (i = 0; i < count; i++) {
		if (at[i] < '0' || at[i] > '9')
			return -1;
		value = 10 * value + (at[i] - '0');
	}
	return value;
}

static bool read_short(const unsigned char *p, struct blend_header *header)
{
	int version = digits(p + 9, 3);

	if ((p[7] != '_' && p[7] != '-') || (p[8] != 'v' && p[8] != 'V') || version < 0)
		return false;
	header->pointer_bytes = p[7] == '-' ? 8 : 4;
	header->little_endian = p[8] == 'v';
	header->version_major = version / 100;
	header->version_minor = version % 100;
	header->header_bytes = SHORT_HEADER;
	return true;
}

static bool read_long(const unsigned char *p, struct blend_header *header)
{
	int format = digits(p + 10, 2), version = digits(p + 13, 4);

	if (digits(p + 7, 2) != LONG_HEADER || p[9] != '-' || format < 0 || p[12] != 'v' ||
		version < 0)
		return false;
	header->pointer_bytes = 8;
	header->little_endian = true;
	header->version_major = version / 100;
	header->version_minor = version % 100;
	header->header_bytes = LONG_HEADER;
	header->format_version = format;
	return true;
}

static int refuse(const unsigned char *bytes, size_t len, struct error *err)
{
	char what[SNIFF_TEXT_BYTES];

	sniff_describe(bytes, len, what);
	if (len >= 7 && memcmp(bytes, "BLENDER", 7) == 0)
		return error_set(err, "a .blend header of a form that is not known: %s", what);
	return error_set(err, "not a .blend file: %s", what);
}

int blend_header_read(
	const unsigned char *bytes, size_t len, struct blend_header *out, struct error *err)
{
	struct blend_header header = { .outer = BLEND_PLAIN };
	bool is_long = len > 7 && bytes[7] >= '0' && bytes[7] <= '9';
	size_t need = is_long ? LONG_HEADER : SHORT_HEADER;

	if (!len || memcmp(bytes, "BLENDER", len < 7 ? len : 7) != 0)
		return refuse(bytes, len, err);
	if (len < need)
		return error_set(err, "truncated .blend: ends after %zu bytes of its header", len);
	if (!(is_long ? read_long(bytes, &header) : read_short(bytes, &header)))
		return refuse(bytes, len, err);
	*out = header;
	return 0;
}
