/* SPDX-License-Identifier: Apache-2.0 */
#include "report/summary.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "report/show.h"
#include "report/view.h"
#include "verdict/verdict.h"

static bool is_simulated(const json_t *record)
{
	return strcmp(json_text(record, "source", ""), "observed") != 0;
}

static const char *mark(const json_t *record)
{
	return is_simulated(record) ? "SIMULATED " : "";
}

static const json_t *attempt_of(const json_t *record, const char *bdf, const char *probe)
{
	const json_t *attempt;
	size_t i;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt) {
		const char *at = json_text(json_object_get(attempt, "device"), "bdf", "");

		if (strcmp(at, bdf) == 0 && strcmp(json_text(attempt, "probe", ""), probe) == 0)
			return attempt;
	}
	return NULL;
}

static const char *target_of(const json_t *record, size_t gpu)
{
	const json_t *gpus = json_object_get(json_object_get(record, "node"), "gpus");
	const char *target = json_fact_text(json_array_get(gpus, gpu), "gfx_target");

	return target ? target : "unknown";
}

static void print_head(const json_t *record, FILE *to)
{
	const json_t *node = json_object_get(record, "node");
	const json_t *blender = json_object_get(record, "blender");
	const json_t *tool = json_object_get(record, "tool");
	size_t gcds = json_array_size(json_object_get(record, "gcds"));
	size_t scenes = json_array_size(json_object_get(record, "scenes"));

	fprintf(to, "\n%snode %s, %zu GCD%s; Blender %s; %zu scene%s; oamqual %s\n", mark(record),
		json_text(node, "name", "?"), gcds, gcds == 1 ? "" : "s",
		json_text(blender, "version", "?"), scenes, scenes == 1 ? "" : "s",
		json_text(tool, "version", "?"));
	if (is_simulated(record))
		fputs("A stand-in runtime played this node: it shows what the tool does, and "
		      "proves nothing "
		      "about any hardware.\n",
			to);
	fputc('\n', to);
}

static void print_gcd(const json_t *record, const json_t *gcd, size_t index, FILE *to)
{
	const json_t *rung = json_object_get(gcd, "decided_at");
	const json_t *reached = json_object_get(gcd, "first_rung_not_yes");
	const char *bdf = json_text(gcd, "bdf", "");
	const json_t *farm = attempt_of(record, bdf, "as-farm");

	fprintf(to, "%s%-13s %-8s %-20s as-farm: %-14s ", mark(record),
		bdf[0] ? bdf : "(no address)", target_of(record, index),
		json_text(gcd, "verdict", "?"), farm ? json_text(farm, "verdict", "?") : "not run");
	if (json_integer_of(gcd, "attempts", 0) == 0)
		fputs("not attempted\n", to);
	else if (json_is_object(rung))
		fprintf(to, "rung %lld %s\n", (long long)json_integer_of(rung, "rung", 0),
			json_text(rung, "name", "?"));
	else if (json_is_object(reached))
		fprintf(to, "ended before rung %lld %s\n",
			(long long)json_integer_of(reached, "rung", 0),
			json_text(reached, "name", "?"));
	else
		fputs("all rungs yes\n", to);
	fprintf(to, "%s    %s\n", mark(record), json_text(gcd, "evidence", ""));
}

static void print_controls(const json_t *record, FILE *to)
{
	const json_t *attempt;
	size_t i;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt)
		if (strcmp(json_text(attempt, "probe", ""), "control") == 0)
			fprintf(to, "control (CPU) of scene %-10s %-14s %s\n",
				json_text(attempt, "scene", "?"),
				json_text(attempt, "verdict", "?"),
				strcmp(json_text(attempt, "verdict", ""), "accepted") == 0
					? "this build renders the scene right on the CPU"
					: json_text(json_object_get(attempt, "decided_by"),
						  "evidence", ""));
}

static size_t count_workers(const json_t *record)
{
	const json_t *gcd;
	size_t i, workers = 0;

	json_array_foreach (json_object_get(record, "gcds"), i, gcd)
		workers += json_is_true(json_object_get(gcd, "render_worker")) &&
			   strcmp(json_text(gcd, "verdict", ""), "accepted") == 0;
	return workers;
}

/* The verdicts of the GCDs, each named once, in the order of the verdict table. */
static void print_verdicts(const json_t *record, bool counts, FILE *to)
{
	int id;

	for (id = 0; id < VERDICT_COUNT; id++) {
		const char *name = verdict_name((enum verdict_id)id);
		const json_t *gcd;
		size_t i, count = 0;

		json_array_foreach (json_object_get(record, "gcds"), i, gcd)
			count += strcmp(json_text(gcd, "verdict", ""), name) == 0;
		if (!count)
			continue;
		if (counts)
			fprintf(to, " %zu %s", count, name);
		else
			fprintf(to, "  oamqual explain %-20s %s\n", name,
				verdict_help((enum verdict_id)id)->meaning);
	}
}

static void print_notes(const json_t *record, FILE *to)
{
	const json_t *note;
	size_t i;

	json_array_foreach (json_object_get(record, "notes"), i, note)
		fprintf(to, "note: %s\n", json_string_value(note) ? json_string_value(note) : "?");
	if (json_is_true(json_object_get(json_object_get(record, "run"), "interrupted")))
		fputs("note: the run was INTERRUPTED; what had not ended is inconclusive\n", to);
}

/* A copy in which every text is fit for a terminal: a record may come from anywhere. */
static json_t *shown_copy(const json_t *value)
{
	json_t *copy = json_copy((json_t *)value), *member; /* nothing of the original is changed */
	const char *key;
	char *text;
	size_t i;

	if (json_is_string(value)) {
		text = show_text(json_string_value(value));
		json_string_set(copy, text);
		free(text);
	}
	json_object_foreach (copy, key, member)
		json_object_set_new(copy, key, shown_copy(member));
	json_array_foreach (copy, i, member)
		json_array_set_new(copy, i, shown_copy(member));
	return copy;
}

/* Nothing when it was not asked for. */
static void print_distributed(const json_t *record, FILE *to)
{
	const json_t *cases = json_object_get(json_object_get(record, "distributed"), "cases"),
		     *one;
	size_t i;

	json_array_foreach (cases, i, one)
		fprintf(to, "%sdistributed, scene %s over %zu GCDs: %s%s%s\n", mark(record),
			json_text(one, "scene", "?"),
			json_array_size(json_object_get(one, "ranks")),
			json_text(one, "outcome", "?"), json_text(one, "why", NULL) ? ": " : "",
			json_text(one, "why", ""));
}

/* Nothing when the baseline was left out. */
static void print_baseline(const json_t *record, FILE *to)
{
	const json_t *baseline = json_object_get(record, "baseline");
	const json_t *cpu = json_object_get(baseline, "cpu");
	const json_t *cycles = json_object_get(baseline, "cycles");
	double ours = json_real_of(json_object_get(cpu, "msamples_per_s"), "value", -1);
	double there =
		json_real_of(json_object_get(cycles, "baseline_msamples_per_s"), "value", -1);
	double theirs = json_real_of(json_object_get(cycles, "cycles_msamples_per_s"), "value", -1);

	if (ours < 0)
		return;
	fprintf(to, "baseline on the CPU, not Blender: %.2f Msamples/s", ours);
	if (there >= 0 && theirs >= 0)
		fprintf(to, "; in the work of Cycles' control %.2f beside Cycles' %.2f", there,
			theirs);
	fputc('\n', to);
}

static void print_answer(const json_t *record, FILE *to)
{
	size_t count = json_array_size(json_object_get(record, "gcds"));

	fprintf(to, "\n%srender workers: %zu of %zu GCDs", mark(record), count_workers(record),
		count);
	if (!count) {
		fprintf(to, ": there was none to judge\nto do: %s\n", view_no_gcd_remedy());
		return;
	}
	fputc(';', to);
	print_verdicts(record, true, to);
	fputs("\nwhat the verdicts mean and what to try:\n", to);
	print_verdicts(record, false, to);
}

static void print_summary(const json_t *record, const char *folder, FILE *to)
{
	const json_t *gcd;
	size_t i;

	print_head(record, to);
	json_array_foreach (json_object_get(record, "gcds"), i, gcd)
		print_gcd(record, gcd, i, to);
	if (i)
		fputc('\n', to);
	print_controls(record, to);
	print_distributed(record, to);
	print_baseline(record, to);
	print_notes(record, to);
	print_answer(record, to);
	fprintf(to, "\nrecord: %s/record.json\nreport: %s/report.html\n", folder, folder);
}

void report_summary_print(const json_t *record, const char *folder, FILE *to)
{
	json_t *shown = shown_copy(record);

	print_summary(shown, folder, to);
	json_decref(shown);
}

static double rate_of(const json_t *fact)
{
	return json_real_of(fact, "value", -1);
}

/* Nothing without any figure: the baseline was left out, or failed and is a finding. */
static void print_rates(const json_t *record, FILE *to)
{
	const json_t *baseline = json_object_get(record, "baseline");
	const json_t *spread = json_object_get(baseline, "gcd_spread");
	double cpu = rate_of(json_object_get(json_object_get(baseline, "cpu"), "msamples_per_s"));
	double least = json_real_of(spread, "min", -1), most = json_real_of(spread, "max", -1);

	if (cpu < 0 && least < 0)
		return;
	fputs("; baseline Msamples/s: CPU ", to);
	if (cpu < 0)
		fputs("unknown", to);
	else
		fprintf(to, "%.2f", cpu);
	if (least < 0 || most < 0)
		fputs(", GCDs unknown", to);
	else
		fprintf(to, ", GCDs %.2f to %.2f", least, most);
}

void report_oneline_print(const json_t *record, FILE *to)
{
	size_t count = json_array_size(json_object_get(record, "gcds"));
	size_t workers = count_workers(record);
	bool decided = count && !view_was_interrupted(record);

	fprintf(to, "%s%s %zu/%zu GCDs are render workers:", mark(record),
		!decided	   ? "undecided"
		: workers == count ? "accepted"
				   : "not-accepted",
		workers, count);
	print_verdicts(record, true, to);
	print_rates(record, to);
	fputc('\n', to);
}
