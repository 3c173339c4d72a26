/* SPDX-License-Identifier: Apache-2.0 */
/* Writes HTML: elements are closed in the order they were opened, and text and attribute values are
 * escaped by one function, so nothing out of a record can become markup. Names of elements and
 * attributes are the caller's own words; values are anybody's. */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include <stddef.h>

#include "base/str.h"

enum { MARKUP_DEPTH = 32 };

struct markup {
	struct str text;
	const char *open[MARKUP_DEPTH];
	size_t depth;
};

/* Appends `text` for an element's content or a quoted attribute: & < > " ' as references, what
 * cannot be seen as in report/show.h. Never cuts. */
void markup_escape(struct str *to, const char *text);

/* Opens <tag name="value" ...>; pairs of names and values, then NULL. A NULL value ends the list
 * too. */
void markup_open(struct markup *m, const char *tag, ...) __attribute__((sentinel));

/* The same for an element without content, such as <meta>. */
void markup_void(struct markup *m, const char *tag, ...) __attribute__((sentinel));

/* Closes what was opened last. */
void markup_close(struct markup *m);

/* Escaped text, cut at SHOW_MAX. NULL adds nothing. */
void markup_text(struct markup *m, const char *text);
void markup_textf(struct markup *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* <tag class="class">text</tag>; `class` may be NULL. */
void markup_element(struct markup *m, const char *tag, const char *class, const char *text);

/* A text of the program's own that is markup already, such as the style sheet. */
void markup_own(struct markup *m, const char *text);

#endif
