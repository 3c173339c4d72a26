/* SPDX-License-Identifier: Apache-2.0 */
/* The central directory of a zip, read beside libarchive for three things that it does not tell:
 * the names as stored (it recomposes UTF-8 names), whether the file ends where the zip ends, and
 * whether the names there and in front of the data agree. Layout: PKWARE APPNOTE 4.3 and 4.5.3. */
#ifndef SCENE_ZIP_DIRECTORY_H
#define SCENE_ZIP_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct zip_name {
	char *name; /* with the slashes of this system */
	char *stored; /* the plain name, when a Unicode path counts instead; else NULL */
	uint64_t header; /* where its local header lies */
	uint64_t content; /* where its content begins */
	uint64_t packed; /* bytes of its content as stored, by the directory */
};

struct zip_directory {
	struct zip_name *names; /* ascending by header */
	size_t count;
};

/* 0, or -1 with *out untouched: not whole, not one zip from the first byte to the last, more than
 * `max_entries`, names that contradict each other, data that overlap. */
int zip_directory_read(int fd, uint64_t file_size, size_t max_entries, struct zip_directory *out,
	struct error *err);

void zip_directory_release(struct zip_directory *directory);

#endif
