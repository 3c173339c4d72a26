/* SPDX-License-Identifier: Apache-2.0 */
/* How a scene is to be rendered. scene.json beside the archive says so ("schema":
 * "oamqual-scene/1"); an archive without one is rendered with the caller's settings. */
#ifndef SCENE_SPEC_H
#define SCENE_SPEC_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

struct scene_settings {
	int width, height; /* pixels, 1..16384 */
	int samples; /* 1..1048576 */
	int seed, frame;
	bool denoising;
};

extern const struct scene_settings
	scene_settings_default; /* 256x256, 32 samples, seed 0, frame 1 */

struct scene_spec {
	char *name; /* file-name safe: letters, digits, '-', '_', '.' */
	char *archive; /* path */
	char *blend; /* path inside the archive, or NULL: the manifest decides */
	char *tree_sha256; /* that scene.json declares, or NULL */
	char *purpose; /* or NULL */
	struct scene_settings settings;
};

/* `path` is a folder that holds scene.json, or an archive, .blend or folder of scene files. -1
 * names the file, the key and the reason; *out is then untouched. `settings` are those of an
 * archive without scene.json. */
int scene_spec_read(const char *path, const struct scene_settings *settings, struct scene_spec *out,
	struct error *err);

void scene_spec_release(struct scene_spec *spec);

/* A new reference: width, height, samples, seed, frame, denoising. */
json_t *scene_settings_json(const struct scene_settings *settings);

#endif
