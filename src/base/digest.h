/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 through libcrypto. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct digest; /* a running SHA-256 */

struct digest *digest_new(void);
void digest_add(struct digest *digest, const void *bytes, size_t len);

/* Adds eight bytes, the highest first. */
void digest_add_number(struct digest *digest, uint64_t value);

/* Adds the 32 bytes that 64 lower case hex digits of another digest stand for. */
void digest_add_hex(struct digest *digest, const char *hex);

/* Writes 64 hex digits and NUL, and frees the digest. */
void digest_finish(struct digest *digest, char hex[65]);

/* Drops a running digest. NULL is fine. */
void digest_free(struct digest *digest);

/* SHA-256 and size of a regular file. 0, or -1 with hex and *size unchanged. `size` may be NULL. */
int digest_file(const char *path, char hex[65], uint64_t *size, struct error *err);

#endif
