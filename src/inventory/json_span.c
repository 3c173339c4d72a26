/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/json_span.h"

#include <string.h>

static size_t skip_blanks(const char *text, size_t at, size_t end)
{
	while (at < end &&
		(text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r'))
		at++;
	return at;
}

/* After the closing quote of the string at `at`. */
static size_t skip_string(const char *text, size_t at, size_t end)
{
	for (at++; at < end && text[at] != '"'; at++)
		if (text[at] == '\\')
			at++;
	return at < end ? at + 1 : end;
}

/* Depth is counted, not recursed into: the text may nest deeply. */
static size_t skip_value(const char *text, size_t at, size_t end)
{
	size_t depth = 0;

	while (at < end) {
		char c = text[at];

		if (c == '"') {
			at = skip_string(text, at, end);
		} else if (c == '{' || c == '[') {
			depth++;
			at++;
		} else if (c == '}' || c == ']') {
			if (!depth)
				return at;
			depth--;
			at++;
		} else if (!depth && (c == ',' || c == ':')) {
			return at;
		} else if (!depth) {
			while (at < end && !strchr(" \t\r\n,:]}", text[at]))
				at++;
			return at;
		} else {
			at++;
		}
		if (!depth)
			return at;
	}
	return end;
}

bool json_walk_begin(struct json_walk *walk, const struct str *text, size_t from)
{
	if (!text->data)
		return false;
	walk->text = text->data;
	walk->end = text->len;
	walk->at = skip_blanks(text->data, from, text->len);
	if (walk->at >= walk->end || (walk->text[walk->at] != '{' && walk->text[walk->at] != '['))
		return false;
	walk->close = walk->text[walk->at++] == '{' ? '}' : ']';
	return true;
}

bool json_walk_next(
	struct json_walk *walk, struct inventory_span *key, struct inventory_span *value)
{
	size_t at = skip_blanks(walk->text, walk->at, walk->end);

	key->from = key->len = 0;
	if (at < walk->end && walk->text[at] == ',')
		at = skip_blanks(walk->text, at + 1, walk->end);
	if (at >= walk->end || walk->text[at] == walk->close)
		return false;
	if (walk->close == '}') {
		key->from = at;
		at = skip_string(walk->text, at, walk->end);
		key->len = at - key->from;
		at = skip_blanks(walk->text, at, walk->end);
		if (at >= walk->end || walk->text[at] != ':')
			return false;
		at = skip_blanks(walk->text, at + 1, walk->end);
	}
	value->from = at;
	walk->at = skip_value(walk->text, at, walk->end);
	value->len = walk->at - at;
	return value->len > 0;
}

bool json_span_member(
	const struct str *text, size_t from, const char *key, struct inventory_span *value)
{
	struct json_walk walk;
	struct inventory_span name, found;
	size_t len = strlen(key);

	if (!json_walk_begin(&walk, text, from) || walk.close != '}')
		return false;
	while (json_walk_next(&walk, &name, &found))
		if (name.len == len + 2 && memcmp(text->data + name.from + 1, key, len) == 0) {
			*value = found;
			return true;
		}
	return false;
}

size_t line_counter_at(struct line_counter *counter, const struct str *text, size_t offset)
{
	for (; counter->at < offset && counter->at < text->len; counter->at++)
		counter->lines += text->data[counter->at] == '\n';
	return counter->lines;
}
