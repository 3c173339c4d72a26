/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline's scenes, made by code. */
#ifndef BASELINE_SCENES_H
#define BASELINE_SCENES_H

#include "baseline/scene.h"

struct baseline_scene_row {
	const char *name, *about;
	kernel_u32 bounces; /* that it is rendered with */
	void (*make)(struct baseline_scene *scene, kernel_u32 seed);
};

/* Ends with a row without name. The first is the default. */
extern const struct baseline_scene_row baseline_scenes[];

/* The row of that name, or NULL. */
const struct baseline_scene_row *baseline_scene_find(const char *name);

/* Zeroes *scene, makes and finishes it on so many threads. */
void baseline_scene_make(const struct baseline_scene_row *row, kernel_u32 seed, unsigned threads,
	struct baseline_scene *scene);

#endif
