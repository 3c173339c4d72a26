/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "blender/prediction.h"
#include "blender/prediction_json.h"
#include "cli/commands.h"

static const struct option_row rows[] = {
	{ "blender", 'b', "VERSION", "of Blender: 3.4, 4.2.1 (default: a row for each range)" },
	{ "driver", 0, "NUMBER", "HIP driver version as hipDriverGetVersion tells it: 60342131" },
	{ "hipcc", 0, "VERSION", "of the hipcc in reach: 5.7.1; none when there is none" },
	{ "kernels", 0, "ANSWER", "yes or no: the build carries prebuilt kernels" },
	{ "json", 0, NULL, "print each value with what it rests on as JSON" },
	{ NULL, 0, NULL, NULL },
};

static bool is_release(const char *text)
{
	return isdigit((unsigned char)text[0]) && strspn(text, "0123456789.") == strlen(text) &&
	       strlen(text) < 32;
}

static int read_kernels(
	const struct options *options, struct prediction_input *in, struct error *err)
{
	const char *kernels = options_text(options, "kernels");

	in->prebuilt = KNOWN_UNKNOWN;
	if (!kernels)
		return 0;
	if (strcmp(kernels, "yes") != 0 && strcmp(kernels, "no") != 0)
		return error_set(err, "--kernels takes yes or no, not '%s'", kernels);
	in->prebuilt = strcmp(kernels, "yes") == 0 ? KNOWN_YES : KNOWN_NO;
	return 0;
}

static int read_input(const struct options *options, struct prediction_input *in, struct error *err)
{
	const char *version = options_text(options, "blender");
	unsigned long long driver = 0;

	memset(in, 0, sizeof(*in));
	in->gfx = options_operand(options, 0);
	in->hipcc = options_text(options, "hipcc");
	if (version && !prediction_version(version, &in->major, &in->minor))
		return error_set(
			err, "--blender takes a version such as 3.4 or 4.5.3, not '%s'", version);
	if (in->hipcc && strcmp(in->hipcc, "none") != 0 && !is_release(in->hipcc))
		return error_set(
			err, "--hipcc takes a version such as 5.7.1, or none, not '%s'", in->hipcc);
	if (options_number(options, "driver", 1, 999999999, &driver, err) != 0)
		return -1;
	in->driver.known = driver != 0;
	in->driver.value = driver;
	return read_kernels(options, in, err);
}

/* --- one version ---------------------------------------------------------------------------------
 */

static void print_value(const char *key, const struct predicted *value)
{
	if (value->value[0])
		printf("%-20s%s\n%20s[%s]\n", key, value->value, "", value->basis);
	else
		printf("%-20sunknown: %s\n", key, value->basis);
}

static void print_prediction(const struct prediction *p)
{
	printf("%s with Blender %d.%d: predicted, not observed\n\n", p->gfx, p->major, p->minor);
	print_value("compute capability", &p->capability);
	print_value("architecture", &p->architecture);
	print_value("driver", &p->driver);
	print_value("listing", &p->listing);
	print_value("libraries tried", &p->libraries);
	print_value("prebuilt kernel", &p->prebuilt);
	print_value("kernel build", &p->build);
	print_value("expected verdict", &p->verdict);
	puts("\nThe build in hand decides: oamqual qualify.");
}

/* --- all ranges ----------------------------------------------------------------------------------
 */

/* A verdict, or why there is none, in two words. */
static const char *shown(const struct predicted *verdict)
{
	if (verdict->value[0])
		return verdict->value;
	return strncmp(verdict->basis, "it depends", 10) == 0 ? "it depends" : "a run decides";
}

static void print_row(const struct prediction *p)
{
	char range[24], floor[16], driver[40] = "any";

	prediction_range_text(p->range, range);
	snprintf(floor, sizeof(floor), "%d.%d", p->range->floor_major, p->range->floor_minor);
	if (p->range->driver_min)
		prediction_driver_text(p->range->driver_min, driver);
	printf("%-11s%-7s%-14s%-10s%-11s%s\n", range, floor,
		strncmp(p->architecture.value, "below", 5) == 0 ? "below" : "admitted", driver,
		!p->prebuilt.value[0]				     ? "unknown"
		: strncmp(p->prebuilt.value, "in the list", 11) == 0 ? "in list"
								     : "no",
		shown(&p->verdict));
}

static int predict_ranges(struct prediction_input *in, bool as_json, struct error *err)
{
	const struct prediction_range *range;
	json_t *all = json_array();
	struct prediction p;

	for (range = prediction_ranges; range->from_major; range++) {
		in->major = range->to_major;
		in->minor = range->to_minor;
		if (prediction_make(in, &p, err) != 0) {
			json_decref(all);
			return -1;
		}
		if (as_json)
			json_array_append_new(all, prediction_json(&p));
		else if (range == prediction_ranges)
			printf("%s, compute capability %s: predicted, not observed\n\n"
			       "Blender    floor  driver       listing     prebuilt built   "
			       "verdict\n",
				p.gfx, p.capability.value);
		if (!as_json)
			print_row(&p);
	}
	if (as_json)
		json_print(all, stdout);
	else
		puts("\nunknown: it depends on what was not said, or only a run decides; "
		     "'oamqual predict GFX --blender VERSION' says which.\nBefore 3.0 there was no "
		     "HIP; "
		     "after 5.2 nothing was read or run.");
	json_decref(all);
	return 0;
}

static int run_predict(const struct options *options)
{
	bool as_json = options_flag(options, "json");
	struct prediction_input in;
	struct prediction p;
	struct error err;

	if (read_input(options, &in, &err) != 0)
		return cli_usage(options, &err);
	if (!in.major)
		return predict_ranges(&in, as_json, &err) == 0 ? STATUS_ACCEPTED
							       : cli_usage(options, &err);
	if (prediction_make(&in, &p, &err) != 0)
		return cli_usage(options, &err);
	if (as_json) {
		json_t *json = prediction_json(&p);

		json_print(json, stdout);
		json_decref(json);
	} else {
		print_prediction(&p);
	}
	return STATUS_ACCEPTED;
}

const struct command command_predict = {
	.name = "predict",
	.operands = "GFX",
	.operands_min = 1,
	.operands_max = 1,
	.summary = "what a Blender version is expected to do with a gfx target",
	.about =
		"GFX is a gfx target as KFD and HIP name it: gfx90a (MI200), gfx942 (MI300), "
		"gfx1100.\n"
		"Five things decide in this order whether Cycles HIP comes to render on a device:\n"
		"  driver         5.0 and later refuse an old HIP driver before they look at "
		"devices\n"
		"  kernels        a build that carries none and finds no hipcc lists no device at "
		"all\n"
		"  architecture   a floor of compute capability: 10.1 (3.0), 9.0 (3.3), 10.0 "
		"(4.3)\n"
		"  kernel         of the build's own list, else compiled on the node by hipcc\n"
		"  compiler       its release decides whether that compile succeeds\n"
		"Each value stands with what it rests on: read in Cycles' source, with file and "
		"tag, or\n"
		"ran, with the release that ran. A prediction is no observation: a distribution "
		"may\n"
		"change any of it, so the record of a run shows it beside what was seen.\n",
	.rows = rows,
	.run = run_predict,
};
