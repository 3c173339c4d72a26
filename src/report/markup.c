/* SPDX-License-Identifier: Apache-2.0 */
#include "report/markup.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/show.h"

static const char *reference_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void add_escaped(struct str *to, const char *text, size_t max)
{
	struct str visible = STR_INIT;
	size_t at, done = 0;

	show_add(&visible, text, max);
	for (at = 0; at < visible.len; at++) {
		const char *reference = reference_of(visible.data[at]);

		if (!reference)
			continue;
		str_add_bytes(to, visible.data + done, at - done);
		str_add(to, reference);
		done = at + 1;
	}
	if (done < visible.len)
		str_add_bytes(to, visible.data + done, visible.len - done);
	str_release(&visible);
}

void markup_escape(struct str *to, const char *text)
{
	add_escaped(to, text, 0);
}

static void add_tag(struct markup *m, const char *tag, va_list args)
{
	const char *name, *value;

	str_addf(&m->text, "<%s", tag);
	while ((name = va_arg(args, const char *)) && (value = va_arg(args, const char *))) {
		str_addf(&m->text, " %s=\"", name);
		markup_escape(&m->text, value);
		str_add(&m->text, "\"");
	}
	str_add(&m->text, ">");
}

void markup_open(struct markup *m, const char *tag, ...)
{
	va_list args;

	assert(m->depth < MARKUP_DEPTH);
	va_start(args, tag);
	add_tag(m, tag, args);
	va_end(args);
	m->open[m->depth++] = tag;
}

void markup_void(struct markup *m, const char *tag, ...)
{
	va_list args;

	va_start(args, tag);
	add_tag(m, tag, args);
	va_end(args);
}

/* A line break after the larger elements keeps the file readable; inside a cell it would be text.
 */
static int ends_a_line(const char *tag)
{
	static const char *const tags[] = { "tr", "table", "section", "details", "p", "h1", "h2",
		"h3", "li", "ul", "div", "head", "body", "style", "title", "figure", "summary",
		"svg", "nav", "script" };
	size_t i;

	for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (strcmp(tag, tags[i]) == 0)
			return 1;
	return 0;
}

void markup_close(struct markup *m)
{
	const char *tag;

	assert(m->depth > 0);
	tag = m->open[--m->depth];
	str_addf(&m->text, "</%s>%s", tag, ends_a_line(tag) ? "\n" : "");
}

void markup_text(struct markup *m, const char *text)
{
	if (text)
		add_escaped(&m->text, text, SHOW_MAX);
}

void markup_textf(struct markup *m, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = xmalloc((size_t)len + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	markup_text(m, text);
	free(text);
}

void markup_element(struct markup *m, const char *tag, const char *class, const char *text)
{
	markup_open(m, tag, class ? "class" : NULL, class, NULL);
	markup_text(m, text);
	markup_close(m);
}

void markup_own(struct markup *m, const char *text)
{
	str_add(&m->text, text);
}
