/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

enum { PROVENANCE_BYTES = 65536 };

/* What names none was made with none. */
static bool same_parameters(const json_t *provenance, const struct scene_settings *settings)
{
	const json_t *named = json_object_get(provenance, "parameters");
	json_t *all = scene_settings_json(settings), *none = json_object();
	const json_t *wanted = json_object_get(all, "parameters");
	bool same = json_equal(named ? named : none, wanted ? wanted : none) != 0;

	json_decref(all);
	json_decref(none);
	return same;
}

/* Same scene, same settings, same file: else it is a picture of something else. */
static int check_provenance(const struct reference *reference, const char *tree_sha256,
	const struct scene_settings *settings, struct error *err)
{
	const json_t *p = reference->provenance;
	const struct {
		const char *key;
		int wanted;
	} numbers[] = {
		{ "width", settings->width },
		{ "height", settings->height },
		{ "samples", settings->samples },
		{ "seed", settings->seed },
		{ "frame", settings->frame },
	};
	size_t i;

	if (strcmp(json_text(p, "schema", ""), "oamqual-reference/1") != 0)
		return error_set(err, "provenance.json is not \"oamqual-reference/1\"");
	if (strcmp(json_text(json_object_get(p, "device"), "type", "unknown"), "CPU") != 0)
		return error_set(err,
			"the reference was not rendered on a CPU: a GPU's own picture "
			"says nothing against it");
	if (strcmp(json_text(p, "tree_sha256", ""), tree_sha256) != 0)
		return error_set(err, "the reference was made from another scene (tree %.16s...)",
			json_text(p, "tree_sha256", "unknown"));
	if (strcmp(json_text(p, "reference_sha256", ""), reference->sha256) != 0)
		return error_set(
			err, "reference.exr is not the file that provenance.json describes");
	if (!same_parameters(p, settings))
		return error_set(err, "the reference was made with other parameters of the scene");
	if (json_is_true(json_object_get(p, "denoising")) != settings->denoising)
		return error_set(err, "the reference was made %s denoising",
			settings->denoising ? "without" : "with");
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (json_integer_of(p, numbers[i].key, -1) != numbers[i].wanted)
			return error_set(err, "the reference was made with %s %lld, not %d",
				numbers[i].key, (long long)json_integer_of(p, numbers[i].key, -1),
				numbers[i].wanted);
	return 0;
}

static int check_noise(struct reference *reference, const char *folder, struct error *err)
{
	const char *named = json_text(reference->provenance, "noise_sha256", "");

	if (!reference->limits.noise.renders)
		return 0;
	reference->noise_path = path_join(folder, "noise.exr");
	if (digest_file(reference->noise_path, reference->noise_sha256, NULL, err) != 0)
		return -1;
	if (strcmp(named, reference->noise_sha256) != 0)
		return error_set(err, "noise.exr is not the file that provenance.json describes");
	return noise_read(
		reference->noise_path, reference->limits.noise.renders, &reference->noise, err);
}

const char *reference_basis(const struct reference *reference, const struct image *image,
	struct comparison *comparison, struct noise_result *noise)
{
	memset(noise, 0, sizeof(*noise));
	image_compare(image, &reference->image, &reference->limits, comparison);
	if (!comparison->compared || comparison->lacks_textures)
		return NULL;
	if (comparison->within)
		return "same-noise";
	if (!reference->noise_path)
		return NULL;
	noise_test(image, &reference->noise, &reference->limits, noise);
	return noise->within ? "noise-model" : NULL;
}

/* Limits that let a picture of half the brightness pass judge nothing. */
static int check_limits(const struct reference *reference, struct error *err)
{
	const struct image *image = &reference->image;
	size_t i, samples = (size_t)image->width * (size_t)image->height * (size_t)image->channels;
	struct comparison comparison;
	struct noise_result noise;
	struct image darker;
	const char *basis;

	image_new(&darker, image->width, image->height, image);
	for (i = 0; i < samples; i++)
		darker.pixels[i] = image->pixels[i] / 2;
	basis = reference_basis(reference, &darker, &comparison, &noise);
	image_release(&darker);
	if (!comparison.compared)
		return error_set(err, "the reference cannot serve: %s", comparison.why);
	if (basis)
		return error_set(
			err, "the limits are so wide that a picture of half the brightness passes");
	return 0;
}

static void read_series(struct reference *out)
{
	const json_t *blender = json_object_get(out->provenance, "blender");

	if (sscanf(json_text(blender, "version", ""), "%3d.%3d", &out->major, &out->minor) != 2)
		out->major = out->minor = 0;
}

static int read_parts(const char *folder, const char *tree_sha256,
	const struct scene_settings *settings, struct reference *out, struct error *err)
{
	char *limits = path_join(folder, "limits.json");
	char *provenance = path_join(folder, "provenance.json");
	int rc = -1;

	out->path = path_join(folder, "reference.exr");
	if (!file_exists(out->path))
		error_set(err, "there is no %s", out->path);
	else if (digest_file(out->path, out->sha256, NULL, err) == 0 &&
		 compare_limits_read(limits, &out->limits, err) == 0 &&
		 (out->provenance = json_read(provenance, PROVENANCE_BYTES, err)) &&
		 check_provenance(out, tree_sha256, settings, err) == 0 &&
		 image_read(out->path, &out->image, err) == 0 && check_noise(out, folder, err) == 0)
		rc = check_limits(out, err);
	free(limits);
	free(provenance);
	return rc;
}

void reference_read(const char *folder, const char *tree_sha256,
	const struct scene_settings *settings, struct reference *out)
{
	struct error err;

	memset(out, 0, sizeof(*out));
	out->present = read_parts(folder, tree_sha256, settings, out, &err) == 0;
	if (out->present)
		read_series(out);
	else
		str_copy(out->why, sizeof(out->why), err.text);
}

void reference_release(struct reference *reference)
{
	image_release(&reference->image);
	noise_release(&reference->noise);
	free(reference->path);
	free(reference->noise_path);
	json_decref(reference->provenance);
	memset(reference, 0, sizeof(*reference));
}

static json_t *noise_part(const struct reference *reference)
{
	if (!reference->noise_path)
		return json_null();
	return json_pack("{s:o, s:s}", "path", json_printable_text(reference->noise_path), "sha256",
		reference->noise_sha256);
}

static json_t *series_json(const struct reference *reference)
{
	return reference->major ? json_sprintf("%d.%d", reference->major, reference->minor)
				: json_null();
}

json_t *reference_json(const struct reference *reference)
{
	if (!reference->present)
		return json_pack(
			"{s:b, s:o}", "present", 0, "why", json_printable_text(reference->why));
	return json_pack("{s:b, s:o, s:o, s:o, s:s, s:o, s:o, s:O}", "present", 1, "name",
		json_printable_text(reference->name), "blender", series_json(reference), "path",
		json_printable_text(reference->path), "sha256", reference->sha256, "noise",
		noise_part(reference), "limits", compare_limits_json(&reference->limits),
		"provenance", reference->provenance);
}
