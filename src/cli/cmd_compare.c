/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/commands.h"
#include "image/compare.h"
#include "image/noise.h"

enum { REFERENCES_MAX = 16 };

/* A reference and what the picture is beside it. */
struct candidate {
	const char *path;
	struct image image;
	struct image_check check;
	struct comparison comparison;
};

struct job {
	const struct options *options;
	struct image image;
	struct image_check check;
	struct candidate candidates[REFERENCES_MAX];
	size_t count;
	struct candidate *best; /* the one that matched, or the nearest */
	struct compare_limits limits;
	const struct compare_limits *given; /* &limits, or NULL without --limits */
	struct noise_model model;
	struct noise_result noise;
	bool has_model, matched;
	const char *basis; /* what accepted it, or NULL */
	const char *verdict;
	const char *why;
	enum exit_status status;
};

/* --- reading --- */

static int read_limits(struct job *job, struct error *err)
{
	const char *path = options_text(job->options, "limits");

	if (!path)
		return 0;
	job->given = &job->limits;
	return compare_limits_read(path, &job->limits, err);
}

static int read_model(struct job *job, struct error *err)
{
	const char *path = options_text(job->options, "noise");
	unsigned long long renders = (unsigned long long)job->limits.noise.renders;

	if (!path)
		return 0;
	if (options_number(job->options, "renders", 2, 100000, &renders, err) != 0)
		return -1;
	if (renders == 0)
		return error_set(err,
			"%s: how many renders the noise model was made of must be said by the "
			"limits "
			"or by --renders",
			path);
	job->has_model = noise_read(path, (int)renders, &job->model, err) == 0;
	return job->has_model ? 0 : -1;
}

/* What is named is looked for in the references, too; where it is not, their beauty is taken. */
static int read_reference(
	struct candidate *candidate, const struct image_choice *choice, struct error *err)
{
	if ((choice->part || choice->layer) &&
		image_read_layer(candidate->path, choice, &candidate->image, NULL) == 0)
		return 0;
	return image_read(candidate->path, &candidate->image, err);
}

static int read_first(struct job *job, struct error *err)
{
	struct image_choice choice = { options_text(job->options, "part"),
		options_text(job->options, "layer") };
	const char *paths[2] = { options_operand(job->options, 0), job->candidates[0].path };
	struct image both[2];

	if (choice.part || choice.layer) {
		if (image_read_layer(paths[0], &choice, &job->image, err) != 0)
			return -1;
		return read_reference(&job->candidates[0], &choice, err);
	}
	if (image_read_two(paths, both, err) != 0)
		return -1;
	job->image = both[0];
	job->candidates[0].image = both[1];
	return 0;
}

static int read_inputs(struct job *job, struct error *err)
{
	struct image_choice choice = { options_text(job->options, "part"),
		options_text(job->options, "layer") };
	size_t i;

	job->count = options_operand_count(job->options) - 1;
	for (i = 0; i < job->count; i++)
		job->candidates[i].path = options_operand(job->options, i + 1);
	if (read_limits(job, err) != 0 || read_model(job, err) != 0 || read_first(job, err) != 0)
		return -1;
	for (i = 1; i < job->count; i++)
		if (read_reference(&job->candidates[i], &choice, err) != 0)
			return -1;
	return 0;
}

/* --- judging --- */

static bool is_sound(const struct image_check *check)
{
	return check->right_shape == KNOWN_YES && check->finite == KNOWN_YES &&
	       check->not_empty == KNOWN_YES;
}

static void decide(struct job *job, const char *verdict, enum exit_status status, const char *why)
{
	job->verdict = verdict;
	job->status = status;
	job->why = why;
}

static bool is_nearer(const struct candidate *candidate, const struct candidate *than)
{
	const struct comparison *a = &candidate->comparison, *b = &than->comparison;

	if (!a->compared && !b->compared && is_sound(&candidate->check) != is_sound(&than->check))
		return is_sound(&candidate->check);
	return comparison_is_nearer(a, b);
}

/* All references are valid: the picture needs to be within the limits of one. */
static void compare_all(struct job *job)
{
	size_t i;

	for (i = 0; i < job->count; i++) {
		struct candidate *candidate = &job->candidates[i];
		struct image_check check;

		image_compare_checked(&job->image, &candidate->image, job->given, &check,
			&candidate->check, &candidate->comparison);
		if (!options_flag(job->options, "fast"))
			image_perceive(&job->image, &candidate->image, &candidate->comparison);
		if (job->best && !is_nearer(candidate, job->best))
			continue;
		job->best = candidate;
		job->check = check;
	}
	job->matched = job->best->comparison.within;
}

/* Other noise than the reference's, and nothing else: what forbids to compare still forbids it. */
static bool is_only_noise(const struct job *job)
{
	return job->has_model && job->noise.within && job->best->comparison.compared &&
	       !job->best->comparison.lacks_textures;
}

static void decide_differing(struct job *job)
{
	const struct comparison *comparison = &job->best->comparison;

	if (comparison->lacks_textures || !job->has_model || !job->limits.noise.renders)
		decide(job, "image-differs", STATUS_NOT_ACCEPTED, comparison->why);
	else
		decide(job, "image-differs", STATUS_NOT_ACCEPTED, job->noise.why);
}

/* What is wrong with either picture comes before any difference: a NaN is not a large error. */
static void judge(struct job *job)
{
	compare_all(job);
	if (job->has_model && job->check.finite == KNOWN_YES)
		noise_test(&job->image, &job->model, job->given, &job->noise);
	if (!is_sound(&job->best->check))
		decide(job, "no-reference", STATUS_CANNOT_JUDGE, job->best->check.why);
	else if (!is_sound(&job->check))
		decide(job, "image-invalid", STATUS_NOT_ACCEPTED, job->check.why);
	else if (!job->best->comparison.compared)
		decide(job, "image-invalid", STATUS_NOT_ACCEPTED, job->best->comparison.why);
	else if (!job->given)
		decide(job, "no-reference", STATUS_CANNOT_JUDGE,
			"no limits to judge by; give --limits");
	else if (job->matched || is_only_noise(job))
		decide(job, "accepted", STATUS_ACCEPTED, "");
	else
		decide_differing(job);
	if (job->status == STATUS_ACCEPTED)
		job->basis = job->matched ? "same-noise" : "noise-model";
}

/* --- telling --- */

static int write_difference(const struct job *job, const char *path, struct error *err)
{
	const struct candidate *best = job->best;
	/* Without limits the largest error shows as mid grey. */
	struct compare_limits scale = { .pixel_limit = best->comparison.max_error };
	struct image difference, panels;
	int rc;

	if (!best->comparison.compared)
		return error_set(err, "%s: not written, the pictures cannot be compared: %s", path,
			job->why);
	image_difference(&job->image, &best->image, job->given ? job->given : &scale, &difference);
	image_side_by_side(&job->image, &best->image, &difference, &panels);
	rc = image_write_png(path, &panels, 1, err);
	image_release(&difference);
	image_release(&panels);
	return rc;
}

static json_t *candidates_json(const struct job *job)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < job->count; i++) {
		const struct candidate *candidate = &job->candidates[i];

		json_array_append_new(list,
			json_pack("{s:o, s:o, s:o, s:o, s:o}", "reference",
				json_printable_text(candidate->path), "read",
				image_shape_json(&candidate->image), "check",
				image_check_json(&candidate->check), "comparison",
				comparison_json(&candidate->comparison, job->given), "metadata",
				image_metadata_json(&job->image, &candidate->image)));
	}
	return list;
}

static json_t *text_or_null(const char *text)
{
	return text ? json_printable_text(text) : json_null();
}

static void print_json(const struct job *job)
{
	const struct candidate *best = job->best;
	json_t *root = json_object();

	json_object_set_new(root, "schema", json_string("oamqual-comparison/1"));
	json_object_set_new(root, "image", json_printable_text(options_operand(job->options, 0)));
	json_object_set_new(root, "reference", json_printable_text(best->path));
	json_object_set_new(root, "matched", text_or_null(job->matched ? best->path : NULL));
	json_object_set_new(root, "library", json_string(image_library()));
	json_object_set_new(root, "verdict", json_string(job->verdict));
	json_object_set_new(root, "basis", text_or_null(job->basis));
	json_object_set_new(root, "why", json_printable_text(job->why));
	json_object_set_new(root, "read", image_shape_json(&job->image));
	json_object_set_new(root, "check", image_check_json(&job->check));
	json_object_set_new(root, "reference_check", image_check_json(&best->check));
	json_object_set_new(root, "comparison", comparison_json(&best->comparison, job->given));
	json_object_set_new(root, "noise", job->has_model ? noise_json(&job->noise) : json_null());
	json_object_set_new(root, "metadata", image_metadata_json(&job->image, &best->image));
	json_object_set_new(root, "references", candidates_json(job));
	json_print(root, stdout);
	json_decref(root);
}

static void print_metric(const char *name, double value, const double *limit, const char *place)
{
	printf("%-12s %-12.6g ", name, value);
	if (limit)
		printf("limit %-10.6g %s", *limit, value <= *limit ? "" : "OVER ");
	printf("%s\n", place);
}

static void print_measured(const char *name, double value, const char *what)
{
	if (isfinite(value))
		print_metric(name, value, NULL, what);
}

static void print_errors(const struct comparison *c, const struct compare_limits *limits)
{
	char place[64];

	snprintf(place, sizeof(place), "at %d,%d", c->max_x, c->max_y);
	print_metric("max error", c->max_error, NULL, place);
	if (limits) {
		snprintf(place, sizeof(place), "of pixels off by more than %.6g",
			limits->pixel_limit);
		print_metric("share over", c->steps_share, &limits->share_over, place);
	}
	print_metric("mean error", c->steps_mean, limits ? &limits->mean_error : NULL, "");
	print_metric("RMS error", c->steps_rms, limits ? &limits->rms_error : NULL, "");
	snprintf(place, sizeof(place), "16x16 at %d,%d", c->tile_x, c->tile_y);
	print_metric("worst tile", c->steps_tile, limits ? &limits->tile_error : NULL, place);
	snprintf(place, sizeof(place), "8x8 at %d,%d", c->tile8_x, c->tile8_y);
	print_metric("worst tile", c->tile8_error, NULL, place);
	print_measured("PSNR", c->psnr, "dB");
	print_measured("SSIM", c->ssim, "");
	print_measured("FLIP", c->flip, "");
	print_measured("HDR-FLIP", c->hdr_flip, "");
	if (c->by_steps)
		printf("the picture is %s, the reference %s: share, mean, RMS and 16x16 tile "
		       "beyond "
		       "half a step of each\n",
			c->formats[0], c->formats[1]);
}

static void print_place(const char *name, const struct noise_place *place, const double *limit)
{
	char where[120];

	snprintf(where, sizeof(where), "%s of %s, %dx%d at %d,%d", place->kind ? place->kind : "-",
		place->channel, place->size, place->size, place->x, place->y);
	print_metric(name, place->value, limit, where);
}

static void print_noise(const struct job *job)
{
	const struct noise_limits *limits =
		job->given && job->limits.noise.renders ? &job->limits.noise : NULL;
	char bias[60];

	if (!job->noise.tested) {
		printf("noise model not used: %s\n", job->noise.why);
		return;
	}
	print_place("noise z", &job->noise.tile_z, limits ? &limits->tile_z : NULL);
	print_place("noise chi", &job->noise.tile_chi, limits ? &limits->tile_chi : NULL);
	snprintf(bias, sizeof(bias), "%+.3g %% of the whole", 100 * job->noise.bias);
	print_metric("noise bias", job->noise.bias_z, limits ? &limits->bias_z : NULL, bias);
	print_metric("outliers", job->noise.outliers,
		limits && limits->outliers > 0 ? &limits->outliers : NULL,
		"of pixels beyond 4 standard deviations");
}

static void print_text(const struct job *job)
{
	char *path = text_printable(job->best->path, strlen(job->best->path));

	printf("%s%s%s\n", job->verdict, job->why[0] ? ": " : "", job->why);
	if (job->count > 1)
		printf("%s %s\n", job->matched ? "matches" : "nearest is", path);
	if (job->best->comparison.compared) {
		print_errors(&job->best->comparison, job->given);
		if (job->has_model)
			print_noise(job);
	}
	if (job->basis && strcmp(job->basis, "noise-model") == 0)
		puts("accepted by the noise model: other noise than the reference's, and nothing "
		     "else");
	free(path);
}

static int tell(struct job *job)
{
	const char *difference = options_text(job->options, "difference");
	int status = (int)job->status;
	struct error err;

	if (options_flag(job->options, "json"))
		print_json(job);
	else
		print_text(job);
	if (difference && write_difference(job, difference, &err) != 0) {
		cli_fail(&err);
		/* The judgement stands; a picture that could not be made is no reason to accept. */
		status = status == STATUS_ACCEPTED ? STATUS_CANNOT_JUDGE : status;
	}
	return status;
}

static void job_release(struct job *job)
{
	size_t i;

	image_release(&job->image);
	for (i = 0; i < job->count; i++)
		image_release(&job->candidates[i].image);
	noise_release(&job->model);
}

/* --- making a noise model --- */

static int make_model(const struct options *options, const char *path)
{
	size_t count = options_operand_count(options), read = 0, i;
	struct image *renders = xcalloc(count, sizeof(*renders));
	struct error err;
	int rc = 0;

	for (; read < count && rc == 0; read += rc == 0)
		rc = image_read(options_operand(options, read), &renders[read], &err);
	if (rc == 0)
		rc = noise_write(path, renders, count, &err);
	for (i = 0; i < read; i++)
		image_release(&renders[i]);
	free(renders);
	return rc == 0 ? STATUS_ACCEPTED : cli_fail(&err);
}

static int run(const struct options *options)
{
	const char *make = options_text(options, "make-noise");
	struct job job = { .options = options };
	struct error err;
	int status;

	if (make)
		return make_model(options, make);
	if (options_operand_count(options) > REFERENCES_MAX + 1) {
		error_set(&err, "more than %d references", REFERENCES_MAX);
		return cli_usage(options, &err);
	}
	if (read_inputs(&job, &err) != 0) {
		status = cli_fail(&err);
	} else {
		judge(&job);
		status = tell(&job);
	}
	job_release(&job);
	return status;
}

static const struct option_row rows[] = {
	{ "limits", 'l', "FILE", "limits to judge by, as in expected/<scene>/limits.json" },
	{ "noise", 'n', "EXR",
		"noise model of the scene: other noise than the reference's may pass" },
	{ "renders", 0, "N", "how many renders the noise model is of, when the limits do not say" },
	{ "part", 0, "NAME", "part of a file of several to compare" },
	{ "layer", 0, "NAME", "layer to compare, as channels name it before their last dot" },
	{ "fast", 0, NULL, "leave out SSIM and FLIP" },
	{ "difference", 'd', "PNG", "write picture, reference and difference side by side" },
	{ "make-noise", 0, "EXR", "compare nothing: write the noise model of the renders given" },
	{ "json", 0, NULL, "print the judgement as JSON" },
	{ NULL, 0, NULL, NULL },
};

const struct command command_compare = {
	.name = "compare",
	.operands = "IMAGE REFERENCE...",
	.operands_min = 2,
	.operands_max = (size_t)-1,
	.summary = "compare a picture with its reference",
	.about =
		"Reads OpenEXR or PNG pictures. Size, channels, pixel aspect, colour space, finite "
		"values and\n"
		"emptiness come first; a picture that fails there is image-invalid and no metric "
		"is given. Then\n"
		"maximum, mean and RMS error, PSNR, SSIM, FLIP, the share of pixels over the limit "
		"and the worst\n"
		"tiles, in linear light. Of several references the one that matched is named; it "
		"fails only when\n"
		"none does. With a noise model a render with other noise may pass too, and it is "
		"said that it did.\n"
		"\n"
		"Verdicts: accepted (exit 0), image-differs and image-invalid (exit 1), "
		"no-reference (exit 3: the\n"
		"reference itself is unsound, or no limits were given). An unreadable file is "
		"exit 3.",
	.rows = rows,
	.run = run,
};
