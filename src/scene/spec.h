/* SPDX-License-Identifier: Apache-2.0 */
/* How a scene is to be rendered. scene.json beside the archive says so ("schema":
 * "oamqual-scene/1"); an archive without one is rendered with the caller's settings. */
#ifndef SCENE_SPEC_H
#define SCENE_SPEC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { SCENE_PARAMETERS_MAX = 8, SCENE_PARAMETER_NAME = 32 };

/* What a scene lets its user change, such as "texture_pixels". What it does is the worker's. */
struct scene_parameter {
	char name[SCENE_PARAMETER_NAME]; /* a lower-case letter, then [a-z0-9_] */
	int value; /* 0..2147483647 */
};

struct scene_settings {
	int width, height; /* pixels, 1..16384 */
	int samples; /* 1..1048576 */
	int seed, frame;
	bool denoising;
	size_t parameter_count;
	struct scene_parameter parameters[SCENE_PARAMETERS_MAX]; /* in the order of their names */
};

extern const struct scene_settings
	scene_settings_default; /* 256x256, 32 samples, seed 0, frame 1 */

/* The basic suite is what every run renders; the full one is the basic one and the rest. */
enum scene_suite { SCENE_FULL, SCENE_BASIC };

struct scene_spec {
	char *name; /* file-name safe: letters, digits, '-', '_', '.' */
	char *archive; /* path */
	char *blend; /* path inside the archive, or NULL: the manifest decides */
	char *tree_sha256; /* that scene.json declares, or NULL */
	char *purpose; /* or NULL */
	enum scene_suite suite; /* of an archive without scene.json: full */
	struct scene_settings settings;
};

/* `path` is a folder that holds scene.json, or an archive, .blend or folder of scene files. -1
 * names the file, the key and the reason; *out is then untouched. `settings` are those of an
 * archive without scene.json; of a scene with one, their parameters replace those it declares, and
 * what it does not declare is left out (scene_settings_parameter() says what came of it). */
int scene_spec_read(const char *path, const struct scene_settings *settings, struct scene_spec *out,
	struct error *err);

void scene_spec_release(struct scene_spec *spec);

/* Sets or replaces one. -1: no such name can be, the value is out of range, or there are too many.
 */
int scene_settings_set(
	struct scene_settings *settings, const char *name, long long value, struct error *err);

/* As the command line gives it: NAME=VALUE. */
int scene_settings_assign(struct scene_settings *settings, const char *text, struct error *err);

/* NULL when the scene has no such parameter. */
const struct scene_parameter *scene_settings_parameter(
	const struct scene_settings *settings, const char *name);

/* A new reference: width, height, samples, seed, frame, denoising and, if there are any,
 * parameters: so they are a part of every digest and record of the settings. */
json_t *scene_settings_json(const struct scene_settings *settings);

#endif
