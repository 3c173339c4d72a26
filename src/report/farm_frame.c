/* SPDX-License-Identifier: Apache-2.0 */
/* One frame over GCDs of several nodes, and the nodes' own ones, as farm.json has them. */
#include <string.h>

#include "base/json.h"
#include "report/farm.h"
#include "report/farm_data.h"
#include "report/html_parts.h"

enum { ROWS_SHOWN = 200 };

static void add_case(struct markup *m, const json_t *one, const char *mark)
{
	markup_open(m, "h3", NULL);
	markup_textf(m, "%sScene %s, %lld samples, all nodes together: ", mark,
		json_text(one, "scene", "?"), (long long)json_integer_of(one, "samples", 0));
	html_verdict(m, json_text(one, "outcome", "?"));
	markup_close(m);
	markup_element(m, "p", NULL, json_text(one, "why", NULL));
	html_findings(m, json_object_get(one, "findings"));
	if (json_array_size(json_object_get(one, "ranks")))
		html_ranks(m, json_object_get(one, "ranks"), true);
}

static void add_own(struct markup *m, const json_t *node, const json_t *one)
{
	markup_open(m, "tr", NULL);
	html_cell(m, "node", json_text(node, "node", "?"));
	html_cell(m, "scene", json_text(one, "scene", "?"));
	markup_open(m, "td", "data-label", "outcome", NULL);
	html_verdict(m, json_text(one, "outcome", "?"));
	markup_close(m);
	html_cell(m, "why", json_text(one, "why", "-"));
	markup_close(m);
}

/* What went wrong comes first where not all are shown. */
static void add_owns(struct markup *m, const json_t *nodes)
{
	static const char *const labels[] = { "node", "scene", "outcome", "why" };
	const json_t *node, *one;
	size_t i, j, shown = 0;
	int pass;

	markup_element(m, "h3", NULL, "Each node's own GCDs");
	html_table_head(m, labels, 4);
	for (pass = 0; pass < 2; pass++)
		json_array_foreach (nodes, i, node)
			json_array_foreach (json_object_get(node, "cases"), j, one) {
				bool good = strcmp(json_text(one, "outcome", ""), "accepted") == 0;

				if (good == (pass == 1) && shown++ < ROWS_SHOWN)
					add_own(m, node, one);
			}
	markup_close(m);
	markup_close(m);
	if (shown > ROWS_SHOWN)
		markup_element(m, "p", NULL, "Not all are shown here; all are in farm.json.");
}

void html_farm_frame(struct markup *m, const struct farm_report *farm)
{
	const json_t *one;
	size_t i;

	if (!farm->distributed)
		return;
	markup_element(m, "h2", NULL, "One frame over several GCDs");
	json_array_foreach (json_object_get(farm->distributed, "cases"), i, one)
		add_case(m, one, farm->simulated ? "SIMULATED " : "");
	add_owns(m, json_object_get(farm->distributed, "nodes"));
}
