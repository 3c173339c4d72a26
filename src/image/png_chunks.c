/* SPDX-License-Identifier: Apache-2.0 */
#include "image/png_chunks.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SIGNATURE_BYTES = 8, HEADER_BYTES = 8, CRC_BYTES = 4 };

static const unsigned char signature[SIGNATURE_BYTES] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a,
	'\n' };

struct crc_table {
	uint32_t of[256];
};

/* ISO 3309, reflected, as the standard's annex defines it. */
static void crc_fill(struct crc_table *table)
{
	uint32_t n, k, c;

	for (n = 0; n < 256; n++) {
		for (c = n, k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
		table->of[n] = c;
	}
}

static uint32_t crc_add(
	const struct crc_table *table, uint32_t crc, const unsigned char *p, size_t len)
{
	while (len--)
		crc = table->of[(crc ^ *p++) & 0xff] ^ (crc >> 8);
	return crc;
}

static uint32_t big_endian(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool read_exactly(FILE *file, unsigned char *to, size_t len)
{
	return fread(to, 1, len, file) == len;
}

/* Adds `left` bytes of chunk data to *crc; false when the file ends before. */
static bool add_data(FILE *file, const struct crc_table *table, size_t left, uint32_t *crc)
{
	unsigned char bytes[16384];

	while (left) {
		size_t part = left < sizeof(bytes) ? left : sizeof(bytes);

		if (!read_exactly(file, bytes, part))
			return false;
		*crc = crc_add(table, *crc, bytes, part);
		left -= part;
	}
	return true;
}

/* 1 after IEND, 0 to go on, -1 with an error. */
static int check_chunk(
	FILE *file, const char *path, const struct crc_table *table, struct error *err)
{
	unsigned char header[HEADER_BYTES], stored[CRC_BYTES];
	uint32_t crc;

	if (!read_exactly(file, header, sizeof(header)))
		return error_set(err, "%s: truncated PNG: it ends without IEND", path);
	crc = crc_add(table, 0xffffffffu, header + 4, 4);
	if (!add_data(file, table, big_endian(header), &crc) ||
		!read_exactly(file, stored, sizeof(stored)))
		return error_set(err, "%s: truncated PNG: it ends inside a chunk", path);
	if ((crc ^ 0xffffffffu) != big_endian(stored))
		return error_set(err, "%s: damaged PNG: a chunk does not match its checksum", path);
	return memcmp(header + 4, "IEND", 4) == 0;
}

int png_check_chunks(FILE *file, const char *path, struct error *err)
{
	unsigned char start[SIGNATURE_BYTES];
	struct crc_table table;
	int rc = 0;

	rewind(file);
	if (!read_exactly(file, start, sizeof(start)) ||
		memcmp(start, signature, sizeof(start)) != 0)
		return error_set(err, "%s: not a PNG file: wrong signature", path);
	crc_fill(&table);
	while (rc == 0)
		rc = check_chunk(file, path, &table, err);
	rewind(file);
	return rc < 0 ? -1 : 0;
}
