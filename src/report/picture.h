/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a record as data URIs. A record may come from anywhere: a picture is read only when
 * it is a regular file with the digest that the record has for it. */
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include <jansson.h>

#include "base/error.h"
#include "image/image.h"

enum { PICTURE_WIDTH = 480, PICTURE_HEIGHT = 960 };

/* Reads `path` below `folder` (links and ".." never leave it). `sha256` NULL: the record does not
 * know the file, an error. */
int picture_read_in(const char *folder, const char *path, const char *sha256, struct image *out,
	struct error *err);

/* "data:image/png;base64,..." of the picture, made smaller by whole factors until it fits; a block
 * shows its mean or, for differences, its largest value, so that none is lost. NULL with an error.
 * The caller frees. */
char *picture_uri(const struct image *image, bool largest, struct error *err);

#endif
