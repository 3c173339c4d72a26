/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a record, for what reads thousands of them: a tenth of each becomes values, and it is
 * read at the speed of a disk. */
#ifndef RECORD_PARTS_H
#define RECORD_PARTS_H

#include <jansson.h>

#include "base/error.h"
#include "base/json_pick.h"
#include "base/str.h"

/* For a decision about many nodes: what record_contradiction() looks at, who the node is, the
 * driver's releases, the versions of tool and Blender, and what each GCD came to. */
extern const struct json_pick record_for_farm[];

/* For what changes over time: what record_contradiction(), cases_of() and diff_surroundings() look
 * at, and when the run was. */
extern const struct json_pick record_for_history[];

/* For the plan of a frame over several nodes and its judging: scenes with their settings, which GCD
 * rendered which of them rightly alone and where that lies, and who the GCDs are. */
extern const struct json_pick record_for_frame[];

/* A new reference: the record with these parts alone, each as it stands there. Refuses
 * what record_read() refuses, with an error that begins with `name`. */
json_t *record_parts(
	const char *name, const struct str *text, const struct json_pick *parts, struct error *err);

/* The same of record.json or its folder. `room` takes the text, and is used again from one record
 * to the next. */
json_t *record_read_parts(
	const char *path, const struct json_pick *parts, struct str *room, struct error *err);

#endif
