/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/scene.h"

#include <assert.h>
#include <string.h>

/* x to the left as seen from the camera, y up, z away from it. */
enum { ROOM_X = 556, ROOM_Y = 548, ROOM_Z = 559 };

static struct vec3 v(float x, float y, float z)
{
	return vec3_make(x, y, z);
}

static void add_room(struct baseline_scene *s, kernel_u32 white, kernel_u32 left, kernel_u32 right)
{
	baseline_scene_quad(s, v(0, 0, 0), v(0, 0, ROOM_Z), v(ROOM_X, 0, 0), white); /* floor */
	baseline_scene_quad(
		s, v(0, ROOM_Y, 0), v(ROOM_X, 0, 0), v(0, 0, ROOM_Z), white); /* ceiling */
	baseline_scene_quad(s, v(0, 0, ROOM_Z), v(0, ROOM_Y, 0), v(ROOM_X, 0, 0), white); /* back */
	baseline_scene_quad(s, v(ROOM_X, 0, 0), v(0, 0, ROOM_Z), v(0, ROOM_Y, 0), left);
	baseline_scene_quad(s, v(0, 0, 0), v(0, ROOM_Y, 0), v(0, 0, ROOM_Z), right);
}

/* An upright block on the floor; its corners run counter-clockwise seen from above. */
static void add_block(
	struct baseline_scene *s, const float corners[4][2], float height, kernel_u32 material)
{
	struct vec3 up = v(0, height, 0), c[4];
	int i;

	for (i = 0; i < 4; i++)
		c[i] = v(corners[i][0], 0, corners[i][1]);
	for (i = 0; i < 4; i++)
		baseline_scene_quad(s, c[i], vec3_sub(c[(i + 1) % 4], c[i]), up, material);
	for (i = 1; i < 3; i++) {
		baseline_scene_triangle(s, vec3_add(c[0], up), vec3_add(c[i], up),
			vec3_add(c[i + 1], up), material);
		baseline_scene_triangle(s, c[0], c[i + 1], c[i], material);
	}
}

void baseline_scene_cornell(struct baseline_scene *scene)
{
	static const float low[4][2] = { { 130, 65 }, { 82, 225 }, { 240, 272 }, { 290, 114 } };
	static const float tall[4][2] = { { 423, 247 }, { 265, 296 }, { 314, 456 }, { 472, 406 } };
	kernel_u32 white, red, green;
	int rc;

	memset(scene, 0, sizeof(*scene));
	white = baseline_scene_material(scene, v(0.73f, 0.73f, 0.73f), v(0, 0, 0));
	red = baseline_scene_material(scene, v(0.65f, 0.05f, 0.05f), v(0, 0, 0));
	green = baseline_scene_material(scene, v(0.12f, 0.45f, 0.15f), v(0, 0, 0));
	add_room(scene, white, red, green);
	add_block(scene, low, 165, white);
	add_block(scene, tall, 330, white);
	baseline_scene_light(
		scene, v(213, ROOM_Y - 1, 227), v(130, 0, 0), v(0, 0, 105), v(17, 12, 4));
	baseline_scene_camera(scene, v(278, 273, -800), v(0, 0, 1), v(0, 1, 0), 0.0125f / 0.035f);
	rc = baseline_scene_finish(scene, NULL);
	assert(rc == 0);
	(void)rc;
}
