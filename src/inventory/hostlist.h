/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's lists of names: "node[01-04,7],login1", "rack[0-1]n[0-3]", "/dev/dri/renderD[128-131]".
 */
#ifndef INVENTORY_HOSTLIST_H
#define INVENTORY_HOSTLIST_H

#include <stdbool.h>
#include <stddef.h>

enum { HOSTLIST_NAME = 512, HOSTLIST_MOST = 65536 };

/* Calls `each` for each name in turn until it returns false. The number of names called for, or -1
 * when the list is malformed or stands for more than `most` names (some may have been called for by
 * then). */
long hostlist_each(
	const char *list, long most, bool (*each)(const char *name, void *context), void *context);

/* Is it the same host? A name with its domain and one without are the same. */
bool hostlist_same(const char *name, const char *other);

/* Does the list hold the name? A name with its domain and one without are the same. False when it
 * is malformed. */
bool hostlist_holds(const char *list, const char *name);

/* The number of names; -1 when malformed. */
long hostlist_count(const char *list);

/* The names. The caller frees each and the array. -1 when malformed or more than `most`. */
long hostlist_expand(const char *list, long most, char ***names);

#endif
