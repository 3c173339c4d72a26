/* SPDX-License-Identifier: Apache-2.0 */
/* Many records over time: which node each is of, what became better or worse and what came with it,
 * what goes back and forth, what drifts. docs/history.md says the rules. */
#ifndef RECORD_HISTORY_H
#define RECORD_HISTORY_H

#include <jansson.h>

#include "base/error.h"
#include "base/str.h"

/* What a history needs of a record, without its attempts and files, so that thousands fit into
 * memory. NULL with an error when the record contradicts itself or does not say when it was made. A
 * new reference. */
json_t *history_part(const json_t *record, const char *path, struct error *err);

/* The same of record.json (or its folder); only what is needed of it becomes values. `room` takes
 * the text, and is used again from one record to the next. */
json_t *history_read(const char *path, struct str *room, struct error *err);

/* "oamqual-history/1" of an array of parts: {"schema", "nodes": [{"name", "source", "cards",
 * "records", "events", "series"}], "same_twice", "rules"}. Records stand in order of time. An event
 * is {"kind", "weight", "card", "bdf", "case", "at", "before", "after", "came_with", "note",
 * "standing"}; kinds are regression, recovery, flap, slower, faster, more-memory, less-memory,
 * drift, card-gone, card-new. A new reference. */
json_t *history_of(const json_t *parts);

/* Is there an event that tells of something that stands now and should not? */
int history_is_worse(const json_t *history);

#endif
