/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/gcd_run.h"
#include "cli/answer.h"
#include "cli/commands.h"

static int run(const struct options *options)
{
	struct gcd_run_request request = { .job = options_text(options, "job"),
		.kernel = options_text(options, "kernel"),
		.pixels = options_text(options, "pixels"),
		.library = options_text(options, "hip-library") };
	unsigned long long ms = 0;
	struct error err;
	FILE *out;

	if (options_number(options, "at-least", 0, 600000, &ms, &err) != 0)
		return cli_usage(options, &err);
	if (!request.job || !request.kernel || !request.pixels) {
		error_set(&err, "--job, --kernel and --pixels must be given");
		return cli_usage(options, &err);
	}
	request.at_least_s = (double)ms * 1e-3;
	out = answer_take_stdout("hip-render", &err);
	if (!out)
		return cli_fail(&err);
	return answer_print("hip-render", gcd_run_json(&request), out);
}

static const struct option_row rows[] = {
	{ "job", 0, "FILE", "scene and settings" },
	{ "kernel", 0, "FILE", "the compiled kernel" },
	{ "pixels", 0, "FILE", "write what the device computed there" },
	{ "at-least", 0, "MS", "go on rendering the same picture for so long" },
	{ "hip-library", 0, "FILE", "use this library instead of the usual names" },
	{ 0 },
};

const struct command command_hip_render = {
	.name = "hip-render",
	.operands = "",
	.summary = "Run the baseline on the one visible device and print what was seen as JSON",
	.about = "The program calls this itself, in a child under a deadline that sees one "
		 "device.\n",
	.rows = rows,
	.run = run,
	.hidden = true,
};
