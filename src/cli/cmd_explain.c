/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/json.h"
#include "cli/commands.h"
#include "verdict/verdict.h"

static const struct option_row rows[] = {
	{ "json", 0, NULL, "print as JSON" },
	{ NULL, 0, NULL, NULL },
};

static json_t *help_json(enum verdict_id id)
{
	const struct verdict_help *help = verdict_help(id);

	return json_pack("{s:s, s:s, s:s, s:s, s:s}", "verdict", verdict_name(id), "meaning",
		help->meaning, "evidence", help->evidence, "causes", help->causes, "remedy",
		help->remedy);
}

static void print_help(enum verdict_id id)
{
	const struct verdict_help *help = verdict_help(id);

	printf("%s\n\nmeaning:   %s\nevidence:  %s\ncauses:    %s\nto try:    %s\n",
		verdict_name(id), help->meaning, help->evidence, help->causes, help->remedy);
}

static void print_all(bool as_json)
{
	json_t *all = json_array();
	int i;

	for (i = 0; i < VERDICT_COUNT; i++) {
		enum verdict_id id = (enum verdict_id)i;

		if (as_json)
			json_array_append_new(all, help_json(id));
		else
			printf("%-21s%s\n", verdict_name(id), verdict_help(id)->meaning);
	}
	if (as_json)
		json_print(all, stdout);
	json_decref(all);
}

static int run_explain(const struct options *options)
{
	bool as_json = options_flag(options, "json");
	enum verdict_id id;
	struct error err;

	if (options_operand_count(options) == 0) {
		print_all(as_json);
		return STATUS_ACCEPTED;
	}
	id = verdict_find(options_operand(options, 0));
	if (id == VERDICT_COUNT) {
		error_set(&err, "there is no verdict '%s'; 'oamqual explain' lists them",
			options_operand(options, 0));
		return cli_usage(options, &err);
	}
	if (as_json) {
		json_t *json = help_json(id);

		json_print(json, stdout);
		json_decref(json);
	} else {
		print_help(id);
	}
	return STATUS_ACCEPTED;
}

const struct command command_explain = {
	.name = "explain",
	.operands = "[VERDICT]",
	.operands_max = 1,
	.summary = "what a verdict means, what it rests on and what to try",
	.about = "Without VERDICT: all of them, a line each.\n",
	.rows = rows,
	.run = run_explain,
};
