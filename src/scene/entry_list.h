/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a manifest in ascending order of path, and what must hold among them. */
#ifndef SCENE_ENTRY_LIST_H
#define SCENE_ENTRY_LIST_H

#include "scene/manifest.h"

/* The entry of exactly this path (`len` bytes), or NULL. Borrowed. */
const struct manifest_entry *entry_list_find(
	const struct manifest_entry *entries, size_t count, const char *path, size_t len);

/* Does a program that opens this path in the unpacked scene reach a file, links followed? */
bool entry_list_reaches(const struct manifest_entry *entries, size_t count, const char *path);

/* No entry lies below a file or a link, and no link leads out of the top folder, also not by way of
 * other links. -1 with an error that names the entry. */
int entry_list_check(const struct manifest_entry *entries, size_t count, struct error *err);

/* The tree digest of manifest.h. */
void entry_list_digest(const struct manifest_entry *entries, size_t count, char hex[65]);

#endif
