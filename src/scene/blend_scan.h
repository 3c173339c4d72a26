/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the blocks of an uncompressed .blend as its bytes come by and keeps those few that say
 * which files it refers to, and the block that describes them.
 *
 * A block is a head and its data. The head, with numbers in the file's own byte order:
 *   4-byte pointers  code[4] length:4 address:4 struct:4 count:4
 *   8-byte pointers  code[4] length:4 address:8 struct:4 count:4
 *   17-byte header   code[4] struct:4 address:8 length:8 count:8
 * DNA1 comes late and ENDB last. */
#ifndef SCENE_BLEND_SCAN_H
#define SCENE_BLEND_SCAN_H

#include <stddef.h>

#include "scene/blend_needs.h"

struct blend_scan;

struct blend_scan *blend_scan_new(void);

/* The next bytes. What cannot be followed is remembered, never an error: the file is taken all the
 * same. */
void blend_scan_add(struct blend_scan *scan, const void *bytes, size_t len);

/* What was found. Frees the scan; the caller releases *out. */
void blend_scan_finish(struct blend_scan *scan, struct blend_needs *out);

/* Drops it. NULL is fine. */
void blend_scan_free(struct blend_scan *scan);

#endif
