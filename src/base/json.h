/* SPDX-License-Identifier: Apache-2.0 */
/* JSON through jansson, and the one form in which a value of a record says
 * where it comes from:
 *
 *   {"value": 68702699520, "class": "observed", "from": "hip"}
 *   {"value": null, "class": "unknown", "why": "..."}
 *
 * class: published (a vendor says so), declared (an operator or a scheduler
 * says so), observed (read from this node), simulated (played by the stand-in
 * runtime), unknown. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>

#include "base/error.h"
#include "base/known.h"

/* Reads a JSON file of at most `limit` bytes; duplicate keys, NUL in strings and text
 * after the value are refused. A new reference, or NULL with an error that names file, line and
 * reason. */
json_t *json_read(const char *path, size_t limit, struct error *err);

/* The same of what must be a regular file: a pipe or a device is refused and not waited for. */
json_t *json_read_plain(const char *path, size_t limit, struct error *err);

/* Writes it indented, keys in their order, with a newline at the end; whole or not at all. */
int json_write(const char *path, const json_t *value, struct error *err);

/* The same text as json_write() to a stream. */
void json_print(const json_t *value, FILE *to);

/* New references. `from` names the source ("kfd", "hip", "blender"). */
json_t *fact_text(const char *value, const char *class, const char *from);
json_t *fact_integer(json_int_t value, const char *class, const char *from);
json_t *fact_json(json_t *value_stolen, const char *class, const char *from);
json_t *fact_unknown(const char *why);

/* The known value as an integer fact (as text when it exceeds INT64_MAX), else unknown with `why`.
 */
json_t *fact_u64(struct known_u64 value, const char *class, const char *from, const char *why);

/* Text as a JSON string: invalid UTF-8, control bytes and NUL are shown as \xHH. */
json_t *json_printable(const char *bytes, size_t len);
json_t *json_printable_text(const char *text);

/* Borrowed members; the default when absent or of another type. */
const char *json_text(const json_t *object, const char *key, const char *otherwise);
json_int_t json_integer_of(const json_t *object, const char *key, json_int_t otherwise);
double json_real_of(const json_t *object, const char *key, double otherwise);

/* The member `value` of the fact `key` of `object` as text; NULL when unknown. */
const char *json_fact_text(const json_t *object, const char *key);

#endif
