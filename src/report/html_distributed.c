/* SPDX-License-Identifier: Apache-2.0 */
/* One frame over several GCDs: the rank map, what was given beside what was done, and the merged
 * picture. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/html_parts.h"
#include "report/view.h"

/* "8 to 15": the numbers of the samples, or a dash. */
static void add_samples(struct markup *m, const char *label, const json_t *range)
{
	json_int_t first = json_integer_of(range, "first", -1),
		   count = json_integer_of(range, "count", -1);
	char *text = first < 0 || count < 1 ? xstrdup("-")
					    : xasprintf("%lld to %lld", (long long)first,
						      (long long)(first + count - 1));

	html_cell(m, label, text);
	free(text);
}

static void add_value(struct markup *m, const char *label, const json_t *value)
{
	char *text = json_is_null(value) || !value ? xstrdup("-") : view_value(value);

	html_cell(m, label, text);
	free(text);
}

static void add_rank(struct markup *m, const json_t *rank, bool node)
{
	const json_t *seen = json_object_get(rank, "seen");

	markup_open(m, "tr", NULL);
	add_value(m, "rank", json_object_get(rank, "rank"));
	if (node)
		html_cell(m, "node", json_text(rank, "node", "-"));
	html_cell(m, "GCD", json_text(rank, "bdf", "-"));
	html_cell(m, "unique id", json_text(rank, "unique_id", "-"));
	add_value(m, "module", json_object_get(json_object_get(rank, "module"), "gcds"));
	add_value(m, "NUMA", json_object_get(json_object_get(rank, "numa_node"), "value"));
	add_value(m, "process", json_object_get(rank, "pid"));
	add_samples(m, "given", json_object_get(rank, "asked"));
	add_samples(m, "rendered", seen);
	add_value(m, "counted by the log", json_object_get(seen, "count_by_log"));
	add_value(m, "named by the picture", json_object_get(seen, "count_by_file"));
	html_cell(m, "traced on", json_text(seen, "traced_on", "-"));
	markup_open(m, "td", "data-label", "rank's outcome", NULL);
	if (node)
		markup_text(m, json_text(rank, "ended", "-"));
	else
		html_verdict(m, json_text(json_object_get(rank, "attempt"), "verdict", "-"));
	markup_close(m);
	markup_close(m);
}

void html_ranks(struct markup *m, const json_t *ranks, bool node)
{
	static const char *const labels[] = { "rank", "GCD", "unique id", "module", "NUMA",
		"process", "given", "rendered", "counted by the log", "named by the picture",
		"traced on", "rank's outcome" };
	enum { LABELS = sizeof(labels) / sizeof(labels[0]) };
	const char *with_node[LABELS + 1] = { "rank", "node" };
	const json_t *rank;
	size_t i;

	memcpy(with_node + 2, labels + 1, sizeof(labels) - sizeof(labels[0]));
	html_table_head(m, node ? with_node : labels, node ? LABELS + 1 : LABELS);
	json_array_foreach (ranks, i, rank)
		add_rank(m, rank, node);
	markup_close(m);
	markup_close(m);
}

static void add_ranks(struct markup *m, const json_t *ranks)
{
	const json_t *rank;
	size_t i;

	html_ranks(m, ranks, false);
	json_array_foreach (ranks, i, rank)
		if (json_is_object(json_object_get(rank, "attempt")))
			html_attempt(m, json_object_get(rank, "attempt"));
}

void html_findings(struct markup *m, const json_t *findings)
{
	const json_t *finding;
	size_t i;

	json_array_foreach (findings, i, finding) {
		markup_open(m, "p", NULL);
		markup_textf(m, "%s, %s: %s", json_text(finding, "weight", "?"),
			json_text(finding, "code", "?"), json_text(finding, "text", ""));
		markup_close(m);
	}
}

static void add_case(struct markup *m, const json_t *record, const json_t *one)
{
	markup_open(m, "h3", NULL);
	html_mark(m, record);
	markup_textf(m, "Scene %s, %lld samples: ", json_text(one, "scene", "?"),
		(long long)json_integer_of(one, "samples", 0));
	html_verdict(m, json_text(one, "outcome", "not in the record"));
	markup_close(m);
	markup_element(m, "p", NULL, json_text(one, "why", NULL));
	html_findings(m, json_object_get(one, "findings"));
	if (json_array_size(json_object_get(one, "ranks")))
		add_ranks(m, json_object_get(one, "ranks"));
	if (json_is_object(json_object_get(one, "merged"))) {
		markup_open(m, "details", "class", "more", NULL);
		markup_element(m, "summary", NULL, "The merged picture");
		html_members(m, json_object_get(one, "merged"));
		markup_close(m);
	}
}

void html_distributed(struct markup *m, const json_t *record)
{
	const json_t *distributed = json_object_get(record, "distributed"), *one;
	size_t i;

	html_section(m, record, "distributed", "One frame over several GCDs");
	if (!json_is_array(json_object_get(distributed, "cases"))) {
		html_members(m, distributed);
		return;
	}
	json_array_foreach (json_object_get(distributed, "cases"), i, one)
		add_case(m, record, one);
}
