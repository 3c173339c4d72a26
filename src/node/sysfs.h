/* SPDX-License-Identifier: Apache-2.0 */
/* The two kinds of text that sysfs has for us: one value a file, and `key value` lines. */
#ifndef NODE_SYSFS_H
#define NODE_SYSFS_H

#include <stddef.h>

#include "base/known.h"

/* A key and where its value goes: the offset of a struct known_u64. A NULL key ends the rows (at most 64). */
struct sysfs_row {
	const char *key;
	size_t offset;
};

/* Parses `key value` lines with decimal values into `base`, whose fields are all unknown at first. A value that is
 * missing, malformed, or given twice differently stays unknown. */
void sysfs_rows_parse(const struct sysfs_row *rows, void *base, const char *text, size_t len);

/* A whole text as a decimal number without sign, blank or prefix; false leaves *value. */
bool sysfs_decimal(const char *text, size_t len, uint64_t *value);

/* The first line of a file below the root, without blanks at its end. 0, or -1 with errno set and `line` empty: the
 * file cannot be read or its line does not fit. */
int sysfs_line(int root_fd, const char *path, char *line, size_t size);

/* The first line as a number in `base` (0 as in C); unknown when it is anything else. */
struct known_u64 sysfs_number(int root_fd, const char *path, int base);

/* The numeric names in a folder, ascending, in a new array. -1 with errno set. */
int sysfs_numbers(int root_fd, const char *path, unsigned long long **out, size_t *count);

/* The names in a folder, "." and ".." left out, sorted, in a new array of new strings. -1 with errno set. */
int sysfs_names(int root_fd, const char *path, char ***out, size_t *count);
void sysfs_names_free(char **names, size_t count);

/* The last part of what the link `path` names, "" with -1 when it is no link. */
int sysfs_link(int root_fd, const char *path, char *name, size_t size);

#endif
