/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader must see first: the decision, whether it is simulated, each GCD, the controls. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/html_parts.h"
#include "report/view.h"

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

void html_decision(struct markup *m, const json_t *record)
{
	add_headline(m, record);
	add_origin(m, record);
	add_banner(m, record);
	add_interruption(m, record);
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

	html_heading(m, record, "GPU domains (GCDs)");
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
