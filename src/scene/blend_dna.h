/* SPDX-License-Identifier: Apache-2.0 */
/* The description of its own structs that each .blend carries in its block DNA1: "SDNA", then
 * "NAME", "TYPE", "TLEN" and "STRC", each at a multiple of 4 bytes. A field's name has its pointer
 * stars and array sizes in it: "*next", "name[66]". There is no padding that is not a field. */
#ifndef SCENE_BLEND_DNA_H
#define SCENE_BLEND_DNA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct blend_dna;

/* Reads the block. `bytes` stay the caller's and must outlive the result. NULL when damaged. */
struct blend_dna *blend_dna_read(const unsigned char *bytes, size_t len, bool little_endian,
	int pointer_bytes, struct error *err);

/* The name of the struct that a block's head gives by number, or NULL. Borrowed. */
const char *blend_dna_struct(const struct blend_dna *dna, uint64_t number);

/* Where a field lies in a struct: its offset and its size with all array elements. False when there
 * is no such struct or field. */
bool blend_dna_field(const struct blend_dna *dna, const char *type, const char *field,
	size_t *offset, size_t *size);

void blend_dna_free(struct blend_dna *dna);

/* `bytes` bytes at `at` as a number. */
uint64_t blend_number(const unsigned char *at, int bytes, bool little_endian);

#endif
