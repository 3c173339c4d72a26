/* SPDX-License-Identifier: Apache-2.0 */
/* What changed between two records that matters: for the decision, for the work that a card does,
 * or for repeating the run. Times, process ids, paths and order do not. */
#ifndef RECORD_DIFF_H
#define RECORD_DIFF_H

#include <jansson.h>
#include <stdbool.h>

/* "oamqual-diff/1": {"schema", "before", "after", "worse": bool, "changes": [...], "not_compared":
 * [...], "rule"}. "before" and "after" tell which runs these are ({"node", "source", "started",
 * "blender", "workers", "gcds"}). A change is
 * {"area", "subject", "what", "before", "after", "weight", "note"}; weight is "worse", "better",
 * "changed", "now-known" or "now-unknown". Cards are matched by their unique id, else by their
 * address. A new reference. */
json_t *diff_records(const json_t *before, const json_t *after);

/* The changes of build, driver, system, run, scenes and references alone: what can have brought a
 * change of verdict or speed. An array, a new reference. */
json_t *diff_surroundings(const json_t *before, const json_t *after);

#endif
