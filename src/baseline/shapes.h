/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and numbers that the scenes are made of; z is up. */
#ifndef BASELINE_SHAPES_H
#define BASELINE_SHAPES_H

#include "baseline/scene.h"

/* In [0, 1), the same everywhere: the n-th number of a row that `seed` names. */
float shape_random(kernel_u32 seed, kernel_u32 n);

/* Smooth noise in [-1, 1] over the plane, and a sum of `octaves` of it, each half as wide and half
 * as high as the one before. */
float shape_noise(float x, float y, kernel_u32 seed);
float shape_hills(float x, float y, unsigned octaves, kernel_u32 seed);

/* Five walls, or with the front six, seen from inside; the left (x low) and the right in materials
 * of their own. */
void shape_room(struct baseline_scene *scene, struct vec3 lo, struct vec3 hi, kernel_u32 white,
	kernel_u32 left, kernel_u32 right, int with_front);

/* A box about `centre`, turned about its upright axis by the angle of this cosine and sine. */
void shape_box(struct baseline_scene *scene, struct vec3 centre, struct vec3 size, float cosine,
	float sine, kernel_u32 material);

/* A ball of `around` by `rings` quadrangles (triangles at the poles), its outside the front.
 * `radius` has one an axis; the surface is moved out and in by noise of `bumps` times the radius.
 */
void shape_ball(struct baseline_scene *scene, struct vec3 centre, struct vec3 radius,
	unsigned around, unsigned rings, float bumps, kernel_u32 seed, kernel_u32 material);

/* Looks from `from` towards `at` with z up. */
void shape_camera(struct baseline_scene *scene, struct vec3 from, struct vec3 at, float half_size);

#endif
