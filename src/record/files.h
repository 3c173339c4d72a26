/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in a record's folder, by digest. */
#ifndef RECORD_FILES_H
#define RECORD_FILES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

/* Is it an envelope beside the record: "record.json.dsse", "record.json.WHO.dsse"? No signature
 * covers itself. */
bool files_is_envelope(const char *relative);

/* Each entry below `folder` but folders and envelopes, in order of path: {"path", "bytes",
 * "sha256"} of a file,
 * {"path", "kind": "symbolic link"} of what is none and is not followed (but for the links of a
 * replayed node to the stand-in runtime). The record and its reports
 * are among them. NULL with an error when one cannot be read. A new reference. */
json_t *files_list(const char *folder, struct error *err);

/* What is wrong with `found` (of files_list()) where `wanted`, an array of {"path", "sha256"}, is
 * how it should be: appends a text for each file that is missing, changed, named twice or leaves
 * the folder, and for each that is there and not wanted: "PATH: not in the record" with `where` "in
 * the record". Paths for which `is_left_out` says so may be there. */
typedef bool files_left_out_fn(const char *relative);
void files_compare(const json_t *wanted, const json_t *found, const char *where,
	files_left_out_fn *is_left_out, json_t *problems);

#endif
