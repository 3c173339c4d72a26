/* SPDX-License-Identifier: Apache-2.0 */
/* The record, "oamqual-record/1": the only thing that reports, comparisons and signatures read. It
 * is built of JSON parts that the other modules make of what they know, and of the ladder and
 * verdict of each attempt. Its form is docs/record.schema.json. */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <jansson.h>

#include "base/error.h"

/* "gcds": one a GPU of `node` (its "gpus"), each with its verdict: the worst of its attempts by the
 * rules below, and the attempt that decided. A GCD is accepted only when every scene was accepted
 * by both probes alone and together. A new reference. */
json_t *record_gcds(const json_t *node, const json_t *attempts, const json_t *scenes);

/* The record's verdict about the GCD at this address; NULL when it has none. Borrowed. */
const json_t *record_gcd(const json_t *record, const char *bdf);

/* "files": path, size and SHA-256 of every file below `folder` but record.json, envelopes of
 * signatures and what begins with "report.", in order of path. NULL with an error when one cannot
 * be read. */
json_t *record_files(const char *folder, struct error *err);

/* A longer record.json is refused. */
extern const size_t record_bytes_max;

/* -1 with an error that begins with `name` when it is another schema or its root is no record's. */
int record_check_form(const json_t *record, const char *name, struct error *err);

/* "DIR/record.json" for the folder DIR, else `path` itself. The caller frees. */
char *record_path(const char *path);

/* The folder in which the record lies; "." for a bare file name. The caller frees. */
char *record_folder(const char *path);

/* Reads record.json (or the folder it lies in); refuses another schema or a root that is no record.
 */
json_t *record_read(const char *path, struct error *err);

/* What in the record does not follow from the rest of it (verdicts of GCDs from attempts, simulated
 * or not, accepted without its rungs), or NULL. Such a record must decide nothing. Sentences may be
 * worded as another version of this program did. Static. */
const char *record_contradiction(const json_t *record);

/* What is wrong between the record and the files beside it: an array of texts, empty when all
 * digests are right. NULL with an error when the record cannot be read. A new reference. */
json_t *record_check_files(const char *path, struct error *err);

/* The same of a record and its folder's content (files_list()) that were read already; appends to
 * `problems`. */
void record_check_found(const json_t *record, const json_t *found, json_t *problems);

#endif
