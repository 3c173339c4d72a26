/* SPDX-License-Identifier: Apache-2.0 */
/* Why an attempt came to its verdict, and what was predicted of it: both beside what was observed,
 * each named for what it is. */
#ifndef REPORT_WHY_H
#define REPORT_WHY_H

#include <jansson.h>

#include "report/markup.h"

/* "architecture-below-floor > device-not-listed", the root first; "none", or "not in the record".
 * The caller frees. */
char *why_chain(const json_t *attempt);

/* "neither-kernels-nor-compiler, library-not-loadable-by-blender"; "" when there are none. The
 * caller frees. */
char *why_candidates(const json_t *attempt);

/* The class of the remedy. Borrowed. */
const char *why_remedy(const json_t *attempt);

/* The verdict that the table of versions expected: its name, "none: ..." or "unknown: ...". The
 * caller frees. */
char *why_predicted(const json_t *attempt);

/* The attempt that decided about a GCD; NULL when the record does not have it. Borrowed. */
const json_t *why_deciding(const json_t *record, const json_t *gcd);

/* The attempt's causes, candidates, remedy and prediction on the page. */
void html_why(struct markup *m, const json_t *attempt);

#endif
