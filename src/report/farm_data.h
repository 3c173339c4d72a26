/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a farm as the data block of its page. */
#ifndef REPORT_FARM_DATA_H
#define REPORT_FARM_DATA_H

#include "report/farm.h"

enum { FARM_DATA_BYTES = 4700000 };

/* Appends one JSON object, which farm.js reads, without '<', '>' or '&'. What repeats stands in it
 * once and is meant by its place:
 *
 *   texts    free texts; words: outcomes and verdicts
 *   results  [[verdict, rung, evidence, worker]]     what a GCD came to
 *   shapes   [[[bdf, target, module], ...]]          the GCDs of a node
 *   abouts   [[blender, oamqual, amdgpu, rocm]]
 *   node     {name, outcome, why, shape, source, about, ended, record, sha}: a column each;
 *            source 0 no record, 1 simulated, 2 observed; sha 43 characters of base64url a node
 *   gcd      {result, seconds, uid}: in order of nodes; uid 11 characters of base64url a GCD
 *
 * When it would be longer than FARM_DATA_BYTES, whole columns are left out, the least needed first:
 * record, uid, sha, evidence. `left_out` gets their names for people, "" none. */
void farm_data_add(const struct farm_report *farm, struct str *to, struct str *left_out);

/* A section of the frame over several GCDs, when the farm's list has one. */
struct markup;
void html_farm_frame(struct markup *m, const struct farm_report *farm);

#endif
