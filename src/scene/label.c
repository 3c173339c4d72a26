/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/label.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Twice this, each byte as \xHH, still leaves room for the reason in struct error. */
enum { SHOWN_BYTES = 180, SHOWN_HALF = 30 };

char *label_new(const char *name)
{
	size_t len = strlen(name);
	char *whole = text_printable(name, len);
	struct str s = STR_INIT;

	if (strlen(whole) <= SHOWN_BYTES)
		return whole;
	free(whole);
	text_add_printable(&s, name, len < SHOWN_HALF ? len : SHOWN_HALF);
	str_add(&s, "[...]");
	if (len > SHOWN_HALF)
		text_add_printable(&s, name + len - SHOWN_HALF, SHOWN_HALF);
	whole = str_detach(&s);
	return whole;
}

int label_prefix(struct error *err, const char *name)
{
	char *label = label_new(name);

	error_prefix(err, "%s", label);
	free(label);
	return -1;
}

int label_error(struct error *err, const char *entry, const char *format, ...)
{
	va_list args;

	if (!err)
		return -1;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return entry ? label_prefix(err, entry) : -1;
}
