/* SPDX-License-Identifier: Apache-2.0 */
/* Published beside observed, and all that is unknown with its reason. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/html_parts.h"
#include "report/view.h"

enum { UNKNOWN_DEPTH = 12, PLACES_SHOWN = 6, REASONS_MAX = 500 };

/* --- published beside observed --- */

/* The first member of the GPU with that address. */
static const json_t *find_gpu(const json_t *record, const char *bdf)
{
	const json_t *gpu;
	size_t i;

	json_array_foreach (json_object_get(json_object_get(record, "node"), "gpus"), i, gpu) {
		const char *named = json_fact_text(gpu, "bdf");

		if (named && strcmp(named, bdf) == 0)
			return gpu;
	}
	return NULL;
}

static void pair(struct markup *m, const json_t *record, const char *bdf, const char *what,
	const json_t *published, const char *key, const json_t *observed)
{
	markup_open(m, "tr", NULL);
	markup_open(m, "td", "data-label", "GCD", NULL);
	html_mark(m, record);
	markup_text(m, bdf);
	markup_close(m);
	html_cell(m, "what", what);
	markup_open(m, "td", "data-label", "published", NULL);
	html_fact(m, key, published);
	markup_close(m);
	markup_open(m, "td", "data-label", "found", NULL);
	html_fact(m, key, observed);
	markup_close(m);
	markup_close(m);
}

void html_published(struct markup *m, const json_t *record)
{
	static const char *const labels[] = { "GCD", "what", "published", "found" };
	const json_t *published = json_object_get(record, "published"), *item;
	size_t i;

	html_section(m, record, "published", "Published beside found");
	markup_element(m, "p", "soft",
		"What a vendor publishes never stands in for what was read from the node; both are "
		"shown "
		"as their sources have them.");
	if (view_is_fact(published))
		html_fact(m, "published", published);
	html_table_head(m, labels, sizeof(labels) / sizeof(labels[0]));
	json_array_foreach (json_object_get(published, "gcds"), i, item) {
		const char *bdf = view_gcd_name(item);

		pair(m, record, bdf, "product", json_object_get(item, "variant"), "variant",
			json_object_get(find_gpu(record, bdf), "hip_name"));
		pair(m, record, bdf, "memory of the domain", json_object_get(item, "domain_memory"),
			"vram_total", json_object_get(item, "observed_bytes"));
	}
	markup_close(m);
	markup_close(m);
	markup_open(m, "details", "class", "more", NULL);
	markup_element(m, "summary", NULL, "All of it, by member");
	html_members(m, published);
	markup_close(m);
}

/* --- unknown --- */

static void note_unknown(json_t *reasons, const char *why, const char *place)
{
	json_t *places = json_object_get(reasons, why);

	if (!places && json_object_size(reasons) < REASONS_MAX) {
		places = json_array();
		json_object_set_new(reasons, why, places);
	}
	if (places)
		json_array_append_new(places, json_string(place));
}

static void walk(json_t *reasons, const json_t *value, const char *place, int depth)
{
	json_t *writable = (json_t *)value; /* jansson's iterators are not const */
	const json_t *item;
	json_t *member;
	const char *name;
	size_t i;

	if (view_is_fact(value) && strcmp(json_text(value, "class", ""), "unknown") == 0) {
		note_unknown(reasons, json_text(value, "why", "no reason is given"), place);
		return;
	}
	if (depth >= UNKNOWN_DEPTH)
		return;
	json_object_foreach (writable, name, member) {
		char *below = xasprintf("%s%s%s", place, *place ? "." : "", name);

		walk(reasons, member, below, depth + 1);
		free(below);
	}
	json_array_foreach (value, i, item) {
		char *below = xasprintf("%s[%zu]", place, i);

		walk(reasons, item, below, depth + 1);
		free(below);
	}
}

static void add_reason(struct markup *m, const char *why, const json_t *places)
{
	struct str list = STR_INIT;
	size_t i, count = json_array_size(places);

	for (i = 0; i < count && i < PLACES_SHOWN; i++)
		str_addf(
			&list, "%s%s", i ? ", " : "", json_string_value(json_array_get(places, i)));
	if (count > PLACES_SHOWN)
		str_addf(&list, " and %zu more", count - PLACES_SHOWN);
	markup_open(m, "tr", NULL);
	html_cell(m, "why", why);
	html_cell(m, "what is unknown", list.data ? list.data : "");
	markup_close(m);
	str_release(&list);
}

void html_unknowns(struct markup *m, const json_t *record)
{
	static const char *const labels[] = { "why", "what is unknown" };
	json_t *reasons = json_object(), *places;
	const char *why;

	walk(reasons, record, "", 0);
	html_section(m, record, "unknown", "What is unknown, and why");
	if (json_object_size(reasons)) {
		markup_open(m, "details", NULL);
		markup_open(m, "summary", NULL);
		markup_textf(m, "%zu reasons; nothing unknown counts as yes, no or 0",
			json_object_size(reasons));
		markup_close(m);
		html_table_head(m, labels, sizeof(labels) / sizeof(labels[0]));
		json_object_foreach (reasons, why, places)
			add_reason(m, why, places);
		markup_close(m);
		markup_close(m);
		markup_close(m);
	} else {
		markup_element(m, "p", NULL, "The record says of nothing that it is unknown.");
	}
	json_decref(reasons);
}
