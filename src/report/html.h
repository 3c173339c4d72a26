/* SPDX-License-Identifier: Apache-2.0 */
/* The record as one self-contained page: pictures inside, nothing fetched. It has one script, which
 * only adds to what is there without it; a policy forbids any other script, style and request. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <jansson.h>

#include "base/error.h"
#include "base/str.h"

/* Appends the page for `record`; pictures are taken from `folder`, where the record lies. A picture
 * that is not there or is not the recorded one is said to be missing, and why. */
void report_html_add(const json_t *record, const char *folder, struct str *to);

/* Writes that page to `path`. Whole or not at all. */
int report_html_write(
	const json_t *record, const char *folder, const char *path, struct error *err);

#endif
