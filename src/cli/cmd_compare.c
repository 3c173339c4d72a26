/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/commands.h"
#include "image/compare.h"

struct job {
	struct image image, reference;
	struct image_check check, reference_check;
	struct compare_limits limits;
	const struct compare_limits *given; /* &limits, or NULL without --limits */
	struct comparison comparison;
	const char *verdict;
	const char *why;
	enum exit_status status;
};

static int read_inputs(const struct options *options, struct job *job, struct error *err)
{
	const char *limits = options_text(options, "limits");

	if (limits && compare_limits_read(limits, &job->limits, err) != 0)
		return -1;
	job->given = limits ? &job->limits : NULL;
	if (image_read(options_operand(options, 1), &job->reference, err) != 0)
		return -1;
	return image_read(options_operand(options, 0), &job->image, err);
}

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

/* What is wrong with either picture comes before any difference: a NaN is not a large error. */
static void judge(struct job *job)
{
	const struct image *reference = &job->reference;
	const struct comparison *comparison = &job->comparison;

	image_check(reference, reference->width, reference->height, &job->reference_check);
	image_check(&job->image, reference->width, reference->height, &job->check);
	image_compare(&job->image, reference, job->given, &job->comparison);
	if (!is_sound(&job->reference_check))
		decide(job, "no-reference", STATUS_CANNOT_JUDGE, job->reference_check.why);
	else if (!is_sound(&job->check))
		decide(job, "image-invalid", STATUS_NOT_ACCEPTED, job->check.why);
	else if (!comparison->compared)
		decide(job, "image-invalid", STATUS_NOT_ACCEPTED, comparison->why);
	else if (!job->given)
		decide(job, "no-reference", STATUS_CANNOT_JUDGE,
			"no limits to judge by; give --limits");
	else if (!comparison->within)
		decide(job, "image-differs", STATUS_NOT_ACCEPTED, comparison->why);
	else
		decide(job, "accepted", STATUS_ACCEPTED, "");
}

static int write_difference(const struct job *job, const char *path, struct error *err)
{
	/* Without limits the largest error shows as mid grey. */
	struct compare_limits scale = { .pixel_limit = job->comparison.max_error };
	struct image difference, panels;
	int rc;

	if (!job->comparison.compared)
		return error_set(err, "%s: not written, the pictures cannot be compared: %s", path,
			job->why);
	image_difference(
		&job->image, &job->reference, job->given ? job->given : &scale, &difference);
	image_side_by_side(&job->image, &job->reference, &difference, &panels);
	rc = image_write_png(path, &panels, 1, err);
	image_release(&difference);
	image_release(&panels);
	return rc;
}

static void print_json(const struct job *job, const struct options *options)
{
	json_t *root = json_object();

	json_object_set_new(root, "schema", json_string("oamqual-comparison/1"));
	json_object_set_new(root, "image", json_printable_text(options_operand(options, 0)));
	json_object_set_new(root, "reference", json_printable_text(options_operand(options, 1)));
	json_object_set_new(root, "library", json_string(image_library()));
	json_object_set_new(root, "verdict", json_string(job->verdict));
	json_object_set_new(root, "why", json_printable_text(job->why));
	json_object_set_new(root, "check", image_check_json(&job->check));
	json_object_set_new(root, "reference_check", image_check_json(&job->reference_check));
	json_object_set_new(root, "comparison", comparison_json(&job->comparison, job->given));
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

static void print_text(const struct job *job)
{
	const struct comparison *c = &job->comparison;
	const struct compare_limits *limits = job->given;
	char place[64];

	printf("%s%s%s\n", job->verdict, job->why[0] ? ": " : "", job->why);
	if (!c->compared)
		return;
	snprintf(place, sizeof(place), "at %d,%d", c->max_x, c->max_y);
	print_metric("max error", c->max_error, NULL, place);
	if (limits) {
		snprintf(place, sizeof(place), "of pixels off by more than %.6g",
			limits->pixel_limit);
		print_metric("share over", c->share_over, &limits->share_over, place);
	}
	print_metric("mean error", c->mean_error, limits ? &limits->mean_error : NULL, "");
	print_metric("RMS error", c->rms_error, limits ? &limits->rms_error : NULL, "");
	snprintf(place, sizeof(place), "16x16 at %d,%d", c->tile_x, c->tile_y);
	print_metric("worst tile", c->tile_error, limits ? &limits->tile_error : NULL, place);
}

static int run(const struct options *options)
{
	const char *difference = options_text(options, "difference");
	struct job job = { .given = NULL };
	struct error err;
	int status;

	if (read_inputs(options, &job, &err) != 0) {
		status = cli_fail(&err);
	} else {
		judge(&job);
		if (options_flag(options, "json"))
			print_json(&job, options);
		else
			print_text(&job);
		status = (int)job.status;
		if (difference && write_difference(&job, difference, &err) != 0) {
			cli_fail(&err);
			/* The judgement stands; a picture that could not be made is no reason to
			 * accept. */
			status = status == STATUS_ACCEPTED ? STATUS_CANNOT_JUDGE : status;
		}
	}
	image_release(&job.image);
	image_release(&job.reference);
	return status;
}

static const struct option_row rows[] = {
	{ "limits", 'l', "FILE", "limits to judge by, as in expected/<scene>/limits.json" },
	{ "difference", 'd', "PNG", "write picture, reference and difference side by side" },
	{ "json", 0, NULL, "print the judgement as JSON" },
	{ NULL, 0, NULL, NULL },
};

const struct command command_compare = {
	.name = "compare",
	.operands = "IMAGE REFERENCE",
	.operands_min = 2,
	.operands_max = 2,
	.summary = "Compare a picture with its reference",
	.about = "Reads two OpenEXR or PNG pictures. Size, channels, finite values and emptiness "
		 "come first;\n"
		 "a picture that fails there is image-invalid and no metric is given. Then "
		 "maximum, mean and\n"
		 "RMS error, the share of pixels over the limit and the worst 16x16 tile, in "
		 "linear light.\n"
		 "\n"
		 "Verdicts: accepted (exit 0), image-differs and image-invalid (exit 1), "
		 "no-reference (exit 3: the\n"
		 "reference itself is unsound, or no limits were given). An unreadable file is "
		 "exit 3.",
	.rows = rows,
	.run = run,
};
