/* SPDX-License-Identifier: Apache-2.0 */
/* Records of one node by several Blender builds, side by side: a column each. */
#ifndef REPORT_MATRIX_H
#define REPORT_MATRIX_H

#include <jansson.h>

#include "base/str.h"

/* A new reference, "oamqual-matrix/1": {schema, source, node, builds: [{version, sha256, root,
 * record}], gcds: [{bdf, gfx_target, builds: [{verdict, predicted, cause, remedy, evidence}]}]}.
 * `records` are the documents, `paths` where each lies. */
json_t *report_matrix_json(json_t *const *records, const char *const *paths, size_t count);

/* Appends it as Markdown: a table of verdicts, and for each build why. SIMULATED in every line that
 * could be taken for evidence, when it is. */
void report_matrix_markdown_add(const json_t *matrix, struct str *to);

#endif
