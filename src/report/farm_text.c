/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/farm.h"
#include "report/show.h"
#include "verdict/verdict.h"

/* --- counts --- */

static void count_name(json_t *counts, const char *name)
{
	json_object_set_new(counts, name, json_integer(json_integer_of(counts, name, 0) + 1));
}

static int by_name(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The same members in order of name. */
static json_t *in_order(json_t *counts_stolen)
{
	size_t count = json_object_size(counts_stolen), i = 0;
	const char **names = xcalloc(count ? count : 1, sizeof(*names)), *name;
	json_t *ordered = json_object(), *member;

	json_object_foreach (counts_stolen, name, member)
		names[i++] = name;
	qsort(names, count, sizeof(*names), by_name);
	for (i = 0; i < count; i++)
		json_object_set(ordered, names[i], json_object_get(counts_stolen, names[i]));
	free(names);
	json_decref(counts_stolen);
	return ordered;
}

json_t *farm_report_outcomes(const struct farm_report *farm)
{
	json_t *counts = json_object();
	size_t i;

	for (i = 0; i < farm->count; i++)
		count_name(counts, farm->nodes[i].outcome);
	return in_order(counts);
}

json_t *farm_report_verdicts(const struct farm_report *farm)
{
	json_t *counts = json_object();
	size_t i, j;

	for (i = 0; i < farm->count; i++)
		for (j = 0; j < farm->nodes[i].gcd_count; j++)
			count_name(counts, farm->nodes[i].gcds[j].verdict);
	return in_order(counts);
}

size_t farm_report_gcds(const struct farm_report *farm)
{
	size_t i, count = 0;

	for (i = 0; i < farm->count; i++)
		count += farm->nodes[i].gcd_count;
	return count;
}

size_t farm_report_workers(const struct farm_report *farm)
{
	size_t i, count = 0;

	for (i = 0; i < farm->count; i++)
		count += farm->nodes[i].workers;
	return count;
}

int farm_report_decision(const struct farm_report *farm)
{
	bool all = true;
	size_t i;

	for (i = 0; i < farm->count; i++) {
		const struct farm_node *node = &farm->nodes[i];

		if (!node->has_record || node->interrupted || !node->gcd_count)
			return 3;
		all = all && node->workers == node->gcd_count &&
		      strcmp(node->outcome, "qualified") == 0;
	}
	if (!farm->count)
		return 3;
	return all ? 0 : 1;
}

/* --- text --- */

static const char *mark(bool simulated)
{
	return simulated ? "SIMULATED " : "";
}

static void add_verdicts(const struct farm_node *node, struct str *to)
{
	int id;

	for (id = 0; id < VERDICT_COUNT; id++) {
		const char *name = verdict_name((enum verdict_id)id);
		size_t i, count = 0;

		for (i = 0; i < node->gcd_count; i++)
			count += strcmp(node->gcds[i].verdict, name) == 0;
		if (count)
			str_addf(to, " %zu %s", count, name);
	}
}

static void add_node(const struct farm_node *node, struct str *to)
{
	str_addf(to, "%s%-24s %-18s", mark(node->simulated),
		node->name[0] ? node->name : "(no name)", node->outcome);
	if (node->has_record) {
		str_addf(to, " %zu/%zu", node->workers, node->gcd_count);
		add_verdicts(node, to);
	}
	if (node->why[0])
		str_addf(to, "%s%s", node->has_record ? "; " : " ", node->why);
	str_add(to, "\n");
}

static void add_counts(const json_t *counts_stolen, struct str *to)
{
	json_t *counts = (json_t *)counts_stolen, *count;
	const char *name;

	json_object_foreach (counts, name, count)
		str_addf(to, " %lld %s", (long long)json_integer_value(count), name);
	json_decref(counts);
}

void farm_report_text_add(const struct farm_report *farm, struct str *to)
{
	size_t i;

	if (farm->simulated)
		str_add(to, "A stand-in runtime played at least one of these nodes; its rows say "
			    "SIMULATED and prove nothing about any hardware.\n\n");
	for (i = 0; i < farm->count; i++)
		add_node(&farm->nodes[i], to);
	str_addf(to, "\n%srender workers: %zu of %zu GCDs;", mark(farm->simulated),
		farm_report_workers(farm), farm_report_gcds(farm));
	add_counts(farm_report_verdicts(farm), to);
	str_addf(to, "\n%snodes: %zu;", mark(farm->simulated), farm->count);
	add_counts(farm_report_outcomes(farm), to);
	str_add(to, "\n");
}

/* Of the verdicts only those that the tool knows: no text of a record is in the line. */
static void add_known_verdicts(const struct farm_report *farm, struct str *to)
{
	json_t *verdicts = farm_report_verdicts(farm);
	int id;

	for (id = 0; id < VERDICT_COUNT; id++) {
		const char *name = verdict_name((enum verdict_id)id);
		json_int_t count = json_integer_of(verdicts, name, 0);

		if (count)
			str_addf(to, " %lld %s", (long long)count, name);
	}
	json_decref(verdicts);
}

void farm_report_oneline_add(const struct farm_report *farm, struct str *to)
{
	static const char *const words[] = { "accepted", "not-accepted", NULL, "undecided" };

	str_addf(to, "%s%s %zu nodes:", mark(farm->simulated), words[farm_report_decision(farm)],
		farm->count);
	add_counts(farm_report_outcomes(farm), to);
	str_addf(to, "; %zu/%zu GCDs are render workers:", farm_report_workers(farm),
		farm_report_gcds(farm));
	add_known_verdicts(farm, to);
	str_add(to, "\n");
}

void farm_report_copies_print(const struct farm_report *farm, FILE *to)
{
	const json_t *path;
	size_t i;

	json_array_foreach (farm->same_twice, i, path) {
		char *shown = show_text(json_string_value(path));

		fprintf(to, "the same record again, counted once: %s\n", shown);
		free(shown);
	}
}

/* --- JSON --- */

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

static json_t *gcd_json(const struct farm_gcd *gcd)
{
	json_t *json = json_pack("{s:o, s:o, s:o, s:s, s:b, s:s}", "bdf", text_or_null(gcd->bdf),
		"unique_id", text_or_null(gcd->unique_id), "gfx_target", text_or_null(gcd->target),
		"verdict", gcd->verdict, "render_worker", (int)gcd->worker, "evidence",
		gcd->evidence);

	json_object_set_new(json, "rung", gcd->rung ? json_integer(gcd->rung) : json_null());
	json_object_set_new(
		json, "module", gcd->module < 0 ? json_null() : json_integer(gcd->module));
	json_object_set_new(json, "render_seconds",
		isnan(gcd->seconds) ? json_null() : json_real(gcd->seconds));
	return json;
}

static json_t *node_json(const struct farm_node *node)
{
	json_t *gcds = json_array(), *json;
	size_t i;

	for (i = 0; i < node->gcd_count; i++)
		json_array_append_new(gcds, gcd_json(&node->gcds[i]));
	json = json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", node->name, "outcome", node->outcome,
		"why", text_or_null(node->why), "record", text_or_null(node->record),
		"record_sha256", text_or_null(node->sha256));
	json_object_set_new(json, "source",
		!node->has_record ? json_null()
				  : json_string(node->simulated ? "simulated" : "observed"));
	json_object_set_new(json, "interrupted",
		node->has_record ? json_boolean(node->interrupted) : json_null());
	json_object_set_new(json, "ended", text_or_null(node->ended));
	json_object_set_new(json, "blender", text_or_null(node->blender));
	json_object_set_new(json, "oamqual", text_or_null(node->tool));
	json_object_set_new(json, "amdgpu_driver", text_or_null(node->driver));
	json_object_set_new(json, "rocm_release", text_or_null(node->rocm));
	json_object_set_new(json, "gcds", gcds);
	return json;
}

/* Node by node: a farm's whole document as values would need many times its length. */
static void add_json(json_t *value_stolen, struct str *to)
{
	char *text = json_dumps(value_stolen, JSON_ENCODE_ANY | JSON_COMPACT);

	str_add(to, text);
	free(text);
	json_decref(value_stolen);
}

static void add_member(const char *name, json_t *value_stolen, struct str *to)
{
	str_addf(to, "\"%s\": ", name);
	add_json(value_stolen, to);
	str_add(to, ",\n ");
}

void farm_report_json_add(const struct farm_report *farm, struct str *to)
{
	size_t i;

	str_add(to, "{");
	add_member("schema", json_string("oamqual-farm-report/1"), to);
	add_member("source", json_string(farm->simulated ? "simulated" : "observed"), to);
	add_member("list", text_or_null(farm->origin), to);
	add_member("same_twice", json_incref(farm->same_twice), to);
	add_member("outcomes", farm_report_outcomes(farm), to);
	add_member("gcds", json_integer((json_int_t)farm_report_gcds(farm)), to);
	add_member("render_workers", json_integer((json_int_t)farm_report_workers(farm)), to);
	add_member("verdicts", farm_report_verdicts(farm), to);
	str_add(to, "\"nodes\": [");
	for (i = 0; i < farm->count; i++) {
		str_add(to, i ? ",\n  " : "\n  ");
		add_json(node_json(&farm->nodes[i]), to);
	}
	str_add(to, "\n ]}\n");
}
