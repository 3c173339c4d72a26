/* SPDX-License-Identifier: Apache-2.0 */
#include "report/markdown.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/show.h"
#include "report/view.h"
#include "report/why.h"
#include "verdict/verdict.h"

/* A ticket is read on one screen; the record has the rest. */
enum { MARKDOWN_MAX = 800 };

static const char *reference_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '@': /* a ticket system would call somebody */
		return "&#64;";
	default:
		return NULL;
	}
}

void markdown_escape(struct str *to, const char *text)
{
	struct str visible = STR_INIT;
	size_t i;

	show_add(&visible, text, MARKDOWN_MAX);
	for (i = 0; i < visible.len; i++) {
		char c = visible.data[i];
		const char *reference = reference_of(c);

		if (reference) {
			str_add(to, reference);
			continue;
		}
		if (strchr("\\`*_[]|~#$!", c))
			str_add(to, "\\");
		str_add_bytes(to, &c, 1);
	}
	str_release(&visible);
}

static void add_owned(struct str *to, char *text_freed)
{
	markdown_escape(to, text_freed);
	free(text_freed);
}

static void add_cell(struct str *to, const char *text)
{
	str_add(to, " | ");
	markdown_escape(to, text);
}

static void add_cell_owned(struct str *to, char *text_freed)
{
	add_cell(to, text_freed);
	free(text_freed);
}

static void add_title(const json_t *record, struct str *to)
{
	str_addf(to, "# %s", view_mark(record));
	add_owned(to, view_decision(record));
	str_add(to, ": node ");
	markdown_escape(to, json_text(json_object_get(record, "node"), "name", "without a name"));
	str_add(to, "\n\n");
	if (view_is_simulated(record))
		str_add(to, "**SIMULATED.** A stand-in runtime played this node. This shows what "
			    "the tool does, "
			    "and proves nothing about any hardware.\n\n");
	if (view_was_interrupted(record))
		str_add(to, "**The run was interrupted.** What had not ended is inconclusive.\n\n");
}

static void add_gcd(const json_t *record, const json_t *gcd, struct str *to)
{
	str_addf(to, "| %s", view_mark(record));
	markdown_escape(to, view_gcd_name(gcd));
	add_cell(to, view_target(record, gcd));
	add_cell(to, view_is_worker(gcd) ? "yes" : "no");
	add_cell_owned(to, view_verdicts(record, gcd, "strict"));
	add_cell_owned(to, view_verdicts(record, gcd, "as-farm"));
	add_cell_owned(to, view_deciding_rung(gcd));
	add_cell(to, json_text(gcd, "evidence", "not in the record"));
	str_add(to, " |\n");
}

static void add_gcds(const json_t *record, struct str *to)
{
	const json_t *gcd;
	size_t i;

	if (!view_count_gcds(record)) {
		str_add(to, "To do: ");
		markdown_escape(to, view_no_gcd_remedy());
		str_add(to, ".\n\n");
		return;
	}
	str_add(to,
		"| GCD | target | render worker | strict | as-farm | deciding rung | evidence |\n"
		"|---|---|---|---|---|---|---|\n");
	json_array_foreach (json_object_get(record, "gcds"), i, gcd)
		add_gcd(record, gcd, to);
	str_add(to, "\n");
}

static void add_cause(const json_t *record, const json_t *gcd, struct str *to)
{
	const json_t *attempt = why_deciding(record, gcd);

	if (!attempt)
		return;
	str_addf(to, "| %s", view_mark(record));
	markdown_escape(to, view_gcd_name(gcd));
	add_cell_owned(to, why_chain(attempt));
	add_cell_owned(to, why_candidates(attempt));
	add_cell(to, why_remedy(attempt));
	add_cell(to, json_text(attempt, "verdict", "not in the record"));
	add_cell_owned(to, why_predicted(attempt));
	str_add(to, " |\n");
}

/* Of the attempt that decided. What was predicted stands beside what was observed, never for it. */
static void add_causes(const json_t *record, struct str *to)
{
	const json_t *gcd;
	size_t i;

	if (!view_count_gcds(record))
		return;
	str_add(to, "## Why\n\nThe chain of causes, from the root to what decided; a candidate "
		    "could explain "
		    "and is not proven.\n\n"
		    "| GCD | causes | candidates | remedy | observed | predicted |\n"
		    "|---|---|---|---|---|---|\n");
	json_array_foreach (json_object_get(record, "gcds"), i, gcd)
		add_cause(record, gcd, to);
	str_add(to, "\n");
}

static void add_controls(const json_t *record, struct str *to)
{
	const json_t *attempt;
	size_t i;

	str_add(to, "## Controls on the CPU\n\n");
	json_array_foreach (json_object_get(record, "attempts"), i, attempt) {
		if (!view_is_control(attempt))
			continue;
		str_addf(to, "- %sscene ", view_mark(attempt));
		markdown_escape(to, json_text(attempt, "scene", "?"));
		str_add(to, ": ");
		markdown_escape(to, json_text(attempt, "verdict", "?"));
		str_add(to, *view_evidence(attempt) ? ": " : "");
		markdown_escape(to, view_evidence(attempt));
		str_add(to, "\n");
	}
	str_add(to, "\n");
}

static void add_line(struct str *to, const char *mark, const char *what, const json_t *value)
{
	str_addf(to, "- %s%s: ", mark, what);
	if (!view_is_fact(value)) {
		add_owned(to, view_value(value));
	} else if (json_is_null(json_object_get(value, "value"))) {
		str_add(to, "unknown: ");
		markdown_escape(to, json_text(value, "why", "no reason is given"));
	} else {
		add_owned(to, view_value(json_object_get(value, "value")));
		str_add(to, " (");
		markdown_escape(to, json_text(value, "class", "no class"));
		str_add(to, ")");
	}
	str_add(to, "\n");
}

static void add_circumstances(const json_t *record, struct str *to)
{
	static const struct {
		const char *part, *key, *what;
	} rows[] = {
		{ "blender", "version", "Blender" },
		{ "blender", "sha256", "Blender SHA-256" },
		{ "system", "kernel", "kernel" },
		{ "system", "amdgpu_driver", "amdgpu driver" },
		{ "system", "rocm_release", "ROCm release" },
		{ "system", "container", "container" },
		{ "tool", "version", "oamqual" },
		{ "tool", "commit", "oamqual commit" },
		{ "run", "started", "started" },
	};
	size_t i;

	str_add(to, "## Circumstances\n\n");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *mark = strcmp(rows[i].part, "system") == 0 ? view_mark(record) : "";

		add_line(to, mark, rows[i].what,
			json_object_get(json_object_get(record, rows[i].part), rows[i].key));
	}
	str_add(to, "\n");
}

/* What was measured with the project's own kernel, and what Cycles did with the same work. */
static void add_baseline(const json_t *record, struct str *to)
{
	static const struct {
		const char *key, *what;
	} rows[] = {
		{ "threads", "threads of both" },
		{ "cycles_msamples_per_s", "Cycles, million samples a second" },
		{ "baseline_msamples_per_s", "the kernel there, million samples a second" },
		{ "not_said", "what this does not say" },
	};
	const json_t *baseline = json_object_get(record, "baseline"), *cpu, *cycles;
	size_t i;

	if (!baseline)
		return;
	str_add(to, "## Baseline\n\n");
	cpu = json_object_get(baseline, "cpu");
	cycles = json_object_get(baseline, "cycles");
	add_line(to, "", "the project's own kernel on the CPU, million samples a second",
		cpu ? json_object_get(cpu, "msamples_per_s") : baseline);
	if (cycles && view_is_fact(cycles))
		add_line(to, "", "Cycles on the CPU beside it", cycles);
	for (i = 0; cycles && !view_is_fact(cycles) && i < sizeof(rows) / sizeof(rows[0]); i++)
		add_line(to, "", rows[i].what, json_object_get(cycles, rows[i].key));
	str_add(to, "\n");
}

static bool is_seen(const json_t *record, const char *verdict)
{
	const json_t *gcd;
	size_t i;

	json_array_foreach (json_object_get(record, "gcds"), i, gcd)
		if (strcmp(json_text(gcd, "verdict", ""), verdict) == 0)
			return true;
	return false;
}

static void add_meanings(const json_t *record, struct str *to)
{
	int id;

	if (!view_count_gcds(record))
		return;
	str_add(to, "## What the verdicts mean\n\n");
	for (id = 0; id < VERDICT_COUNT; id++) {
		const struct verdict_help *help = verdict_help((enum verdict_id)id);

		if (!is_seen(record, verdict_name((enum verdict_id)id)))
			continue;
		str_addf(to, "- **%s**: ", verdict_name((enum verdict_id)id));
		markdown_escape(to, help->meaning);
		str_add(to, " To try: ");
		markdown_escape(to, help->remedy);
		str_add(to, "\n");
	}
	str_add(to, "\n");
}

static void add_notes(const json_t *record, struct str *to)
{
	const json_t *notes = json_object_get(record, "notes"), *note;
	size_t i;

	if (json_array_size(notes))
		str_add(to, "## Notes\n\n");
	json_array_foreach (notes, i, note) {
		str_add(to, "- note: ");
		add_owned(to, view_value(note));
		str_add(to, "\n");
	}
	str_add(to, json_array_size(notes) ? "\n" : "");
}

/* The line begins with the program's name and holds no line break, so nothing in it can end the
 * fence. */
static void add_repeat(const json_t *record, struct str *to)
{
	char *command = view_command(record);

	str_add(to, "## How to repeat it\n\n```\n");
	show_add(to, command, SHOW_MAX);
	str_add(to, "\n```\n");
	free(command);
}

void report_markdown_add(const json_t *record, struct str *to)
{
	add_title(record, to);
	add_gcds(record, to);
	add_causes(record, to);
	add_controls(record, to);
	add_circumstances(record, to);
	add_baseline(record, to);
	add_meanings(record, to);
	add_notes(record, to);
	add_repeat(record, to);
}
