/* SPDX-License-Identifier: Apache-2.0 */
/* The estimator: paths of bounded length, at each diffuse hit one shadow ray to a lamp, weighed
 * against the chance that the next bounce finds the lamp (multiple importance sampling by the power
 * heuristic: Veach and Guibas, SIGGRAPH 1995). No roulette, so a path's work is bounded too.
 *
 * It brings the light that reaches the camera after at most bounces + 1 scatterings. A path is cut
 * into the stages between its rays, so that whoever traces the rays is free in how. */
#ifndef KERNELS_PATH_H
#define KERNELS_PATH_H

#include "kernels/params.h"
#include "kernels/rng.h"
#include "kernels/trace.h"

struct kernel_counts {
	kernel_u32 closest, shadow; /* rays traced */
};

/* Dimensions of the sampler: one for the pixel, then these at each hit. */
enum { PATH_DIM_PIXEL, PATH_DIM_HIT, PATH_DIM_LIGHT = 0, PATH_DIM_BOUNCE = 1, PATH_DIMS_A_HIT = 2 };

/* What path_hit() leaves to be done. */
enum { PATH_GOES_ON = 1, PATH_SHADOW = 2 };

struct path {
	struct vec3 radiance, throughput;
	struct vec3 waiting; /* what the shadow ray brings unless something is in its way */
	struct rng_key key;
	kernel_u32 bounce; /* hits before the next one */
	float density; /* of the direction of the ray, a steradian; 0 from camera, mirror, glass */
};

/* A hit made ready for shading; `normal` is turned towards where the ray came from. */
struct path_surface {
	struct vec3 point, normal;
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

KERNEL_FN void path_start(const struct kernel_params *params, kernel_u32 x, kernel_u32 y,
	kernel_u32 sample, struct path *path, struct kernel_ray *ray)
{
	path->radiance = vec3_make(0, 0, 0);
	path->throughput = vec3_make(1, 1, 1);
	path->waiting = path->radiance;
	path->key = rng_key_of(params->seed, x, y, sample);
	path->bounce = 0;
	path->density = 0;
	*ray = path_camera(params, x, y, rng_pair(path->key, PATH_DIM_PIXEL));
}

KERNEL_FN struct path_surface path_surface_at(
	KERNEL_GLOBAL const struct kernel_triangle *triangle, struct kernel_ray ray, float t)
{
	struct vec3 normal = vec3_unit(vec3_cross(
		vec3_sub(triangle->v1, triangle->v0), vec3_sub(triangle->v2, triangle->v0)));
	struct path_surface surface;

	surface.is_front = vec3_dot(normal, ray.direction) < 0;
	surface.normal = surface.is_front ? normal : vec3_scale(normal, -1.0f);
	surface.point = vec3_along(ray.origin, ray.direction, t);
	return surface;
}

/* The weight of a sample of density `mine` when `other` could have made it too. */
KERNEL_FN float path_weight(float mine, float other)
{
	return mine * mine / (mine * mine + other * other);
}

/* The chance, a steradian, that a shadow ray takes the direction that reaches `light` so far away;
 * `cosine` is that between the direction and the lamp's normal. */
KERNEL_FN float path_light_density(const struct kernel_params *params,
	KERNEL_GLOBAL const struct kernel_light *light, float square_distance, float cosine)
{
	return square_distance / (cosine * light->area * (float)params->light_count);
}

/* The light of a surface that was hit, as far as shadow rays do not bring it. */
KERNEL_FN struct vec3 path_emission(const struct kernel_scene *scene,
	const struct kernel_params *params, KERNEL_GLOBAL const struct kernel_material *material,
	struct kernel_ray ray, float t, const struct path *path)
{
	KERNEL_GLOBAL const struct kernel_light *light;
	float square, cosine, other;

	if (!material->light || path->density == 0)
		return material->emission;
	if (path->bounce > params->bounces)
		return vec3_make(0, 0, 0);
	light = &scene->lights[material->light - 1];
	square = vec3_dot(ray.direction, ray.direction);
	cosine = -vec3_dot(ray.direction, light->normal) / kernel_sqrt(square);
	other = path_light_density(params, light, t * t * square, cosine);
	return vec3_scale(material->emission, path_weight(path->density, other));
}

/* Aims a shadow ray at a random point of a random lamp. What it brings is left in path->waiting, of
 * a throughput that holds the reflectance already. The last hit's bounce finds no lamp any more:
 * its shadow ray counts in full. */
KERNEL_FN int path_direct(const struct kernel_scene *scene, const struct kernel_params *params,
	struct path_surface surface, struct path *path, struct rng_pair random,
	struct kernel_ray *ray)
{
	float pick = random.u * (float)params->light_count;
	kernel_u32 number =
		(kernel_u32)pick < params->light_count ? (kernel_u32)pick : params->light_count - 1;
	KERNEL_GLOBAL const struct kernel_light *light = &scene->lights[number];
	struct vec3 target = vec3_along(light->corner, light->edge_u, pick - (float)number);
	float near, far, square, length, density, bounce, factor;
	struct vec3 way;

	target = vec3_along(target, light->edge_v, random.v);
	ray->origin = vec3_along(surface.point, surface.normal, params->offset);
	ray->direction = vec3_sub(vec3_along(target, light->normal, params->offset), ray->origin);
	ray->t_max = 1.0f;
	/* From surface to lamp: the offsets are for the ray alone. */
	way = vec3_sub(target, surface.point);
	near = vec3_dot(way, surface.normal);
	far = -vec3_dot(way, light->normal);
	if (!(near > 0 && far > 0))
		return 0;
	square = vec3_dot(way, way);
	length = kernel_sqrt(square);
	density = path_light_density(params, light, square, far / length);
	bounce = near / length * 0.318309886184f;
	factor = bounce / density;
	if (path->bounce < params->bounces)
		factor = factor * path_weight(density, bounce);
	path->waiting = vec3_scale(vec3_mul(path->throughput, light->emission), factor);
	return 1;
}

/* A direction about the unit normal with density cosine / pi; *cosine is that to the normal. The
 * two tangents are those of Duff and others, "Building an Orthonormal Basis, Revisited", JCGT 6(1),
 * 2017. */
KERNEL_FN struct vec3 path_diffuse(struct vec3 normal, struct rng_pair random, float *cosine)
{
	float sign = normal.z < 0 ? -1.0f : 1.0f;
	float a = -1.0f / (sign + normal.z);
	float b = normal.x * normal.y * a;
	struct vec3 s =
		vec3_make(1.0f + sign * normal.x * normal.x * a, sign * b, -sign * normal.x);
	struct vec3 t = vec3_make(b, sign + normal.y * normal.y * a, -normal.y);
	float radius = kernel_sqrt(random.u);
	float sine, side;

	*cosine = kernel_sqrt(1.0f - random.u);
	kernel_sincos(random.v, &sine, &side);
	return vec3_along(
		vec3_along(vec3_scale(normal, *cosine), s, radius * side), t, radius * sine);
}

KERNEL_FN struct vec3 path_mirror(struct vec3 direction, struct vec3 normal)
{
	return vec3_along(direction, normal, -2.0f * vec3_dot(direction, normal));
}

/* What a smooth surface reflects of unpolarised light (Fresnel): `ratio` of the refractive indices,
 * before over behind, and the cosines on both sides. */
KERNEL_FN float path_fresnel(float ratio, float before, float behind)
{
	float across = (ratio * before - behind) / (ratio * before + behind);
	float along = (before - ratio * behind) / (before + ratio * behind);

	return 0.5f * (across * across + along * along);
}

/* A direction that glass sends the light on to, chosen in proportion; *through when it crosses the
 * surface. `direction` has length 1. */
KERNEL_FN struct vec3 path_glass(
	struct vec3 direction, struct path_surface surface, float index, float random, int *through)
{
	float ratio = surface.is_front ? 1.0f / index : index;
	float before = -vec3_dot(direction, surface.normal);
	float rest = 1.0f - ratio * ratio * (1.0f - before * before);
	float behind = rest > 0 ? kernel_sqrt(rest) : 0.0f;

	*through = rest > 0 && random >= path_fresnel(ratio, before, behind);
	if (!*through)
		return path_mirror(direction, surface.normal);
	return vec3_along(vec3_scale(direction, ratio), surface.normal, ratio * before - behind);
}

/* Turns *ray to where the path goes on from a surface that is not diffuse. */
KERNEL_FN void path_specular(const struct kernel_params *params,
	KERNEL_GLOBAL const struct kernel_material *material, struct path_surface surface,
	float random, struct path *path, struct kernel_ray *ray)
{
	struct vec3 unit = vec3_unit(ray->direction);
	int through = 0;

	ray->direction = material->surface == KERNEL_GLASS
				 ? path_glass(unit, surface, material->index, random, &through)
				 : path_mirror(unit, surface.normal);
	ray->origin = vec3_along(
		surface.point, surface.normal, through ? -params->offset : params->offset);
	path->density = 0;
}

/* Shades where *ray ended. PATH_GOES_ON: *ray is the next one to trace; PATH_SHADOW: *shadow is to
 * be traced, and path_unblocked() called when nothing is in its way, before the next hit. `light`
 * and `bounce` are the points of the two dimensions of this hit (path_dimension()). */
KERNEL_FN int path_hit(const struct kernel_scene *scene, const struct kernel_params *params,
	struct kernel_hit hit, struct rng_pair to_light, struct rng_pair to_bounce,
	struct path *path, struct kernel_ray *ray, struct kernel_ray *shadow)
{
	KERNEL_GLOBAL const struct kernel_triangle *triangle;
	KERNEL_GLOBAL const struct kernel_material *material;
	struct path_surface surface;
	int todo = 0;
	float cosine;

	if (hit.triangle == KERNEL_NOTHING) {
		path->radiance = vec3_add(path->radiance, vec3_mul(path->throughput, params->sky));
		return 0;
	}
	triangle = &scene->triangles[hit.triangle];
	material = &scene->materials[triangle->material];
	surface = path_surface_at(triangle, *ray, hit.t);
	if (surface.is_front)
		path->radiance = vec3_add(path->radiance,
			vec3_mul(path->throughput,
				path_emission(scene, params, material, *ray, hit.t, path)));
	if (path->bounce > params->bounces ||
		material->reflectance.x + material->reflectance.y + material->reflectance.z == 0)
		return 0;
	path->throughput = vec3_mul(path->throughput, material->reflectance);
	if (material->surface != KERNEL_DIFFUSE) {
		path_specular(params, material, surface, to_bounce.u, path, ray);
		path->bounce++;
		return PATH_GOES_ON;
	}
	if (params->light_count && path_direct(scene, params, surface, path, to_light, shadow))
		todo |= PATH_SHADOW;
	if (path->bounce < params->bounces || params->is_bright)
		todo |= PATH_GOES_ON;
	ray->origin = vec3_along(surface.point, surface.normal, params->offset);
	ray->direction = path_diffuse(surface.normal, to_bounce, &cosine);
	path->density = cosine * 0.318309886184f;
	path->bounce++;
	return todo;
}

KERNEL_FN kernel_u32 path_dimension(const struct path *path, kernel_u32 which)
{
	return PATH_DIM_HIT + PATH_DIMS_A_HIT * path->bounce + which;
}

KERNEL_FN void path_unblocked(struct path *path)
{
	path->radiance = vec3_add(path->radiance, path->waiting);
}

/* One sample of one pixel: linear RGB radiance. */
KERNEL_FN struct vec3 path_sample(const struct kernel_scene *scene,
	const struct kernel_params *params, struct trace_stack *stack, kernel_u32 x, kernel_u32 y,
	kernel_u32 sample, struct kernel_counts *counts)
{
	struct path path;
	struct kernel_ray ray, shadow;
	struct kernel_hit hit;
	int todo;

	path_start(params, x, y, sample, &path, &ray);
	do {
		struct rng_pair light, bounce;

		counts->closest++;
		trace_scene(scene, stack, ray, 0, &hit);
		light = rng_pair(path.key, path_dimension(&path, PATH_DIM_LIGHT));
		bounce = rng_pair(path.key, path_dimension(&path, PATH_DIM_BOUNCE));
		todo = path_hit(scene, params, hit, light, bounce, &path, &ray, &shadow);
		if (todo & PATH_SHADOW) {
			counts->shadow++;
			if (!trace_scene(scene, stack, shadow, 1, &hit))
				path_unblocked(&path);
		}
	} while (todo & PATH_GOES_ON);
	return path.radiance;
}

/* Adds the samples of this launch, one after the other, to the sums of a pixel: how the samples are
 * cut into launches does not change a bit. */
KERNEL_FN void path_pixel(const struct kernel_scene *scene, const struct kernel_params *params,
	kernel_u32 x, kernel_u32 y, KERNEL_GLOBAL float *sums, struct kernel_counts *counts)
{
	struct vec3 sum = vec3_make(sums[0], sums[1], sums[2]);
	struct trace_stack stack;
	kernel_u32 i;

	for (i = 0; i < params->sample_count; i++)
		sum = vec3_add(sum,
			path_sample(scene, params, &stack, x, y, params->first_sample + i, counts));
	sums[0] = sum.x;
	sums[1] = sum.y;
	sums[2] = sum.z;
}

#endif
