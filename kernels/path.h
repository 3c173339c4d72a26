/* SPDX-License-Identifier: Apache-2.0 */
/* The estimator: diffuse paths of bounded length with one shadow ray to a light at each hit. No
 * roulette, so a path's work is bounded too. */
#ifndef KERNELS_PATH_H
#define KERNELS_PATH_H

#include "kernels/params.h"
#include "kernels/rng.h"
#include "kernels/trace.h"

struct kernel_counts {
	kernel_u32 closest, shadow; /* rays traced */
};

/* Dimensions of the sampler: one for the pixel, then these at each hit. */
enum { PATH_DIM_PIXEL, PATH_DIM_HIT, PATH_DIM_LIGHT = 0, PATH_DIM_BOUNCE = 1, PATH_DIMS_A_HIT = 4 };

/* A hit made ready for shading; `normal` is turned towards where the ray came from. */
struct path_surface {
	struct vec3 point, normal;
	kernel_u32 material;
	int is_front;
};

KERNEL_FN struct kernel_ray path_camera(
	const struct kernel_params *params, kernel_u32 x, kernel_u32 y, struct rng_pair jitter)
{
	const struct kernel_camera *camera = &params->camera;
	float half_side = 0.5f * (float)params->height;
	float sx = ((float)x + jitter.u - 0.5f * (float)params->width) / half_side;
	float sy = ((float)y + jitter.v - half_side) / half_side;
	struct kernel_ray ray;

	ray.origin = camera->origin;
	ray.direction = vec3_along(vec3_along(camera->forward, camera->right, sx), camera->up, -sy);
	ray.t_max = TRACE_MISS;
	return ray;
}

KERNEL_FN struct path_surface path_surface_at(const struct kernel_scene *scene,
	struct kernel_hit hit, struct vec3 direction, float offset)
{
	struct kernel_triangle triangle = scene->triangles[hit.triangle];
	struct vec3 normal = vec3_unit(
		vec3_cross(vec3_sub(triangle.v1, triangle.v0), vec3_sub(triangle.v2, triangle.v0)));
	struct vec3 point = vec3_scale(triangle.v0, hit.w0);
	struct path_surface surface;

	point = vec3_along(point, triangle.v1, hit.w1);
	point = vec3_along(point, triangle.v2, hit.w2);
	surface.is_front = vec3_dot(normal, direction) < 0;
	surface.normal = surface.is_front ? normal : vec3_scale(normal, -1.0f);
	surface.point = vec3_along(point, surface.normal, offset);
	surface.material = triangle.material;
	return surface;
}

/* Light that reaches the surface straight from a random point of a random light, divided by the
 * chance of that point, times cosine over pi: what a reflectance of 1 sends on. */
KERNEL_FN struct vec3 path_direct(const struct kernel_scene *scene,
	const struct kernel_params *params, struct path_surface surface, struct rng_pair random,
	struct kernel_counts *counts)
{
	float pick = random.u * (float)params->light_count;
	kernel_u32 index =
		(kernel_u32)pick < params->light_count ? (kernel_u32)pick : params->light_count - 1;
	struct kernel_light light = scene->lights[index];
	struct vec3 target = vec3_along(light.corner, light.edge_u, pick - (float)index);
	struct kernel_ray ray;
	struct kernel_hit hit;
	float cosines, square;

	target = vec3_along(target, light.edge_v, random.v);
	target = vec3_along(target, light.normal, params->offset);
	ray.origin = surface.point;
	ray.direction = vec3_sub(target, surface.point);
	ray.t_max = 1.0f;
	if (vec3_dot(ray.direction, surface.normal) <= 0 ||
		vec3_dot(ray.direction, light.normal) >= 0)
		return vec3_make(0, 0, 0);
	counts->shadow++;
	if (trace_scene(scene, ray, 1, &hit))
		return vec3_make(0, 0, 0);
	/* The direction has the distance as its length: four of them below, two in the cosines. */
	cosines = -vec3_dot(ray.direction, surface.normal) * vec3_dot(ray.direction, light.normal);
	square = vec3_dot(ray.direction, ray.direction);
	return vec3_scale(light.emission, cosines / (square * square) * light.area *
						  (float)params->light_count * 0.318309886184f);
}

/* A direction about the unit normal with density cosine / pi. The two tangents are those of Duff
 * and others, "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017. */
KERNEL_FN struct vec3 path_bounce(struct vec3 normal, struct rng_pair random)
{
	float sign = normal.z < 0 ? -1.0f : 1.0f;
	float a = -1.0f / (sign + normal.z);
	float b = normal.x * normal.y * a;
	struct vec3 s =
		vec3_make(1.0f + sign * normal.x * normal.x * a, sign * b, -sign * normal.x);
	struct vec3 t = vec3_make(b, sign + normal.y * normal.y * a, -normal.y);
	float radius = kernel_sqrt(random.u);
	float sine, cosine;

	kernel_sincos(random.v, &sine, &cosine);
	return vec3_along(
		vec3_along(vec3_scale(normal, kernel_sqrt(1.0f - random.u)), s, radius * cosine), t,
		radius * sine);
}

/* One sample of one pixel: linear RGB radiance. */
KERNEL_FN struct vec3 path_sample(const struct kernel_scene *scene,
	const struct kernel_params *params, kernel_u32 x, kernel_u32 y, kernel_u32 sample,
	struct kernel_counts *counts)
{
	struct vec3 radiance = vec3_make(0, 0, 0), throughput = vec3_make(1, 1, 1);
	kernel_u32 bounce, dimension = PATH_DIM_HIT;
	struct rng_key key;
	struct kernel_ray ray;
	struct kernel_hit hit;

	key.seed = params->seed;
	key.x = x;
	key.y = y;
	key.sample = sample;
	ray = path_camera(params, x, y, rng_pair(key, PATH_DIM_PIXEL));
	for (bounce = 0; bounce <= params->bounces; bounce++, dimension += PATH_DIMS_A_HIT) {
		struct path_surface surface;
		struct kernel_material material;

		counts->closest++;
		if (!trace_scene(scene, ray, 0, &hit))
			break;
		surface = path_surface_at(scene, hit, ray.direction, params->offset);
		material = scene->materials[surface.material];
		if (surface.is_front && (bounce == 0 || !material.is_light))
			radiance = vec3_add(radiance, vec3_mul(throughput, material.emission));
		if (material.reflectance.x + material.reflectance.y + material.reflectance.z == 0)
			break;
		throughput = vec3_mul(throughput, material.reflectance);
		if (params->light_count)
			radiance = vec3_add(
				radiance, vec3_mul(throughput,
						  path_direct(scene, params, surface,
							  rng_pair(key, dimension + PATH_DIM_LIGHT),
							  counts)));
		ray.origin = surface.point;
		ray.direction =
			path_bounce(surface.normal, rng_pair(key, dimension + PATH_DIM_BOUNCE));
	}
	return radiance;
}

/* Adds the samples of this launch, one after the other, to the sums of a pixel: how the samples are
 * cut into launches does not change a bit. */
KERNEL_FN void path_pixel(const struct kernel_scene *scene, const struct kernel_params *params,
	kernel_u32 x, kernel_u32 y, KERNEL_GLOBAL float *sums, struct kernel_counts *counts)
{
	struct vec3 sum = vec3_make(sums[0], sums[1], sums[2]);
	kernel_u32 i;

	for (i = 0; i < params->sample_count; i++)
		sum = vec3_add(
			sum, path_sample(scene, params, x, y, params->first_sample + i, counts));
	sums[0] = sum.x;
	sums[1] = sum.y;
	sums[2] = sum.z;
}

#endif
