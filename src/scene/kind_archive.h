/* SPDX-License-Identifier: Apache-2.0 */
/* What tar, zip and 7z have in common when libarchive reads them. Private to src/scene. */
#ifndef SCENE_KIND_ARCHIVE_H
#define SCENE_KIND_ARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#include "scene/source_kinds.h"

/* The next header read under the named character set ("C", "C.UTF-8"), whatever the program's
 * locale: in the C locale libarchive hands over the stored bytes of tar names. libarchive's code.
 */
int kind_next_header(struct archive *archive, const char *locale, struct archive_entry **entry);

/* Fills the item from the entry; -1 for what a scene may not hold: devices, fifos, sockets,
 * encrypted entries, hard links with data. item->path is set even then. */
int kind_fill_item(struct archive_entry *entry, struct raw_item *item, struct error *err);

/* Says why the next header could not be read: encrypted, or libarchive's reason. Only
 * for an archive that was opened: asked about encryption before, libarchive 3.6 reads a format that
 * it never chose. Always -1. */
int kind_header_error(struct archive *archive, const char *what, struct error *err);

/* A warning only about turning a name into the locale's characters: the stored bytes are kept all
 * the same. */
bool kind_is_name_warning(struct archive *archive);

/* kind_ops.read on an archive. */
ssize_t kind_read_block(struct archive *archive, const char *what, const void **block,
	int64_t *offset, struct error *err);

#endif
