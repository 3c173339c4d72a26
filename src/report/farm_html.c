/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "report/farm.h"
#include "report/farm_data.h"
#include "report/html_assets.h"
#include "report/html_parts.h"
#include "report/show.h"

enum { PROBLEMS_SHOWN = 200, ADDRESS_SHOWN = 300 };

static char *decision_text(const struct farm_report *farm)
{
	size_t gcds = farm_report_gcds(farm);

	if (!gcds)
		return xasprintf("Farm of %zu %s: no GCD was judged", farm->count,
			farm->count == 1 ? "node" : "nodes");
	return xasprintf("Farm of %zu %s: %zu of %zu %s", farm->count,
		farm->count == 1 ? "node" : "nodes", farm_report_workers(farm), gcds,
		gcds == 1 ? "GCD is a render worker" : "GCDs are render workers");
}

static const char *mark(const struct farm_report *farm)
{
	return farm->simulated ? "SIMULATED " : "";
}

static void add_head(struct markup *m, const struct farm_report *farm, const char *decision)
{
	char *title = xasprintf("%s%s", mark(farm), decision);

	html_head(m, title, html_farm_style(), html_farm_script());
	free(title);
}

static void add_banner(struct markup *m)
{
	markup_open(m, "div", "class", "banner", NULL);
	markup_element(m, "strong", NULL, "SIMULATED");
	markup_element(m, "p", NULL,
		"A stand-in runtime played at least one of these nodes. Its rows say SIMULATED: "
		"they "
		"show what the tool does and prove nothing about any hardware.");
	markup_close(m);
}

static void add_counts(struct markup *m, const struct farm_report *farm, const char *title,
	const char *label, json_t *counts_stolen)
{
	const char *const labels[] = { label, "count" };
	const char *name;
	json_t *count;

	markup_open(m, "h2", NULL);
	markup_textf(m, "%s%s", mark(farm), title);
	markup_close(m);
	html_table_head(m, labels, 2);
	json_object_foreach (counts_stolen, name, count) {
		markup_open(m, "tr", NULL);
		markup_open(m, "td", "data-label", label, NULL);
		if (strcmp(name, "qualified") == 0)
			markup_element(m, "span", "good", "\xe2\x9c\x93 qualified");
		else
			html_verdict(m, name);
		markup_close(m);
		markup_open(m, "td", "data-label", "count", "class", "number", NULL);
		markup_textf(m, "%lld", (long long)json_integer_value(count));
		markup_close(m);
		markup_close(m);
	}
	markup_close(m);
	markup_close(m);
	json_decref(counts_stolen);
}

static void add_problem(struct markup *m, const struct farm_node *node)
{
	markup_open(m, "tr", NULL);
	html_cell(m, "node", node->name[0] ? node->name : "(no name)");
	html_cell(m, "outcome", node->outcome);
	html_cell(m, "why", node->why[0] ? node->why : "nothing more is known");
	markup_close(m);
}

/* Nodes about which nothing was decided, before all else: they are not lost among the rows. */
static void add_problems(struct markup *m, const struct farm_report *farm)
{
	static const char *const labels[] = { "node", "outcome", "why" };
	size_t i, count = 0;

	for (i = 0; i < farm->count; i++)
		count += !farm->nodes[i].has_record || farm->nodes[i].interrupted;
	markup_element(m, "h2", NULL, "Nodes of which nothing was decided");
	if (!count) {
		markup_element(m, "p", NULL, "None: each node has a sound record of a whole run.");
		return;
	}
	markup_open(m, "p", NULL);
	markup_textf(m, "%zu of %zu.", count, farm->count);
	if (count > PROBLEMS_SHOWN)
		markup_textf(
			m, " The first %d of them; all are among the rows below.", PROBLEMS_SHOWN);
	markup_close(m);
	html_table_head(m, labels, 3);
	for (i = 0, count = 0; i < farm->count && count < PROBLEMS_SHOWN; i++)
		if (!farm->nodes[i].has_record || farm->nodes[i].interrupted) {
			add_problem(m, &farm->nodes[i]);
			count++;
		}
	markup_close(m);
	markup_close(m);
}

static void add_option(struct markup *m, const char *value, const char *text)
{
	markup_open(m, "option", "value", value, NULL);
	markup_text(m, text);
	markup_close(m);
}

static void add_select(
	struct markup *m, const char *label, const char *id, const char *const *options)
{
	markup_open(m, "label", NULL);
	markup_text(m, label);
	markup_open(m, "select", "id", id, NULL);
	for (; *options; options += 2)
		add_option(m, options[0], options[1]);
	markup_close(m);
	markup_close(m);
}

static void add_tools(struct markup *m)
{
	static const char *const views[] = { "gcds", "GCDs", "nodes", "nodes", NULL };
	static const char *const any[] = { "", "any", NULL };
	static const char *const sources[] = { "", "any", "2", "observed", "1", "SIMULATED", "0",
		"no record", NULL };

	markup_open(m, "div", "class", "tools", "id", "tools", "hidden", "", NULL);
	markup_open(m, "label", NULL);
	markup_text(m, "search: node, address, unique id, target, verdict, evidence");
	markup_void(m, "input", "id", "search", "type", "search", "autocomplete", "off", NULL);
	markup_close(m);
	add_select(m, "rows", "view", views);
	add_select(m, "outcome", "outcome", any);
	add_select(m, "verdict", "verdict", any);
	add_select(m, "source", "source", sources);
	markup_close(m);
}

static void add_rows(struct markup *m, const struct farm_report *farm)
{
	markup_open(m, "h2", "id", "rows", NULL);
	markup_textf(m, "%sRows", mark(farm));
	markup_close(m);
	markup_element(m, "noscript", NULL,
		"The rows need this page's own script. Without it 'oamqual report' prints them as "
		"text "
		"or, with --json, for other programs.");
	add_tools(m);
	markup_open(m, "p", "id", "status", "role", "status", NULL);
	markup_close(m);
	markup_open(m, "div", "class", "grid", "id", "grid", "role", "grid", "tabindex", "0",
		"aria-label", "nodes and GCDs; arrow keys move, Enter opens a node", "hidden", "",
		NULL);
	markup_close(m);
	markup_open(m, "div", "class", "detail", "id", "detail", "role", "region", "aria-label",
		"the chosen node", "hidden", "", NULL);
	markup_close(m);
	markup_open(m, "div", "class", "printed", "id", "printed", NULL);
	markup_close(m);
}

static void add_scripts(struct markup *m, const struct farm_report *farm)
{
	struct str data = STR_INIT, left_out = STR_INIT;

	farm_data_add(farm, &data, &left_out);
	if (left_out.len) {
		markup_open(m, "p", "class", "warning", NULL);
		markup_textf(m,
			"Left out of the rows, so that the page stays small: %s. They are in "
			"the records and in 'oamqual report --json'.",
			left_out.data);
		markup_close(m);
	}
	markup_open(m, "script", "type", "application/json", "id", "data", NULL);
	markup_own(m, data.data);
	markup_close(m);
	markup_open(m, "script", NULL);
	markup_own(m, html_farm_script());
	markup_close(m);
	str_release(&data);
	str_release(&left_out);
}

static const char *decision_class(const struct farm_report *farm)
{
	static const char *const classes[] = { "decision yes", "decision no", NULL,
		"decision none" };

	return classes[farm_report_decision(farm)];
}

static void add_body(struct markup *m, const struct farm_report *farm, const char *decision)
{
	markup_open(m, "body", "class", farm->simulated ? "farm is-simulated" : "farm is-observed",
		NULL);
	if (farm->simulated) {
		markup_element(m, "div", "watermark", "SIMULATED");
		add_banner(m);
	}
	markup_open(m, "h1", NULL);
	markup_textf(m, "%s%s", mark(farm), decision);
	markup_close(m);
	markup_open(m, "div", "class", decision_class(farm), NULL);
	markup_open(m, "p", NULL);
	markup_textf(m, "%s%s.", mark(farm), decision);
	if (farm_report_decision(farm) == 3)
		markup_text(m, " Of some nodes nothing was decided.");
	markup_close(m);
	if (farm->origin[0]) {
		markup_open(m, "p", "class", "soft", NULL);
		markup_textf(
			m, "From %.*s and the records that it names.", ADDRESS_SHOWN, farm->origin);
		markup_close(m);
	}
	markup_close(m);
	add_counts(m, farm, "Nodes", "outcome", farm_report_outcomes(farm));
	add_counts(m, farm, "GCDs", "verdict", farm_report_verdicts(farm));
	add_problems(m, farm);
	html_farm_frame(m, farm);
	add_rows(m, farm);
	add_scripts(m, farm);
	markup_close(m);
}

void farm_report_html_add(const struct farm_report *farm, struct str *to)
{
	struct markup m = { .text = STR_INIT };
	char *decision = decision_text(farm);

	markup_own(&m, "<!DOCTYPE html>\n");
	markup_open(&m, "html", "lang", "en", NULL);
	add_head(&m, farm, decision);
	add_body(&m, farm, decision);
	markup_close(&m);
	markup_own(&m, "\n");
	str_add_bytes(to, m.text.data, m.text.len);
	str_release(&m.text);
	free(decision);
}

int farm_report_html_write(const struct farm_report *farm, const char *path, struct error *err)
{
	struct str page = STR_INIT;
	int rc;

	farm_report_html_add(farm, &page);
	rc = file_write(path, page.data, page.len, err);
	str_release(&page);
	return rc;
}
