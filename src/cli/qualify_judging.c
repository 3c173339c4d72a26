/* SPDX-License-Identifier: Apache-2.0 */
/* What is needed to judge an attempt and not to start one. */
#include <stdlib.h>

#include "base/file.h"
#include "base/str.h"
#include "cli/data.h"
#include "cli/qualify.h"

enum { REFERENCE_BYTES = 512 << 20 };

/* So that the evidence holds what it was judged by. */
static int copy_reference(
	const struct qualify *run, const struct render_scene *scene, struct error *err)
{
	char *folder = path_join(run->out, "references");
	char *to = xasprintf("%s/%s.exr", folder, scene->spec.name);
	int rc = 0;

	if (scene->reference.present)
		rc = folder_make(folder, err);
	if (rc == 0 && scene->reference.present)
		rc = qualify_copy_file(scene->reference.path, to, REFERENCE_BYTES, err);
	free(folder);
	free(to);
	return rc;
}

static int read_reference(const struct qualify *run, struct render_scene *scene,
	const char *expected, struct error *err)
{
	char *folder = path_join(expected, scene->spec.name);

	reference_read(
		folder, scene->manifest.tree_sha256, &scene->spec.settings, &scene->reference);
	free(folder);
	return copy_reference(run, scene, err);
}

int qualify_prepare_judging(struct qualify *run, struct error *err)
{
	const char *given = run->request->expected;
	char *expected = given ? xstrdup(given) : data_expected(err);
	int rc = expected ? blender_build_hash(&run->blender, err) : -1;
	size_t i;

	for (i = 0; rc == 0 && i < run->scene_count; i++)
		rc = read_reference(run, &run->scenes[i], expected, err);
	if (rc == 0)
		compiler_find(
			&run->open.node, &run->blender, &run->sandbox, run->out, &run->compiler);
	free(expected);
	run->can_judge = rc == 0;
	return rc;
}
