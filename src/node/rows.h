/* SPDX-License-Identifier: Apache-2.0 */
/* `key value` lines, as KFD's properties files have them. */
#ifndef NODE_ROWS_H
#define NODE_ROWS_H

#include <stddef.h>

#include "base/known.h"

/* A key and where its value goes: the offset of a struct known_u64. A NULL key ends the rows (at
 * most 64). */
struct row {
	const char *key;
	size_t offset;
};

/* Parses lines with decimal values into `base`, whose fields are all unknown at first. A value that
 * is missing, malformed, or given twice differently stays unknown. */
void rows_parse(const struct row *rows, void *base, const char *text, size_t len);

#endif
