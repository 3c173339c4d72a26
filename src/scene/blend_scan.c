/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/blend_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "scene/blend.h"
#include "scene/blend_dna.h"

enum {
	HEAD_MAX = 32,
	DNA_MAX = 4 * 1024 * 1024,
	KEPT_MAX = 24 * 1024 * 1024, /* of all kept blocks together: bounds the memory */
	BLOCKS_MAX = 100000
};

enum state { IN_FILE_HEADER, IN_HEAD, IN_DATA, DONE, LOST };

struct blend_scan {
	enum state state;
	struct blend_header header;
	unsigned char head[HEAD_MAX]; /* of the file or of a block, as far as it has come */
	size_t head_len, head_need;
	uint64_t left; /* of the current block's data */
	struct str *keep; /* where the data go, or NULL */
	size_t keep_left;
	struct str kept, dna;
	struct blend_block *blocks;
	size_t count, capacity;
	char why[sizeof(((struct blend_needs *)0)->why)];
};

struct blend_scan *blend_scan_new(void)
{
	struct blend_scan *scan = xcalloc(1, sizeof(*scan));

	scan->head_need = 12;
	return scan;
}

void blend_scan_free(struct blend_scan *scan)
{
	if (!scan)
		return;
	str_release(&scan->kept);
	str_release(&scan->dna);
	free(scan->blocks);
	free(scan);
}

static void lose(struct blend_scan *scan, const char *why)
{
	scan->state = LOST;
	str_copy(scan->why, sizeof(scan->why), why);
}

static void take_file_header(struct blend_scan *scan)
{
	bool is_long = scan->head[7] >= '0' && scan->head[7] <= '9';
	struct error ignored;

	if (is_long && scan->head_need < 17) {
		scan->head_need = 17;
		return;
	}
	if (blend_header_read(scan->head, scan->head_len, &scan->header, &ignored) != 0) {
		lose(scan, "its header is not known");
		return;
	}
	scan->state = IN_HEAD;
	scan->head_len = 0;
	scan->head_need = blend_block_head_bytes(&scan->header);
}

static struct blend_block *add_block(struct blend_scan *scan)
{
	if (scan->count == scan->capacity) {
		scan->capacity = scan->capacity ? 2 * scan->capacity : 32;
		scan->blocks = xrealloc(scan->blocks, scan->capacity * sizeof(*scan->blocks));
	}
	return &scan->blocks[scan->count++];
}

static void keep_block(struct blend_scan *scan, const char code[4], uint64_t struct_number)
{
	size_t len = scan->left < BLEND_BLOCK_KEPT ? (size_t)scan->left : BLEND_BLOCK_KEPT;
	struct blend_block *block;

	if (scan->count == BLOCKS_MAX || len > KEPT_MAX - scan->kept.len) {
		lose(scan, "it has more datablocks with files than are looked at");
		return;
	}
	block = add_block(scan);
	memcpy(block->code, code, 4);
	block->struct_number = struct_number;
	block->at = scan->kept.len;
	block->len = len;
	scan->keep = &scan->kept;
	scan->keep_left = len;
}

static void begin_block(struct blend_scan *scan, uint64_t struct_number)
{
	const char *code = (const char *)scan->head;

	scan->state = scan->left ? IN_DATA : IN_HEAD;
	scan->head_len = 0;
	scan->keep = NULL;
	scan->keep_left = 0;
	if (memcmp(code, "ENDB", 4) == 0) {
		scan->state = DONE;
	} else if (memcmp(code, "DNA1", 4) == 0 && scan->left <= DNA_MAX && !scan->dna.len) {
		scan->keep = &scan->dna;
		scan->keep_left = (size_t)scan->left;
	} else if (blend_needs_code(code)) {
		keep_block(scan, code, struct_number);
	}
}

static void take_block_head(struct blend_scan *scan)
{
	const unsigned char *p = scan->head;
	bool little = scan->header.little_endian;
	bool is_long = scan->header.format_version > 0;
	uint64_t struct_number;

	scan->left = is_long ? blend_number(p + 16, 8, little) : blend_number(p + 4, 4, little);
	struct_number = is_long ? blend_number(p + 4, 4, little)
				: blend_number(p + 8 + scan->header.pointer_bytes, 4, little);
	/* Lengths are signed in the format. */
	if (scan->left > (is_long ? (uint64_t)INT64_MAX : (uint64_t)INT32_MAX))
		lose(scan, "a block of it has an impossible length");
	else
		begin_block(scan, struct_number);
}

/* How many of the bytes went into the head that is being gathered. */
static size_t take_head(struct blend_scan *scan, const unsigned char *bytes, size_t len)
{
	size_t need = scan->head_need - scan->head_len;
	size_t taken = len < need ? len : need;

	memcpy(scan->head + scan->head_len, bytes, taken);
	scan->head_len += taken;
	if (scan->head_len < scan->head_need)
		return taken;
	if (scan->state == IN_FILE_HEADER)
		take_file_header(scan);
	else
		take_block_head(scan);
	return taken;
}

static size_t take_data(struct blend_scan *scan, const unsigned char *bytes, size_t len)
{
	size_t taken = scan->left < len ? (size_t)scan->left : len;
	size_t kept = taken < scan->keep_left ? taken : scan->keep_left;

	if (kept)
		str_add_bytes(scan->keep, (const char *)bytes, kept);
	scan->keep_left -= kept;
	scan->left -= taken;
	if (!scan->left)
		scan->state = IN_HEAD;
	return taken;
}

void blend_scan_add(struct blend_scan *scan, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	while (len && scan->state < DONE) {
		size_t taken =
			scan->state == IN_DATA ? take_data(scan, p, len) : take_head(scan, p, len);

		p += taken;
		len -= taken;
	}
	if (len && scan->state == DONE)
		lose(scan, "bytes follow its last block");
}

static void read_kept(struct blend_scan *scan, struct blend_needs *needs)
{
	struct error err;
	struct blend_dna *dna = blend_dna_read((const unsigned char *)scan->dna.data, scan->dna.len,
		scan->header.little_endian, scan->header.pointer_bytes, &err);

	if (!dna) {
		lose(scan, err.text);
		return;
	}
	if (!blend_needs_read(dna, scan->blocks, scan->count,
		    (const unsigned char *)scan->kept.data, scan->header.little_endian, needs))
		lose(scan, "a datablock does not fit the description of its structs");
	blend_dna_free(dna);
}

void blend_scan_finish(struct blend_scan *scan, struct blend_needs *out)
{
	struct blend_needs needs = { 0 };

	if (scan->state != DONE && scan->state != LOST)
		lose(scan, "its blocks do not end with ENDB");
	else if (scan->state == DONE && !scan->dna.len)
		lose(scan, "it has no description of its structs (DNA1)");
	if (scan->state == DONE)
		read_kept(scan, &needs);
	str_copy(needs.why, sizeof(needs.why), scan->why);
	blend_scan_free(scan);
	*out = needs;
}
