/* SPDX-License-Identifier: Apache-2.0 */
/* Each scene with its reference, the picture of one attempt and the difference. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "image/compare.h"
#include "report/html_parts.h"
#include "report/picture.h"
#include "report/view.h"

static bool has_picture(const json_t *attempt)
{
	return json_is_object(json_object_get(attempt, "image")) &&
	       json_text(attempt, "folder", NULL);
}

/* A picture that a GPU made says more than the control's, and a strict attempt more than a farm's.
 */
static const json_t *example_attempt(const json_t *record, const char *scene)
{
	static const char *const probes[] = { "strict", "as-farm", "control" };
	const json_t *attempt;
	size_t i, j;

	for (j = 0; j < sizeof(probes) / sizeof(probes[0]); j++)
		json_array_foreach (json_object_get(record, "attempts"), i, attempt)
			if (has_picture(attempt) &&
				strcmp(json_text(attempt, "scene", ""), scene) == 0 &&
				strcmp(json_text(attempt, "probe", ""), probes[j]) == 0)
				return attempt;
	return NULL;
}

static int read_attempt_picture(const json_t *record, const json_t *attempt, const char *folder,
	struct image *out, struct error *err)
{
	char *path;
	int rc;

	if (!attempt)
		return error_set(err, "no attempt of this scene left a picture that can be read");
	path = path_join(json_text(attempt, "folder", ""),
		json_text(json_object_get(attempt, "image"), "file", "image.exr"));
	rc = picture_read_in(folder, path, view_file_digest(record, path), out, err);
	free(path);
	return rc;
}

static int read_reference(
	const json_t *scene, const char *folder, struct image *out, struct error *err)
{
	const json_t *reference = json_object_get(scene, "reference");

	if (!json_is_true(json_object_get(reference, "present")))
		return error_set(
			err, "%s", json_text(reference, "why", "the record has no reference"));
	return picture_read_in(folder, json_text(reference, "copy", ""),
		json_text(reference, "sha256", NULL), out, err);
}

static int make_difference(const json_t *scene, const struct image *image,
	const struct image *reference, struct image *out, struct error *err)
{
	const json_t *limits = json_object_get(json_object_get(scene, "reference"), "limits");
	struct compare_limits scale = { .pixel_limit = json_real_of(limits, "pixel_limit", 0) };
	struct comparison comparison;

	if (!image->pixels || !reference->pixels)
		return error_set(err, "it takes both pictures");
	image_compare(image, reference, &scale, &comparison);
	if (!comparison.compared)
		return error_set(err, "the pictures cannot be compared: %s", comparison.why);
	image_difference(image, reference, &scale, out);
	return 0;
}

/* `image` without pixels: `why` says what is missing. */
static void add_figure(struct markup *m, const struct image *image, bool largest, const char *title,
	const json_t *marked, const struct error *why)
{
	struct error failed = *why;
	char *uri = image->pixels ? picture_uri(image, largest, &failed) : NULL;

	markup_open(m, "figure", NULL);
	if (uri)
		markup_void(m, "img", "alt", title, "src", uri, NULL);
	markup_open(m, "figcaption", NULL);
	if (marked)
		html_mark(m, marked);
	markup_text(m, title);
	if (!uri)
		markup_textf(m, " - not shown: %s", failed.text);
	markup_close(m);
	markup_close(m);
	free(uri);
}

static char *attempt_title(const json_t *attempt)
{
	if (!attempt)
		return xstrdup("a picture of this run");
	return xasprintf("attempt %lld, %s on %s: %s",
		(long long)json_integer_of(attempt, "number", 0), json_text(attempt, "probe", "?"),
		view_attempt_device(attempt), json_text(attempt, "verdict", "?"));
}

static void add_pictures(
	struct markup *m, const json_t *record, const json_t *scene, const char *folder)
{
	const json_t *attempt = example_attempt(record, json_text(scene, "name", ""));
	struct image reference = { 0 }, image = { 0 }, difference = { 0 };
	struct error why[3] = { { "" }, { "" }, { "" } };
	char *title = attempt_title(attempt);

	read_reference(scene, folder, &reference, &why[0]);
	read_attempt_picture(record, attempt, folder, &image, &why[1]);
	make_difference(scene, &image, &reference, &difference, &why[2]);
	add_figure(m, &reference, false, "reference", NULL, &why[0]);
	add_figure(m, &image, false, title, attempt, &why[1]);
	add_figure(m, &difference, true, "difference; mid grey is the limit of a pixel", attempt,
		&why[2]);
	image_release(&reference);
	image_release(&image);
	image_release(&difference);
	free(title);
}

static void add_scene(
	struct markup *m, const json_t *record, const json_t *scene, const char *folder)
{
	markup_element(m, "h3", NULL, json_text(scene, "name", "a scene without a name"));
	markup_element(m, "p", NULL, json_text(scene, "purpose", "Nobody said what it is for."));
	add_pictures(m, record, scene, folder);
	markup_open(m, "details", NULL);
	markup_element(
		m, "summary", NULL, "Archive, settings, limits and provenance of the reference");
	html_members(m, scene);
	markup_close(m);
}

void html_scenes(struct markup *m, const json_t *record, const char *folder)
{
	const json_t *scene;
	size_t i;

	html_heading(m, record, "Scenes");
	json_array_foreach (json_object_get(record, "scenes"), i, scene)
		add_scene(m, record, scene, folder);
}
