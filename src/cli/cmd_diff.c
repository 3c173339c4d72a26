/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/commands.h"
#include "record/diff.h"
#include "record/record.h"
#include "report/show.h"
#include "report/view.h"

static const struct option_row rows[] = {
	{ "json", 0, NULL, "print the changes as JSON" },
	{ NULL, 0, NULL, NULL },
};

/* The order in which they are printed, and what stands over them. */
static const struct area {
	const char *name, *title;
} areas[] = {
	{ "node", "Node" },
	{ "verdict", "Verdicts of GCDs" },
	{ "card", "Cards" },
	{ "case", "Outcomes by case" },
	{ "finding", "Findings" },
	{ "speed", "Speed" },
	{ "memory", "Memory" },
	{ "build", "Build" },
	{ "driver", "Driver and runtime" },
	{ "system", "System" },
	{ "run", "Run" },
	{ "scene", "Scenes" },
	{ "reference", "References" },
	{ "limits", "Limits" },
	{ "counts", "Counts" },
	{ "other", "Other" },
};

static char *spread_text(const json_t *value, bool is_bytes)
{
	double median = json_real_of(value, "median", 0);
	json_int_t count = json_integer_of(value, "count", 0);
	char size[24];

	if (is_bytes) {
		text_bytes(size, median);
		return xasprintf("%s (%lld)", size, (long long)count);
	}
	return xasprintf("%.3g (%lld: %.3g to %.3g)", median, (long long)count,
		json_real_of(value, "low", 0), json_real_of(value, "high", 0));
}

static char *value_text(const json_t *change, const char *key)
{
	const json_t *value = json_object_get(change, key);
	bool is_bytes = strcmp(json_text(change, "area", ""), "memory") == 0;
	char *raw, *shown;

	if (json_is_null(value))
		return xstrdup(
			str_starts(json_text(change, "weight", ""), "now-") ? "unknown" : "none");
	raw = json_object_get(value, "median") ? spread_text(value, is_bytes) : view_value(value);
	shown = show_text(raw);
	free(raw);
	return shown;
}

static void print_change(const json_t *change)
{
	const char *weight = json_text(change, "weight", ""),
		   *note = json_text(change, "note", NULL);
	char *before = value_text(change, "before"), *after = value_text(change, "after");
	char *subject = show_text(json_text(change, "subject", ""));
	char *shown = note ? show_text(note) : NULL;

	printf("  %-11s  %s%s%s: %s -> %s%s%s%s\n", weight, subject, subject[0] ? ": " : "",
		json_text(change, "what", "?"), before, after, shown ? " (" : "",
		shown ? shown : "", shown ? ")" : "");
	free(shown);
	free(subject);
	free(before);
	free(after);
}

static void print_area(const json_t *changes, const struct area *area)
{
	const json_t *change;
	bool titled = false;
	size_t i;

	json_array_foreach (changes, i, change) {
		if (strcmp(json_text(change, "area", ""), area->name) != 0)
			continue;
		if (!titled)
			printf("%s\n", area->title);
		titled = true;
		print_change(change);
	}
}

static void print_run(const char *title, const json_t *run)
{
	char *node = show_text(json_text(run, "node", "?")),
	     *blender = show_text(json_text(run, "blender", "?")),
	     *started = show_text(json_text(run, "started", "?"));

	printf("%s: %s%s, %s, Blender %s: %lld of %lld GCDs are render workers\n", title,
		strcmp(json_text(run, "source", ""), "observed") == 0 ? "" : "SIMULATED ", node,
		started, blender, (long long)json_integer_of(run, "workers", 0),
		(long long)json_integer_of(run, "gcds", 0));
	free(node);
	free(blender);
	free(started);
}

static void print_diff(const json_t *diff)
{
	const json_t *changes = json_object_get(diff, "changes"),
		     *rest = json_object_get(diff, "not_compared");
	char *names = view_value(rest), *shown = show_text(names);
	size_t i;

	print_run("before", json_object_get(diff, "before"));
	print_run("after ", json_object_get(diff, "after"));
	for (i = 0; i < sizeof(areas) / sizeof(areas[0]); i++)
		print_area(changes, &areas[i]);
	if (json_array_size(rest))
		printf("Not compared, and not the same: %s\n", shown);
	if (!json_array_size(changes))
		printf("Nothing that matters changed.\n");
	else
		printf("%s\n", json_is_true(json_object_get(diff, "worse"))
				       ? "WORSE: something is worse than before."
				       : "Nothing is worse than before.");
	free(shown);
	free(names);
}

static json_t *read_record(const char *path, struct error *err)
{
	json_t *record = record_read(path, err);
	const char *contradiction = record ? record_contradiction(record) : NULL;

	if (!contradiction)
		return record;
	json_decref(record);
	error_set(err, "%s: contradicts itself: %s", path, contradiction);
	return NULL;
}

static int run_diff(const struct options *options)
{
	struct error err;
	json_t *before = read_record(options_operand(options, 0), &err), *after, *diff;
	bool worse;

	if (!before)
		return cli_fail(&err);
	after = read_record(options_operand(options, 1), &err);
	if (!after) {
		json_decref(before);
		return cli_fail(&err);
	}
	diff = diff_records(before, after);
	worse = json_is_true(json_object_get(diff, "worse"));
	if (options_flag(options, "json"))
		json_print(diff, stdout);
	else
		print_diff(diff);
	json_decref(diff);
	json_decref(before);
	json_decref(after);
	return worse ? STATUS_NOT_ACCEPTED : STATUS_ACCEPTED;
}

const struct command command_diff = {
	.name = "diff",
	.operands = "BEFORE AFTER",
	.operands_min = 2,
	.operands_max = 2,
	.summary = "what changed between two records that matters",
	.about = "Verdicts, outcomes by case, cards, findings, speed and memory beyond their "
		 "noise, build, "
		 "driver,\n"
		 "system, scenes, references and limits. Times, process ids, paths and order are "
		 "not "
		 "shown. Cards are\n"
		 "matched by their unique id, else by their address. Render times and peak memory "
		 "are "
		 "those of accepted\n"
		 "attempts; they differ when, measured three times or more on both sides, the "
		 "medians "
		 "are more than 5 %\n"
		 "apart and the gap between the two sets is as wide as the wider of them; measured "
		 "less often, when they\n"
		 "are more than 25 % apart. BEFORE and AFTER are record.json or the folder it lies "
		 "in.\n\n"
		 "Exit status 0 when nothing is worse, 1 when something is: a card that was "
		 "accepted "
		 "and is not, or is\n"
		 "gone, a case likewise, a new fault or warning, slower, more memory; 3 when a "
		 "record "
		 "cannot be read or\n"
		 "contradicts itself.\n",
	.rows = rows,
	.run = run_diff,
};
