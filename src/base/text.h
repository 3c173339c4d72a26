/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from outside (paths, logs, sysfs) made safe to show or to store. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/str.h"

/* Is it valid UTF-8 without NUL? */
bool text_is_utf8(const char *bytes, size_t len);

/* Appends `bytes` as valid, printable UTF-8: a control byte (tab and newline
 * too) and a byte that is not UTF-8 become `\xHH`, a backslash stays itself. */
void text_add_printable(struct str *to, const char *bytes, size_t len);

/* The same as a new string that the caller frees. */
char *text_printable(const char *bytes, size_t len);

/* Lower-case hex of `len` bytes; `hex` holds 2 * len + 1. */
void text_hex(const unsigned char *bytes, size_t len, char *hex);

/* "64.0 GiB", "512 B": for people, never for records. */
void text_bytes(char out[24], double bytes);

/* Whole text as a number in `base` (0 as in C); false and *value untouched when
 * anything else stands there, or it is out of range. */
bool text_u64(const char *text, int base, unsigned long long *value);
bool text_double(const char *text, double *value);

#endif
