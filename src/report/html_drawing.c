/* SPDX-License-Identifier: Apache-2.0 */
/* The node as a drawing: NUMA domains, in them modules, in them GCDs by their verdicts. Each module
 * is a drawing of its own, so that a narrow screen shows them below one another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "record/record.h"
#include "report/html_parts.h"
#include "report/svg.h"
#include "report/view.h"

enum {
	GCD_WIDTH = 150,
	GCD_HEIGHT = 92,
	GAP = 26,
	EDGE = 12,
	HEAD = 26,
	COLUMNS = 2,
	MODULES_MAX = 256,
	DOMAINS_MAX = 64,
};

/* Three standings, each with a colour, a shape and a border of its own. */
enum standing { STANDING_GOOD, STANDING_BAD, STANDING_OPEN };

static const char *const standing_class[] = { "is-good", "is-bad", "is-open" };

static enum standing standing_of(const json_t *gcd)
{
	const char *verdict = json_text(gcd, "verdict", "");

	if (view_is_worker(gcd))
		return STANDING_GOOD;
	return *verdict && strcmp(verdict, "inconclusive") != 0 ? STANDING_BAD : STANDING_OPEN;
}

/* A tick in a circle, a cross in a square, a question mark in a diamond; (x, y) is the middle. */
static void add_sign(struct markup *m, enum standing standing, double x, double y)
{
	static const char *const strokes[] = {
		"m-5 0l4 5l7 -9",
		"m-5 -5l10 10m0 -10l-10 10",
		"m-3.5 -3a3.5 3.5 0 1 1 5 3.2q-1.5 .9 -1.5 2.3m0 3.4v.4",
	};
	char mark[40], sign[40], path[120];

	snprintf(mark, sizeof(mark), "mark %s", standing_class[standing]);
	snprintf(sign, sizeof(sign), "sign %s", standing_class[standing]);
	if (standing == STANDING_GOOD)
		svg_circle(m, mark, x, y, 11);
	else if (standing == STANDING_BAD)
		svg_rectangle(m, mark, x - 10, y - 10, 20, 20, 2);
	else {
		snprintf(path, sizeof(path), "M%g %gl13 13l-13 13l-13 -13z", x, y - 13);
		svg_path(m, mark, path);
	}
	snprintf(path, sizeof(path), "M%g %g%s", x, y, strokes[standing]);
	svg_path(m, sign, path);
}

/* --- what the record has of a GCD --- */

/* The fact numa_node of a GCD; NULL when the record has none. */
static const json_t *numa_of(const json_t *record, const char *bdf)
{
	const json_t *affinity = json_object_get(json_object_get(record, "system"), "affinity");
	const json_t *item;
	size_t i;

	json_array_foreach (json_object_get(affinity, "gcds"), i, item) {
		const char *named = json_fact_text(item, "bdf");

		if (named && strcmp(named, bdf) == 0)
			return json_object_get(item, "numa_node");
	}
	return NULL;
}

static json_int_t numa_number(const json_t *record, const char *bdf)
{
	return json_integer_of(numa_of(record, bdf), "value", -1);
}

static void add_gcd(struct markup *m, const json_t *record, const char *bdf, double x, double y)
{
	const json_t *gcd = record_gcd(record, bdf);
	enum standing standing = standing_of(gcd);
	json_int_t numa = numa_number(record, bdf);
	char class[40], place[60];

	snprintf(class, sizeof(class), "gcd %s", standing_class[standing]);
	if (numa < 0)
		str_copy(place, sizeof(place), "NUMA unknown");
	else
		snprintf(place, sizeof(place), "NUMA %lld", (long long)numa);
	svg_rectangle(m, class, x, y, GCD_WIDTH, GCD_HEIGHT, 5);
	add_sign(m, standing, x + 19, y + 20);
	svg_text(m, "title", x + 38, y + 25, bdf, 15);
	svg_text(m, NULL, x + 10, y + 50,
		gcd ? json_text(gcd, "verdict", "no verdict") : "not judged", 22);
	svg_text(m, "small", x + 10, y + 66,
		view_is_worker(gcd) ? "render worker" : "no render worker", 22);
	svg_text(m, "small", x + 10, y + 82, place, 22);
}

/* --- a module --- */

static const char *member_name(const json_t *gcds, size_t i)
{
	const json_t *name = json_array_get(gcds, i);

	return json_is_string(name) ? json_string_value(name) : "(no address)";
}

static double column_x(size_t i)
{
	return EDGE + (double)(i % COLUMNS) * (GCD_WIDTH + GAP);
}

static double row_y(size_t i)
{
	return HEAD + (double)(i / COLUMNS) * (GCD_HEIGHT + GAP / 2.0);
}

/* Only what was told by the width of its links is drawn with one. */
static void add_link(struct markup *m, const json_t *module)
{
	const json_t *gcds = json_object_get(module, "gcds");

	if (json_array_size(gcds) == 2 && strcmp(json_text(module, "basis", ""), "link-width") == 0)
		svg_line(m, "link", column_x(0) + GCD_WIDTH, row_y(0) + GCD_HEIGHT / 2.0,
			column_x(1), row_y(1) + GCD_HEIGHT / 2.0);
}

static char *module_label(const json_t *record, const json_t *module, size_t number)
{
	const json_t *gcds = json_object_get(module, "gcds");
	struct str label = STR_INIT;
	size_t i;

	str_addf(&label, "%smodule %zu:", view_mark(record), number);
	for (i = 0; i < json_array_size(gcds); i++) {
		const json_t *gcd = record_gcd(record, member_name(gcds, i));

		str_addf(&label, "%s %s %s", i ? "," : "", member_name(gcds, i),
			gcd ? json_text(gcd, "verdict", "no verdict") : "not judged");
	}
	return str_detach(&label);
}

static void add_module(struct markup *m, const json_t *record, const json_t *module, size_t number)
{
	const json_t *gcds = json_object_get(module, "gcds");
	size_t i, count = json_array_size(gcds), rows = (count + COLUMNS - 1) / COLUMNS;
	double width = 2 * EDGE + COLUMNS * GCD_WIDTH + (COLUMNS - 1) * GAP;
	double height = row_y(rows ? (rows - 1) * COLUMNS : 0) + GCD_HEIGHT + EDGE;
	char *label = module_label(record, module, number),
	     *title = xasprintf("Module %zu", number);

	markup_open(m, "figure", "class", "module", NULL);
	svg_open(m, width, height, label);
	svg_rectangle(m, "board", 1, 1, width - 2, height - 2, 8);
	svg_text(m, "title", EDGE, 18, title, 20);
	if (view_is_simulated(record))
		svg_text(m, "simtext", width - 92, 18, "SIMULATED", 9);
	add_link(m, module);
	for (i = 0; i < count; i++)
		add_gcd(m, record, member_name(gcds, i), column_x(i), row_y(i));
	markup_close(m);
	markup_open(m, "figcaption", NULL);
	markup_textf(m, "%s: %s", json_text(module, "basis", "no basis"),
		json_text(module, "why", "the record does not say why"));
	markup_close(m);
	markup_close(m);
	free(label);
	free(title);
}

/* --- the node --- */

/* The record's modules, then one of its own for each GCD that none of them names. A new reference.
 */
static json_t *all_modules(const json_t *record)
{
	const json_t *fact = json_object_get(record, "modules"), *module, *gcd;
	json_t *all = json_array(), *named = json_object();
	size_t i, k;

	json_array_foreach (json_object_get(fact, "value"), i, module) {
		const json_t *gcds = json_object_get(module, "gcds");

		for (k = 0; k < json_array_size(gcds); k++)
			json_object_set_new(named, member_name(gcds, k), json_true());
		if (json_array_size(all) < MODULES_MAX)
			json_array_append(all, (json_t *)module);
	}
	json_array_foreach (json_object_get(record, "gcds"), i, gcd) {
		const char *bdf = json_text(gcd, "bdf", NULL);

		if (!bdf || json_object_get(named, bdf) || json_array_size(all) >= MODULES_MAX)
			continue;
		json_array_append_new(all,
			json_pack("{s:[s], s:s, s:s}", "gcds", bdf, "basis", "no module", "why",
				json_text(fact, "why", "the record names no module with it")));
	}
	json_decref(named);
	return all;
}

/* The NUMA node that all GCDs of the module share, or -1. */
static json_int_t module_numa(const json_t *record, const json_t *module)
{
	const json_t *gcds = json_object_get(module, "gcds");
	json_int_t first = numa_number(record, member_name(gcds, 0));
	size_t i;

	for (i = 1; i < json_array_size(gcds); i++)
		if (numa_number(record, member_name(gcds, i)) != first)
			return -1;
	return first;
}

static void add_domain(
	struct markup *m, const json_t *record, const json_t *modules, json_int_t domain)
{
	const json_t *module;
	size_t i;

	markup_open(m, "div", "class", "domain", NULL);
	markup_open(m, "h3", NULL);
	if (domain < 0)
		markup_text(m, "NUMA domain not known, or not one");
	else
		markup_textf(m, "NUMA domain %lld", (long long)domain);
	markup_close(m);
	markup_open(m, "div", "class", "modules", NULL);
	json_array_foreach (modules, i, module)
		if (module_numa(record, module) == domain)
			add_module(m, record, module, i);
	markup_close(m);
	markup_close(m);
}

/* The domains in the order of their numbers, what has none at the end. */
static void add_domains(struct markup *m, const json_t *record, const json_t *modules)
{
	json_int_t last = -1;
	bool unknown = false;
	int drawn;

	for (drawn = 0; drawn < DOMAINS_MAX; drawn++) {
		const json_t *module;
		json_int_t next = -1;
		size_t i;

		json_array_foreach (modules, i, module) {
			json_int_t numa = module_numa(record, module);

			unknown = unknown || numa < 0;
			if (numa > last && (next < 0 || numa < next))
				next = numa;
		}
		if (next < 0)
			break;
		add_domain(m, record, modules, next);
		last = next;
	}
	if (unknown)
		add_domain(m, record, modules, -1);
}

static void add_key(struct markup *m)
{
	static const char *const meanings[] = { "render worker", "judged, and no render worker",
		"not decided, or not judged" };
	size_t i;

	markup_open(m, "ul", "class", "key", NULL);
	for (i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		markup_open(m, "li", NULL);
		svg_open(m, 30, 30, meanings[i]);
		add_sign(m, (enum standing)i, 15, 15);
		markup_close(m);
		markup_textf(m, " %s", meanings[i]);
		markup_close(m);
	}
	markup_close(m);
}

void html_drawing(struct markup *m, const json_t *record)
{
	json_t *modules = all_modules(record);

	html_section(m, record, "drawing", "The node");
	add_key(m);
	markup_open(m, "div", "class", "node", NULL);
	add_domains(m, record, modules);
	if (!json_array_size(modules))
		markup_element(m, "p", NULL, "The record holds no GCD to draw.");
	markup_close(m);
	markup_open(m, "p", "class", "soft", NULL);
	markup_textf(m,
		"%sA box is a module (OAM), in it a GCD is a GPU domain. A line joins the two "
		"dies of a module that the width of their links told apart. Links between "
		"modules are not in the record.",
		view_mark(record));
	markup_close(m);
	json_decref(modules);
}
