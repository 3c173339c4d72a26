/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a .blend refers to, as far as they stand in its datablocks: images, libraries,
 * fonts, sounds, cache files, volumes and movie clips. What only nodes, modifiers or strips name
 * (light profiles, baked caches, sequencer media) is not in the list. */
#ifndef SCENE_BLEND_NEEDS_H
#define SCENE_BLEND_NEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blend_need {
	const char *kind; /* "image", "library" ...; static */
	char *name; /* of the datablock: bytes, not always UTF-8 */
	char *stored; /* the path as it stands in the file, not empty */
	bool packed; /* its bytes are in the .blend */
};

struct blend_needs {
	struct blend_need *list; /* in the order of the file */
	size_t count;
	char why[128]; /* not "" when the list could not be read; it is then empty */
};

/* A block that was kept. */
struct blend_block {
	uint64_t struct_number;
	char code[4];
	size_t at, len; /* of its data, in the kept bytes; cut at BLEND_BLOCK_KEPT */
};

enum { BLEND_BLOCK_KEPT = 16384 };

/* Does a block of this code name a file? */
bool blend_needs_code(const char code[4]);

struct blend_dna;

/* Reads the kept blocks by the file's own description. False when they do not fit it; *out is then
 * untouched. */
bool blend_needs_read(const struct blend_dna *dna, const struct blend_block *blocks, size_t count,
	const unsigned char *kept, bool little_endian, struct blend_needs *out);

void blend_needs_release(struct blend_needs *needs);

/* A deep copy. */
void blend_needs_copy(const struct blend_needs *from, struct blend_needs *to);

#endif
