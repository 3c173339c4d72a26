/* SPDX-License-Identifier: Apache-2.0 */
/* What source.c needs of each kind of container. Private to src/scene. */
#ifndef SCENE_SOURCE_KINDS_H
#define SCENE_SOURCE_KINDS_H

#include "scene/source.h"

/* A raw item, before its names are checked: bytes as stored, borrowed until the next call. */
struct raw_item {
	const char *path; /* NULL when the container gives none */
	const char *target; /* of 'l' and 'h' */
	const char *stored_name; /* a second name beside `path`, else NULL */
	char type; /* 'f', 'l', 'd', 'h' */
	bool has_size; /* `size` is what the container promises */
	uint64_t size;
};

struct kind_ops {
	int (*next)(void *state, struct raw_item *item, struct error *err);
	/* As archive_read_data_block(): *offset is where the block lies in the content, and at the
	 * end (0) where the content ends, when that is known, else -1. */
	ssize_t (*read)(void *state, const void **block, int64_t *offset, struct error *err);
	void (*close)(void *state);
};

/* Each opens on a descriptor that stays the caller's, and gives the state for its operations. */
void *kind_tar_open(int fd, const char *filter, struct error *err);
void *kind_seven_open(int fd, struct error *err);
void *kind_zip_open(int fd, uint64_t file_size, size_t max_entries, struct error *err);
void *kind_blend_open(int fd, const char *name);
void *kind_folder_open(int fd);

extern const struct kind_ops kind_tar_ops, kind_seven_ops, kind_zip_ops, kind_blend_ops,
	kind_folder_ops;

#endif
