/* SPDX-License-Identifier: Apache-2.0 */
/* Files in folders that others may write: whoever can, can put a pipe that never ends, or a device,
 * where a file was. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

/* Opens a regular file for reading without waiting. A descriptor, or -1 with errno set: ENOTSUP for
 * anything else than a file. A link is followed. */
int plain_open(const char *path);

/* The whole of a regular file in place of what `to` held, whose memory is used again: for reading
 * one after another. What is no file, longer than `limit` bytes or becomes shorter meanwhile is an
 * error that names it, and leaves `to` with anything. */
int plain_read(const char *path, size_t limit, struct str *to, struct error *err);

#endif
