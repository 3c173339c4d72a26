/* SPDX-License-Identifier: Apache-2.0 */
/* The scenes of a run: fingerprinted, checked, unpacked into its folder. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/data.h"
#include "cli/qualify.h"

static int check_declared(const struct render_scene *scene, struct error *err)
{
	const char *declared = scene->spec.tree_sha256;

	if (declared && strcmp(declared, scene->manifest.tree_sha256) != 0)
		return error_set(err,
			"%s: its tree digest is %.16s..., and scene.json declares %.16s...",
			scene->spec.archive, scene->manifest.tree_sha256, declared);
	return 0;
}

static int write_manifest(
	const struct qualify *run, const struct render_scene *scene, struct error *err)
{
	char *name = xasprintf("%s.manifest.json", scene->spec.name);
	char *path = path_join(run->out, name);
	json_t *json = manifest_json(&scene->manifest);
	int rc = json_write(path, json, err);

	json_decref(json);
	free(path);
	free(name);
	return rc;
}

static int prepare_scene(
	struct qualify *run, const char *source, struct render_scene *scene, struct error *err)
{
	char *place;

	if (scene_spec_read(source, &run->request->settings, &scene->spec, err) != 0 ||
		manifest_read(scene->spec.archive, true, NULL, &scene->manifest, err) != 0 ||
		check_declared(scene, err) != 0)
		return -1;
	scene->blend = manifest_blend(&scene->manifest, scene->spec.blend, err);
	if (!scene->blend || write_manifest(run, scene, err) != 0)
		return -1;
	place = xasprintf("scenes/%s", scene->spec.name);
	scene->folder = path_join(run->out, place);
	free(place);
	if (file_exists(scene->folder))
		return error_set(err, "%s: two scenes are named '%s'", source, scene->spec.name);
	if (folder_make(scene->folder, err) != 0)
		return -1;
	if (scene_unpack(&scene->manifest, scene->folder, err) != 0)
		return error_prefix(err, "cannot unpack into %s", scene->folder);
	return 0;
}

/* --- the program's own ------------------------------------------------------------------------ */

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Its scene.json decides; one that cannot be read is kept, and its error comes when it is. */
static bool is_of_suite(const struct qualify *run, const char *path)
{
	struct scene_spec spec;
	bool chosen;

	if (run->request->suite == SCENE_FULL ||
		scene_spec_read(path, &run->request->settings, &spec, NULL) != 0)
		return true;
	chosen = spec.suite == SCENE_BASIC;
	scene_spec_release(&spec);
	return chosen;
}

/* So that nobody takes the basic suite for the whole. */
static void note_left_out(struct qualify *run, const char *names)
{
	if (names[0])
		json_array_append_new(run->notes,
			json_sprintf("the basic suite was rendered; not tested: %s (--suite full)",
				names));
}

static int list_own(
	struct qualify *run, const char *folder, struct dirent **entries, int found, char **paths)
{
	struct str left_out = STR_INIT;
	int i, count = 0;

	for (i = 0; i < found; i++) {
		char *path = path_join(folder, entries[i]->d_name);
		char *spec = path_join(path, "scene.json");
		bool is_scene = file_exists(spec);

		if (is_scene && is_of_suite(run, path))
			paths[count++] = xstrdup(path);
		else if (is_scene)
			str_addf(&left_out, "%s%s", left_out.len ? ", " : "", entries[i]->d_name);
		free(spec);
		free(path);
	}
	note_left_out(run, left_out.data ? left_out.data : "");
	str_release(&left_out);
	return count;
}

/* Each folder of scenes/ with a scene.json that is of the suite, by name. */
static int own_scenes(struct qualify *run, char ***paths, size_t *count, struct error *err)
{
	char *folder = data_scenes(err);
	struct dirent **entries;
	int found, i;

	if (!folder)
		return -1;
	found = scandir(folder, &entries, visible, alphasort);
	*paths = xcalloc((size_t)(found > 0 ? found : 0) + 1, sizeof(**paths));
	*count = found > 0 ? (size_t)list_own(run, folder, entries, found, *paths) : 0;
	for (i = 0; i < found; i++)
		free(entries[i]);
	if (found >= 0)
		free(entries);
	if (!*count)
		error_set(err, "%s: holds no scenes", folder);
	free(folder);
	return *count ? 0 : -1;
}

/* --- all of a run ----------------------------------------------------------------------------- */

/* A parameter that no scene has would be obeyed by none, and the user would not learn it. */
static int check_parameters(const struct qualify *run, struct error *err)
{
	const struct scene_settings *wanted = &run->request->settings;
	size_t i, j;

	for (i = 0; i < wanted->parameter_count; i++) {
		const char *name = wanted->parameters[i].name;

		for (j = 0; j < run->scene_count &&
			    !scene_settings_parameter(&run->scenes[j].spec.settings, name);
			j++)
			;
		if (j == run->scene_count)
			return error_set(err, "--parameter %s: no scene of this run has it", name);
	}
	return 0;
}

int qualify_prepare_scenes(struct qualify *run, struct error *err)
{
	const struct qualify_request *request = run->request;
	char **own = NULL;
	size_t count = request->scene_count, i, own_count = 0;
	int rc = 0;

	if (!count) {
		rc = own_scenes(run, &own, &own_count, err);
		count = own_count;
	}
	if (rc == 0)
		run->scenes = xcalloc(count, sizeof(*run->scenes));
	for (i = 0; rc == 0 && i < count; i++) {
		run->scene_count = i + 1;
		rc = prepare_scene(run, own ? own[i] : request->scenes[i], &run->scenes[i], err);
	}
	if (rc == 0)
		rc = check_parameters(run, err);
	for (i = 0; i < own_count; i++)
		free(own[i]);
	free(own);
	return rc;
}
