/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/commands.h"
#include "node/hip_probe.h"

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
	FILE *out = take_stdout();
	struct error err;
	json_t *answer;
	int failed;

	if (!out) {
		error_set(&err, "hip-probe: cannot keep stdout: %s", strerror(errno));
		return cli_fail(&err);
	}
	answer = hip_probe_json(options_text(options, "hip-library"));
	json_print(answer, out);
	json_decref(answer);
	failed = ferror(out);
	if (fclose(out) != 0 || failed) {
		error_set(&err, "hip-probe: cannot write the answer");
		return cli_fail(&err);
	}
	return STATUS_ACCEPTED;
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
