/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/cost.h"
#include "report/show.h"
#include "report/view.h"

static void add_shown(struct str *to, const json_t *object, const char *key)
{
	show_add(to, json_text(object, key, ""), 200);
}

/* "12.5 (declared)", or "unknown". */
static char *fact_shown(const json_t *row, const char *key, int digits)
{
	const json_t *fact = json_object_get(row, key), *value = json_object_get(fact, "value");

	if (!json_is_number(value))
		return xstrdup("unknown");
	return xasprintf(
		"%.*g (%s)", digits, json_number_value(value), json_text(fact, "class", "?"));
}

static void add_reason(struct str *to, const json_t *row, const char *key, const char *label)
{
	const char *why = json_text(json_object_get(row, key), "why", NULL);

	if (!why)
		return;
	str_addf(to, "    %s unknown: ", label);
	show_add(to, why, 300);
	str_add(to, "\n");
}

/* `money` is declared, and before " a frame"; "" when none is. */
static void add_row(struct str *to, const json_t *row, const char *mark, const char *money)
{
	char *rate = fact_shown(row, "accepted_frames_per_hour", 5);
	char *watts = fact_shown(row, "watts", 4),
	     *cost = fact_shown(row, "cost_per_accepted_frame", 4);

	str_add(to, strcmp(json_text(row, "device", ""), "cpu") == 0 ? "" : mark);
	add_shown(to, row, "device");
	str_addf(to, "  %lld of %lld accepted  %s an hour  %s W  %s",
		(long long)json_integer_of(row, "accepted", 0),
		(long long)json_integer_of(row, "frames", 0), rate, watts, cost);
	if (money[0] && strcmp(cost, "unknown") != 0) {
		str_add(to, " ");
		show_add(to, money, 20);
	}
	str_add(to, " a frame\n");
	add_reason(to, row, "watts", "power");
	add_reason(to, row, "cost_per_accepted_frame", "cost");
	free(rate);
	free(watts);
	free(cost);
}

static void add_scene(struct str *to, const json_t *scene, const char *mark, const char *money)
{
	char *settings = view_value(json_object_get(scene, "settings"));
	const json_t *row;
	size_t i;

	str_add(to, "\nscene ");
	add_shown(to, scene, "scene");
	str_add(to, ", ");
	show_add(to, settings, 300);
	str_add(to, "\n");
	json_array_foreach (json_object_get(scene, "rows"), i, row)
		add_row(to, row, mark, money);
	free(settings);
}

static void add_record(struct str *to, const json_t *record, const char *money)
{
	const char *mark = view_mark(record);
	const json_t *scene;
	size_t i;

	str_addf(to, "%snode ", mark);
	add_shown(to, record, "node");
	str_add(to, ", Blender ");
	add_shown(to, record, "blender");
	str_add(to, ", ");
	add_shown(to, record, "record");
	str_add(to, "\n");
	if (mark[0])
		str_add(to, "A stand-in runtime played its GCDs: their times and costs are of "
			    "nothing that exists.\n");
	json_array_foreach (json_object_get(record, "scenes"), i, scene)
		add_scene(to, scene, mark, money);
	str_add(to, "\n");
}

static void add_comparison(struct str *to, const json_t *comparison)
{
	const json_t *row;
	size_t i;

	if (json_array_size(comparison))
		str_add(to, "the second record over the first, as observed\n");
	json_array_foreach (comparison, i, row) {
		char *rate = fact_shown(row, "accepted_frames_per_hour", 4);
		char *cost = fact_shown(row, "cost_per_accepted_frame", 4);

		add_shown(to, row, "scene");
		str_add(to, "  ");
		add_shown(to, row, "device");
		str_addf(to, "  frames an hour %s  cost a frame %s\n", rate, cost);
		add_reason(to, row, "accepted_frames_per_hour", "ratio");
		free(rate);
		free(cost);
	}
}

static void add_prices(struct str *to, json_t *prices)
{
	const char *name;
	json_t *fact;

	str_add(to, "prices\n");
	json_object_foreach (prices, name, fact) {
		char *value = view_value(json_object_get(fact, "value"));
		const char *why = json_text(fact, "why", NULL);

		str_addf(to, "  %s ", name);
		show_add(to, why ? why : value, 100);
		str_add(to, why ? "\n" : " (declared)\n");
		free(value);
	}
}

static void add_claims(struct str *to, const json_t *claims)
{
	const json_t *claim;
	size_t i;

	json_array_foreach (claims, i, claim) {
		str_add(to, "claimed, not measured and not used: ");
		add_shown(to, claim, "text");
		str_add(to, " (");
		add_shown(to, claim, "source");
		str_add(to, ")\n");
	}
}

void cost_text_add(const json_t *cost, struct str *to)
{
	const json_t *record, *prices = json_object_get(cost, "prices");
	const char *money = json_text(json_object_get(prices, "currency"), "value", "");
	size_t i;

	json_array_foreach (json_object_get(cost, "records"), i, record)
		add_record(to, record, money);
	add_comparison(to, json_object_get(cost, "comparison"));
	add_prices(to, json_object_get(cost, "prices"));
	add_claims(to, json_object_get(cost, "claims"));
}
