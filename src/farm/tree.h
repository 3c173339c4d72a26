/* SPDX-License-Identifier: Apache-2.0 */
/* The digest of what a farm run takes from the shared folder or finds on each node: a file's bytes,
 * or a folder with all below it.
 *
 * A folder's digest ("oamqual-folder/1") is SHA-256 over "oamqual-folder/1\n" and then, for each
 * regular file and symbolic link in ascending order of path bytes: 'f' or 'l', path length (8
 * bytes, big-endian), path bytes, and 32 bytes: SHA-256 of the content, of a link that of its
 * target's text. Unlike a scene's tree digest it takes links that lead out of the folder, as a
 * distribution's Blender has them: what they lead to is not covered. */
#ifndef FARM_TREE_H
#define FARM_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct tree_digest {
	bool is_folder;
	char sha256[65];
	uint64_t bytes, files; /* files: regular ones and links */
};

/* -1 names what cannot be read; devices, sockets and pipes in a folder are errors. */
int tree_digest(const char *path, struct tree_digest *out, struct error *err);

#endif
