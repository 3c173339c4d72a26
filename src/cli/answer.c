/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include "cli/answer.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/options.h"

FILE *answer_take_stdout(const char *command, struct error *err)
{
	int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	FILE *out = NULL;

	if (kept >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		out = fdopen(kept, "w");
	if (!out)
		error_errno(err, "%s: cannot keep stdout", command);
	return out;
}

int answer_print(const char *command, json_t *answer_stolen, FILE *to)
{
	struct error err;
	int failed;

	json_print(answer_stolen, to);
	json_decref(answer_stolen);
	failed = ferror(to);
	if (fclose(to) == 0 && !failed)
		return STATUS_ACCEPTED;
	error_set(&err, "%s: cannot write the answer", command);
	return cli_fail(&err);
}
