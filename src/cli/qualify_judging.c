/* SPDX-License-Identifier: Apache-2.0 */
/* What is needed to judge an attempt and not to start one. */
#include <stdlib.h>

#include "base/file.h"
#include "base/str.h"
#include "cli/data.h"
#include "cli/qualify.h"

enum { REFERENCE_BYTES = 512 << 20 };

/* So that the evidence holds what it was judged by. */
static int copy_reference(const struct qualify *run, const char *scene,
	const struct reference *reference, struct error *err)
{
	char *picture = qualify_reference_copy(scene, reference, "");
	char *noise = qualify_reference_copy(scene, reference, ".noise");
	char *to = path_join(run->out, picture), *noise_to = path_join(run->out, noise);
	int rc = qualify_copy_file(reference->path, to, REFERENCE_BYTES, err);

	if (rc == 0 && reference->noise_path)
		rc = qualify_copy_file(reference->noise_path, noise_to, REFERENCE_BYTES, err);
	free(picture);
	free(noise);
	free(to);
	free(noise_to);
	return rc;
}

static int read_references(const struct qualify *run, struct render_scene *scene,
	const char *expected, struct error *err)
{
	char *folder = path_join(expected, scene->spec.name);
	char *copies = path_join(run->out, "references");
	struct reference_set *set = &scene->references;
	size_t i;
	int rc;

	reference_set_read(folder, scene->manifest.tree_sha256, &scene->spec.settings,
		run->blender.major, run->blender.minor, set);
	if (set->count && set->why[0])
		json_array_append_new(
			run->notes, json_sprintf("scene %s: a reference was left out: %s",
					    scene->spec.name, set->why));
	rc = set->count ? folder_make(copies, err) : 0;
	for (i = 0; rc == 0 && i < set->count; i++)
		rc = copy_reference(run, scene->spec.name, &set->items[i], err);
	free(folder);
	free(copies);
	return rc;
}

char *qualify_reference_copy(const char *scene, const struct reference *reference, const char *what)
{
	return xasprintf("references/%s%s%s%s.exr", scene, reference->name[0] ? "-" : "",
		reference->name, what);
}

int qualify_prepare_judging(struct qualify *run, struct error *err)
{
	const char *given = run->request->expected;
	char *expected = given ? xstrdup(given) : data_expected(err);
	int rc = expected ? blender_build_hash(&run->blender, err) : -1;
	size_t i;

	for (i = 0; rc == 0 && i < run->scene_count; i++)
		rc = read_references(run, &run->scenes[i], expected, err);
	if (rc == 0)
		compiler_find(
			&run->open.node, &run->blender, &run->sandbox, run->out, &run->compiler);
	free(expected);
	run->can_judge = rc == 0;
	return rc;
}
