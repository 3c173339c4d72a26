/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/str.h"
#include "cli/commands.h"
#include "record/record.h"
#include "report/farm.h"
#include "report/html.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/summary.h"
#include "report/view.h"

static const struct option_row rows[] = {
	{ "html", 0, "FILE", "write one self-contained page" },
	{ "markdown", 0, NULL, "print a finding for a ticket" },
	{ "junit", 0, NULL, "print JUnit XML for a pipeline" },
	{ "oneline", 0, NULL, "print one line; the exit status is the record's decision" },
	{ "summary", 0, NULL, "print what qualify printed, or a row a node (the default)" },
	{ "json", 0, NULL, "of a farm: print all rows for other programs" },
	{ NULL, 0, NULL, NULL },
};

/* The record as one of the text kinds on stdout. Returns an exit status. */
typedef int print_fn(const json_t *record, const char *folder);

static int print_text(struct str *text, int status)
{
	if (text->len)
		fwrite(text->data, 1, text->len, stdout);
	str_release(text);
	return status;
}

static int print_markdown(const json_t *record, const char *folder)
{
	struct str text = STR_INIT;

	(void)folder;
	report_markdown_add(record, &text);
	return print_text(&text, STATUS_ACCEPTED);
}

static int print_junit(const json_t *record, const char *folder)
{
	struct str text = STR_INIT;
	struct error err;

	(void)folder;
	if (report_junit_add(record, &text, &err) != 0)
		return cli_fail(&err);
	return print_text(&text, STATUS_ACCEPTED);
}

/* As qualify ends: a run that judged nothing or was interrupted decided nothing. */
static int decision(const json_t *record)
{
	size_t count = view_count_gcds(record);

	if (view_was_interrupted(record) || !count)
		return STATUS_CANNOT_JUDGE;
	return view_count_workers(record) == count ? STATUS_ACCEPTED : STATUS_NOT_ACCEPTED;
}

static int print_oneline(const json_t *record, const char *folder)
{
	(void)folder;
	report_oneline_print(record, stdout);
	return decision(record);
}

static int print_summary(const json_t *record, const char *folder)
{
	report_summary_print(record, folder, stdout);
	return STATUS_ACCEPTED;
}

static const struct kind {
	const char *option;
	print_fn *print;
} kinds[] = {
	{ "markdown", print_markdown },
	{ "junit", print_junit },
	{ "oneline", print_oneline },
	{ "summary", print_summary },
};

/* At most one text kind; the summary when nothing is asked for. NULL with an error, or NULL and
 * *none. */
static print_fn *choose(const struct options *options, bool *none, struct error *err)
{
	const struct kind *chosen = NULL;
	size_t i;

	*none = false;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!options_flag(options, kinds[i].option))
			continue;
		if (chosen) {
			error_set(err, "--%s and --%s both want standard output", chosen->option,
				kinds[i].option);
			return NULL;
		}
		chosen = &kinds[i];
	}
	*none = !chosen && options_text(options, "html");
	if (chosen)
		return chosen->print;
	return *none ? NULL : print_summary;
}

static int report(
	const struct options *options, const json_t *record, const char *folder, print_fn *print)
{
	const char *page = options_text(options, "html");
	struct error err;
	int status = STATUS_ACCEPTED;

	if (page && report_html_write(record, folder, page, &err) != 0)
		return cli_fail(&err);
	if (print)
		status = print(record, folder);
	return status;
}

static int report_one(const struct options *options)
{
	const char *path = options_operand(options, 0);
	struct error err;
	bool none;
	print_fn *print = choose(options, &none, &err);
	const char *contradiction;
	json_t *record;
	char *folder;
	int status;

	if (!print && !none)
		return cli_usage(options, &err);
	record = record_read(path, &err);
	if (!record)
		return cli_fail(&err);
	contradiction = options_flag(options, "oneline") ? record_contradiction(record) : NULL;
	if (contradiction) {
		error_set(&err, "%s: contradicts itself: %s", path, contradiction);
		json_decref(record);
		return cli_fail(&err);
	}
	folder = record_folder(path);
	status = report(options, record, folder, print);
	free(folder);
	json_decref(record);
	return status;
}

/* --- many records --- */

typedef void add_farm_fn(const struct farm_report *farm, struct str *to);

/* What a farm can be printed as; the other kinds are of one record. */
static const struct farm_kind {
	const char *option;
	add_farm_fn *add;
} farm_kinds[] = {
	{ "json", farm_report_json_add },
	{ "oneline", farm_report_oneline_add },
	{ "summary", farm_report_text_add },
};

/* The kind that is asked for, else the summary, or none beside a page. -1 with an error for a kind
 * that a farm does not have, or two. */
static int choose_farm(
	const struct options *options, const struct farm_kind **kind, struct error *err)
{
	static const char *const only_one[] = { "markdown", "junit" };
	size_t i;

	*kind = NULL;
	for (i = 0; i < sizeof(only_one) / sizeof(only_one[0]); i++)
		if (options_flag(options, only_one[i]))
			return error_set(
				err, "--%s is for one record, not for a farm", only_one[i]);
	for (i = 0; i < sizeof(farm_kinds) / sizeof(farm_kinds[0]); i++) {
		if (!options_flag(options, farm_kinds[i].option))
			continue;
		if (*kind)
			return error_set(err, "--%s and --%s both want standard output",
				(*kind)->option, farm_kinds[i].option);
		*kind = &farm_kinds[i];
	}
	if (!*kind && !options_text(options, "html"))
		*kind = &farm_kinds[i - 1];
	return 0;
}

static int report_farm(const struct options *options)
{
	const char *page = options_text(options, "html");
	const struct farm_kind *kind;
	struct str text = STR_INIT;
	struct farm_report *farm;
	struct error err;
	int status = STATUS_ACCEPTED;

	if (choose_farm(options, &kind, &err) != 0)
		return cli_usage(options, &err);
	farm = farm_report_read_paths(
		options_operands(options), options_operand_count(options), &err);
	if (!farm)
		return cli_fail(&err);
	farm_report_copies_print(farm, stderr);
	if (page && farm_report_html_write(farm, page, &err) != 0)
		status = cli_fail(&err);
	else if (kind && kind->add == farm_report_oneline_add)
		status = farm_report_decision(farm);
	if (kind && (status != STATUS_CANNOT_JUDGE || kind->add == farm_report_oneline_add))
		kind->add(farm, &text);
	farm_report_free(farm);
	return print_text(&text, status);
}

/* --- the command --- */

static int run_report(const struct options *options)
{
	if (options_operand_count(options) > 1 || farm_report_is_list(options_operand(options, 0)))
		return report_farm(options);
	if (options_flag(options, "json")) {
		struct error err;

		error_set(&err, "--json is of a farm; of one record it is record.json itself");
		return cli_usage(options, &err);
	}
	return report_one(options);
}

const struct command command_report = {
	.name = "report",
	.operands = "RECORD...",
	.operands_min = 1,
	.operands_max = (size_t)-1,
	.summary = "a record as a page, a finding, JUnit XML or one line; many as a farm",
	.about = "Shows what a record says, and judges nothing again. RECORD is record.json or the "
		 "folder it lies\n"
		 "in. Pictures go onto the page only when they are the recorded ones. --html may "
		 "stand beside one\n"
		 "of the kinds that are printed. Inside the record's folder, 'verify' takes a page "
		 "for a stranger\n"
		 "unless its name begins with \"report.\".\n\n"
		 "Several records, or the farm.json of 'oamqual farm' or its folder, make a farm "
		 "report: a row a\n"
		 "node and a GCD, with sorting, filters and search in the page. A node without a "
		 "record keeps its\n"
		 "row, and a damaged record is named; docs/farm-report.md.\n\n"
		 "JUnit: only what is accepted passes; inconclusive is an error, everything else a "
		 "failure.\n"
		 "With --oneline the exit status is the decision: 0 every GCD is a render "
		 "worker, 1 not,\n"
		 "3 nothing was decided. Otherwise 0 when the report is written.\n",
	.rows = rows,
	.run = run_report,
};
