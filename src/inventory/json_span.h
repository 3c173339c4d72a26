/* SPDX-License-Identifier: Apache-2.0 */
/* Where values stand in a JSON text, so that one can be replaced and all else kept byte for byte.
 * The text must be known to be valid JSON; on any other the walk ends early and never leaves the
 * text. */
#ifndef INVENTORY_JSON_SPAN_H
#define INVENTORY_JSON_SPAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "inventory/inventory.h"

struct json_walk {
	const char *text;
	size_t at, end;
	char close; /* '}' or ']' */
};

/* Begins a walk over the object or array that stands at `from` (blanks before it are passed). False
 * when there is none. */
bool json_walk_begin(struct json_walk *walk, const struct str *text, size_t from);

/* The next member or element. *key is the span of the name with its quotes (len 0 in an array).
 * False at the end. */
bool json_walk_next(
	struct json_walk *walk, struct inventory_span *key, struct inventory_span *value);

/* The value of the member `key` (plain ASCII) of the object at `from`. False when there is none. */
bool json_span_member(
	const struct str *text, size_t from, const char *key, struct inventory_span *value);

/* Lines before the offset, counted onwards from the last call: the offsets must not go back. Begin
 * with zeros. */
struct line_counter {
	size_t at, lines;
};
size_t line_counter_at(struct line_counter *counter, const struct str *text, size_t offset);

#endif
