/* SPDX-License-Identifier: Apache-2.0 */
/* The record as one self-contained page. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <jansson.h>

#include "base/error.h"

/* Writes the page for `record` to `path`; pictures are taken from `folder`, where the record lies. Whole or not at all. */
int report_html_write(const json_t *record, const char *folder, const char *path,
	struct error *err);

#endif
