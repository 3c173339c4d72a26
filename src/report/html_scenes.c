/* SPDX-License-Identifier: Apache-2.0 */
/* Each scene with its reference, the picture that is furthest from it, the difference, and what was
 * measured of every picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "image/compare.h"
#include "report/html_parts.h"
#include "report/picture.h"
#include "report/tone.h"
#include "report/view.h"

static bool has_picture(const json_t *attempt)
{
	return json_is_object(json_object_get(attempt, "image")) &&
	       json_text(attempt, "folder", NULL);
}

static const json_t *comparison_of(const json_t *attempt)
{
	return json_object_get(json_object_get(attempt, "image"), "comparison");
}

static bool is_of_scene(const json_t *attempt, const char *scene)
{
	return has_picture(attempt) && strcmp(json_text(attempt, "scene", ""), scene) == 0;
}

/* How much a reader wants to see it: a GPU's before the control's, what could not be compared
 * before what was, then by its error. */
static double interest(const json_t *attempt)
{
	double error = json_real_of(comparison_of(attempt), "rms_error", INFINITY);

	return (view_is_control(attempt) ? -2 : 0) + error / (1 + error) +
	       (isfinite(error) ? 0 : 1);
}

static const json_t *worst_attempt(const json_t *record, const char *scene)
{
	const json_t *attempt, *worst = NULL;
	double most = -INFINITY;
	size_t i;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt) {
		double value = is_of_scene(attempt, scene) ? interest(attempt) : -INFINITY;

		if (value > most) {
			most = value;
			worst = attempt;
		}
	}
	return worst;
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

/* The one that the attempt's picture is, or is nearest to; the scene's first when nothing was
 * compared. */
static const json_t *reference_for(const json_t *scene, const json_t *attempt)
{
	const json_t *match = json_object_get(json_object_get(attempt, "image"), "match");
	const char *name = json_text(match, "name", NULL);
	const json_t *reference;
	size_t i;

	json_array_foreach (json_object_get(scene, "references"), i, reference)
		if (name && strcmp(json_text(reference, "name", ""), name) == 0)
			return reference;
	return json_object_get(scene, "reference");
}

static char *reference_title(const json_t *reference)
{
	const char *blender = json_text(reference, "blender", NULL);

	return blender ? xasprintf("reference, rendered on a CPU by Blender %s", blender)
		       : xstrdup("reference");
}

static int read_reference(
	const json_t *reference, const char *folder, struct image *out, struct error *err)
{
	if (!json_is_true(json_object_get(reference, "present")))
		return error_set(
			err, "%s", json_text(reference, "why", "the record has no reference"));
	return picture_read_in(folder, json_text(reference, "copy", ""),
		json_text(reference, "sha256", NULL), out, err);
}

static int make_difference(const json_t *limits, const struct image *image,
	const struct image *reference, struct image *out, struct error *err)
{
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

/* --- figures --- */

struct figure {
	const struct image *image; /* without pixels: `why` says what is missing */
	const char *kind, *title;
	const json_t *marked; /* whose picture it is, for the mark; may be NULL */
	const struct error *why;
};

static void add_figure(struct markup *m, const struct figure *figure, int stops, bool largest)
{
	struct error failed = *figure->why;
	char *uri = figure->image->pixels ? picture_uri(figure->image, largest, &failed) : NULL;
	char exposure[12];

	snprintf(exposure, sizeof(exposure), "%d", stops);
	markup_open(m, "figure", NULL);
	if (uri)
		markup_void(m, "img", "alt", figure->title, "data-picture", figure->kind,
			"data-stops", exposure, "src", uri, NULL);
	markup_open(m, "figcaption", NULL);
	if (figure->marked)
		html_mark(m, figure->marked);
	markup_text(m, figure->title);
	if (stops)
		markup_textf(m, ", exposure %+d stops", stops);
	if (!uri)
		markup_textf(m, " - not shown: %s", failed.text);
	markup_close(m);
	markup_close(m);
	free(uri);
}

static void add_toned(struct markup *m, const struct figure *figure, double white, int stops)
{
	const struct tone tone = { .white = white, .stops = stops };
	struct figure shown = *figure;
	struct image toned = { 0 };

	if (figure->image->pixels)
		tone_map(figure->image, &tone, &toned);
	shown.image = &toned;
	add_figure(m, &shown, stops, false);
	image_release(&toned);
}

static char *attempt_title(const json_t *attempt)
{
	if (!attempt)
		return xstrdup("a picture of this run");
	return xasprintf("output of attempt %lld, %s on %s: %s",
		(long long)json_integer_of(attempt, "number", 0), json_text(attempt, "probe", "?"),
		view_attempt_device(attempt), json_text(attempt, "verdict", "?"));
}

/* Darker, to see what is bright, and brighter, to see what is dark. */
static void add_exposures(struct markup *m, const struct figure *pair, double white)
{
	static const int stops[] = { -2, 2 };
	size_t i;

	markup_open(m, "details", "class", "more", NULL);
	markup_element(m, "summary", NULL, "Both at other exposures");
	for (i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		add_toned(m, &pair[0], white, stops[i]);
		add_toned(m, &pair[1], white, stops[i]);
	}
	markup_close(m);
}

static void add_tone(struct markup *m, double white)
{
	markup_open(m, "p", "class", "soft", NULL);
	markup_textf(m,
		"Of this scene's pictures the one that is furthest from the "
		"reference is shown. Tone map, the same for both: %s (%.3g here). Magenta: not "
		"finite. The EXR files beside the record have the values.",
		tone_name, white);
	markup_close(m);
}

static void add_pictures(
	struct markup *m, const json_t *record, const json_t *scene, const char *folder)
{
	const json_t *attempt = worst_attempt(record, json_text(scene, "name", ""));
	struct image reference = { 0 }, image = { 0 }, difference = { 0 };
	struct error why[3] = { { "" }, { "" }, { "" } };
	const json_t *judge = reference_for(scene, attempt);
	char *title = attempt_title(attempt), *reference_name = reference_title(judge);
	const struct figure figures[] = {
		{ &reference, "reference", reference_name, NULL, &why[0] },
		{ &image, "output", title, attempt, &why[1] },
		{ &difference, "difference", "difference; mid grey is the limit of a pixel",
			attempt, &why[2] },
	};
	double white;

	read_reference(judge, folder, &reference, &why[0]);
	read_attempt_picture(record, attempt, folder, &image, &why[1]);
	make_difference(json_object_get(judge, "limits"), &image, &reference, &difference, &why[2]);
	white = reference.pixels ? tone_white(&reference) : image.pixels ? tone_white(&image) : 1;
	markup_open(m, "div", "class", "pictures", NULL);
	add_toned(m, &figures[0], white, 0);
	add_toned(m, &figures[1], white, 0);
	add_figure(m, &figures[2], 0, true);
	markup_close(m);
	if (reference.pixels || image.pixels) {
		add_exposures(m, figures, white);
		add_tone(m, white);
	}
	image_release(&reference);
	image_release(&image);
	image_release(&difference);
	free(title);
	free(reference_name);
}

/* --- what was measured --- */

/* Members of a picture's comparison and match, in the order shown; a column only where a record has
 * it. */
static const struct metric {
	const char *object,
		*part; /* the member of "image" and in that the one that holds it, or NULL */
	const char *key, *label;
	bool is_share;
} metrics[] = {
	{ "match", NULL, "basis", "accepted by", false },
	{ "comparison", NULL, "rms_error", "RMS", false },
	{ "comparison", NULL, "mean_error", "mean", false },
	{ "comparison", NULL, "max_error", "largest", false },
	{ "comparison", NULL, "share_over", "pixels off", true },
	{ "comparison", NULL, "tile_error", "worst 16x16 tile", false },
	{ "comparison", NULL, "tile8_error", "worst 8x8 tile", false },
	{ "comparison", NULL, "psnr", "PSNR, dB", false },
	{ "comparison", NULL, "ssim", "SSIM", false },
	{ "comparison", NULL, "flip", "FLIP", false },
	{ "comparison", NULL, "hdr_flip", "FLIP, HDR", false },
	{ "match", "noise", "tile_z", "noise: tile z", false },
	{ "match", "noise", "tile_chi", "noise: tile chi", false },
	{ "match", "noise", "bias_z", "noise: bias z", false },
	{ "match", "noise", "outliers", "noise: pixels beyond it", true },
};

enum { METRICS = sizeof(metrics) / sizeof(metrics[0]) };

/* The metric in its object or in the limits; one that has a place as well has it beside `value`.
 * Borrowed. */
static const json_t *find_metric(const json_t *holder, const struct metric *metric)
{
	const json_t *value = json_object_get(
		metric->part ? json_object_get(holder, metric->part) : holder, metric->key);

	return json_is_object(value) ? json_object_get(value, "value") : value;
}

static const json_t *measured(const json_t *attempt, const struct metric *metric)
{
	return find_metric(
		json_object_get(json_object_get(attempt, "image"), metric->object), metric);
}

static bool is_shown(const json_t *value)
{
	return json_is_number(value) || json_is_string(value);
}

static void find_columns(const json_t *record, const char *scene, bool used[METRICS])
{
	const json_t *attempt;
	size_t i, k;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt)
		for (k = 0; is_of_scene(attempt, scene) && k < METRICS; k++)
			used[k] = used[k] || is_shown(measured(attempt, &metrics[k]));
}

static void add_metric(struct markup *m, const struct metric *metric, const json_t *attempt)
{
	const json_t *comparison = comparison_of(attempt);
	const json_t *value = measured(attempt, metric);
	const json_t *limit = find_metric(json_object_get(comparison, "limits"), metric);
	double unit = metric->is_share ? 100 : 1;
	const char *sign = metric->is_share ? " %" : "";

	markup_open(m, "td", "data-label", metric->label, "class", "number", NULL);
	if (json_is_string(value))
		markup_text(m, json_string_value(value));
	else if (json_is_number(value))
		markup_textf(m, "%.4g%s", unit * json_number_value(value), sign);
	else
		markup_text(m, "not measured");
	if (json_is_number(limit))
		markup_textf(m, " (limit %.4g%s)", unit * json_number_value(limit), sign);
	markup_close(m);
}

static void add_measured(struct markup *m, const json_t *attempt, const bool used[METRICS])
{
	size_t k;

	markup_open(m, "tr", NULL);
	markup_open(m, "td", "data-label", "attempt", NULL);
	html_mark(m, attempt);
	markup_textf(m, "%lld, %s%s on %s ", (long long)json_integer_of(attempt, "number", 0),
		json_text(attempt, "probe", "?"),
		json_is_true(json_object_get(attempt, "together")) ? ", all at once," : "",
		view_attempt_device(attempt));
	html_verdict(m, json_text(attempt, "verdict", "not in the record"));
	markup_close(m);
	for (k = 0; k < METRICS; k++)
		if (used[k])
			add_metric(m, &metrics[k], attempt);
	markup_close(m);
}

static void add_measurements(struct markup *m, const json_t *record, const char *scene)
{
	const char *labels[METRICS + 1] = { "attempt" };
	bool used[METRICS] = { false };
	const json_t *attempt;
	size_t i, count = 1;

	find_columns(record, scene, used);
	for (i = 0; i < METRICS; i++)
		if (used[i])
			labels[count++] = metrics[i].label;
	if (count == 1)
		return;
	markup_open(m, "details", NULL);
	markup_element(m, "summary", NULL, "What was measured of each picture, in linear light");
	html_table_head(m, labels, count);
	json_array_foreach (json_object_get(record, "attempts"), i, attempt)
		if (is_of_scene(attempt, scene))
			add_measured(m, attempt, used);
	markup_close(m);
	markup_close(m);
	markup_close(m);
}

static void add_scene(
	struct markup *m, const json_t *record, const json_t *scene, const char *folder)
{
	markup_open(m, "section", "class", "scene", NULL);
	markup_element(m, "h3", NULL, json_text(scene, "name", "a scene without a name"));
	markup_element(m, "p", NULL, json_text(scene, "purpose", "Nobody said what it is for."));
	add_pictures(m, record, scene, folder);
	add_measurements(m, record, json_text(scene, "name", ""));
	markup_open(m, "details", "class", "more", NULL);
	markup_element(
		m, "summary", NULL, "Archive, settings, limits and provenance of the reference");
	html_members(m, scene);
	markup_close(m);
	markup_close(m);
}

void html_scenes(struct markup *m, const json_t *record, const char *folder)
{
	const json_t *scene;
	size_t i;

	html_section(m, record, "scenes", "Scenes");
	json_array_foreach (json_object_get(record, "scenes"), i, scene)
		add_scene(m, record, scene, folder);
}
