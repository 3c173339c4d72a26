/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/scene.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "baseline/tree.h"

kernel_u32 baseline_scene_material(
	struct baseline_scene *scene, struct vec3 reflectance, struct vec3 emission)
{
	struct kernel_material *material = &scene->materials[scene->material_count];

	assert(scene->material_count < BASELINE_MATERIALS_MAX);
	material->reflectance = reflectance;
	material->emission = emission;
	return scene->material_count++;
}

kernel_u32 baseline_scene_mirror(struct baseline_scene *scene, struct vec3 reflectance)
{
	kernel_u32 material = baseline_scene_material(scene, reflectance, vec3_make(0, 0, 0));

	scene->materials[material].surface = KERNEL_MIRROR;
	return material;
}

kernel_u32 baseline_scene_glass(struct baseline_scene *scene, struct vec3 tint, float index)
{
	kernel_u32 material = baseline_scene_material(scene, tint, vec3_make(0, 0, 0));

	scene->materials[material].surface = KERNEL_GLASS;
	scene->materials[material].index = index;
	return material;
}

void baseline_scene_triangle(struct baseline_scene *scene, struct vec3 v0, struct vec3 v1,
	struct vec3 v2, kernel_u32 material)
{
	struct kernel_triangle *triangle;

	assert(scene->triangle_count < KERNEL_TRIANGLES_MAX);
	if (scene->triangle_count == scene->triangle_capacity) {
		scene->triangle_capacity =
			scene->triangle_capacity ? 2 * scene->triangle_capacity : 64;
		scene->triangles =
			xrealloc(scene->triangles, scene->triangle_capacity * sizeof(*triangle));
	}
	triangle = &scene->triangles[scene->triangle_count];
	*triangle = (struct kernel_triangle){ v0, v1, v2, material, scene->triangle_count, 0 };
	scene->triangle_count++;
}

void baseline_scene_quad(struct baseline_scene *scene, struct vec3 corner, struct vec3 u,
	struct vec3 v, kernel_u32 material)
{
	struct vec3 a = vec3_add(corner, u), b = vec3_add(a, v), c = vec3_add(corner, v);

	baseline_scene_triangle(scene, corner, a, b, material);
	baseline_scene_triangle(scene, corner, b, c, material);
}

void baseline_scene_light(struct baseline_scene *scene, struct vec3 corner, struct vec3 u,
	struct vec3 v, struct vec3 emission)
{
	kernel_u32 material = baseline_scene_material(scene, vec3_make(0, 0, 0), emission);
	struct kernel_light *light = &scene->lights[scene->light_count];
	struct vec3 normal = vec3_cross(u, v);

	assert(scene->light_count < BASELINE_LIGHTS_MAX);
	scene->materials[material].light = scene->light_count + 1;
	baseline_scene_quad(scene, corner, u, v, material);
	light->corner = corner;
	light->edge_u = u;
	light->edge_v = v;
	light->area = kernel_sqrt(vec3_dot(normal, normal));
	light->normal = vec3_unit(normal);
	light->emission = emission;
	scene->light_count++;
}

void baseline_scene_camera(struct baseline_scene *scene, struct vec3 from, struct vec3 forward,
	struct vec3 up, float half_size)
{
	scene->camera.origin = from;
	scene->camera.forward = forward;
	scene->camera.right = vec3_scale(vec3_cross(forward, up), half_size);
	scene->camera.up = vec3_scale(up, half_size);
}

static float largest_of(struct vec3 v)
{
	return fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z)));
}

/* Volumes of coordinates up to this stay far from overflow; NaN fails each comparison. */
static bool is_usable(struct vec3 v)
{
	const float limit = 1e12f;

	return fabsf(v.x) <= limit && fabsf(v.y) <= limit && fabsf(v.z) <= limit;
}

int baseline_scene_finish(struct baseline_scene *scene, unsigned threads, struct error *err)
{
	float largest = largest_of(scene->camera.origin);
	kernel_u32 i;

	for (i = 0; i < scene->triangle_count; i++) {
		const struct kernel_triangle *t = &scene->triangles[i];
		struct vec3 v[3] = { t->v0, t->v1, t->v2 };
		int k;

		for (k = 0; k < 3; k++) {
			if (!is_usable(v[k]))
				return error_set(err,
					"triangle %u: vertex %d is not finite or too far out", i,
					k);
			largest = fmaxf(largest, largest_of(v[k]));
		}
	}
	scene->offset = largest * 0x1p-16f;
	wide_tree_build(&scene->wide, scene->triangles, scene->triangle_count, threads);
	return 0;
}

void baseline_scene_release(struct baseline_scene *scene)
{
	free(scene->triangles);
	free(scene->nodes);
	free(scene->ordered);
	wide_tree_release(&scene->wide);
	memset(scene, 0, sizeof(*scene));
}

struct kernel_scene baseline_scene_kernel(struct baseline_scene *scene)
{
	size_t bytes = scene->triangle_count * sizeof(*scene->triangles);

	if (!scene->nodes) {
		scene->ordered = xmalloc(bytes);
		if (bytes)
			memcpy(scene->ordered, scene->triangles, bytes);
		scene->nodes =
			tree_build(scene->ordered, scene->triangle_count, &scene->node_count);
	}
	return (struct kernel_scene){ scene->nodes, scene->ordered, scene->materials,
		scene->lights };
}

struct wide_scene baseline_scene_wide(const struct baseline_scene *scene)
{
	return (struct wide_scene){
		.nodes = scene->wide.nodes,
		.leaves = scene->wide.leaves,
		.shading = { NULL, scene->triangles, scene->materials, scene->lights },
		.few = scene->triangle_count <= WIDE_FEW ? scene->triangle_count : 0,
	};
}
