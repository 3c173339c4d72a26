/* SPDX-License-Identifier: Apache-2.0 */
/* The plain kind of OpenEXR file without its library ("OpenEXR File Layout", openexr.com): one
 * part, scan lines, half or float, uncompressed or ZIP. It is the kind that Blender writes. Several
 * threads read it in less than half of the library's time, and need not load it first. */
#ifndef IMAGE_EXR_READ_H
#define IMAGE_EXR_READ_H

#include "base/error.h"
#include "image/image.h"

/* Reads the picture as image_read_layer() promises. False with *out untouched when the file is of
 * another kind or anything in it is not as it must be: the library then reads it, or says what is
 * wrong. */
bool exr_read(const char *path, const struct image_choice *choice, struct image *out);

/* Sets aspect, chromaticities and metadata of a picture that the library read from the EXR file
 * `path`, from the header of its part. Nothing is set when the file is no EXR. */
void exr_describe(const char *path, struct image *image);

#endif
