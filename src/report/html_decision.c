/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader must see first: the decision, whether it is simulated, each GCD, the controls. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "record/record.h"
#include "report/html_parts.h"
#include "report/view.h"
#include "report/why.h"
#include "verdict/verdict.h"

static void add_headline(struct markup *m, const json_t *record)
{
	char *decision = view_decision(record);

	markup_open(m, "h1", NULL);
	html_mark(m, record);
	markup_textf(m, "%s.", decision);
	markup_close(m);
	free(decision);
}

static void add_origin(struct markup *m, const json_t *record)
{
	const json_t *run = json_object_get(record, "run"), *tool = json_object_get(record, "tool");

	markup_open(m, "p", "class", "soft", NULL);
	markup_textf(m, "%sNode %s. Blender %s. %s to %s. oamqual %s (%s).", view_mark(record),
		json_text(json_object_get(record, "node"), "name", "without a name"),
		json_text(json_object_get(record, "blender"), "version", "unknown"),
		json_text(run, "started", "unknown"), json_text(run, "ended", "unknown"),
		json_text(tool, "version", "unknown"), json_text(tool, "commit", "unknown"));
	markup_close(m);
}

static void add_banner(struct markup *m, const json_t *record)
{
	if (!view_is_simulated(record))
		return;
	markup_open(m, "div", "class", "banner", "role", "note", NULL);
	markup_element(m, "strong", NULL, "SIMULATED");
	markup_open(m, "p", NULL);
	markup_text(m, "A stand-in runtime played this node. This page shows what the tool does, "
		       "and proves "
		       "nothing about any hardware.");
	markup_close(m);
	markup_close(m);
}

static void add_interruption(struct markup *m, const json_t *record)
{
	if (!view_was_interrupted(record))
		return;
	markup_open(m, "div", "class", "warning", NULL);
	markup_element(m, "strong", NULL, "The run was interrupted.");
	markup_text(m, " What had not ended is inconclusive.");
	markup_close(m);
}

/* --- the decision in plain words --- */

/* "0000:c1:00.0, 0000:c6:00.0" of those that are workers; the caller frees. */
static char *worker_names(const json_t *record)
{
	struct str names = STR_INIT;
	const json_t *gcd;
	size_t i;

	json_array_foreach (json_object_get(record, "gcds"), i, gcd)
		if (view_is_worker(gcd))
			str_addf(&names, "%s%s", names.len ? ", " : "", view_gcd_name(gcd));
	return str_detach(&names);
}

static size_t count_verdict(const json_t *record, const char *name)
{
	const json_t *gcd;
	size_t i, count = 0;

	json_array_foreach (json_object_get(record, "gcds"), i, gcd)
		count += strcmp(json_text(gcd, "verdict", ""), name) == 0;
	return count;
}

/* "3 not-listed (HIP works and ...)", each verdict but accepted once. */
static void add_refusals(struct markup *m, const json_t *record)
{
	int id;

	for (id = 0; id < VERDICT_COUNT; id++) {
		size_t count = count_verdict(record, verdict_name((enum verdict_id)id));

		if (!count || id == VERDICT_ACCEPTED)
			continue;
		markup_open(m, "p", NULL);
		markup_textf(m, "%zu ", count);
		html_verdict(m, verdict_name((enum verdict_id)id));
		markup_textf(m, ": %s", verdict_help((enum verdict_id)id)->meaning);
		markup_close(m);
	}
}

/* What the attempts that decided say is to be done, each remedy once. */
static void add_remedies(struct markup *m, const json_t *record)
{
	json_t *seen = json_object();
	const json_t *gcd;
	size_t i;

	json_array_foreach (json_object_get(record, "gcds"), i, gcd) {
		const json_t *remedy = json_object_get(why_deciding(record, gcd), "remedy");
		const char *class = json_text(remedy, "class", "none");

		if (strcmp(class, "none") == 0 || json_object_get(seen, class))
			continue;
		json_object_set_new(seen, class, json_true());
		markup_open(m, "p", NULL);
		markup_textf(m, "To do (%s): %s", class, json_text(remedy, "text", ""));
		markup_close(m);
	}
	json_decref(seen);
}

static void add_answer(struct markup *m, const json_t *record, size_t workers, size_t count)
{
	const char *version =
		json_text(json_object_get(record, "blender"), "version", "of unknown version");
	char *names = worker_names(record);

	markup_open(m, "p", NULL);
	html_mark(m, record);
	if (workers == count)
		markup_textf(m, "Every GCD that was judged may take Cycles jobs of Blender %s.",
			version);
	else if (workers)
		markup_textf(m,
			"Only these may take Cycles jobs of Blender %s: %s. Keep jobs away from "
			"the "
			"other %zu.",
			version, names, count - workers);
	else
		markup_textf(m, "No GCD of this node may take Cycles jobs of Blender %s.", version);
	markup_close(m);
	free(names);
}

static void add_undecided(struct markup *m, const char *why)
{
	markup_open(m, "p", NULL);
	markup_textf(m, "Nothing was decided: %s.", why);
	markup_close(m);
}

static void add_plain_words(struct markup *m, const json_t *record)
{
	size_t count = view_count_gcds(record), workers = view_count_workers(record);
	const char *contradiction = record_contradiction(record);
	bool decided = count && !contradiction && !view_was_interrupted(record);

	markup_open(m, "div", "class",
		!decided	   ? "decision none"
		: workers == count ? "decision yes"
				   : "decision no",
		NULL);
	if (contradiction)
		add_undecided(m, contradiction);
	else if (!count)
		add_undecided(m, "no GCD was judged");
	else if (!decided)
		add_undecided(m, "the run was interrupted");
	else
		add_answer(m, record, workers, count);
	add_refusals(m, record);
	add_remedies(m, record);
	if (!count) {
		markup_open(m, "p", NULL);
		markup_textf(m, "To do: %s.", view_no_gcd_remedy());
		markup_close(m);
	}
	markup_close(m);
}

void html_decision(struct markup *m, const json_t *record)
{
	add_headline(m, record);
	add_origin(m, record);
	add_banner(m, record);
	add_interruption(m, record);
	add_plain_words(m, record);
}

void html_parts(struct markup *m)
{
	static const struct {
		const char *target, *text;
	} rows[] = {
		{ "#drawing", "Node" },
		{ "#gcds", "GCDs" },
		{ "#scenes", "Scenes" },
		{ "#attempts", "Attempts" },
		{ "#distributed", "Distributed" },
		{ "#charts", "Charts" },
		{ "#published", "Published beside found" },
		{ "#unknown", "Unknown" },
		{ "#facts", "Facts" },
		{ "#repeat", "Repeat it" },
	};
	size_t i;

	markup_open(m, "nav", "aria-label", "parts of this page", NULL);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		markup_open(m, "a", "href", rows[i].target, NULL);
		markup_text(m, rows[i].text);
		markup_close(m);
		markup_text(m, " ");
	}
	markup_close(m);
}

/* --- GCDs --- */

static void verdict_cell(struct markup *m, const char *label, const char *verdict)
{
	markup_open(m, "td", "data-label", label, NULL);
	html_verdict(m, verdict);
	markup_close(m);
}

static void add_gcd(struct markup *m, const json_t *record, const json_t *gcd)
{
	char *strict = view_verdicts(record, gcd, "strict");
	char *farm = view_verdicts(record, gcd, "as-farm"), *rung = view_deciding_rung(gcd);

	markup_open(m, "tr", NULL);
	markup_open(m, "td", "data-label", "GCD", NULL);
	html_mark(m, record);
	markup_text(m, view_gcd_name(gcd));
	markup_close(m);
	html_cell(m, "target", view_target(record, gcd));
	markup_open(m, "td", "data-label", "render worker", NULL);
	markup_text(m, view_is_worker(gcd) ? "yes " : "no ");
	html_verdict(m, json_text(gcd, "verdict", "not in the record"));
	markup_close(m);
	verdict_cell(m, "strict", strict);
	verdict_cell(m, "as-farm", farm);
	html_cell(m, "deciding rung", rung);
	html_cell(m, "evidence", json_text(gcd, "evidence", "not in the record"));
	markup_close(m);
	free(strict);
	free(farm);
	free(rung);
}

void html_gcds(struct markup *m, const json_t *record)
{
	static const char *const labels[] = { "GCD", "target", "render worker", "strict", "as-farm",
		"deciding rung", "evidence" };
	const json_t *gcd;
	size_t i;

	html_section(m, record, "gcds", "GPU domains (GCDs)");
	markup_element(m, "p", "soft",
		"strict: Blender is told to refuse rather than fall back. as-farm: the GPU is "
		"asked for and "
		"nothing stops a fallback. A GCD is a render worker only when every scene is "
		"accepted by both, "
		"alone and with all GCDs at once.");
	html_table_head(m, labels, sizeof(labels) / sizeof(labels[0]));
	json_array_foreach (json_object_get(record, "gcds"), i, gcd)
		add_gcd(m, record, gcd);
	markup_close(m);
	markup_close(m);
	if (!view_count_gcds(record))
		markup_element(m, "p", NULL, "The record holds no GCD: nothing was judged.");
}

/* --- controls --- */

static void add_control(struct markup *m, const json_t *attempt)
{
	const char *verdict = json_text(attempt, "verdict", "not in the record");
	bool accepted = strcmp(verdict, "accepted") == 0;

	markup_open(m, "tr", NULL);
	markup_open(m, "td", "data-label", "scene", NULL);
	html_mark(m, attempt);
	markup_text(m, json_text(attempt, "scene", "not in the record"));
	markup_close(m);
	verdict_cell(m, "verdict", verdict);
	html_cell(m, "evidence", accepted ? json_text(attempt, "why", "") : view_evidence(attempt));
	markup_close(m);
}

void html_controls(struct markup *m, const json_t *record)
{
	static const char *const labels[] = { "scene", "verdict", "evidence" };
	const json_t *attempt;
	size_t i, count = 0;

	markup_element(m, "h2", NULL, "Controls on the CPU");
	markup_element(m, "p", "soft",
		"The same Blender and scene on the CPU of the machine that ran the tool. An "
		"accepted control "
		"shows that the scene, the build and the reference are sound, and nothing about a "
		"GPU.");
	html_table_head(m, labels, sizeof(labels) / sizeof(labels[0]));
	json_array_foreach (json_object_get(record, "attempts"), i, attempt) {
		if (!view_is_control(attempt))
			continue;
		add_control(m, attempt);
		count++;
	}
	markup_close(m);
	markup_close(m);
	if (!count)
		markup_element(m, "p", NULL, "No control was run.");
}
