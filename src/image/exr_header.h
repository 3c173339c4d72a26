/* SPDX-License-Identifier: Apache-2.0 */
/* The attribute list at the start of an OpenEXR file: magic, version, then name, type, size and
 * value of each attribute up to an empty name ("OpenEXR File Layout", openexr.com). The library
 * allocates and clears what a size declares before it looks whether the file is that long: 2 GB for
 * a file of 100 bytes. */
#ifndef IMAGE_EXR_HEADER_H
#define IMAGE_EXR_HEADER_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"

/* Walks the attributes of all parts; leaves the file rewound. 0, or -1 with an error that names
 * `path` when a size does not fit into the rest of the file, or a tile has more than 2^22 pixels.
 * Other values are left to the library. */
int exr_check_header(FILE *file, const char *path, struct error *err);

#ifdef __cplusplus
}
#endif

#endif
