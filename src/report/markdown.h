/* SPDX-License-Identifier: Apache-2.0 */
/* The record as a finding for a ticket, in Markdown with tables. */
#ifndef REPORT_MARKDOWN_H
#define REPORT_MARKDOWN_H

#include <jansson.h>

#include "base/str.h"

/* Appends the finding: decision, GCDs, controls, circumstances, what the verdicts mean, how to
 * repeat it. On a simulated record each line that could be taken for evidence says SIMULATED. */
void report_markdown_add(const json_t *record, struct str *to);

/* Appends `text` so that no renderer takes it for markup: & < > @ as references, a backslash before
 * what Markdown would act on, what cannot be seen as in report/show.h. For use within a line, never
 * at its beginning. */
void markdown_escape(struct str *to, const char *text);

#endif
