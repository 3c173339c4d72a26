/* SPDX-License-Identifier: Apache-2.0 */
#include "record/cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"

static const char *card_of(const json_t *attempt, const json_t *cards)
{
	const json_t *device = json_object_get(attempt, "device");
	const char *bdf = json_text(device, "bdf", "(no address)");

	return json_is_object(device) ? json_text(cards, bdf, bdf) : "CPU";
}

static json_t *rung_text(const json_t *attempt)
{
	const json_t *rung = json_object_get(attempt, "first_rung_not_yes");

	if (!json_is_object(rung))
		return json_null();
	return json_sprintf(
		"%d %s", (int)json_integer_of(rung, "rung", 0), json_text(rung, "name", "?"));
}

static json_t *case_new(const json_t *attempt, const char *card)
{
	return json_pack("{s:s, s:s, s:s, s:b, s:{}, s:n, s:i, s:[], s:[]}", "card", card, "scene",
		json_text(attempt, "scene", "?"), "probe", json_text(attempt, "probe", "?"),
		"together", json_is_true(json_object_get(attempt, "together")), "verdicts", "rung",
		"attempts", 0, "seconds", "memory");
}

/* What no run can take is passed over, so that sums and ratios stay finite. */
static void add_number(json_t *to, const char *key, const json_t *number)
{
	double value = json_number_value(number);

	if (json_is_number(number) && value >= 0 && value < 1e15)
		json_array_append_new(json_object_get(to, key), json_real(value));
}

static void add_attempt(json_t *to, const json_t *attempt)
{
	const char *verdict = json_text(attempt, "verdict", "?");
	json_t *verdicts = json_object_get(to, "verdicts");
	bool accepted = strcmp(verdict, "accepted") == 0;

	json_object_set_new(to, "attempts", json_integer(json_integer_of(to, "attempts", 0) + 1));
	json_object_set_new(
		verdicts, verdict, json_integer(json_integer_of(verdicts, verdict, 0) + 1));
	if (!accepted && json_is_null(json_object_get(to, "rung")))
		json_object_set_new(to, "rung", rung_text(attempt));
	if (!accepted)
		return;
	add_number(to, "seconds",
		json_object_get(json_object_get(attempt, "timing"), "render_seconds"));
	add_number(to, "memory",
		json_object_get(json_object_get(attempt, "vram_peak_bytes"), "value"));
}

/* From the counts of verdicts to one text. */
static void finish(json_t *each)
{
	json_t *verdicts = json_object_get(each, "verdicts"), *count;
	struct str text = STR_INIT;
	const char *verdict;

	json_object_foreach (verdicts, verdict, count) {
		if (json_object_size(verdicts) == 1)
			str_add(&text, verdict);
		else
			str_addf(&text, "%s%s %d", text.len ? ", " : "mixed: ", verdict,
				(int)json_integer_value(count));
	}
	json_object_set_new(each, "verdict", json_string(text.data ? text.data : "?"));
	json_object_del(each, "verdicts");
	str_release(&text);
}

json_t *cases_of(const json_t *record, const json_t *cards)
{
	json_t *cases = json_object(), *each;
	const json_t *attempt;
	const char *key;
	size_t i;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt) {
		const char *card = card_of(attempt, cards);
		char *name;

		if (json_is_string(json_object_get(attempt, "skipped")))
			continue;
		name = xasprintf("%s | %s | %s | %s", card, json_text(attempt, "scene", "?"),
			json_text(attempt, "probe", "?"),
			json_is_true(json_object_get(attempt, "together")) ? "together" : "alone");
		if (!json_object_get(cases, name))
			json_object_set_new(cases, name, case_new(attempt, card));
		add_attempt(json_object_get(cases, name), attempt);
		free(name);
	}
	json_object_foreach (cases, key, each)
		finish(each);
	return cases;
}
