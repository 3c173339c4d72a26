/* SPDX-License-Identifier: Apache-2.0 */
/* The digest of an open file, taken beside other work on the same file in a thread of its own. */
#ifndef SCENE_FILE_HASH_H
#define SCENE_FILE_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct file_hash;

/* Begins: beside the caller, or all at the end. The descriptor is read by position and must stay
 * open until the end. */
struct file_hash *file_hash_start(int fd, bool beside);

/* Waits and frees. 0, or -1 with hex untouched. `size` is how many bytes there must be. */
int file_hash_finish(struct file_hash *hash, uint64_t size, char hex[65], struct error *err);

/* Stops early and frees. NULL is fine. */
void file_hash_cancel(struct file_hash *hash);

#endif
