/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/json.h"
#include "cli/commands.h"
#include "record/record.h"

static const struct option_row rows[] = {
	{ "json", 0, NULL, "print the findings as JSON" },
	{ NULL, 0, NULL, NULL },
};

static int run_verify(const struct options *options)
{
	const char *path = options_operand(options, 0);
	struct error err;
	json_t *problems = record_check_files(path, &err);
	const json_t *problem;
	size_t i, count;

	if (!problems)
		return cli_fail(&err);
	count = json_array_size(problems);
	if (options_flag(options, "json")) {
		json_t *answer = json_pack("{s:b, s:O, s:s}", "intact", count == 0, "problems",
			problems, "signature", "not signed: digests show damage, not forgery");

		json_print(answer, stdout);
		json_decref(answer);
	} else {
		json_array_foreach (problems, i, problem)
			printf("%s\n", json_string_value(problem));
		printf("%s\n",
			count ? "NOT INTACT: the evidence is not what was recorded"
			      : "intact: every file has its recorded digest. Not signed: this "
				"shows damage, not forgery.");
	}
	json_decref(problems);
	return count ? STATUS_NOT_ACCEPTED : STATUS_ACCEPTED;
}

const struct command command_verify = {
	.name = "verify",
	.operands = "RECORD",
	.operands_min = 1,
	.operands_max = 1,
	.summary = "check that the evidence beside a record is what was recorded",
	.about = "Hashes every file that the record names and reports what changed, is missing or "
		 "was\n"
		 "added. RECORD is record.json or the folder it lies in.\n",
	.rows = rows,
	.run = run_verify,
};
