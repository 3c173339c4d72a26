/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a file's parts and layers is the picture. A part is a picture of its own in one file; a
 * layer is what a channel's name says before its last dot ("ViewLayer.Combined.R"). */
#ifndef IMAGE_LAYERS_H
#define IMAGE_LAYERS_H

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"
#include "image/image.h"

enum { LAYERS_CHANNELS_MAX = 1024 };

/* One channel of a file, as it is named there. */
struct layers_channel {
	const char *name;
	const char *part; /* name of its part, "" when there is only one or it has none */
	int part_index;
};

/* Marks in `chosen` (one a channel) those of the one layer to read. What `choice` names must be
 * there once. Without a choice the beauty is taken: of the layers with R, G, B (or Y without X),
 * the only one there is, or the only one called rgba, rgb, combined, beauty, color or colour, or
 * without a name; a layer without a name in a part that has one is called as its part. Anything
 * else is ambiguous, an error that lists the names. 0, or -1 with `chosen` in no state. */
int layers_choose(const char *path, const struct layers_channel *channels, int count,
	const struct image_choice *choice, bool *chosen, struct error *err);

/* The part of a channel's name after its last dot. Points into `name`. */
const char *layers_channel_name(const char *name);

/* Copies what stands before the last dot, "" when there is none. */
void layers_layer_name(const char *name, char *layer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
