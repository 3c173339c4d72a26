/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/answer.h"
#include "cli/commands.h"
#include "node/hip_probe.h"

static int run(const struct options *options)
{
	struct error err;
	FILE *out = answer_take_stdout("hip-probe", &err);

	if (!out)
		return cli_fail(&err);
	return answer_print("hip-probe", hip_probe_json(options_text(options, "hip-library")), out);
}

static const struct option_row rows[] = {
	{ "hip-library", 0, "FILE", "ask this library instead of the usual names" },
	{ 0 },
};

const struct command command_hip_probe = {
	.name = "hip-probe",
	.operands = "",
	.summary = "Ask the HIP runtime and print what it says as JSON",
	.about = "The program calls this itself, in a child under a deadline: a driver can crash "
		 "or hang\n"
		 "inside hipInit.\n",
	.rows = rows,
	.run = run,
	.hidden = true,
};
