/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/scene_write.h"

#include <string.h>

#include "base/file.h"
#include "base/str.h"

static const char *const material_floats =
	"property float red\nproperty float green\nproperty float blue\nproperty float index\n"
	"property float emission_red\nproperty float emission_green\nproperty float "
	"emission_blue\n";
static const char *const camera_rows[] = { "origin", "forward", "right", "up" };

static void put_u32(struct str *to, kernel_u32 value)
{
	unsigned char bytes[4] = { (unsigned char)value, (unsigned char)(value >> 8),
		(unsigned char)(value >> 16), (unsigned char)(value >> 24) };

	str_add_bytes(to, bytes, sizeof(bytes));
}

static void put_float(struct str *to, float value)
{
	kernel_u32 bits;

	memcpy(&bits, &value, sizeof(bits));
	put_u32(to, bits);
}

static void put_vec3(struct str *to, struct vec3 v)
{
	put_float(to, v.x);
	put_float(to, v.y);
	put_float(to, v.z);
}

static void add_comments(struct str *to, const char *comments)
{
	while (*comments) {
		size_t len = strcspn(comments, "\n");

		str_addf(to, "comment %.*s\n", (int)len, comments);
		comments += len + (comments[len] == '\n');
	}
}

static void add_header(struct str *to, const struct baseline_scene *scene, const char *comments)
{
	size_t i;

	str_add(to, "ply\nformat binary_little_endian 1.0\n");
	add_comments(to, comments);
	str_addf(to,
		"element vertex %u\nproperty float x\nproperty float y\nproperty float z\n"
		"element face %u\nproperty list uchar uint vertex_indices\nproperty uint material\n"
		"element material %u\nproperty uint surface\n%selement camera 1\n",
		3 * scene->triangle_count, scene->triangle_count, scene->material_count,
		material_floats);
	for (i = 0; i < sizeof(camera_rows) / sizeof(camera_rows[0]); i++)
		str_addf(to, "property float %s_x\nproperty float %s_y\nproperty float %s_z\n",
			camera_rows[i], camera_rows[i], camera_rows[i]);
	str_add(to, "element sky 1\nproperty float red\nproperty float green\nproperty float blue\n"
		    "end_header\n");
}

static void add_triangles(struct str *to, const struct baseline_scene *scene)
{
	const char corners = 3;
	kernel_u32 i, k;

	for (i = 0; i < scene->triangle_count; i++) {
		put_vec3(to, scene->triangles[i].v0);
		put_vec3(to, scene->triangles[i].v1);
		put_vec3(to, scene->triangles[i].v2);
	}
	for (i = 0; i < scene->triangle_count; i++) {
		str_add_bytes(to, &corners, 1);
		for (k = 0; k < 3; k++)
			put_u32(to, 3 * i + k);
		put_u32(to, scene->triangles[i].material);
	}
}

static void add_material(struct str *to, const struct kernel_material *material)
{
	put_u32(to, material->surface);
	put_vec3(to, material->reflectance);
	put_float(to, material->index);
	put_vec3(to, material->emission);
}

int baseline_scene_write(const struct baseline_scene *scene, const char *comments, const char *path,
	struct error *err)
{
	struct str file = STR_INIT;
	kernel_u32 i;
	int rc;

	add_header(&file, scene, comments);
	add_triangles(&file, scene);
	for (i = 0; i < scene->material_count; i++)
		add_material(&file, &scene->materials[i]);
	put_vec3(&file, scene->camera.origin);
	put_vec3(&file, scene->camera.forward);
	put_vec3(&file, scene->camera.right);
	put_vec3(&file, scene->camera.up);
	put_vec3(&file, scene->sky);
	rc = file_write(path, file.data, file.len, err);
	str_release(&file);
	return rc;
}
