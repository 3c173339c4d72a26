/* SPDX-License-Identifier: Apache-2.0 */
/* Records in a tree of folders. */
#ifndef RECORD_FIND_H
#define RECORD_FIND_H

#include <jansson.h>

#include "base/error.h"

/* Appends the path of each record below `path` to `paths`, in order: `path` itself when it is a
 * file or holds record.json, else those of the folders below. No link is followed, and nothing
 * below a record is looked at. What cannot be listed goes to `unreadable` as {"path", "why"}. -1
 * when `path` itself is not there. */
int find_records(const char *path, json_t *paths, json_t *unreadable, struct error *err);

#endif
