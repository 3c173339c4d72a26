/* SPDX-License-Identifier: Apache-2.0 */
/* Reads through a whole .blend, compressed or not, as a stream. */
#ifndef SCENE_BLEND_READ_H
#define SCENE_BLEND_READ_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "scene/blend.h"
#include "scene/blend_needs.h"

/* Gives the next block: its length with *block valid until the next call, 0 at the end, -1 with the
 * error set. */
typedef ssize_t (*blend_block_fn)(void *context, const void **block, struct error *err);

/* Reads all blocks. *inner_sha256 is of the uncompressed bytes; for a plain .blend it stays "",
 * since it is the digest of the file that the caller has. *needs is for the caller to release. -1:
 * not a .blend, damaged, without its last block (so cut off), compressed twice, or more than
 * `limit` bytes inside; outputs are then untouched. */
int blend_read(blend_block_fn next, void *context, uint64_t limit, struct blend_header *header,
	char inner_sha256[65], struct blend_needs *needs, struct error *err);

#endif
