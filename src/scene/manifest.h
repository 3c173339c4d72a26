/* SPDX-License-Identifier: Apache-2.0 */
/* The digest manifest of a scene: an archive (tar, zip, 7z in their usual compressions), a bare
 * .blend file or a folder.
 *
 * Tree digest ("oamqual-tree/1"): SHA-256 over the bytes "oamqual-tree/1\n" and then, for each
 * regular file and symbolic link in ascending order of path bytes: 'f' or 'l', path length (8
 * bytes, big-endian), path bytes, content size (8 bytes, big-endian), SHA-256 of the content (32
 * bytes). A link's content is its target. A hard link counts as the file it names. Folders,
 * timestamps, owners and modes are left out, and a path is without leading
 *   "./", doubled or trailing slashes. So the same files give the same digest in any container.
 *
 * Memory grows with the number of entries, never with their size. */
#ifndef SCENE_MANIFEST_H
#define SCENE_MANIFEST_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "base/known.h"
#include "scene/blend.h"
#include "scene/blend_needs.h"

struct manifest_limits {
	uint64_t content_bytes; /* produced by all entries together */
	size_t entries;
};

extern const struct manifest_limits manifest_limits_default;

/* What a file that is no .blend turned out to be. */
enum content_kind { CONTENT_OTHER, CONTENT_LFS_POINTER, CONTENT_HTML };

struct manifest_note;

struct manifest_entry {
	char *path; /* normalised bytes, NUL-terminated; not always UTF-8 */
	char type; /* 'f' file, 'l' symbolic link, 'd' folder */
	uint64_t size;
	char sha256[65]; /* of the content; "" for a folder */
	char *link_target; /* of 'l', else NULL */
	char *stored_name; /* the bytes of the name that `path` was not taken from, else NULL */
	enum content_kind content;
	bool is_blend; /* named *.blend and its header was read */
	struct blend_header blend;
	char inner_sha256[65]; /* of the .blend without its outer compression */
	struct blend_needs needs; /* of the .blend: the files that it refers to */
};

struct manifest {
	char *source; /* the path that was given */
	char container[32]; /* "tar", "zip", "7z", "blend", "folder" */
	char filter[32]; /* "none", "gzip", "zstd", "xz", "bzip2", ... */
	uint64_t file_size; /* of the archive file; 0 for a folder */
	char file_sha256[65]; /* of the archive file; "" for a folder */
	char tree_sha256[65];
	struct manifest_entry *entries; /* ascending by path */
	size_t entry_count;
	struct manifest_note *notes; /* notes.h */
	size_t note_count;
};

/* Reads the whole source once (the archive file itself twice). 0, or -1 with *out untouched and an
 * error that names the source, the entry and the reason: unreadable, truncated, encrypted, a path
 * or link that leaves the archive, a device or fifo, a duplicate, over a limit, no .blend inside
 * (only when `want_blend`), a .blend that is something else. `limits` NULL means the default. */
int manifest_read(const char *source, bool want_blend, const struct manifest_limits *limits,
	struct manifest *out, struct error *err);

void manifest_release(struct manifest *manifest);

/* A new reference: "schema": "oamqual-manifest/1", source, container, filter, file and tree digests
 * and sizes, entries[]. A path that is not UTF-8 stands in "path" with \xHH and in "path_hex"
 * exactly. */
json_t *manifest_json(const struct manifest *manifest);

/* The entry to render: the .blend named `wanted`, or with NULL the only one, or scene.blend, or the
 * only one in the top folder. NULL with an error that lists what there is. Borrowed from
 * `manifest`. */
const struct manifest_entry *manifest_blend(
	const struct manifest *manifest, const char *wanted, struct error *err);

/* Unpacks the source into `folder`, which must exist and be empty and private: only regular files,
 * folders and links that stay inside; nothing is written outside it whatever the archive says. Each
 * file is checked against the manifest's digest as it is written, so what is rendered is what was
 * fingerprinted. */
int scene_unpack(const struct manifest *manifest, const char *folder, struct error *err);

#endif
