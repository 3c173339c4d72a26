/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of a JSON text only the members that are asked for. The whole text is still checked: what
 * json_read() refuses (RFC 8259, duplicate keys, NUL in strings, numbers out of range, bytes that
 * are not UTF-8, more than 2048 levels) is refused here too, and what it takes is taken. What is
 * not asked for is passed over without an allocation, which is some ten times faster than making a
 * value of it. */
#ifndef BASE_JSON_PICK_H
#define BASE_JSON_PICK_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

/* A list of these ends with a key of NULL. A list asks an object for members, and an array for
 * those members of each of its items; what is neither is kept as it is. Items of an array that
 * come out equal may be one value with several references: what is picked is for reading. */
struct json_pick {
	const char *key;
	const struct json_pick *below; /* NULL: the whole value */
};

/* A new reference with the members of `rows` (NULL: all of them) in the order of the text, or NULL
 * with an error that begins with `name` and the line. `bytes` need not end with NUL, and
 * may be NULL when `len` is 0. */
json_t *json_pick(const char *name, const char *bytes, size_t len, const struct json_pick *rows,
	struct error *err);

#endif
