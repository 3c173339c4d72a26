/* SPDX-License-Identifier: Apache-2.0 */
/* The record as one screen of text that a person can act on, and as one line for a health check. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include <jansson.h>
#include <stdio.h>

/* Per GCD the verdict, the rung that decided and the evidence line; the controls; what to do next.
 * `folder` is where the record lies. On a simulated record every line that could be taken for
 * evidence says SIMULATED. */
void report_summary_print(const json_t *record, const char *folder, FILE *to);

/* One line, the same for the same record (docs/report.md has its grammar):
 *
 *   ["SIMULATED "] decision " " workers "/" gcds " GCDs are render workers:" { " " count " " verdict }
 *     [ "; baseline Msamples/s: CPU " rate ", GCDs " rates ]
 *
 * decision: accepted, not-accepted, or undecided when no GCD was judged or the run was interrupted.
 * Only the verdicts of verdict/verdict.h appear, in their order; no text of the record does. */
void report_oneline_print(const json_t *record, FILE *to);

#endif
