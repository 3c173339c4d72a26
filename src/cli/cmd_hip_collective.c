/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "node/hip_collective.h"

enum { GCDS_MAX = 64 };

static int run(const struct options *options)
{
	unsigned long long bytes = 64ULL << 20, repeats = 5;
	struct hip_collective_request request = { .hip_library =
							  options_text(options, "hip-library"),
		.rccl_library = options_text(options, "rccl-library") };
	const char *gcds[GCDS_MAX];
	struct error err;
	FILE *out;

	if (options_number(options, "bytes", 4096, 1ULL << 34, &bytes, &err) != 0 ||
		options_number(options, "repeats", 1, 1000, &repeats, &err) != 0)
		return cli_usage(options, &err);
	while (request.gcd_count < GCDS_MAX &&
		(gcds[request.gcd_count] = options_nth(options, "gcd", request.gcd_count)))
		request.gcd_count++;
	out = answer_take_stdout("hip-collective", &err);
	if (!out)
		return cli_fail(&err);
	request.gcds = gcds;
	request.bytes = bytes / 4 * 4;
	request.repeats = (unsigned)repeats;
	return answer_print("hip-collective", hip_collective_json(&request), out);
}

static const struct option_row rows[] = {
	{ "gcd", 0, "BDF", "a device by its PCI address; repeat for more" },
	{ "bytes", 0, "BYTES", "of each device's part (default 64 MiB)" },
	{ "repeats", 0, "N", "of the sum that is timed (default 5)" },
	{ "hip-library", 0, "FILE", "ask this library instead of the usual names" },
	{ "rccl-library", 0, "FILE", "load this librccl instead of the usual names" },
	{ 0 },
};

const struct command command_hip_collective = {
	.name = "hip-collective",
	.operands = "",
	.summary = "Sum over all devices by RCCL and print what was seen as JSON",
	.about = "The program calls this itself, in a child under a deadline: a collective can "
		 "hang.\n",
	.rows = rows,
	.run = run,
	.hidden = true,
};
