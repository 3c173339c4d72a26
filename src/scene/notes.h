/* SPDX-License-Identifier: Apache-2.0 */
/* What is no fault of an archive and yet goes wrong elsewhere: names that another file system takes
 * for one, names that are no text, files that stand for files that were not fetched. */
#ifndef SCENE_NOTES_H
#define SCENE_NOTES_H

#include "scene/manifest.h"

enum { NOTE_PATHS_MAX = 20, NOTES_MAX = 100 };

struct manifest_note {
	const char *id; /* of the table in notes.c; static */
	char *paths[NOTE_PATHS_MAX]; /* the first ones, ascending */
	size_t count; /* of all */
};

/* What a note means, in words. Static. */
const char *note_text(const char *id);

/* The notes of the entries, at most NOTES_MAX. NULL with *count 0 when there are none. The caller
 * frees by notes_free(). */
struct manifest_note *notes_of(
	const struct manifest_entry *entries, size_t entry_count, size_t *count);

void notes_free(struct manifest_note *notes, size_t count);

/* A path as a file system without case and with one form of Unicode sees it: canonically composed
 * and case-folded in full ("ß" is "ss"); bytes that are no UTF-8 only by the case of ASCII. The
 * caller frees. */
char *note_fold(const char *path, size_t len);

#endif
