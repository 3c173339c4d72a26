/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/explain_markdown.h"

#include "blender/prediction.h"
#include "verdict/cause.h"
#include "verdict/verdict.h"

/* The tables' texts hold no table bars. */
static void print_verdicts(FILE *to)
{
	int i;

	fputs("## Verdicts\n", to);
	for (i = 0; i < VERDICT_COUNT; i++) {
		const struct verdict_help *help = verdict_help((enum verdict_id)i);

		fprintf(to,
			"\n### %s\n\n%s\n\n- Evidence needed: %s\n- Usual causes: %s\n- What to "
			"try: %s\n",
			verdict_name((enum verdict_id)i), help->meaning, help->evidence,
			help->causes, help->remedy);
	}
}

static void print_ladder(FILE *to)
{
	int i;

	fputs("\n## The ladder\n\nAn attempt climbs these rungs in order. Each is yes, no or "
	      "unknown; a rung is "
	      "yes only when all its facts are.\n\n| rung | name | facts |\n|---|---|---|\n",
		to);
	for (i = RUNG_SCENE_READABLE; i < RUNG_COUNT; i++) {
		const char *between = "";
		int fact;

		fprintf(to, "| %d | %s | ", i, rung_name((enum rung)i));
		for (fact = 0; fact < FACT_COUNT; fact++) {
			if (fact_rung((enum fact)fact) != (enum rung)i)
				continue;
			fprintf(to, "%s%s", between, fact_name((enum fact)fact));
			between = ", ";
		}
		fputs(" |\n", to);
	}
}

static void print_rules(FILE *to)
{
	enum verdict_id id;
	enum fact no;
	const char *why;
	size_t i;

	fputs("\n## Precedence\n\nThe first row whose fact is a known no decides. What broke first "
	      "stands "
	      "before its echoes. When no row fits, a\nneeded fact that is not yes makes it "
	      "`inconclusive`; "
	      "`accepted` needs every one to be yes.\n\n"
	      "| order | fact that is no | verdict | because |\n|---|---|---|---|\n",
		to);
	for (i = 0; verdict_rule(i, &id, &no, &why); i++)
		fprintf(to, "| %zu | %s | %s | %s |\n", i + 1, fact_name(no), verdict_name(id),
			why);
}

static void print_causes(FILE *to)
{
	int i;

	fputs("\n## Causes\n\nA verdict says what was seen; the chain of causes says why, from the "
	      "root to what "
	      "decided. Each link names its\nevidence, its source and its class: observed, "
	      "simulated, or "
	      "inferred when everything else was seen not to be it. What\ncould explain and is not "
	      "proven is a "
	      "candidate, never a cause.\n\n| cause | meaning | remedy |\n|---|---|---|\n",
		to);
	for (i = 0; i < CAUSE_COUNT; i++) {
		const struct cause_help *help = cause_help((enum cause_id)i);

		fprintf(to, "| %s | %s | %s |\n", help->name, help->meaning,
			remedy_help(help->remedy)->name);
	}
}

static void print_remedies(FILE *to)
{
	int i;

	fputs("\n## Remedies\n\n| class | what to do |\n|---|---|\n", to);
	for (i = 0; i < REMEDY_COUNT; i++)
		fprintf(to, "| %s | %s |\n", remedy_help((enum remedy_id)i)->name,
			remedy_help((enum remedy_id)i)->text);
}

static void print_versions(FILE *to)
{
	const struct prediction_range *range;

	fputs("\n## What Blender's versions do\n\nA prediction, never an observation: a "
	      "distribution may change "
	      "any of it. `oamqual predict GFX --blender VERSION`\nadds kernels and compilers.\n\n"
	      "| Blender | capability from | HIP driver from | library names | basis "
	      "|\n|---|---|---|---|---|\n",
		to);
	for (range = prediction_ranges; range->from_major; range++) {
		char versions[24], driver[40] = "any";

		prediction_range_text(range, versions);
		if (range->driver_min)
			prediction_driver_text(range->driver_min, driver);
		fprintf(to, "| %s | %d.%d | %s | %s | %s. %s. %s |\n", versions, range->floor_major,
			range->floor_minor, driver, range->libraries, range->floor_basis,
			range->driver_basis, range->libraries_basis);
	}
}

void explain_markdown(FILE *to)
{
	fputs("# Verdicts, causes and remedies\n\nMade by `oamqual explain --all --markdown` from "
	      "the tables "
	      "that the program works with; a test compares them.\n\n",
		to);
	print_verdicts(to);
	print_ladder(to);
	print_rules(to);
	print_causes(to);
	print_remedies(to);
	print_versions(to);
}
