/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "record/cases.h"
#include "record/diff_parts.h"
#include "record/spread.h"

static bool is_verdict(const json_t *each, const char *verdict)
{
	return strcmp(json_text(each, "verdict", ""), verdict) == 0;
}

/* Mixed repeats are not accepted either. */
static const char *weight_of(const json_t *before, const json_t *after)
{
	if (is_verdict(before, "accepted"))
		return "worse";
	if (is_verdict(after, "accepted"))
		return "better";
	if (is_verdict(before, "inconclusive"))
		return "now-known";
	return is_verdict(after, "inconclusive") ? "now-unknown" : "changed";
}

static json_t *outcome(const json_t *each)
{
	const char *rung = json_text(each, "rung", NULL);

	if (!rung)
		return json_string(json_text(each, "verdict", "?"));
	return json_sprintf("%s, rung %s", json_text(each, "verdict", "?"), rung);
}

static char *subject_of(const json_t *each)
{
	return xasprintf("%s, scene %s, %s, %s", json_text(each, "card", "?"),
		json_text(each, "scene", "?"), json_text(each, "probe", "?"),
		json_is_true(json_object_get(each, "together")) ? "all at once" : "alone");
}

/* --- speed and memory --- */

static json_t *spread_json(struct spread spread)
{
	return json_pack("{s:f, s:f, s:f, s:I}", "median", spread.median, "low", spread.low, "high",
		spread.high, "count", (json_int_t)spread.count);
}

static void diff_numbers(struct diff *diff, const char *area, const char *subject, const char *what,
	const json_t *before, const json_t *after, double least)
{
	struct spread a = spread_of_json(before), b = spread_of_json(after);
	int direction = spread_compare(a, b, least);
	char *note;

	if (!direction)
		return;
	note = a.median > 0 ? xasprintf("%+.1f %%", 100 * (b.median / a.median - 1)) : NULL;
	diff_add(diff, area, subject, what, spread_json(a), spread_json(b),
		direction > 0 ? "worse" : "better", note);
	free(note);
}

static void diff_case(struct diff *diff, const json_t *before, const json_t *after)
{
	static const double seconds = 0.2, bytes = 64.0 * 1024 * 1024;
	char *subject = subject_of(after);
	bool same = is_verdict(before, json_text(after, "verdict", "?"));

	if (!same || !json_equal(json_object_get(before, "rung"), json_object_get(after, "rung")))
		diff_add(diff, "case", subject, "outcome", outcome(before), outcome(after),
			same ? "changed" : weight_of(before, after), NULL);
	diff_numbers(diff, "speed", subject, "render seconds", json_object_get(before, "seconds"),
		json_object_get(after, "seconds"), seconds);
	diff_numbers(diff, "memory", subject, "peak bytes", json_object_get(before, "memory"),
		json_object_get(after, "memory"), bytes);
	free(subject);
}

/* Of a card that came or went the card alone is said. */
static void diff_lone_case(struct diff *diff, const json_t *each, bool was)
{
	const char *card = json_text(each, "card", "");
	char *subject;

	if (str_ends(card, " (gone)") || str_ends(card, " (new)"))
		return;
	subject = subject_of(each);
	diff_add(diff, "case", subject, "outcome", was ? outcome(each) : json_null(),
		was ? json_null() : outcome(each), was ? "now-unknown" : "now-known",
		was ? "not tried any more" : "not tried before");
	free(subject);
}

/* --- the CPU's baseline: rays a second, more is better --- */

static json_t *rays_of(const json_t *record)
{
	const json_t *cpu = json_object_get(json_object_get(record, "baseline"), "cpu");
	const json_t *rays = json_object_get(json_object_get(cpu, "mrays_per_s"), "value");
	json_t *numbers = json_array();

	if (json_is_number(rays) && json_number_value(rays) < 1e15)
		json_array_append_new(numbers, json_real(json_number_value(rays)));
	return numbers;
}

static void diff_baseline(struct diff *diff)
{
	json_t *before = rays_of(diff->before), *after = rays_of(diff->after);
	struct spread a = spread_of_json(before), b = spread_of_json(after);
	int direction = spread_compare(a, b, 0);

	if (direction)
		diff_add(diff, "speed", "CPU", "baseline, million rays a second", spread_json(a),
			spread_json(b), direction < 0 ? "worse" : "better", NULL);
	json_decref(before);
	json_decref(after);
}

void diff_cases(struct diff *diff)
{
	json_t *before = cases_of(diff->before, diff->cards_before);
	json_t *after = cases_of(diff->after, diff->cards_after), *each;
	const char *key;

	json_object_foreach (after, key, each) {
		if (json_object_get(before, key))
			diff_case(diff, json_object_get(before, key), each);
		else
			diff_lone_case(diff, each, false);
	}
	json_object_foreach (before, key, each)
		if (!json_object_get(after, key))
			diff_lone_case(diff, each, true);
	json_decref(before);
	json_decref(after);
	diff_baseline(diff);
}
