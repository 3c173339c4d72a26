/* SPDX-License-Identifier: Apache-2.0 */
/* What the baseline renders: a scene made by code, or a mesh file. */
#ifndef BASELINE_INPUT_H
#define BASELINE_INPUT_H

#include "base/error.h"
#include "baseline/scenes.h"

struct baseline_input {
	const struct baseline_scene_row *scene; /* of a mesh file baseline_mesh_row */
	const char *mesh; /* PLY file, or NULL */
	kernel_u32 seed; /* of the scene */
};

/* The row that stands for a mesh file: its name and its bounces. */
extern const struct baseline_scene_row baseline_mesh_row;

/* Zeroes *scene and makes it, not finished. -1 when the mesh file cannot be used; *scene is then
 * zero. */
int baseline_input_make(
	const struct baseline_input *input, struct baseline_scene *scene, struct error *err);

/* "Cornell box, 36 triangles", "mesh FILE, 12 triangles". The caller frees. */
char *baseline_input_about(const struct baseline_input *input, kernel_u32 triangles);

#endif
