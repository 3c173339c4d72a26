/* SPDX-License-Identifier: Apache-2.0 */
#include "report/matrix.h"

#include <string.h>

#include "base/json.h"
#include "record/record.h"
#include "report/markdown.h"
#include "report/view.h"

/* --- the cells -------------------------------------------------------------------------------- */

/* The attempt that speaks for the GCD: its first strict one alone that has the GCD's verdict, else
 * the first with it. */
static const json_t *speaking_attempt(const json_t *record, const json_t *gcd)
{
	const char *bdf = json_text(gcd, "bdf", ""), *verdict = json_text(gcd, "verdict", "");
	const json_t *attempt, *other = NULL;
	size_t i;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt) {
		if (strcmp(json_text(json_object_get(attempt, "device"), "bdf", ""), bdf) != 0 ||
			strcmp(json_text(attempt, "verdict", ""), verdict) != 0)
			continue;
		if (strcmp(json_text(attempt, "probe", ""), "strict") == 0)
			return attempt;
		if (!other)
			other = attempt;
	}
	return other;
}

static json_t *text_or_null(const char *text)
{
	return text && text[0] ? json_printable_text(text) : json_null();
}

static json_t *cell(const json_t *record, const json_t *gcd)
{
	const json_t *attempt = speaking_attempt(record, gcd);
	const json_t *chain = json_object_get(json_object_get(attempt, "causes"), "chain");
	const json_t *root = json_array_get(chain, 0);

	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "verdict",
		json_text(gcd, "verdict", "inconclusive"), "predicted",
		text_or_null(json_fact_text(json_object_get(attempt, "prediction"), "verdict")),
		"cause", text_or_null(json_text(root, "what", "")), "remedy",
		text_or_null(json_text(json_object_get(attempt, "remedy"), "class", "")),
		"evidence", text_or_null(json_text(gcd, "evidence", "")));
}

static json_t *row(json_t *const *records, size_t count, const json_t *gcd)
{
	const char *bdf = json_text(gcd, "bdf", "");
	json_t *cells = json_array();
	size_t i;

	for (i = 0; i < count; i++) {
		const json_t *same = record_gcd(records[i], bdf);

		json_array_append_new(cells, same ? cell(records[i], same) : json_null());
	}
	return json_pack("{s:o, s:o, s:o}", "bdf", json_printable_text(bdf), "gfx_target",
		json_printable_text(view_target(records[0], gcd)), "builds", cells);
}

/* "accepted", or the first other verdict of the controls: a build whose own CPU misses the
 * reference cannot have a GPU that meets it. */
static const char *control_verdict(const json_t *record)
{
	const char *verdict = NULL;
	const json_t *attempt;
	size_t i;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt)
		if (view_is_control(attempt) && (!verdict || strcmp(verdict, "accepted") == 0))
			verdict = json_text(attempt, "verdict", "?");
	return verdict;
}

static json_t *build(const json_t *record, const char *path)
{
	const json_t *blender = json_object_get(record, "blender");

	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "version",
		json_printable_text(json_text(blender, "version", "?")), "sha256",
		json_printable_text(json_text(blender, "sha256", "?")), "root",
		text_or_null(json_text(blender, "root", "")), "control",
		text_or_null(control_verdict(record)), "record", json_printable_text(path));
}

json_t *report_matrix_json(json_t *const *records, const char *const *paths, size_t count)
{
	json_t *builds = json_array(), *gcds = json_array();
	const char *source = "observed";
	const json_t *gcd;
	size_t i;

	for (i = 0; i < count; i++) {
		json_array_append_new(builds, build(records[i], paths[i]));
		if (view_is_simulated(records[i]))
			source = "simulated";
	}
	json_array_foreach (json_object_get(records[0], "gcds"), i, gcd)
		json_array_append_new(gcds, row(records, count, gcd));
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "schema", "oamqual-matrix/1", "source",
		source, "node",
		json_printable_text(json_text(json_object_get(records[0], "node"), "name", "?")),
		"builds", builds, "gcds", gcds);
}

/* --- Markdown --------------------------------------------------------------------------------- */

/* Each cell ends with its bar. */
static void add_cell_text(struct str *to, const char *text)
{
	str_add(to, " ");
	markdown_escape(to, text);
	str_add(to, " |");
}

static void add_heading(struct str *to, const json_t *matrix, const char *mark)
{
	const json_t *builds = json_object_get(matrix, "builds"), *item;
	size_t i;

	str_addf(to, "## %sVerdicts by GCD and Blender\n\n| GCD | gfx target |", mark);
	json_array_foreach (builds, i, item) {
		str_add(to, " Blender");
		add_cell_text(to, json_text(item, "version", "?"));
	}
	str_add(to, "\n|---|---|");
	for (i = 0; i < json_array_size(builds); i++)
		str_add(to, "---|");
	str_add(to, "\n");
}

static void add_rows(struct str *to, const json_t *matrix, bool simulated)
{
	const json_t *gcd, *item;
	size_t i, j;

	json_array_foreach (json_object_get(matrix, "gcds"), i, gcd) {
		str_add(to, simulated ? "| SIMULATED" : "|");
		add_cell_text(to, json_text(gcd, "bdf", ""));
		add_cell_text(to, json_text(gcd, "gfx_target", ""));
		json_array_foreach (json_object_get(gcd, "builds"), j, item)
			add_cell_text(to, json_text(item, "verdict", "not judged"));
		str_add(to, "\n");
	}
}

/* One row a distinct reason: GCDs of one kind share it. */
static bool is_told(const json_t *gcds, size_t gcd, size_t build)
{
	const json_t *mine =
		json_array_get(json_object_get(json_array_get(gcds, gcd), "builds"), build);
	size_t i;

	for (i = 0; i < gcd; i++)
		if (json_equal((json_t *)mine,
			    json_array_get(
				    json_object_get(json_array_get(gcds, i), "builds"), build)))
			return true;
	return false;
}

static void add_reason(
	struct str *to, const json_t *matrix, size_t gcd, size_t build, bool simulated)
{
	const json_t *row_of = json_array_get(json_object_get(matrix, "gcds"), gcd);
	const json_t *item = json_array_get(json_object_get(row_of, "builds"), build);
	const json_t *of = json_array_get(json_object_get(matrix, "builds"), build);

	str_add(to, simulated ? "| SIMULATED" : "|");
	add_cell_text(to, json_text(of, "version", "?"));
	add_cell_text(to, json_text(row_of, "gfx_target", ""));
	add_cell_text(to, json_text(item, "verdict", "not judged"));
	add_cell_text(to, json_text(item, "predicted", "unknown"));
	add_cell_text(to, json_text(item, "cause", "none"));
	add_cell_text(to, json_text(item, "remedy", "none"));
	add_cell_text(to, json_text(item, "evidence", ""));
	str_add(to, "\n");
}

static void add_reasons(struct str *to, const json_t *matrix, bool simulated)
{
	const json_t *gcds = json_object_get(matrix, "gcds");
	size_t i, j, builds = json_array_size(json_object_get(matrix, "builds"));

	str_addf(to,
		"\n## %sWhy\n\n| Blender | gfx target | verdict | predicted | cause | remedy | "
		"evidence "
		"|\n|---|---|---|---|---|---|---|\n",
		simulated ? "SIMULATED " : "");
	for (j = 0; j < builds; j++)
		for (i = 0; i < json_array_size(gcds); i++)
			if (!is_told(gcds, i, j))
				add_reason(to, matrix, i, j, simulated);
}

static void add_builds(struct str *to, const json_t *matrix)
{
	const json_t *item;
	size_t i;

	str_add(to,
		"\n## Builds\n\n| Blender | SHA-256 of the executable | control (CPU) | record |\n"
		"|---|---|---|---|\n");
	json_array_foreach (json_object_get(matrix, "builds"), i, item) {
		str_add(to, "|");
		add_cell_text(to, json_text(item, "version", "?"));
		add_cell_text(to, json_text(item, "sha256", "?"));
		add_cell_text(to, json_text(item, "control", "not run"));
		add_cell_text(to, json_text(item, "record", "?"));
		str_add(to, "\n");
	}
}

static void add_not_judged(struct str *to, const json_t *matrix)
{
	const json_t *item;
	size_t i;

	json_array_foreach (json_object_get(matrix, "not_judged"), i, item) {
		str_add(to, i ? "" : "\n## Not judged\n\n");
		str_add(to, "- ");
		markdown_escape(to, json_is_string(item) ? json_string_value(item) : "?");
		str_add(to, ": left no record\n");
	}
}

void report_matrix_markdown_add(const json_t *matrix, struct str *to)
{
	bool simulated = view_is_simulated(matrix);
	const char *mark = view_mark(matrix);

	str_addf(to, "# %sNode ", mark);
	markdown_escape(to, json_text(matrix, "node", "?"));
	str_addf(to, " by %zu Blender builds\n\n",
		json_array_size(json_object_get(matrix, "builds")));
	if (simulated)
		str_add(to, "A stand-in runtime played this node: it shows what Blender and the "
			    "tool do, "
			    "and proves nothing about any hardware.\n\n");
	add_heading(to, matrix, mark);
	add_rows(to, matrix, simulated);
	add_reasons(to, matrix, simulated);
	add_builds(to, matrix);
	add_not_judged(to, matrix);
}
