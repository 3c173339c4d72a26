/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "baseline/gcd_job.h"

int gcd_job_write(const char *path, struct baseline_scene *scene,
	const struct render_options *options, struct error *err)
{
	struct kernel_scene arrays = baseline_scene_kernel(scene);
	struct gcd_job_head head = { .node_count = scene->node_count,
		.triangle_count = scene->triangle_count,
		.material_count = scene->material_count,
		.light_count = scene->light_count,
		.params = render_params(scene, options) };
	struct str text = STR_INIT;
	int rc;

	memcpy(head.magic, GCD_JOB_MAGIC, sizeof(head.magic));
	str_add_bytes(&text, &head, sizeof(head));
	str_add_bytes(&text, arrays.nodes, head.node_count * sizeof(*arrays.nodes));
	str_add_bytes(&text, arrays.triangles, head.triangle_count * sizeof(*arrays.triangles));
	str_add_bytes(&text, arrays.materials, head.material_count * sizeof(*arrays.materials));
	str_add_bytes(&text, arrays.lights, head.light_count * sizeof(*arrays.lights));
	rc = file_write(path, text.data, text.len, err);
	str_release(&text);
	return rc;
}
