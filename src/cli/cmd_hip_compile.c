/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/gcd_compile.h"
#include "cli/answer.h"
#include "cli/commands.h"

static int run(const struct options *options)
{
	struct gcd_compile_request request = { options_text(options, "target"),
		options_text(options, "folder"), options_text(options, "library") };
	struct error err;
	FILE *out;

	if (!request.target || !request.folder) {
		error_set(&err, "--target and --folder must be given");
		return cli_usage(options, &err);
	}
	out = answer_take_stdout("hip-compile", &err);
	if (!out)
		return cli_fail(&err);
	return answer_print("hip-compile", gcd_compile_json(&request), out);
}

static const struct option_row rows[] = {
	{ "target", 0, "GFX", "compile for this target" },
	{ "folder", 0, "DIR", "where compiled kernels are kept" },
	{ "library", 0, "FILE", "compile with this library instead of the usual names" },
	{ 0 },
};

const struct command command_hip_compile = {
	.name = "hip-compile",
	.operands = "",
	.summary = "Compile the baseline's kernel with hiprtc and print what was seen as JSON",
	.about = "The program calls this itself, in a child under a deadline: hiprtc aborts on "
		 "targets that it does not know.\n",
	.rows = rows,
	.run = run,
	.hidden = true,
};
