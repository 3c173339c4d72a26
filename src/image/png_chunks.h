/* SPDX-License-Identifier: Apache-2.0 */
/* The outer structure of a PNG file (ISO/IEC 15948, 5.3 to 5.6): signature, then chunks of length,
 * type, data and CRC-32, the last one IEND. The library's reader is content without the end of a
 * file and prints to stderr about broken chunks, so both are found before it is called. */
#ifndef IMAGE_PNG_CHUNKS_H
#define IMAGE_PNG_CHUNKS_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"

/* Walks all chunks up to IEND and checks their CRC; leaves the file rewound. 0, or -1 with an error
 * that names `path`. Bytes after IEND are ignored, as the standard asks. */
int png_check_chunks(FILE *file, const char *path, struct error *err);

#ifdef __cplusplus
}
#endif

#endif
