/* SPDX-License-Identifier: Apache-2.0 */
/* Each attempt with its ladder: twelve rungs, each with its answer and what says so. */
#include <stdlib.h>

#include "base/json.h"
#include "report/html_parts.h"
#include "report/view.h"
#include "report/why.h"
#include "verdict/facts.h"

static void add_fact(struct markup *m, const json_t *fact)
{
	markup_open(m, "div", NULL);
	html_answer(m, json_text(fact, "answer", "not in the record"));
	markup_textf(m, " %s: %s", json_text(fact, "fact", "?"),
		json_text(fact, "evidence", "no evidence in the record"));
	markup_close(m);
}

static void add_facts(struct markup *m, const json_t *facts)
{
	const json_t *fact;
	size_t i;

	json_array_foreach (facts, i, fact)
		add_fact(m, fact);
}

static const json_t *find_rung(const json_t *attempt, int number)
{
	const json_t *rung;
	size_t i;

	json_array_foreach (json_object_get(attempt, "rungs"), i, rung)
		if (json_integer_of(rung, "rung", 0) == number)
			return rung;
	return NULL;
}

static void add_rung(struct markup *m, const json_t *attempt, int number)
{
	const json_t *rung = find_rung(attempt, number);
	char *name = xasprintf("%d %s", number, rung_name((enum rung)number));

	markup_open(m, "tr", NULL);
	html_cell(m, "rung", name);
	markup_open(m, "td", "data-label", "answer", NULL);
	if (rung)
		html_answer(m, json_text(rung, "answer", "not in the record"));
	else
		markup_text(
			m, view_is_control(attempt) ? "not asked of the CPU" : "not in the record");
	markup_close(m);
	markup_open(m, "td", "data-label", "evidence", NULL);
	add_facts(m, json_object_get(rung, "facts"));
	markup_close(m);
	markup_close(m);
	free(name);
}

static void add_ladder(struct markup *m, const json_t *attempt)
{
	static const char *const labels[] = { "rung", "answer", "evidence" };
	int rung;

	html_table_head(m, labels, sizeof(labels) / sizeof(labels[0]));
	for (rung = RUNG_SCENE_READABLE; rung < RUNG_COUNT; rung++)
		add_rung(m, attempt, rung);
	markup_close(m);
	markup_close(m);
	markup_element(m, "h3", NULL, "How the process ended");
	add_facts(m, json_object_get(attempt, "process"));
}

static void add_title(struct markup *m, const json_t *attempt)
{
	markup_open(m, "summary", NULL);
	html_mark(m, attempt);
	markup_textf(m, "%lld: scene %s, %s, %s%s ",
		(long long)json_integer_of(attempt, "number", 0), json_text(attempt, "scene", "?"),
		json_text(attempt, "probe", "?"), view_attempt_device(attempt),
		json_is_true(json_object_get(attempt, "together")) ? ", all GCDs at once" : "");
	html_verdict(m, json_text(attempt, "verdict", "not in the record"));
	markup_close(m);
}

/* What decided, in two lines. */
static void add_reason(struct markup *m, const json_t *attempt)
{
	char *rung = view_first_rung(attempt);

	markup_open(m, "p", NULL);
	markup_textf(m, "%s. First rung that is not yes: %s.",
		json_text(attempt, "why", "No reason given"), rung);
	markup_close(m);
	if (*view_evidence(attempt))
		markup_element(m, "pre", NULL, view_evidence(attempt));
	free(rung);
}

static void add_command(struct markup *m, const json_t *attempt)
{
	char *command = view_words(json_object_get(attempt, "command"));
	char *environment = view_words(json_object_get(attempt, "environment"));

	if (*command) {
		markup_element(
			m, "h3", NULL, "Command and what was set or unset in its environment");
		markup_element(m, "pre", NULL, command);
		markup_element(m, "pre", NULL, *environment ? environment : "(nothing)");
	}
	free(command);
	free(environment);
}

static void add_more(struct markup *m, const json_t *attempt)
{
	static const char *const keys[] = { "device", "ending", "timing", "vram_peak_bytes",
		"image", "log", "worker", "folder" };
	size_t i;

	markup_open(m, "details", "class", "more", NULL);
	markup_element(m, "summary", NULL, "Everything else the record has of this attempt");
	add_command(m, attempt);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		markup_element(m, "h3", NULL, keys[i]);
		html_members(m, json_object_get(attempt, keys[i]));
	}
	markup_close(m);
}

void html_attempt(struct markup *m, const json_t *attempt)
{
	markup_open(m, "details", NULL);
	add_title(m, attempt);
	add_reason(m, attempt);
	html_why(m, attempt);
	add_ladder(m, attempt);
	add_more(m, attempt);
	markup_close(m);
}

void html_attempts(struct markup *m, const json_t *record)
{
	const json_t *attempt;
	size_t i;

	html_section(m, record, "attempts", "Attempts and their ladders");
	json_array_foreach (json_object_get(record, "attempts"), i, attempt)
		html_attempt(m, attempt);
}
