/* SPDX-License-Identifier: Apache-2.0 */
/* What is signed: an in-toto Statement (github.com/in-toto/attestation, spec/v1/statement.md) whose
 * subjects are record.json and every other file of its folder, each with the SHA-256 of its bytes.
 * No canonical form is needed: a file written anew with other spaces or another order of keys is
 * another file. */
#ifndef RECORD_STATEMENT_H
#define RECORD_STATEMENT_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

#define STATEMENT_PAYLOAD_TYPE "application/vnd.in-toto+json"
#define STATEMENT_TYPE "https://in-toto.io/Statement/v1"
#define STATEMENT_PREDICATE_TYPE "urn:oamqual:evidence:v1"

/* The statement of `record` and its folder's content (files_list()) as the bytes to sign: the same
 * for the same files. -1 when an entry is no file or its name cannot be told in JSON. `to` is as it
 * was on failure. */
int statement_make(const json_t *record, const json_t *found, struct str *to, struct error *err);

/* The subjects as an array of {"path", "sha256"} (files_compare()'s form): refused, with why, what
 * is no statement of ours. A new reference. */
json_t *statement_subjects(const char *bytes, size_t len, struct error *err);

/* Number and bytes of the files among the entries. */
void statement_amount(const json_t *found, size_t *files, uint64_t *bytes);

#endif
