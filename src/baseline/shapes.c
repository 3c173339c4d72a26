/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/shapes.h"

#include <stdlib.h>

#include "base/str.h"
#include "kernels/rng.h"

float shape_random(kernel_u32 seed, kernel_u32 n)
{
	return (float)(rng_mix(n + rng_mix(seed ^ 0x9e3779b9u)) >> 8) * 0x1p-24f;
}

static float lattice(int x, int y, kernel_u32 seed)
{
	return 2 * shape_random(seed + 0x1000193u * (kernel_u32)y, (kernel_u32)x) - 1;
}

static float smooth(float x)
{
	return x * x * x * (x * (x * 6 - 15) + 10);
}

float shape_noise(float x, float y, kernel_u32 seed)
{
	int ix = (int)(x + 4096) - 4096, iy = (int)(y + 4096) - 4096;
	float u = smooth(x - (float)ix), v = smooth(y - (float)iy);
	float low = lattice(ix, iy, seed) * (1 - u) + lattice(ix + 1, iy, seed) * u;
	float high = lattice(ix, iy + 1, seed) * (1 - u) + lattice(ix + 1, iy + 1, seed) * u;

	return low * (1 - v) + high * v;
}

float shape_hills(float x, float y, unsigned octaves, kernel_u32 seed)
{
	float sum = 0, height = 0.5f;
	unsigned i;

	for (i = 0; i < octaves; i++, height *= 0.5f, x *= 2, y *= 2)
		sum += height * shape_noise(x, y, seed + i);
	return sum;
}

void shape_room(struct baseline_scene *s, struct vec3 lo, struct vec3 hi, kernel_u32 white,
	kernel_u32 left, kernel_u32 right, int with_front)
{
	struct vec3 x = vec3_make(hi.x - lo.x, 0, 0), y = vec3_make(0, hi.y - lo.y, 0),
		    z = vec3_make(0, 0, hi.z - lo.z);

	baseline_scene_quad(s, lo, x, y, white);
	baseline_scene_quad(s, vec3_add(lo, z), y, x, white);
	baseline_scene_quad(s, vec3_add(lo, y), x, z, white);
	baseline_scene_quad(s, lo, y, z, left);
	baseline_scene_quad(s, vec3_add(lo, x), z, y, right);
	if (with_front)
		baseline_scene_quad(s, lo, z, x, white);
}

void shape_box(struct baseline_scene *s, struct vec3 centre, struct vec3 size, float cosine,
	float sine, kernel_u32 material)
{
	struct vec3 x = vec3_make(cosine * size.x, sine * size.x, 0);
	struct vec3 y = vec3_make(-sine * size.y, cosine * size.y, 0);
	struct vec3 z = vec3_make(0, 0, size.z);
	struct vec3 lo = vec3_along(vec3_along(vec3_along(centre, x, -0.5f), y, -0.5f), z, -0.5f);

	baseline_scene_quad(s, lo, y, x, material);
	baseline_scene_quad(s, vec3_add(lo, z), x, y, material);
	baseline_scene_quad(s, lo, x, z, material);
	baseline_scene_quad(s, vec3_add(lo, y), z, x, material);
	baseline_scene_quad(s, lo, z, y, material);
	baseline_scene_quad(s, vec3_add(lo, x), y, z, material);
}

struct ball {
	struct vec3 centre, radius;
	unsigned around, rings;
	float bumps;
	kernel_u32 seed;
};

static struct vec3 ball_point(const struct ball *b, unsigned column, unsigned ring)
{
	float sine, cosine, side, height, out;
	struct vec3 unit;

	kernel_sincos((float)(column % b->around) / (float)b->around, &sine, &cosine);
	kernel_sincos(0.5f * (float)ring / (float)b->rings, &side, &height);
	if (ring == 0 || ring == b->rings)
		side = 0;
	unit = vec3_make(side * cosine, side * sine, height);
	out = 1 + b->bumps * (shape_hills(4 * unit.x + 8, 4 * unit.y + 3 * unit.z, 4, b->seed) +
				     shape_noise(3 * unit.z, 3 * unit.x, b->seed + 77));
	return vec3_add(b->centre, vec3_scale(vec3_mul(unit, b->radius), out));
}

void shape_ball(struct baseline_scene *scene, struct vec3 centre, struct vec3 radius,
	unsigned around, unsigned rings, float bumps, kernel_u32 seed, kernel_u32 material)
{
	struct ball b = { centre, radius, around, rings, bumps, seed };
	struct vec3 *rows = xcalloc((size_t)(around + 1) * (rings + 1), sizeof(*rows));
	unsigned ring, column;

	for (ring = 0; ring <= rings; ring++)
		for (column = 0; column <= around; column++)
			rows[ring * (around + 1) + column] = ball_point(&b, column, ring);
	for (ring = 0; ring < rings; ring++)
		for (column = 0; column < around; column++) {
			const struct vec3 *up = &rows[ring * (around + 1) + column];
			const struct vec3 *down = up + around + 1;

			if (ring > 0)
				baseline_scene_triangle(scene, up[0], down[0], up[1], material);
			if (ring + 1 < rings)
				baseline_scene_triangle(scene, up[1], down[0], down[1], material);
		}
	free(rows);
}

void shape_camera(struct baseline_scene *scene, struct vec3 from, struct vec3 at, float half_size)
{
	struct vec3 forward = vec3_unit(vec3_sub(at, from));
	struct vec3 right = vec3_unit(vec3_cross(forward, vec3_make(0, 0, 1)));

	baseline_scene_camera(scene, from, forward, vec3_cross(right, forward), half_size);
}
