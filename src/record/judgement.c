/* SPDX-License-Identifier: Apache-2.0 */
#include "record/judgement.h"

#include <string.h>

#include "base/json.h"

static json_t *facts_json(const struct facts *facts, enum rung rung)
{
	json_t *array = json_array();
	int i;

	for (i = 0; i < FACT_COUNT; i++) {
		if (fact_rung((enum fact)i) != rung || !fact_is_needed((enum fact)i, facts->probe))
			continue;
		json_array_append_new(
			array, json_pack("{s:s, s:s, s:o}", "fact", fact_name((enum fact)i),
				       "answer", known_name(facts->answer[i]), "evidence",
				       json_printable_text(facts->evidence[i])));
	}
	return array;
}

static json_t *rungs_json(const struct facts *facts)
{
	json_t *rungs = json_array();
	int rung;

	for (rung = RUNG_SCENE_READABLE; rung < RUNG_COUNT; rung++) {
		json_t *evidence = facts_json(facts, (enum rung)rung);

		/* The control has no GPU rungs. */
		if (json_array_size(evidence) == 0) {
			json_decref(evidence);
			continue;
		}
		json_array_append_new(rungs,
			json_pack("{s:i, s:s, s:s, s:o}", "rung", rung, "name",
				rung_name((enum rung)rung), "answer",
				known_name(facts_rung(facts, (enum rung)rung)), "facts", evidence));
	}
	return rungs;
}

/* How a process ended belongs to no rung. */
static json_t *rung_json(enum rung rung)
{
	if (rung == RUNG_NONE)
		return json_null();
	return json_pack("{s:i, s:s}", "rung", (int)rung, "name", rung_name(rung));
}

void judgement_add(json_t *attempt, const struct facts *facts, const struct verdict *verdict)
{
	bool decided = verdict->fact != FACT_COUNT;

	json_object_set_new(attempt, "verdict", json_string(verdict_name(verdict->id)));
	json_object_set_new(attempt, "why", json_string(verdict->why));
	json_object_set_new(attempt, "decided_by",
		!decided ? json_null()
			 : json_pack("{s:s, s:o, s:o}", "fact", fact_name(verdict->fact), "rung",
				   rung_json(fact_rung(verdict->fact)), "evidence",
				   json_printable_text(facts->evidence[verdict->fact])));
	json_object_set_new(attempt, "first_rung_not_yes", rung_json(verdict->rung));
	json_object_set_new(attempt, "rungs", rungs_json(facts));
	json_object_set_new(attempt, "process", facts_json(facts, RUNG_NONE));
}

/* --- back from the record --- */

static int read_answer(const char *name, enum known *answer)
{
	static const enum known all[] = { KNOWN_NO, KNOWN_YES, KNOWN_UNKNOWN };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(known_name(all[i]), name) == 0) {
			*answer = all[i];
			return 0;
		}
	return -1;
}

static void read_facts(const json_t *array, struct facts *facts, bool seen[FACT_COUNT])
{
	const json_t *item;
	enum known answer;
	size_t i;
	int fact;

	json_array_foreach (array, i, item) {
		const char *name = json_text(item, "fact", "");

		for (fact = 0; fact < FACT_COUNT && strcmp(fact_name((enum fact)fact), name) != 0;
			fact++)
			;
		if (fact == FACT_COUNT || read_answer(json_text(item, "answer", ""), &answer) != 0)
			continue;
		facts_set(facts, (enum fact)fact, answer, "%s", json_text(item, "evidence", ""));
		seen[fact] = true;
	}
}

int judgement_read(const json_t *attempt, enum probe probe, struct facts *facts,
	struct verdict *verdict, struct error *err)
{
	const json_t *rung;
	bool seen[FACT_COUNT] = { false };
	size_t i;
	int fact;

	facts_init(facts, probe);
	json_array_foreach (json_object_get(attempt, "rungs"), i, rung)
		read_facts(json_object_get(rung, "facts"), facts, seen);
	read_facts(json_object_get(attempt, "process"), facts, seen);
	for (fact = 0; fact < FACT_COUNT; fact++)
		if (fact_is_needed((enum fact)fact, probe) && !seen[fact])
			return error_set(err, "it does not say %s", fact_name((enum fact)fact));
	*verdict = verdict_of(facts);
	if (strcmp(verdict_name(verdict->id), json_text(attempt, "verdict", "")) != 0)
		return error_set(err, "its facts make it %s, and it says %s",
			verdict_name(verdict->id), json_text(attempt, "verdict", "nothing"));
	return 0;
}
