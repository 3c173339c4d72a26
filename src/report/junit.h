/* SPDX-License-Identifier: Apache-2.0 */
/* The record as JUnit XML for a pipeline. Only what is accepted passes: inconclusive is an error,
 * everything else a failure, and what the record says was skipped is skipped. Suite "gcds" has a case
 * for each GCD, since a GCD needs more than accepted attempts; suite "attempts" has a case for each
 * attempt. It is what Ant's and Jenkins' schemas take (tests/junit). */
#ifndef REPORT_JUNIT_H
#define REPORT_JUNIT_H

#include <jansson.h>

#include "base/error.h"
#include "base/str.h"

/* Appends the document. -1 with `to` untouched when the XML library fails. */
int report_junit_add(const json_t *record, struct str *to, struct error *err);

#endif
