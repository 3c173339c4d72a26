/* SPDX-License-Identifier: Apache-2.0 */
/* Files: whole reads with a limit, writes that are whole or not there at all. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

/* "a/b", without doubling the slash. The caller frees. */
char *path_join(const char *folder, const char *name);

/* The part after the last slash. Points into `path`. */
const char *path_base(const char *path);

/* Opens `path` below the folder `root_fd` and never leaves it: "..", absolute
 * paths and symbolic links resolve inside the root, so a recorded sysfs tree
 * cannot point at this machine. Returns a descriptor, or -1 with errno set.
 * `flags` as for open(2); O_CLOEXEC is added. */
int file_open_in(int root_fd, const char *path, int flags);

/* Appends the file to `to`; more than `limit` bytes is an error. sysfs sizes
 * lie, so it reads to the end. A pipe is read too, but is waited for half a
 * minute at most. `to` is unchanged on failure. */
int file_read(const char *path, size_t limit, struct str *to, struct error *err);

/* The same below a root; errno is left set (ENOENT, EACCES ...) on failure. */
int file_read_in(int root_fd, const char *path, size_t limit, struct str *to, struct error *err);

/* Writes a temporary file beside `path`, syncs it and renames it into place:
 * after a failure `path` is as it was and no temporary is left. A device, a
 * pipe or /dev/stdout is refused: a file would stand in its place. */
int file_write(const char *path, const void *bytes, size_t len, struct error *err);

/* Makes the folder and its parents (mode 0777 less the umask). An existing folder is fine. */
int folder_make(const char *path, struct error *err);

/* Deletes the folder and all in it; links are removed, not followed. Absent is fine. */
int folder_remove(const char *path, struct error *err);

/* Deletes what file_write() left half written when it was killed, in the folder and all below it.
 */
int folder_remove_temporaries(const char *path, struct error *err);

/* Is it a folder, or a link to one? */
bool folder_exists(const char *path);

/* True when the folder can be listed and holds nothing. */
bool folder_is_empty(const char *path);

/* False also when its folder cannot be searched. */
bool file_exists(const char *path);

/* Is there surely nothing, not even a link to nothing? */
bool file_is_absent(const char *path);

#endif
