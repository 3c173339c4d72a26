/* SPDX-License-Identifier: Apache-2.0 */
/* One walk over a scene, whatever it is kept in: entries in the order of the container, contents in
 * blocks. Names come out as the bytes that were stored, in any locale. Errors name the entry, not
 * the source. */
#ifndef SCENE_SOURCE_H
#define SCENE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "scene/manifest.h"

struct source;

struct source_item {
	char *path; /* normalised and checked; "" never; the caller frees */
	char *target; /* of 'l' its bytes, of 'h' a normalised path, else NULL; the caller frees */
	char *stored_name; /* another name that the container has for it, else NULL; likewise */
	char type; /* 'f' file, 'l' symbolic link, 'd' folder, 'h' hard link */
};

struct source *source_open(
	const char *path, const struct manifest_limits *limits, struct error *err);

/* 1 with an item, 0 at the end of a whole and undamaged container, -1. */
int source_next(struct source *source, struct source_item *item, struct error *err);

/* The next block of the last item's content, of an 'f' only: its length with *block valid until the
 * next call, 0 at the end of the whole content, -1. Holes are zero bytes. Counts against the limit
 * on content. */
ssize_t source_read(struct source *source, const void **block, struct error *err);

/* After the end: -1 when the source was changed while it was read. */
int source_check_unchanged(struct source *source, struct error *err);

/* "tar", "zip", "7z", "blend", "folder"; "none", "gzip", "zstd" ... Static. */
const char *source_container(const struct source *source);
const char *source_filter(const struct source *source);

/* The open file, -1 for a folder, and its size. Borrowed. */
int source_fd(const struct source *source);
uint64_t source_file_size(const struct source *source);

void source_close(struct source *source);

void source_item_release(struct source_item *item);

#endif
