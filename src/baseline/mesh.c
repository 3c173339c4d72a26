/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/mesh.h"

#include <math.h>

#include "base/plain.h"
#include "baseline/ply.h"
#include "baseline/shapes.h"

/* Of file and mesh together there is then memory on any machine that renders. */
static const size_t file_limit = (size_t)4 << 30;

static const float half_size = 0.4f;
static const struct vec3 view = { 0.5f, -0.76f, 0.415f }; /* from the centre, near to a unit long */

static struct vec3 place_of(const struct ply *ply, size_t corner)
{
	const float *p = &ply->places[3 * (size_t)ply->corners[corner]];

	return vec3_make(p[0], p[1], p[2]);
}

static void bounds_of(const struct ply *ply, struct vec3 *lo, struct vec3 *hi)
{
	size_t i;

	*lo = *hi = place_of(ply, 0);
	for (i = 1; i < 3 * ply->triangle_count; i++) {
		struct vec3 p = place_of(ply, i);

		*lo = vec3_make(fminf(lo->x, p.x), fminf(lo->y, p.y), fminf(lo->z, p.z));
		*hi = vec3_make(fmaxf(hi->x, p.x), fmaxf(hi->y, p.y), fmaxf(hi->z, p.z));
	}
}

static void add_triangles(struct baseline_scene *scene, const struct ply *ply)
{
	kernel_u32 grey =
		baseline_scene_material(scene, vec3_make(0.6f, 0.6f, 0.6f), vec3_make(0, 0, 0));
	size_t i;

	for (i = 0; i < ply->triangle_count; i++)
		baseline_scene_triangle(scene, place_of(ply, 3 * i), place_of(ply, 3 * i + 1),
			place_of(ply, 3 * i + 2), grey);
}

/* A ball of radius r touches a pinhole's edges of slope h from r * sqrt(1 + 1 / h^2) away. */
static void add_stage(struct baseline_scene *scene, struct vec3 centre, float r)
{
	float distance = r * sqrtf(1 + 1 / (half_size * half_size));
	struct vec3 corner = vec3_add(centre, vec3_make(0, -r, 2 * r));

	shape_camera(scene, vec3_along(centre, vec3_unit(view), distance), centre, half_size);
	baseline_scene_light(
		scene, corner, vec3_make(0, r, 0), vec3_make(r, 0, 0), vec3_make(12, 11.5f, 11));
	scene->sky = vec3_make(0.4f, 0.45f, 0.5f);
}

static int read_ply(const char *path, struct ply *ply, struct error *err)
{
	struct str file = STR_INIT;
	int rc = plain_read(path, file_limit, &file, err);

	if (rc == 0 && (rc = ply_parse(file.data ? file.data : "", file.len, ply, err)) != 0)
		error_prefix(err, "%s", path);
	str_release(&file);
	return rc;
}

int baseline_mesh_add(struct baseline_scene *scene, const char *path, struct error *err)
{
	struct vec3 lo, hi, across;
	struct ply ply;
	float radius;

	if (read_ply(path, &ply, err) != 0)
		return -1;
	bounds_of(&ply, &lo, &hi);
	across = vec3_scale(vec3_sub(hi, lo), 0.5f);
	radius = sqrtf(vec3_dot(across, across));
	if (radius > 0 && radius < INFINITY)
		add_triangles(scene, &ply);
	ply_release(&ply);
	if (!(radius > 0 && radius < INFINITY))
		return error_set(err, "%s: its corners %s", path,
			radius > 0 ? "are too far apart"
				   : "are all one point, or too close together");
	add_stage(scene, vec3_add(lo, across), radius);
	return 0;
}
