/* SPDX-License-Identifier: Apache-2.0 */
/* What the reports ask of a record. Nothing is judged here: every answer is a member of the record,
 * or says that the record does not have it. Any member may be missing or of another type. */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Is the record, or one of its attempts, anything but observed? */
bool view_is_simulated(const json_t *record_or_attempt);

/* "SIMULATED " or "", to put before what could be taken for evidence. Static. */
const char *view_mark(const json_t *record_or_attempt);

/* Accepted by both of the members that say so. */
bool view_is_worker(const json_t *gcd);

size_t view_count_gcds(const json_t *record);
size_t view_count_workers(const json_t *record);
bool view_was_interrupted(const json_t *record);

/* What to look at when there was no GCD to judge: a sentence. Static. */
const char *view_no_gcd_remedy(void);

/* The record's decision as a sentence: "0 of 8 GCDs are render workers". The caller frees. */
char *view_decision(const json_t *record);

/* "0000:c1:00.0", or "(no address)". Borrowed. */
const char *view_gcd_name(const json_t *gcd);
const char *view_attempt_device(const json_t *attempt); /* "CPU" for the control */

/* The gfx target that the node has for this GCD, or "unknown". Borrowed. */
const char *view_target(const json_t *record, const json_t *gcd);

/* What the attempts of this GCD by this probe came to: one verdict when all agree, else each with
 * its scene, "not run" when there are none. The caller frees. */
char *view_verdicts(const json_t *record, const json_t *gcd, const char *probe);

/* The first rung of an attempt that is not yes: "5 cycles-lists-device", or "none". The caller
 * frees. */
char *view_first_rung(const json_t *attempt);

/* The rung that decided about a GCD; "ended before 5 ..." when the way the process ended decided,
 * "not attempted" of one that was left out, "none" when all are yes. The caller frees. */
char *view_deciding_rung(const json_t *gcd);

bool view_is_control(const json_t *attempt);

/* The evidence of the fact that decided; "" when there is none. Borrowed. */
const char *view_evidence(const json_t *attempt);

/* The command line of the run, quoted for a shell, with the program's name. The caller frees. */
char *view_command(const json_t *record);

/* An array of words quoted for a shell. The caller frees. */
char *view_words(const json_t *words);

/* Any value as text: a list of scalars with commas, anything larger as compact JSON. The caller
 * frees. */
char *view_value(const json_t *value);

/* Has it the form of a fact (base/json.h)? */
bool view_is_fact(const json_t *value);

/* "observed" or another of the five classes; NULL for a word that is none of them. Static. */
const char *view_class(const json_t *fact);

/* The SHA-256 that the record has for this file of its folder; NULL when it names no such file.
 * Borrowed. */
const char *view_file_digest(const json_t *record, const char *path);

#endif
