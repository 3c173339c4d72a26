/* SPDX-License-Identifier: Apache-2.0 */
/* Growable byte string and the allocation calls that never return NULL: a
 * command-line program that is out of memory says so and exits 3. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

/* `data` is NULL or NUL-terminated at data[len]; the bytes before may hold NUL. */
struct str {
	char *data;
	size_t len;
	size_t capacity;
};

#define STR_INIT                                                                                   \
	{                                                                                          \
		NULL, 0, 0                                                                         \
	}

void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const void *bytes, size_t len);
void str_addf(struct str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for `extra` more bytes and the NUL at data[len]; what it holds stays. */
void str_reserve(struct str *s, size_t extra);

/* Back to its first `len` bytes; back to nothing allocated when that is none. */
void str_truncate(struct str *s, size_t len);

/* Hands the bytes over ("" rather than NULL) and leaves `s` empty. The caller frees. */
char *str_detach(struct str *s);
void str_release(struct str *s);

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t len);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Copies with truncation; always NUL-terminated. */
void str_copy(char *to, size_t size, const char *from);

bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);

#endif
