/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/explain_markdown.h"
#include "verdict/cause.h"
#include "verdict/verdict.h"

static const struct option_row rows[] = {
	{ "json", 0, NULL, "print as JSON" },
	{ "all", 0, NULL, "verdicts, causes and remedies: every name that a record can have" },
	{ "markdown", 0, NULL, "with --all: the page docs/verdicts.md" },
	{ NULL, 0, NULL, NULL },
};

/* --- one of a kind -------------------------------------------------------------------------------
 */

static json_t *verdict_json(int id)
{
	const struct verdict_help *help = verdict_help((enum verdict_id)id);

	return json_pack("{s:s, s:s, s:s, s:s, s:s}", "verdict", verdict_name((enum verdict_id)id),
		"meaning", help->meaning, "evidence", help->evidence, "causes", help->causes,
		"remedy", help->remedy);
}

static void print_verdict(int id)
{
	const struct verdict_help *help = verdict_help((enum verdict_id)id);

	printf("%s\n\nmeaning:   %s\nevidence:  %s\ncauses:    %s\nto try:    %s\n",
		verdict_name((enum verdict_id)id), help->meaning, help->evidence, help->causes,
		help->remedy);
}

static void print_verdict_line(int id)
{
	printf("%-21s%s\n", verdict_name((enum verdict_id)id),
		verdict_help((enum verdict_id)id)->meaning);
}

static json_t *cause_json(int id)
{
	const struct cause_help *help = cause_help((enum cause_id)id);

	return json_pack("{s:s, s:s, s:s}", "cause", help->name, "meaning", help->meaning, "remedy",
		remedy_help(help->remedy)->name);
}

static void print_cause(int id)
{
	const struct cause_help *help = cause_help((enum cause_id)id);

	printf("%s (a cause)\n\nmeaning:   %s\nremedy:    %s: %s\n", help->name, help->meaning,
		remedy_help(help->remedy)->name, remedy_help(help->remedy)->text);
}

static void print_cause_line(int id)
{
	printf("%-32s%s\n", cause_help((enum cause_id)id)->name,
		cause_help((enum cause_id)id)->meaning);
}

static json_t *remedy_json(int id)
{
	const struct remedy_help *help = remedy_help((enum remedy_id)id);

	return json_pack("{s:s, s:s}", "remedy", help->name, "text", help->text);
}

static void print_remedy(int id)
{
	int i;

	printf("%s (a class of remedies)\n\nto do:     %s\nagainst:  ",
		remedy_help((enum remedy_id)id)->name, remedy_help((enum remedy_id)id)->text);
	for (i = 0; i < CAUSE_COUNT; i++)
		if (cause_help((enum cause_id)i)->remedy == (enum remedy_id)id)
			printf(" %s", cause_help((enum cause_id)i)->name);
	putchar('\n');
}

static void print_remedy_line(int id)
{
	printf("%-21s%s\n", remedy_help((enum remedy_id)id)->name,
		remedy_help((enum remedy_id)id)->text);
}

/* --- the kinds -----------------------------------------------------------------------------------
 */

static int find_verdict(const char *name)
{
	return (int)verdict_find(name);
}

static int find_cause(const char *name)
{
	return (int)cause_find(name);
}

static int find_remedy(const char *name)
{
	return (int)remedy_find(name);
}

static const struct kind {
	const char *plural;
	int count;
	int (*find)(const char *name); /* `count` for an unknown name */
	json_t *(*json)(int id);
	void (*print)(int id);
	void (*print_line)(int id);
} kinds[] = {
	{ "verdicts", VERDICT_COUNT, find_verdict, verdict_json, print_verdict,
		print_verdict_line },
	{ "causes", CAUSE_COUNT, find_cause, cause_json, print_cause, print_cause_line },
	{ "remedies", REMEDY_COUNT, find_remedy, remedy_json, print_remedy, print_remedy_line },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static json_t *kind_json(const struct kind *kind)
{
	json_t *all = json_array();
	int id;

	for (id = 0; id < kind->count; id++)
		json_array_append_new(all, kind->json(id));
	return all;
}

static void print_json(json_t *json_stolen)
{
	json_print(json_stolen, stdout);
	json_decref(json_stolen);
}

static void print_kind(const struct kind *kind)
{
	int id;

	for (id = 0; id < kind->count; id++)
		kind->print_line(id);
}

static void print_all(bool as_json)
{
	json_t *all = json_object();
	size_t i;

	for (i = 0; i < KINDS; i++) {
		json_object_set_new(all, kinds[i].plural, kind_json(&kinds[i]));
		if (as_json)
			continue;
		printf("%s%s\n", i ? "\n" : "", kinds[i].plural);
		print_kind(&kinds[i]);
	}
	if (as_json)
		json_print(all, stdout);
	json_decref(all);
}

static int explain_name(const struct options *options, const char *name, bool as_json)
{
	struct error err;
	size_t i;

	for (i = 0; i < KINDS; i++) {
		int id = kinds[i].find(name);

		if (id == kinds[i].count)
			continue;
		if (as_json)
			print_json(kinds[i].json(id));
		else
			kinds[i].print(id);
		return STATUS_ACCEPTED;
	}
	error_set(&err,
		"there is no verdict, cause or remedy '%s'; 'oamqual explain --all' lists them",
		name);
	return cli_usage(options, &err);
}

static int run_explain(const struct options *options)
{
	bool as_json = options_flag(options, "json"), all = options_flag(options, "all");
	const char *name = options_operand(options, 0);
	struct error err;

	if ((name && all) || (options_flag(options, "markdown") && (!all || as_json))) {
		error_set(&err, name ? "a name and --all exclude each other"
				     : "--markdown goes with --all, and without --json");
		return cli_usage(options, &err);
	}
	if (name)
		return explain_name(options, name, as_json);
	if (options_flag(options, "markdown"))
		explain_markdown(stdout);
	else if (all)
		print_all(as_json);
	else if (as_json)
		print_json(kind_json(&kinds[0]));
	else
		print_kind(&kinds[0]);
	return STATUS_ACCEPTED;
}

const struct command command_explain = {
	.name = "explain",
	.operands = "[NAME]",
	.operands_max = 1,
	.summary = "what a verdict, a cause or a remedy means and what to try",
	.about = "NAME is a verdict (not-listed), a cause of a record's chain "
		 "(architecture-below-floor) "
		 "or a class of\nremedies (change-blender). Without NAME: all verdicts, a line "
		 "each.\n",
	.rows = rows,
	.run = run_explain,
};
