/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures through OpenImageIO. oiio.cpp is the only C++ of the program: plain structs cross, every
 * exception stops there, and errors come back as text. It is loaded at the first picture (shim.h).
 */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"

enum { IMAGE_CHANNELS_MAX = 32, IMAGE_CHANNEL_NAME = 64 };

/* Which part and layer of a file; NULL where nobody said (layers.h). */
struct image_choice {
	const char *part, *layer;
};

struct image {
	int width, height; /* of the display window, in pixels */
	int channels;
	char names[IMAGE_CHANNELS_MAX]
		  [IMAGE_CHANNEL_NAME]; /* as the file names them, without the layer: "R", "A" */
	char format[16]; /* stored sample type: "half", "float", "uint8", "uint16" ... */
	char colorspace[64]; /* as OpenImageIO reports it; "" unknown */
	char part[IMAGE_CHANNEL_NAME], layer[IMAGE_CHANNEL_NAME]; /* where it was read, or "" */
	char alpha[16]; /* in the file: "associated", "unassociated", or "" without alpha */
	float pixel_aspect; /* width of a pixel over its height; 0 unknown */
	float chromaticities[8]; /* x and y of red, green, blue, white; all 0 unsaid (Rec. 709) */
	char *metadata; /* lines "name<TAB>value", printable; owned; NULL none */
	float *pixels; /* height x width x channels, top row first; owned */
};

/* Begins to load the picture library, 0.4 s of work, beside whatever comes next; image_load_wait()
 * must be called before the program ends. Both may be left out. */
void image_load_ahead(void);
void image_load_wait(void);

/* Reads an OpenEXR or PNG file, one layer of one part, every row of it: a truncated file is an
 * error, never a partial picture. The picture is the display window; its pixels outside the data
 * window are 0, and what the data window holds outside it is dropped. Samples are linear and
 * multiplied by alpha, whatever the file holds: integer samples are decoded from sRGB or the file's
 * gamma. At most 2^28 samples. */
int image_read(const char *path, struct image *out, struct error *err);

/* The same for the part and layer of `choice`; NULL is the beauty, as layers.h says. */
int image_read_layer(
	const char *path, const struct image_choice *choice, struct image *out, struct error *err);

/* Both at once. 0, or -1 with both untouched and the error of the first that failed. */
int image_read_two(const char *const paths[2], struct image out[2], struct error *err);

/* Writes 8-bit sRGB PNG (channels R G B, or the first one as grey) of linear pixels, values clamped
 * to 0..1 after multiplying by `exposure`. The file is whole or not there. */
int image_write_png(const char *path, const struct image *image, float exposure, struct error *err);

/* The bytes that image_write_png() would write. The caller frees *bytes; on failure both are
 * untouched. */
int image_encode_png(const struct image *image, float exposure, unsigned char **bytes, size_t *len,
	struct error *err);

/* Writes 32-bit float EXR with the image's channels. */
int image_write_exr(const char *path, const struct image *image, struct error *err);

/* A black picture of that shape, with channel names from `like`. */
void image_new(struct image *out, int width, int height, const struct image *like);
void image_release(struct image *image);

/* The index of the channel of that name, or -1. */
int image_channel(const struct image *image, const char *name);

/* "OpenImageIO 2.4.7.1", or that it cannot be loaded. Static. */
const char *image_library(void);

#ifdef __cplusplus
}
#endif

#endif
