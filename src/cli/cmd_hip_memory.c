/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "node/hip_memory.h"

static int run(const struct options *options)
{
	unsigned long long margin = 1ULL << 30, limit = 0;
	struct hip_memory_request request;
	struct error err;
	FILE *out;

	if (options_number(options, "margin", 0, UINT64_MAX, &margin, &err) != 0 ||
		options_number(options, "limit", 0, UINT64_MAX, &limit, &err) != 0)
		return cli_usage(options, &err);
	out = answer_take_stdout("hip-memory", &err);
	if (!out)
		return cli_fail(&err);
	request = (struct hip_memory_request){ options_text(options, "hip-library"), margin, limit,
		options_flag(options, "whole") };
	return answer_print("hip-memory", hip_memory_json(&request), out);
}

static const struct option_row rows[] = {
	{ "margin", 0, "BYTES", "leave so much of the free memory alone (default 1 GiB)" },
	{ "limit", 0, "BYTES", "allocate at most so much; 0: no limit" },
	{ "whole", 0, NULL, "write and read every byte" },
	{ "hip-library", 0, "FILE", "ask this library instead of the usual names" },
	{ 0 },
};

const struct command command_hip_memory = {
	.name = "hip-memory",
	.operands = "",
	.summary = "Fill and check the memory of the one visible device and print what was seen as "
		   "JSON",
	.about = "The program calls this itself, in a child under a deadline that sees one "
		 "device.\n",
	.rows = rows,
	.run = run,
	.hidden = true,
};
