/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/commands.h"
#include "node/hip_memory.h"

/* A driver that prints to stdout must not spoil the answer: its stdout becomes our stderr. */
static FILE *take_stdout(void)
{
	int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	if (kept < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return NULL;
	return fdopen(kept, "w");
}

static int run(const struct options *options)
{
	unsigned long long margin = 1ULL << 30, limit = 0;
	struct hip_memory_request request;
	FILE *out;
	struct error err;
	json_t *answer;
	int failed;

	if (options_number(options, "margin", 0, UINT64_MAX, &margin, &err) != 0 ||
		options_number(options, "limit", 0, UINT64_MAX, &limit, &err) != 0)
		return cli_usage(options, &err);
	out = take_stdout();
	if (!out) {
		error_set(&err, "hip-memory: cannot keep stdout: %s", strerror(errno));
		return cli_fail(&err);
	}
	request = (struct hip_memory_request){ options_text(options, "hip-library"), margin, limit,
		options_flag(options, "whole") };
	answer = hip_memory_json(&request);
	json_print(answer, out);
	json_decref(answer);
	failed = ferror(out);
	if (fclose(out) != 0 || failed) {
		error_set(&err, "hip-memory: cannot write the answer");
		return cli_fail(&err);
	}
	return STATUS_ACCEPTED;
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
