/* SPDX-License-Identifier: Apache-2.0 */
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

const size_t record_bytes_max = (size_t)256 << 20;

/* --- one verdict a GCD --- */

static bool is_of_gcd(const json_t *attempt, const json_t *gpu)
{
	const json_t *device = json_object_get(attempt, "device");
	const char *bdf = json_text(device, "bdf", NULL);
	const char *wanted = json_fact_text(gpu, "bdf");

	return bdf && wanted && strcmp(bdf, wanted) == 0;
}

static bool is_accepted(const json_t *attempt)
{
	return strcmp(json_text(attempt, "verdict", ""), "accepted") == 0;
}

/* A scene that this Blender cannot render says nothing about a GCD. */
static bool is_skipped(const json_t *scenes, const char *name)
{
	const json_t *scene;
	size_t i;

	json_array_foreach (scenes, i, scene)
		if (strcmp(json_text(scene, "name", ""), name) == 0)
			return json_is_string(json_object_get(scene, "skipped"));
	return false;
}

/* The strict probe names the reason, so it speaks for the GCD before the farm's probe. */
static const json_t *deciding_attempt(const json_t *attempts, const json_t *gpu,
	const json_t *scenes, size_t *total, size_t *accepted)
{
	const json_t *attempt, *first_strict = NULL, *first_other = NULL;
	size_t i;

	*total = *accepted = 0;
	json_array_foreach (attempts, i, attempt) {
		bool strict = strcmp(json_text(attempt, "probe", ""), "strict") == 0;

		if (!is_of_gcd(attempt, gpu) || is_skipped(scenes, json_text(attempt, "scene", "")))
			continue;
		++*total;
		if (is_accepted(attempt))
			++*accepted;
		else if (strict && !first_strict)
			first_strict = attempt;
		else if (!strict && !first_other)
			first_other = attempt;
	}
	return first_strict ? first_strict : first_other;
}

/* A control that is not accepted says that the scene, the build or the reference is not to be
 * trusted. */
static bool control_is_accepted(const json_t *attempts, const char *scene)
{
	const json_t *attempt;
	bool accepted = false;
	size_t i;

	json_array_foreach (attempts, i, attempt) {
		if (strcmp(json_text(attempt, "probe", ""), "control") != 0 ||
			strcmp(json_text(attempt, "scene", ""), scene) != 0)
			continue;
		if (!is_accepted(attempt))
			return false;
		accepted = true;
	}
	return accepted;
}

static size_t count_cases(const json_t *attempts, const json_t *gpu, const char *scene,
	const char *probe, bool together)
{
	const json_t *attempt;
	size_t i, count = 0;

	json_array_foreach (attempts, i, attempt)
		if (is_of_gcd(attempt, gpu) && is_accepted(attempt) &&
			strcmp(json_text(attempt, "scene", ""), scene) == 0 &&
			strcmp(json_text(attempt, "probe", ""), probe) == 0 &&
			json_is_true(json_object_get(attempt, "together")) == together)
			count++;
	return count;
}

/* The first case that acceptance requires and that has no accepted attempt; NULL when there is
 * none. The caller frees. */
static char *missing_case(const json_t *attempts, const json_t *gpu, const json_t *scenes)
{
	static const struct {
		const char *probe;
		bool together;
	} cases[] = { { "strict", false }, { "as-farm", false }, { "strict", true } };
	const json_t *scene;
	size_t i, j, rendered = 0;

	json_array_foreach (scenes, i, scene) {
		const char *name = json_text(scene, "name", "");

		if (is_skipped(scenes, name))
			continue;
		rendered++;

		for (j = 0; j < sizeof(cases) / sizeof(cases[0]); j++)
			if (!count_cases(attempts, gpu, name, cases[j].probe, cases[j].together))
				return xasprintf("scene %s, probe %s, %s: not accepted, or not run",
					name, cases[j].probe,
					cases[j].together ? "all GCDs at once" : "alone");
		if (!control_is_accepted(attempts, name))
			return xasprintf("scene %s: its control on the CPU is not accepted", name);
	}
	return rendered ? NULL : xstrdup("no scene was rendered");
}

static json_t *gcd_json(const json_t *gpu, const json_t *attempts, const json_t *scenes)
{
	size_t total, accepted;
	const json_t *decider = deciding_attempt(attempts, gpu, scenes, &total, &accepted);
	char *missing = missing_case(attempts, gpu, scenes);
	const char *verdict = decider	? json_text(decider, "verdict", "inconclusive")
			      : missing ? "inconclusive"
					: "accepted";
	json_t *gcd = json_pack("{s:O, s:s, s:b, s:I, s:I, s:o, s:o}", "bdf",
		json_object_get(json_object_get(gpu, "bdf"), "value"), "verdict", verdict,
		"render_worker", strcmp(verdict, "accepted") == 0, "attempts", (json_int_t)total,
		"accepted_attempts", (json_int_t)accepted, "missing_case",
		missing ? json_printable_text(missing) : json_null(), "decided_by_attempt",
		decider ? json_integer(json_integer_of(decider, "number", 0)) : json_null());

	if (decider) {
		json_object_set(gcd, "decided_at",
			json_object_get(json_object_get(decider, "decided_by"), "rung"));
		json_object_set(
			gcd, "first_rung_not_yes", json_object_get(decider, "first_rung_not_yes"));
		json_object_set(gcd, "evidence",
			json_object_get(json_object_get(decider, "decided_by"), "evidence"));
	} else {
		json_object_set_new(gcd, "decided_at", json_null());
		json_object_set_new(gcd, "first_rung_not_yes", json_null());
		json_object_set_new(gcd, "evidence",
			missing ? json_printable_text(missing)
				: json_string("every scene that was not skipped, by both probes, "
					      "alone and together"));
	}
	free(missing);
	return gcd;
}

json_t *record_gcds(const json_t *node, const json_t *attempts, const json_t *scenes)
{
	json_t *gcds = json_array();
	const json_t *gpu;
	size_t i;

	json_array_foreach (json_object_get(node, "gpus"), i, gpu)
		json_array_append_new(gcds, gcd_json(gpu, attempts, scenes));
	return gcds;
}

const json_t *record_gcd(const json_t *record, const char *bdf)
{
	const json_t *gcd;
	size_t i;

	json_array_foreach (json_object_get(record, "gcds"), i, gcd)
		if (strcmp(json_text(gcd, "bdf", ""), bdf) == 0)
			return gcd;
	return NULL;
}

/* --- a record against itself --- */

/* A node is "live" or "simulated"; what was seen on a live one is "observed". */
static const char *source_contradiction(const json_t *record)
{
	const char *node = json_text(json_object_get(record, "node"), "source", "");
	const char *source = strcmp(node, "live") == 0 ? "observed" : node;
	const json_t *attempt;
	size_t i;

	if (strcmp(json_text(record, "source", ""), source) != 0)
		return "the record and its node do not agree whether it is simulated";
	json_array_foreach (json_object_get(record, "attempts"), i, attempt)
		if (json_is_object(json_object_get(attempt, "device")) &&
			strcmp(json_text(attempt, "source", ""), source) != 0)
			return "an attempt and the node do not agree whether it is simulated";
	return NULL;
}

static const char *rung_contradiction(const json_t *record)
{
	const json_t *attempt, *rung;
	size_t i, j;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt) {
		if (!is_accepted(attempt))
			continue;
		if (json_array_size(json_object_get(attempt, "rungs")) == 0)
			return "an attempt is accepted without a ladder";
		json_array_foreach (json_object_get(attempt, "rungs"), j, rung)
			if (strcmp(json_text(rung, "answer", ""), "yes") != 0)
				return "an attempt is accepted with a rung that is not yes";
	}
	return NULL;
}

/* Accepted: at least two ranks, all accepted, and no finding that says otherwise. */
static bool is_sound_case(const json_t *one)
{
	const json_t *ranks = json_object_get(one, "ranks"), *item;
	size_t i;

	if (strcmp(json_text(one, "outcome", ""), "accepted") != 0)
		return true;
	json_array_foreach (ranks, i, item)
		if (!is_accepted(json_object_get(item, "attempt")))
			return false;
	json_array_foreach (json_object_get(one, "findings"), i, item)
		if (strcmp(json_text(item, "weight", ""), "note") != 0)
			return false;
	return json_array_size(ranks) >= 2;
}

static const char *distributed_contradiction(const json_t *record)
{
	const json_t *distributed = json_object_get(record, "distributed"), *one;
	bool claimed = strcmp(json_text(distributed, "outcome", ""), "accepted") == 0;
	size_t i, accepted = 0;

	json_array_foreach (json_object_get(distributed, "cases"), i, one) {
		const char *outcome = json_text(one, "outcome", "");

		if (!is_sound_case(one))
			return "a frame over several GCDs is accepted and its ranks are not";
		accepted += strcmp(outcome, "accepted") == 0;
		claimed = claimed &&
			  (strcmp(outcome, "accepted") == 0 || strcmp(outcome, "not-run") == 0);
	}
	if (strcmp(json_text(distributed, "outcome", ""), "accepted") == 0 &&
		(!claimed || !accepted))
		return "its outcome over several GCDs does not follow from the cases";
	return NULL;
}

/* Sentences that another version of this program may word otherwise are taken from the record: what
 * case is missing, and what no attempt says. Facts are not, nor what an attempt of the record says.
 */
static void adopt_sentences(json_t *made, const json_t *said)
{
	const json_t *missing = json_object_get(said, "missing_case");
	const json_t *evidence = json_object_get(said, "evidence");

	if (!json_is_null(json_object_get(made, "decided_by_attempt")))
		return;
	if (json_is_string(json_object_get(made, "missing_case")) && json_is_string(missing)) {
		json_object_set(made, "missing_case", (json_t *)missing);
		json_object_set(made, "evidence", (json_t *)missing);
	} else if (json_is_string(evidence)) {
		json_object_set(made, "evidence", (json_t *)evidence);
	}
}

static bool gcds_follow(const json_t *record)
{
	json_t *gcds = record_gcds(json_object_get(record, "node"),
		json_object_get(record, "attempts"), json_object_get(record, "scenes"));
	const json_t *said = json_object_get(record, "gcds");
	bool same;
	size_t i;

	for (i = 0; i < json_array_size(gcds); i++)
		adopt_sentences(json_array_get(gcds, i), json_array_get(said, i));
	same = json_equal(gcds, said);
	json_decref(gcds);
	return same;
}

const char *record_contradiction(const json_t *record)
{
	const char *source = source_contradiction(record), *rung = rung_contradiction(record);

	if (!gcds_follow(record))
		return "its verdicts of GCDs do not follow from its attempts";
	return source ? source : rung ? rung : distributed_contradiction(record);
}

/* --- reading --- */

char *record_path(const char *path)
{
	if (folder_exists(path))
		return path_join(path, "record.json");
	return xstrdup(path);
}

int record_check_form(const json_t *record, const char *name, struct error *err)
{
	const char *schema = json_text(record, "schema", "");

	if (!schema[0])
		return error_set(
			err, "%s: not a record: \"schema\" is not \"oamqual-record/1\"", name);
	if (strcmp(schema, "oamqual-record/1") != 0)
		return error_set(err,
			"%s: not a record: \"schema\" is \"%.40s\", not \"oamqual-record/1\"", name,
			schema);
	if (!json_is_array(json_object_get(record, "attempts")) ||
		!json_is_array(json_object_get(record, "gcds")) ||
		!json_is_array(json_object_get(record, "files")))
		return error_set(err, "%s: not a record: attempts, gcds or files is missing", name);
	return 0;
}

json_t *record_read(const char *path, struct error *err)
{
	char *file = record_path(path);
	json_t *record = json_read_plain(file, record_bytes_max, err);

	if (record && record_check_form(record, file, err) != 0) {
		json_decref(record);
		record = NULL;
	}
	free(file);
	return record;
}
