/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of the baseline, made by code. Built up with the add calls, closed by _finish(). */
#ifndef BASELINE_SCENE_H
#define BASELINE_SCENE_H

#include "base/error.h"
#include "baseline/wide_tree.h"
#include "kernels/params.h"
#include "kernels/scene.h"

enum { BASELINE_MATERIALS_MAX = 16, BASELINE_LIGHTS_MAX = 16 };

struct baseline_scene {
	struct kernel_triangle *triangles; /* owned; in the order they were added */
	kernel_u32 triangle_count, triangle_capacity;
	struct wide_tree wide; /* without nodes until finished */
	struct kernel_node *nodes; /* owned, of single rays; NULL until asked for */
	kernel_u32 node_count;
	struct kernel_triangle *ordered; /* owned; the triangles in the order of those nodes */
	struct kernel_material materials[BASELINE_MATERIALS_MAX];
	kernel_u32 material_count;
	struct kernel_light lights[BASELINE_LIGHTS_MAX];
	kernel_u32 light_count;
	struct kernel_camera camera;
	struct vec3 sky; /* radiance from all around */
	float offset; /* how far a new ray starts off its surface: 2^-16 of the largest coordinate
		       */
};

/* Returns the number of the new diffuse material. */
kernel_u32 baseline_scene_material(
	struct baseline_scene *scene, struct vec3 reflectance, struct vec3 emission);

/* The same of a smooth mirror, and of smooth glass whose outside is the front of its triangles. */
kernel_u32 baseline_scene_mirror(struct baseline_scene *scene, struct vec3 reflectance);
kernel_u32 baseline_scene_glass(struct baseline_scene *scene, struct vec3 tint, float index);

void baseline_scene_triangle(struct baseline_scene *scene, struct vec3 v0, struct vec3 v1,
	struct vec3 v2, kernel_u32 material);

/* A parallelogram of two triangles; its front is the side of u x v. */
void baseline_scene_quad(struct baseline_scene *scene, struct vec3 corner, struct vec3 u,
	struct vec3 v, kernel_u32 material);

/* A black quad that shines to the side of u x v and that shadow rays aim at. */
void baseline_scene_light(struct baseline_scene *scene, struct vec3 corner, struct vec3 u,
	struct vec3 v, struct vec3 emission);

/* A camera at `from` that looks along the unit vector `forward`, picture upright along the unit
 * vector `up`, half of it spanning `half_size` at distance 1 (the tangent of half the angle of
 * view). */
void baseline_scene_camera(struct baseline_scene *scene, struct vec3 from, struct vec3 forward,
	struct vec3 up, float half_size);

/* Sets the offset and builds the tree of the fast way on so many threads. -1 when a vertex is not
 * finite or a coordinate exceeds 1e12; the scene can then only be released. A scene without
 * triangles is fine: every ray leaves it. */
int baseline_scene_finish(struct baseline_scene *scene, unsigned threads, struct error *err);

void baseline_scene_release(struct baseline_scene *scene);

/* The finished scene as single rays take it; builds their tree at the first call. Borrows. */
struct kernel_scene baseline_scene_kernel(struct baseline_scene *scene);

/* The finished scene as the fast way takes it. Borrows. */
struct wide_scene baseline_scene_wide(const struct baseline_scene *scene);

#endif
