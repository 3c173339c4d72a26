/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of one part's header of an OpenEXR file, from bytes in memory. */
#ifndef IMAGE_EXR_ATTRIBUTES_H
#define IMAGE_EXR_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "image/image.h"

enum { EXR_HALF = 1, EXR_FLOAT = 2 };
enum { EXR_NONE = 0, EXR_ZIPS = 2, EXR_ZIP = 3 };

struct exr_channel {
	char name[IMAGE_CHANNEL_NAME];
	uint32_t type;
	bool subsampled;
};

struct exr_window {
	int32_t left, top, right, bottom; /* inclusive */
};

struct exr_attributes {
	struct exr_channel channels[IMAGE_CHANNELS_MAX];
	int channel_count; /* -1: more than are read */
	int compression; /* -1: not said */
	bool has_data, has_display;
	struct exr_window data, display;
	float aspect;
	float chromaticities[8];
	char name[IMAGE_CHANNEL_NAME]; /* of the part */
	struct str metadata; /* as in struct image */
};

/* Reads the attributes from bytes[*at] to the empty name that ends them, and moves *at behind it.
 * False when they do not end within `len`, or one is not as long as its type needs. The caller
 * releases `metadata` either way. */
bool exr_attributes_read(
	const unsigned char *bytes, size_t len, size_t *at, struct exr_attributes *out);

uint32_t exr_u32(const unsigned char *bytes);
uint64_t exr_u64(const unsigned char *bytes);

#endif
