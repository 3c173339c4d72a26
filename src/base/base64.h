/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 (RFC 4648) read strictly, written plainly. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

/* Appends the bytes in the standard alphabet, padded, without line breaks. */
void base64_add(struct str *to, const void *bytes, size_t len);

/* Appends what `len` characters stand for. Standard or URL-safe alphabet, padded or not. Refused,
 * with `to` as it was: any other character (line breaks too), both alphabets in one text, padding
 * in the wrong place, a length that no bytes have, and bits after the last byte that are not 0:
 * each text of one alphabet and padding is the only one of its bytes. */
int base64_read(const char *text, size_t len, struct str *to, struct error *err);

#endif
