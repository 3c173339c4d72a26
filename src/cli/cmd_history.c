/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "cli/commands.h"
#include "record/find.h"
#include "record/history.h"
#include "report/show.h"
#include "report/view.h"

static const struct option_row rows[] = {
	{ "json", 0, NULL, "print the history as JSON" },
	{ NULL, 0, NULL, NULL },
};

/* --- reading --- */

static void add_unreadable(json_t *unreadable, const char *path, const char *why)
{
	json_array_append_new(unreadable, json_pack("{s:o, s:o}", "path", json_printable_text(path),
						  "why", json_printable_text(why)));
}

static void read_part(const char *path, struct str *room, json_t *parts, json_t *unreadable)
{
	struct error err;
	json_t *part = history_read(path, room, &err);

	if (part)
		json_array_append_new(parts, part);
	else
		add_unreadable(unreadable, path, err.text);
}

static int read_parts(
	const struct options *options, json_t *parts, json_t *unreadable, struct error *err)
{
	json_t *paths = json_array(), *path;
	struct str room = STR_INIT;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < options_operand_count(options); i++)
		rc = find_records(options_operand(options, i), paths, unreadable, err);
	if (rc == 0)
		json_array_foreach (paths, i, path)
			read_part(json_string_value(path), &room, parts, unreadable);
	str_release(&room);
	json_decref(paths);
	return rc;
}

/* --- showing --- */

static char *shown(const json_t *value)
{
	char *raw = view_value(value), *text = show_text(raw);

	free(raw);
	return text;
}

/* "driver amdgpu 6.3.6 -> 6.8.5"; lists and objects by name alone. */
static void print_changes(const json_t *changes, const char *before)
{
	const json_t *change;
	size_t i;

	json_array_foreach (changes, i, change) {
		const json_t *a = json_object_get(change, "before"),
			     *b = json_object_get(change, "after");
		char *was = shown(a), *is = shown(b),
		     *subject = show_text(json_text(change, "subject", ""));
		bool plain = !json_is_array(a) && !json_is_object(a) && !json_is_array(b) &&
			     !json_is_object(b);

		printf("%s%s %s%s%s", before, json_text(change, "area", "?"), subject,
			subject[0] ? ", " : "", json_text(change, "what", "?"));
		if (plain)
			printf(" %.60s -> %.60s", json_is_null(a) ? "unknown" : was,
				json_is_null(b) ? "unknown" : is);
		printf("\n");
		free(subject);
		free(was);
		free(is);
	}
}

static void print_record(const json_t *record)
{
	char *blender = show_text(json_text(record, "blender", "?"));
	char *path = show_text(json_text(record, "path", "?"));

	printf("  %s  %lld of %lld workers  Blender %s%s  %s\n", json_text(record, "started", "?"),
		(long long)json_integer_of(record, "workers", 0),
		(long long)json_integer_of(record, "gcds", 0), blender,
		json_is_true(json_object_get(record, "interrupted")) ? "  INTERRUPTED" : "", path);
	print_changes(json_object_get(record, "changed"), "      changed: ");
	free(blender);
	free(path);
}

static void print_event(const json_t *event)
{
	const char *note = json_text(event, "note", NULL), *which = json_text(event, "case", NULL);
	char *card = show_text(json_text(event, "card", "")),
	     *subject = which ? show_text(which) : NULL;
	char *bdf = show_text(json_text(event, "bdf", ""));
	const json_t *before = json_object_get(event, "before"),
		     *after = json_object_get(event, "after");

	printf("  %s  %-11s  %s%s%s%s", json_text(event, "at", "?"), json_text(event, "kind", "?"),
		subject ? subject : card, bdf[0] && strcmp(bdf, card) != 0 ? " at " : "",
		bdf[0] && strcmp(bdf, card) != 0 ? bdf : "",
		json_is_true(json_object_get(event, "standing")) ? "" : "  (not any more)");
	if (json_is_string(before) && json_is_string(after)) {
		char *was = shown(before), *is = shown(after);

		printf(": %s -> %s", was, is);
		free(was);
		free(is);
	}
	printf("%s%s\n", note ? ": " : "", note ? note : "");
	print_changes(json_object_get(event, "came_with"), "      came with: ");
	free(card);
	free(subject);
	free(bdf);
}

static void print_node(const json_t *node)
{
	const json_t *records = json_object_get(node, "records"),
		     *events = json_object_get(node, "events"), *item;
	size_t i, cards = json_object_size(json_object_get(node, "cards"));
	char *name = show_text(json_text(node, "name", "?"));

	printf("%snode %s: %zu record%s, %zu card%s\n",
		strcmp(json_text(node, "source", ""), "observed") == 0 ? "" : "SIMULATED ", name,
		json_array_size(records), json_array_size(records) == 1 ? "" : "s", cards,
		cards == 1 ? "" : "s");
	json_array_foreach (records, i, item)
		print_record(item);
	printf("%s\n", json_array_size(events) ? "what happened:" : "nothing happened.");
	json_array_foreach (events, i, item)
		print_event(item);
	printf("tested for drift: %lld series\n\n", (long long)json_integer_of(node, "series", 0));
	free(name);
}

static void print_left_out(const json_t *history)
{
	const json_t *item;
	size_t i;

	json_array_foreach (json_object_get(history, "same_twice"), i, item) {
		char *path = shown(item);

		printf("the same run again, counted once: %s\n", path);
		free(path);
	}
	json_array_foreach (json_object_get(history, "unreadable"), i, item) {
		char *path = show_text(json_text(item, "path", "?")),
		     *why = show_text(json_text(item, "why", "?"));

		printf("NOT READ: %s: %s\n", path, why);
		free(path);
		free(why);
	}
}

static void print_history(const json_t *history)
{
	const json_t *node;
	size_t i;

	json_array_foreach (json_object_get(history, "nodes"), i, node)
		print_node(node);
	print_left_out(history);
}

/* --- the command --- */

/* What could not be read may hold what is worse. */
static int status_of(const json_t *history)
{
	if (json_array_size(json_object_get(history, "unreadable")) ||
		!json_array_size(json_object_get(history, "nodes")))
		return STATUS_CANNOT_JUDGE;
	return history_is_worse(history) ? STATUS_NOT_ACCEPTED : STATUS_ACCEPTED;
}

static int run_history(const struct options *options)
{
	json_t *parts = json_array(), *unreadable = json_array(), *history;
	struct error err;
	int status;

	if (read_parts(options, parts, unreadable, &err) != 0) {
		json_decref(parts);
		json_decref(unreadable);
		return cli_fail(&err);
	}
	history = history_of(parts);
	json_object_set_new(history, "unreadable", unreadable);
	status = status_of(history);
	if (options_flag(options, "json"))
		json_print(history, stdout);
	else
		print_history(history);
	if (!json_array_size(json_object_get(history, "nodes"))) {
		error_set(&err, "no record was found that can be read");
		cli_fail(&err);
	}
	json_decref(history);
	json_decref(parts);
	return status;
}

const struct command command_history = {
	.name = "history",
	.operands = "DIR...",
	.operands_min = 1,
	.operands_max = (size_t)-1,
	.summary = "many records of a node over time: regressions, flaps, drift",
	.about = "Finds every record below the folders and puts those of each node in order of "
		 "time. Nodes are "
		 "told\n"
		 "apart by name and by the unique ids of their cards. Says what turned better or "
		 "worse "
		 "and which change\n"
		 "of driver, Blender, kernel, scene or limits came with it, what turns back and "
		 "forth "
		 "in the same\n"
		 "surroundings, what became slower with a change, and what drifts without one. The "
		 "rules are in\n"
		 "docs/history.md.\n\n"
		 "Exit status 0 when nothing stands that is worse, 1 when something does, 3 when a "
		 "record could not be\n"
		 "read (it is named, and the others are shown) or none was found.\n",
	.rows = rows,
	.run = run_history,
};
