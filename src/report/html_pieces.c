/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/html_assets.h"
#include "report/html_parts.h"
#include "report/view.h"

enum { MEMBERS_DEPTH = 8, MEMBERS_ROWS = 5000 };

void html_head(struct markup *m, const char *title, const char *style, const char *script)
{
	char *policy = html_policy(style, script);

	markup_open(m, "head", NULL);
	markup_void(m, "meta", "charset", "utf-8", NULL);
	markup_void(m, "meta", "http-equiv", "Content-Security-Policy", "content", policy, NULL);
	markup_void(m, "meta", "name", "viewport", "content", "width=device-width, initial-scale=1",
		NULL);
	markup_void(m, "meta", "name", "referrer", "content", "no-referrer", NULL);
	markup_element(m, "title", NULL, title);
	markup_open(m, "style", NULL);
	markup_own(m, style);
	markup_close(m);
	markup_close(m);
	free(policy);
}

void html_mark(struct markup *m, const json_t *record_or_attempt)
{
	if (!view_is_simulated(record_or_attempt))
		return;
	markup_element(m, "span", "sim", "SIMULATED");
	markup_text(m, " ");
}

/* A sign as well as a colour, and the word as well as the sign. */
static void badge(struct markup *m, const char *class, const char *sign, const char *word)
{
	markup_open(m, "span", "class", class, NULL);
	markup_textf(m, "%s %s", sign, word);
	markup_close(m);
}

void html_verdict(struct markup *m, const char *verdict)
{
	if (strcmp(verdict, "accepted") == 0)
		badge(m, "good", "\xe2\x9c\x93", verdict);
	else if (strcmp(verdict, "inconclusive") == 0 || strcmp(verdict, "not run") == 0)
		badge(m, "open", "?", verdict);
	else
		badge(m, "bad", "\xe2\x9c\x97", verdict);
}

void html_answer(struct markup *m, const char *answer)
{
	if (strcmp(answer, "yes") == 0)
		badge(m, "good", "\xe2\x9c\x93", answer);
	else if (strcmp(answer, "no") == 0)
		badge(m, "bad", "\xe2\x9c\x97", answer);
	else
		badge(m, "open", "?", answer);
}

void html_heading(struct markup *m, const json_t *record, const char *text)
{
	markup_open(m, "h2", NULL);
	html_mark(m, record);
	markup_text(m, text);
	markup_close(m);
}

void html_section(struct markup *m, const json_t *record, const char *id, const char *text)
{
	markup_open(m, "h2", "id", id, NULL);
	if (record)
		html_mark(m, record);
	markup_text(m, text);
	markup_close(m);
}

void html_table_head(struct markup *m, const char *const *labels, size_t count)
{
	size_t i;

	markup_open(m, "table", NULL);
	markup_open(m, "thead", NULL);
	markup_open(m, "tr", NULL);
	for (i = 0; i < count; i++)
		markup_element(m, "th", NULL, labels[i]);
	markup_close(m);
	markup_close(m);
	markup_open(m, "tbody", NULL);
}

void html_cell(struct markup *m, const char *label, const char *text)
{
	markup_open(m, "td", "data-label", label, NULL);
	markup_text(m, text);
	markup_close(m);
}

static bool counts_bytes(const char *key)
{
	static const char *const keys[] = { "vram_total", "hip_total", "hip_free",
		"vram_peak_bytes" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (str_ends(key, keys[i]))
			return true;
	return false;
}

static void value_text(struct markup *m, const char *key, const json_t *value)
{
	char *text = view_value(value), size[24];

	markup_text(m, text);
	if (counts_bytes(key) && json_is_integer(value)) {
		text_bytes(size, (double)json_integer_value(value));
		markup_textf(m, " (%s)", size);
	}
	free(text);
}

static void known_fact(struct markup *m, const char *key, const json_t *fact, const char *class)
{
	const char *word = class ? class : json_text(fact, "class", "");

	markup_open(m, "span", "class", "value", NULL);
	value_text(m, key, json_object_get(fact, "value"));
	markup_close(m);
	markup_open(m, "small", NULL);
	if (!class)
		markup_text(m, "not a class of facts: ");
	markup_textf(m, "%s, from %s", word, json_text(fact, "from", "nowhere that is named"));
	markup_close(m);
}

void html_fact(struct markup *m, const char *key, const json_t *value)
{
	const char *class;
	char *classes;

	if (!view_is_fact(value)) {
		value_text(m, key, value);
		return;
	}
	class = view_class(value);
	classes = xasprintf("fact %s", class ? class : "strange");
	markup_open(m, "div", "class", classes, NULL);
	if (class && strcmp(class, "unknown") == 0)
		markup_textf(m, "unknown: %s", json_text(value, "why", "no reason is given"));
	else
		known_fact(m, key, value, class);
	markup_close(m);
	free(classes);
}

/* --- members --- */

static void member_row(struct markup *m, const char *key, const json_t *value)
{
	markup_open(m, "tr", NULL);
	markup_element(m, "th", NULL, key);
	markup_open(m, "td", NULL);
	html_fact(m, key, value);
	markup_close(m);
	markup_close(m);
}

static void cut_row(struct markup *m)
{
	markup_open(m, "tr", NULL);
	markup_element(m, "th", NULL, "...");
	markup_element(m, "td", NULL, "The rest is in record.json.");
	markup_close(m);
}

static void add_members(
	struct markup *m, const char *key, const json_t *value, int depth, size_t *rows);

static void add_items(
	struct markup *m, const char *key, const json_t *array, int depth, size_t *rows)
{
	const json_t *item;
	size_t i;

	json_array_foreach (array, i, item) {
		char *below = xasprintf("%s[%zu]", key, i);

		add_members(m, below, item, depth, rows);
		free(below);
	}
}

static void add_object(
	struct markup *m, const char *key, const json_t *object, int depth, size_t *rows)
{
	json_t *writable =
		(json_t *)object; /* jansson's iterators are not const; nothing is changed */
	json_t *member;
	const char *name;

	json_object_foreach (writable, name, member) {
		char *below = xasprintf("%s%s%s", key, *key ? "." : "", name);

		add_members(m, below, member, depth, rows);
		free(below);
	}
}

static bool holds_objects(const json_t *array)
{
	return json_is_array(array) && json_is_object(json_array_get(array, 0));
}

static void add_members(
	struct markup *m, const char *key, const json_t *value, int depth, size_t *rows)
{
	bool opens = depth < MEMBERS_DEPTH && !view_is_fact(value);

	if (*rows >= MEMBERS_ROWS) {
		if ((*rows)++ == MEMBERS_ROWS)
			cut_row(m);
		return;
	}
	if (opens && json_is_object(value) && json_object_size(value) > 0) {
		add_object(m, key, value, depth + 1, rows);
	} else if (opens && holds_objects(value)) {
		add_items(m, key, value, depth + 1, rows);
	} else {
		++*rows;
		member_row(m, key, value);
	}
}

void html_members(struct markup *m, const json_t *value)
{
	size_t rows = 0;

	markup_open(m, "table", NULL);
	markup_open(m, "tbody", NULL);
	add_members(m, "", value, 0, &rows);
	markup_close(m);
	markup_close(m);
}
