/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/input.h"

#include <string.h>

#include "base/str.h"
#include "baseline/mesh.h"

const struct baseline_scene_row baseline_mesh_row = { "mesh", "a mesh file", 6, NULL };

int baseline_input_make(
	const struct baseline_input *input, struct baseline_scene *scene, struct error *err)
{
	memset(scene, 0, sizeof(*scene));
	if (!input->mesh) {
		input->scene->make(scene, input->seed);
		return 0;
	}
	if (baseline_mesh_add(scene, input->mesh, err) == 0)
		return 0;
	baseline_scene_release(scene);
	return -1;
}

char *baseline_input_about(const struct baseline_input *input, kernel_u32 triangles)
{
	return input->mesh
		       ? xasprintf("mesh %s, triangles with the lamp's: %u", input->mesh, triangles)
		       : xstrdup(input->scene->about);
}
