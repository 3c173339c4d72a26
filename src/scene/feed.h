/* SPDX-License-Identifier: Apache-2.0 */
/* libarchive fed from a descriptor by position, in large blocks, so that the descriptor's own
 * offset does not matter and two readers can share it. */
#ifndef SCENE_FEED_H
#define SCENE_FEED_H

#include <archive.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct feed {
	int fd;
	int64_t at;
	unsigned char *block;
	int saved_errno; /* of a read that failed, else 0 */
};

/* The filters by name, and the bytes by which each is known. NULL when `bytes` are none of them.
 * Static. */
const char *feed_filter_of(const unsigned char *bytes, size_t len);

/* Turns the named filter on; "none" is fine. */
int feed_add_filter(struct archive *archive, const char *filter);

/* Opens `archive` (its formats and filters chosen) on the descriptor. ARCHIVE_OK or libarchive's
 * code. */
int feed_open(struct feed *feed, struct archive *archive, int fd, bool seekable);

/* The same without an archive on top: blocks through feed_next(). */
void feed_start(struct feed *feed, int fd);

/* The next block, valid until the next call: its length, 0 at the end, -1 with feed->saved_errno.
 */
ssize_t feed_next(struct feed *feed, const void **block);

void feed_release(struct feed *feed);

/* Sets the error to libarchive's text, or to "truncated or damaged" when it gives none. Always -1.
 */
int feed_error(struct archive *archive, const char *what, struct error *err);

#endif
