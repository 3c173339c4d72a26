/* SPDX-License-Identifier: Apache-2.0 */
/* What the OpenImageIO shim offers. It is a file of its own (oamqual-oiio.so, beside the program or
 * under lib/oamqual), loaded when the first picture is touched: OpenImageIO brings some 250
 * libraries along, a third of a second that a health check of the node need not spend. Functions as
 * in image.h. */
#ifndef IMAGE_SHIM_H
#define IMAGE_SHIM_H

#include "image/image.h"

struct image_shim {
	int (*read)(const char *path, const struct image_choice *choice, struct image *out,
		struct error *err);
	int (*write_png)(
		const char *path, const struct image *image, float exposure, struct error *err);
	int (*encode_png)(const struct image *image, float exposure, unsigned char **bytes,
		size_t *len, struct error *err);
	int (*write_exr)(const char *path, const struct image *image, struct error *err);
	const char *library;
};

#ifdef __cplusplus
extern "C" {
#endif

/* The symbol that oiio.cpp exports. */
extern const struct image_shim image_shim;

#ifdef __cplusplus
}
#endif

#endif
