/* SPDX-License-Identifier: Apache-2.0 */
/* Small files below a node's root. sysfs sizes lie and its files fail in their own ways, so each
 * read says why it has no value; a value that the driver uses for "not there" is no value. */
#ifndef NODE_ROOTED_H
#define NODE_ROOTED_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "base/known.h"

/* The first line without blanks around it, as a new string; NULL with an error that names the file
 * when it cannot be read, holds a NUL byte, or the line is empty. errno as the read left it, else
 * 0. */
char *rooted_line(int root_fd, const char *path, struct error *err);

/* The whole file (at most 4 MiB) as a new string, or NULL with an error. */
char *rooted_text(int root_fd, const char *path, struct error *err);

/* A number in `base` (0 as in C) that is the whole first line. Unknown with an error when it cannot
 * be read or is not a number ("N/A"). */
struct known_u64 rooted_number(int root_fd, const char *path, int base, struct error *err);

/* The same in base 10 of what is measured or counted: one of the numbers by which drivers say "not
 * there" (rooted_is_absent) is unknown too. */
struct known_u64 rooted_reading(int root_fd, const char *path, struct error *err);

/* 65535, 4294967295, 18446744073709551615 and the first two in thousandths and millionths: what
 * amdgpu's metrics hold where a part has no such sensor or counter. */
bool rooted_is_absent(uint64_t value);

/* The names in a folder that begin with `prefix`, in natural order, as a NULL-terminated array that
 * rooted_names_free() frees; at most 4096. NULL with errno set when it cannot be listed. */
char **rooted_names(int root_fd, const char *path, const char *prefix);
void rooted_names_free(char **names);

/* The numeric names in a folder, ascending, in a new array; at most 4096. -1 with errno set. */
int rooted_numbers(int root_fd, const char *path, unsigned long long **out, size_t *count);

/* The last part of what the link `path` names, "" with -1 when it is no link. */
int rooted_link(int root_fd, const char *path, char *name, size_t size);

/* New references: the first line as a fact from `path`, or unknown with why. */
json_t *rooted_fact(int root_fd, const char *path, const char *class);

#endif
