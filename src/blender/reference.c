/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/reference.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

enum { PROVENANCE_BYTES = 65536 };

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

/* Limits that let a picture of half the brightness pass judge nothing. */
static int check_limits(const struct reference *reference, struct error *err)
{
	const struct image *image = &reference->image;
	size_t i, samples = (size_t)image->width * (size_t)image->height * (size_t)image->channels;
	struct comparison comparison;
	struct image darker;

	image_new(&darker, image->width, image->height, image);
	for (i = 0; i < samples; i++)
		darker.pixels[i] = image->pixels[i] / 2;
	image_compare(&darker, image, &reference->limits, &comparison);
	image_release(&darker);
	if (!comparison.compared)
		return error_set(err, "the reference cannot serve: %s", comparison.why);
	if (comparison.within)
		return error_set(
			err, "the limits are so wide that a picture of half the brightness passes");
	return 0;
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
		 image_read(out->path, &out->image, err) == 0)
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
	if (!out->present)
		str_copy(out->why, sizeof(out->why), err.text);
}

void reference_release(struct reference *reference)
{
	image_release(&reference->image);
	free(reference->path);
	json_decref(reference->provenance);
	memset(reference, 0, sizeof(*reference));
}

json_t *reference_json(const struct reference *reference)
{
	const struct compare_limits *l = &reference->limits;

	if (!reference->present)
		return json_pack(
			"{s:b, s:o}", "present", 0, "why", json_printable_text(reference->why));
	return json_pack("{s:b, s:o, s:s, s:{s:f, s:f, s:f, s:f, s:f}, s:O}", "present", 1, "path",
		json_printable_text(reference->path), "sha256", reference->sha256, "limits",
		"pixel_limit", l->pixel_limit, "share_over", l->share_over, "mean_error",
		l->mean_error, "rms_error", l->rms_error, "tile_error", l->tile_error, "provenance",
		reference->provenance);
}
