/* SPDX-License-Identifier: Apache-2.0 */
/* The first bytes of a .blend file. Two forms of header are known:
 *   12 bytes  "BLENDER" + pointer size ('_' 4, '-' 8) + endianness ('v' little, 'V' big) + 3 digits
 *   17 bytes  "BLENDER" + "17" (header size) + '-' + "01" (format version) + 'v' + 4 digits
 * Digits: 279 is 2.79, 304 is 3.4, 0500 is 5.0 (hundreds are the major version).
 * Around it there may be gzip (1f 8b) or zstd (28 b5 2f fd), or nothing. */
#ifndef SCENE_BLEND_H
#define SCENE_BLEND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum blend_outer { BLEND_PLAIN, BLEND_GZIP, BLEND_ZSTD };

struct blend_header {
	enum blend_outer outer; /* compression around the header; set by who peeled it off */
	int version_major;
	int version_minor;
	int pointer_bytes; /* 4 or 8 */
	bool little_endian;
	int header_bytes; /* 12 or 17 */
	int format_version; /* 0 for the 12-byte form, else the two digits */
};

/* Reads an uncompressed header. -1 says what the bytes are instead (an HTML page, a git-lfs
 * pointer, the magic in hex) and leaves *out untouched. */
int blend_header_read(
	const unsigned char *bytes, size_t len, struct blend_header *out, struct error *err);

/* The bytes of a block's head in this file; the last block, ENDB, is a head alone. */
size_t blend_block_head_bytes(const struct blend_header *header);

/* The compression that these first bytes announce. */
enum blend_outer blend_outer_of(const unsigned char *bytes, size_t len);

/* The version as Blender writes it: "2.79", "2.90", "3.4", "5.0". */
void blend_version_text(const struct blend_header *header, char text[32]);

/* "plain", "gzip", "zstd". Static. */
const char *blend_outer_name(enum blend_outer outer);

#endif
