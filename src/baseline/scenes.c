/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/scenes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "baseline/shapes.h"

static struct vec3 v(float x, float y, float z)
{
	return vec3_make(x, y, z);
}

static kernel_u32 diffuse(struct baseline_scene *s, float r, float g, float b)
{
	return baseline_scene_material(s, v(r, g, b), v(0, 0, 0));
}

/* A square lamp at `centre` that shines down. */
static void lamp(struct baseline_scene *s, struct vec3 centre, float side, struct vec3 emission)
{
	baseline_scene_light(s, v(centre.x - side / 2, centre.y - side / 2, centre.z),
		v(0, side, 0), v(side, 0, 0), emission);
}

/* Of a square lamp of so many watts: a quarter of the power over its area, as Cycles scales its
 * area lamps. Unlike those this one is a black plate that hides what is behind it. */
static float lamp_radiance(float watts, float side)
{
	return watts / (4 * side * side);
}

static kernel_u32 cornell_room(struct baseline_scene *s)
{
	kernel_u32 white = diffuse(s, 0.73f, 0.73f, 0.73f);
	kernel_u32 red = diffuse(s, 0.65f, 0.05f, 0.05f), green = diffuse(s, 0.12f, 0.45f, 0.15f);
	float radiance = lamp_radiance(22, 0.6f);

	shape_room(s, v(-1, -1, 0), v(1, 1, 2), white, red, green, 0);
	lamp(s, v(0, 0, 1.98f), 0.6f, v(radiance, radiance, radiance));
	shape_camera(s, v(0, -3.7f, 1), v(0, 0, 1), 18.0f / 49);
	return white;
}

/* The scene of scenes/make/cornell.py: 36 triangles. The boxes are turned by 18 and -17 degrees. */
static void make_cornell(struct baseline_scene *s, kernel_u32 seed)
{
	kernel_u32 white = cornell_room(s);

	(void)seed;
	shape_box(s, v(-0.35f, 0.3f, 0.6f), v(0.58f, 0.58f, 1.2f), 0.95105652f, 0.30901699f, white);
	shape_box(s, v(0.38f, -0.25f, 0.3f), v(0.6f, 0.6f, 0.6f), 0.95630476f, -0.29237170f, white);
}

static void make_glass(struct baseline_scene *s, kernel_u32 seed)
{
	kernel_u32 glass, mirror;

	cornell_room(s);
	glass = baseline_scene_glass(s, v(1, 0.97f, 0.95f), 1.45f);
	mirror = baseline_scene_mirror(s, v(0.8f, 0.85f, 0.9f));
	shape_ball(s, v(0.38f, -0.3f, 0.4f), v(0.38f, 0.38f, 0.38f), 96, 48, 0, seed, glass);
	shape_box(
		s, v(-0.35f, 0.3f, 0.6f), v(0.58f, 0.58f, 1.2f), 0.95105652f, 0.30901699f, mirror);
}

enum { HILLS = 200 };

static struct vec3 hill_point(int x, int y, kernel_u32 seed)
{
	float px = 20.0f * (float)x / HILLS - 10, py = 20.0f * (float)y / HILLS - 10;

	return v(px, py, 3 * shape_hills(px * 0.25f, py * 0.25f, 6, seed));
}

/* 80,000 triangles of hills, five balls of 3,968, a lamp and a sky. */
static void make_terrain(struct baseline_scene *s, kernel_u32 seed)
{
	static const float balls[5][3] = { { 0, 0, 1.4f }, { -4, 2, 1.1f }, { 3.5f, 3, 1.3f },
		{ 2.5f, -4, 0.8f }, { -3, -4.5f, 0.9f } };
	kernel_u32 earth = diffuse(s, 0.55f, 0.5f, 0.35f), red = diffuse(s, 0.7f, 0.25f, 0.2f);
	int x, y, i;

	for (y = 0; y < HILLS; y++)
		for (x = 0; x < HILLS; x++) {
			struct vec3 a = hill_point(x, y, seed), b = hill_point(x + 1, y, seed);
			struct vec3 c = hill_point(x + 1, y + 1, seed),
				    d = hill_point(x, y + 1, seed);

			baseline_scene_triangle(s, a, b, c, earth);
			baseline_scene_triangle(s, a, c, d, earth);
		}
	for (i = 0; i < 5; i++) {
		float r = balls[i][2];

		shape_ball(s, v(balls[i][0], balls[i][1], 1.2f + r / 2), v(r, r, r), 64, 32, 0,
			seed, red);
	}
	lamp(s, v(2, -2, 8), 2, v(18, 16, 13));
	s->sky = v(0.35f, 0.5f, 0.75f);
	shape_camera(s, v(0, -13, 7), v(0, 0, 0.5f), 0.5f);
}

/* 64 flattened balls of 15,750 triangles with bumps in a closed room, a lamp close to its ceiling:
 * 1,008,014 triangles. */
static void make_million(struct baseline_scene *s, kernel_u32 seed)
{
	kernel_u32 white = diffuse(s, 0.7f, 0.7f, 0.7f), left = diffuse(s, 0.6f, 0.2f, 0.15f),
		   right = diffuse(s, 0.2f, 0.35f, 0.6f), body = diffuse(s, 0.6f, 0.55f, 0.45f);
	kernel_u32 i;

	shape_room(s, v(-5, -5, 0), v(5, 5, 8), white, left, right, 1);
	for (i = 0; i < 64; i++) {
		struct vec3 place = v(
			2.1f * ((float)(i % 4) - 1.5f) + 0.5f * (shape_random(seed, 4 * i) - 0.5f),
			2.1f * ((float)(i / 4 % 4) - 1.5f) +
				0.5f * (shape_random(seed, 4 * i + 1) - 0.5f),
			1 + 1.6f * (float)(i / 16) + 0.4f * shape_random(seed, 4 * i + 2));
		float r = 0.75f + 0.3f * shape_random(seed, 4 * i + 3);

		shape_ball(s, place, v(r, r, 0.7f * r), 125, 64, 0.25f, seed + i, body);
	}
	lamp(s, v(0, 0, 7.95f), 3, v(9, 8, 7));
	shape_camera(s, v(0.3f, -4.9f, 4), v(0, 0, 3.5f), 0.8f);
}

const struct baseline_scene_row baseline_scenes[] = {
	{ "cornell", "Cornell box, 36 triangles", 6, make_cornell },
	{ "terrain", "hills, balls and a sky, 99,842 triangles", 6, make_terrain },
	{ "million", "64 rough balls in a closed room, 1,008,014 triangles", 6, make_million },
	{ "glass", "Cornell box with a glass ball and a mirror, 9,048 triangles", 12, make_glass },
	{ NULL, NULL, 0, NULL },
};

const struct baseline_scene_row *baseline_scene_find(const char *name)
{
	const struct baseline_scene_row *row;

	for (row = baseline_scenes; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

void baseline_scene_make(const struct baseline_scene_row *row, kernel_u32 seed, unsigned threads,
	struct baseline_scene *scene)
{
	int rc;

	memset(scene, 0, sizeof(*scene));
	row->make(scene, seed);
	rc = baseline_scene_finish(scene, threads, NULL);
	assert(rc == 0);
	(void)rc;
}
