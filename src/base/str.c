/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
	if (memory)
		return memory;
	fputs("oamqual: out of memory\n", stderr);
	exit(3);
}

void *xmalloc(size_t size)
{
	return must(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return must(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *old, size_t size)
{
	return must(realloc(old, size ? size : 1));
}

char *xstrdup(const char *text)
{
	return must(strdup(text));
}

char *xstrndup(const char *text, size_t len)
{
	return must(strndup(text, len));
}

char *xasprintf(const char *format, ...)
{
	struct str s = STR_INIT;
	va_list args;
	int need;

	va_start(args, format);
	need = vsnprintf(NULL, 0, format, args);
	va_end(args);
	s.data = xmalloc((size_t)need + 1);
	va_start(args, format);
	vsnprintf(s.data, (size_t)need + 1, format, args);
	va_end(args);
	return s.data;
}

void str_reserve(struct str *s, size_t extra)
{
	size_t need = s->len + extra + 1;

	if (need <= s->capacity)
		return;
	s->capacity = need < 2 * s->capacity ? 2 * s->capacity : need + 32;
	s->data = xrealloc(s->data, s->capacity);
}

void str_add_bytes(struct str *s, const void *bytes, size_t len)
{
	str_reserve(s, len);
	if (len)
		memcpy(s->data + s->len, bytes, len);
	s->len += len;
	s->data[s->len] = '\0';
}

void str_add(struct str *s, const char *text)
{
	str_add_bytes(s, text, strlen(text));
}

void str_addf(struct str *s, const char *format, ...)
{
	va_list args;
	int need;

	va_start(args, format);
	need = vsnprintf(NULL, 0, format, args);
	va_end(args);
	str_reserve(s, (size_t)need);
	va_start(args, format);
	vsnprintf(s->data + s->len, (size_t)need + 1, format, args);
	va_end(args);
	s->len += (size_t)need;
}

char *str_detach(struct str *s)
{
	char *data = s->data ? s->data : xstrdup("");

	memset(s, 0, sizeof(*s));
	return data;
}

void str_release(struct str *s)
{
	free(s->data);
	memset(s, 0, sizeof(*s));
}

void str_truncate(struct str *s, size_t len)
{
	if (len == 0) {
		str_release(s);
		return;
	}
	s->len = len;
	s->data[len] = '\0';
}

void str_copy(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

bool str_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *text, const char *suffix)
{
	size_t len = strlen(text), tail = strlen(suffix);

	return len >= tail && strcmp(text + len - tail, suffix) == 0;
}
