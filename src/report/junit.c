/* SPDX-License-Identifier: Apache-2.0 */
#include "report/junit.h"

#include <libxml/xmlwriter.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "record/record.h"
#include "report/show.h"
#include "report/view.h"
#include "verdict/verdict.h"

/* A duration beyond a year is no duration. */
static const double seconds_max = 31536000;

struct junit {
	xmlTextWriterPtr writer;
	const json_t *record;
	bool failed;
};

static void note(struct junit *j, int rc)
{
	if (rc < 0)
		j->failed = true;
}

static void open_element(struct junit *j, const char *name)
{
	note(j, xmlTextWriterStartElement(j->writer, BAD_CAST name));
}

static void close_element(struct junit *j)
{
	note(j, xmlTextWriterEndElement(j->writer));
}

/* show_text() leaves only characters that XML 1.0 has; the library escapes markup. */
static void attribute(struct junit *j, const char *name, const char *value)
{
	char *shown = show_text(value);

	note(j, xmlTextWriterWriteAttribute(j->writer, BAD_CAST name, BAD_CAST shown));
	free(shown);
}

static void attribute_count(struct junit *j, const char *name, size_t count)
{
	char text[24];

	snprintf(text, sizeof(text), "%zu", count);
	attribute(j, name, text);
}

static bool is_duration(double seconds)
{
	return seconds >= 0 && seconds <= seconds_max;
}

/* Readers of this format refuse more than three decimals, and a case without a time; one that the
 * record does not have is 0, and untimed() says of which. */
static void attribute_seconds(struct junit *j, double seconds)
{
	char text[40];

	snprintf(text, sizeof(text), "%.3f", is_duration(seconds) ? seconds : 0.0);
	attribute(j, "time", text);
}

static void content(struct junit *j, const char *text)
{
	char *shown = show_text(text);

	note(j, xmlTextWriterWriteString(j->writer, BAD_CAST shown));
	note(j, xmlTextWriterWriteString(j->writer, BAD_CAST "\n"));
	free(shown);
}

/* --- outcomes --- */

/* The element that says so; NULL for what passes. A word that is no verdict is an error, never a
 * pass. */
static const char *outcome(const char *verdict)
{
	enum verdict_id id = verdict_find(verdict);

	if (id == VERDICT_ACCEPTED)
		return NULL;
	return id == VERDICT_INCONCLUSIVE || id == VERDICT_COUNT ? "error" : "failure";
}

/* What was left out on purpose, with its reason, is neither passed nor failed; NULL for what was
 * not. Whoever left it out cannot make it pass, nor hide a failure with it. */
static const char *skip_reason(const json_t *attempt)
{
	const char *verdict = json_text(attempt, "verdict", "");
	const char *reason = json_text(attempt, "skipped", NULL);

	if (!reason && strcmp(verdict, "skipped") == 0)
		reason = json_text(attempt, "why", "no reason in the record");
	return reason && !(outcome(verdict) && strcmp(outcome(verdict), "failure") == 0) ? reason
											 : NULL;
}

/* A GCD passes as a render worker, by both members that say so. */
static const char *gcd_outcome(const json_t *gcd)
{
	const char *element = outcome(json_text(gcd, "verdict", ""));

	return element || view_is_worker(gcd) ? element : "error";
}

static const char *attempt_outcome(const json_t *attempt)
{
	return skip_reason(attempt) ? "skipped" : outcome(json_text(attempt, "verdict", ""));
}

struct counts {
	size_t cases, failures, errors, skipped;
	double seconds;
};

static double attempt_seconds(const json_t *attempt)
{
	return json_real_of(json_object_get(attempt, "ending"), "wall_seconds", -1);
}

static struct counts count_outcomes(const json_t *cases, const char *(*of)(const json_t *item))
{
	struct counts counts = { 0, 0, 0, 0, 0 };
	const json_t *item;
	size_t i;

	json_array_foreach (cases, i, item) {
		const char *element = of(item);

		counts.cases++;
		counts.failures += element && strcmp(element, "failure") == 0;
		counts.errors += element && strcmp(element, "error") == 0;
		counts.skipped += element && strcmp(element, "skipped") == 0;
		counts.seconds += is_duration(attempt_seconds(item)) ? attempt_seconds(item) : 0;
	}
	return counts;
}

/* --- parts --- */

static void property(struct junit *j, const char *name, const char *value)
{
	open_element(j, "property");
	attribute(j, "name", name);
	attribute(j, "value", value);
	close_element(j);
}

static void properties(struct junit *j)
{
	static const struct {
		const char *name, *part, *key;
	} rows[] = {
		{ "node", "node", "name" },
		{ "blender-version", "blender", "version" },
		{ "blender-sha256", "blender", "sha256" },
		{ "oamqual-version", "tool", "version" },
		{ "oamqual-commit", "tool", "commit" },
	};
	char *decision = view_decision(j->record);
	size_t i;

	open_element(j, "properties");
	property(j, "source", json_text(j->record, "source", "not in the record"));
	property(j, "simulated", view_is_simulated(j->record) ? "true" : "false");
	property(j, "decision", decision);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		property(j, rows[i].name,
			json_text(json_object_get(j->record, rows[i].part), rows[i].key,
				"not in the record"));
	close_element(j);
	free(decision);
}

/* The format wants the time without a zone: ours is UTC, "2026-11-30T02:10:06Z". */
static void attribute_timestamp(struct junit *j)
{
	const char *started = json_text(json_object_get(j->record, "run"), "started", "");
	int year, month, day, hour, minute, second, used = 0;
	char text[20];

	if (strlen(started) != 20 ||
		sscanf(started, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute,
			&second, &used) != 6 ||
		used != 20)
		return;
	str_copy(text, sizeof(text), started);
	attribute(j, "timestamp", text);
}

static void open_suite(struct junit *j, size_t id, const char *name, struct counts counts)
{
	char *marked = xasprintf("%soamqual %s", view_mark(j->record), name);

	open_element(j, "testsuite");
	attribute_count(j, "id", id);
	attribute(j, "package", "oamqual");
	attribute(j, "name", marked);
	attribute_count(j, "tests", counts.cases);
	attribute_count(j, "failures", counts.failures);
	attribute_count(j, "errors", counts.errors);
	attribute_count(j, "skipped", counts.skipped);
	attribute_seconds(j, counts.seconds);
	attribute_timestamp(j);
	attribute(j, "hostname", json_text(json_object_get(j->record, "node"), "name", "unknown"));
	properties(j);
	free(marked);
}

static void open_case(struct junit *j, const char *class, const char *name, double seconds)
{
	open_element(j, "testcase");
	attribute(j, "classname", class);
	attribute(j, "name", name);
	attribute_seconds(j, seconds);
}

static void open_outcome(
	struct junit *j, const char *element, const char *verdict, const char *evidence)
{
	char *message = xasprintf("%s: %s", verdict, evidence);

	open_element(j, element);
	attribute(j, "type", verdict);
	attribute(j, "message", message);
	free(message);
}

/* --- suites --- */

/* What was printed belongs to an attempt and lies in its folder; the format wants both elements. */
static void close_suite(struct junit *j, const char *untimed)
{
	open_element(j, "system-out");
	if (*untimed)
		content(j, untimed);
	close_element(j);
	open_element(j, "system-err");
	close_element(j);
	close_element(j);
}

/* "The record has no time of attempts 3, 5." or ""; the caller frees. */
static char *untimed(const json_t *attempts)
{
	struct str list = STR_INIT;
	const json_t *attempt;
	size_t i;

	json_array_foreach (attempts, i, attempt)
		if (!is_duration(attempt_seconds(attempt)))
			str_addf(&list, "%s%lld",
				list.len ? ", " : "not run, or no time in the record, of attempt ",
				(long long)json_integer_of(attempt, "number", 0));
	return str_detach(&list);
}

static void gcd_case(struct junit *j, const json_t *gcd)
{
	const char *element = gcd_outcome(gcd);
	char *name = xasprintf("%sGCD %s", view_mark(j->record), view_gcd_name(gcd));

	open_case(j, "oamqual.gcd", name, -1);
	if (element) {
		open_outcome(j, element, json_text(gcd, "verdict", "no verdict"),
			json_text(gcd, "evidence", "no evidence in the record"));
		close_element(j);
	}
	close_element(j);
	free(name);
}

static void problem_case(struct junit *j, const char *name, const char *message)
{
	open_case(j, "oamqual.run", name, -1);
	open_outcome(j, "error", "inconclusive", message);
	close_element(j);
	close_element(j);
}

/* A run that judged nothing, or did not end, must not look like one that passed. */
static void gcds_suite(struct junit *j)
{
	const json_t *gcds = json_object_get(j->record, "gcds"), *gcd;
	struct counts counts = count_outcomes(gcds, gcd_outcome);
	bool none = counts.cases == 0, interrupted = view_was_interrupted(j->record);
	const char *contradiction = record_contradiction(j->record);
	size_t i, problems = (size_t)none + (size_t)interrupted + (contradiction ? 1 : 0);

	counts.cases += problems;
	counts.errors += problems;
	open_suite(j, 0, "gcds", counts);
	json_array_foreach (gcds, i, gcd)
		gcd_case(j, gcd);
	if (none)
		problem_case(j, "there is a GCD to judge", "the record holds no GCD");
	if (interrupted)
		problem_case(j, "the run ended by itself", "the run was interrupted");
	if (contradiction)
		problem_case(j, "the record holds together", contradiction);
	close_suite(j, "a GCD has no time of its own: its attempts have theirs");
}

static void ladder(struct junit *j, const json_t *attempt)
{
	const json_t *rung, *fact;
	size_t i, k;

	json_array_foreach (json_object_get(attempt, "rungs"), i, rung)
		json_array_foreach (json_object_get(rung, "facts"), k, fact) {
			char *line = xasprintf("rung %lld %s: %s: %s",
				(long long)json_integer_of(rung, "rung", 0),
				json_text(fact, "fact", "?"), json_text(fact, "answer", "?"),
				json_text(fact, "evidence", "?"));

			content(j, line);
			free(line);
		}
}

static void attempt_case(struct junit *j, const json_t *attempt)
{
	const char *element = attempt_outcome(attempt);
	char *class = xasprintf("oamqual.%s", json_text(attempt, "probe", "unknown-probe"));
	char *name = xasprintf("%sattempt %lld: scene %s, %s, %s%s", view_mark(attempt),
		(long long)json_integer_of(attempt, "number", 0), json_text(attempt, "scene", "?"),
		json_text(attempt, "probe", "?"), view_attempt_device(attempt),
		json_is_true(json_object_get(attempt, "together")) ? ", all GCDs at once" : "");

	open_case(j, class, name, attempt_seconds(attempt));
	if (skip_reason(attempt)) {
		open_element(j, "skipped");
		attribute(j, "message", skip_reason(attempt));
		close_element(j);
	} else if (element) {
		open_outcome(j, element, json_text(attempt, "verdict", "no verdict"),
			view_evidence(attempt));
		content(j, json_text(attempt, "why", "no reason in the record"));
		ladder(j, attempt);
		close_element(j);
	}
	close_element(j);
	free(class);
	free(name);
}

static void attempts_suite(struct junit *j)
{
	const json_t *attempts = json_object_get(j->record, "attempts"), *attempt;
	char *note = untimed(attempts);
	size_t i;

	open_suite(j, 1, "attempts", count_outcomes(attempts, attempt_outcome));
	json_array_foreach (attempts, i, attempt)
		attempt_case(j, attempt);
	close_suite(j, note);
	free(note);
}

static void document(struct junit *j)
{
	note(j, xmlTextWriterSetIndent(j->writer, 1));
	note(j, xmlTextWriterStartDocument(j->writer, "1.0", "UTF-8", NULL));
	open_element(j, "testsuites");
	gcds_suite(j);
	attempts_suite(j);
	close_element(j);
	note(j, xmlTextWriterEndDocument(j->writer));
}

int report_junit_add(const json_t *record, struct str *to, struct error *err)
{
	xmlBufferPtr buffer = xmlBufferCreate();
	struct junit j = { .record = record };

	j.writer = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
	if (j.writer)
		document(&j);
	j.failed = j.failed || !j.writer;
	xmlFreeTextWriter(j.writer);
	if (!j.failed)
		str_add_bytes(to, xmlBufferContent(buffer), (size_t)xmlBufferLength(buffer));
	xmlBufferFree(buffer);
	return j.failed ? error_set(err, "JUnit XML: the XML library failed") : 0;
}
