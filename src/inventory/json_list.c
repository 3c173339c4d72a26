/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/json_list.h"

#include <stdlib.h>
#include <string.h>

/* The members that lists stand in. Kubernetes: items; OpenCue: hosts.hosts. */
static const char *const list_keys[] = { "items", "hosts", "nodes", "gpus", "devices",
	"inventory" };

/* Where the list or the single object begins. */
static size_t find_list(const struct inventory *inventory, const json_t *document)
{
	struct inventory_span span = { 0, inventory->text.len };
	size_t i;

	for (i = 0; i < sizeof(list_keys) / sizeof(list_keys[0]); i++) {
		const json_t *list = json_object_get(document, list_keys[i]);

		if (json_is_array(list) &&
			json_span_member(&inventory->text, 0, list_keys[i], &span))
			return span.from;
		if (json_is_object(list) && json_is_array(json_object_get(list, list_keys[i])) &&
			json_span_member(&inventory->text, 0, list_keys[i], &span) &&
			json_span_member(&inventory->text, span.from, list_keys[i], &span))
			return span.from;
	}
	return 0;
}

struct listed {
	struct inventory *inventory;
	int (*each)(struct inventory *inventory, const json_t *object, struct inventory_span span,
		size_t line, struct error *err);
	struct line_counter lines;
};

static int call(struct listed *listed, struct inventory_span span, struct error *err)
{
	struct str *text = &listed->inventory->text;
	size_t line = line_counter_at(&listed->lines, text, span.from) + 1;
	json_t *object = json_loadb(text->data + span.from, span.len, JSON_DECODE_ANY, NULL);
	int rc;

	if (json_is_object(object))
		rc = listed->each(listed->inventory, object, span, line, err);
	else
		rc = error_set(err, "%s:%zu: not an object", listed->inventory->path, line);
	json_decref(object);
	return rc;
}

static int call_all(struct listed *listed, size_t from, struct error *err)
{
	struct inventory_span key, value;
	struct json_walk walk;
	int rc = 0;

	if (!json_walk_begin(&walk, &listed->inventory->text, from))
		return error_set(
			err, "%s: neither an object nor an array", listed->inventory->path);
	if (walk.close == '}') {
		size_t start = walk.at - 1;

		while (json_walk_next(&walk, &key, &value))
			;
		while (walk.at < walk.end && walk.text[walk.at] != '}')
			walk.at++;
		if (walk.at >= walk.end)
			return error_set(
				err, "%s: the object does not end", listed->inventory->path);
		return call(listed, (struct inventory_span){ start, walk.at + 1 - start }, err);
	}
	while (rc == 0 && json_walk_next(&walk, &key, &value))
		rc = call(listed, value, err);
	return rc;
}

int json_list_each(struct inventory *inventory,
	int (*each)(struct inventory *inventory, const json_t *object, struct inventory_span span,
		size_t line, struct error *err),
	struct error *err)
{
	struct listed listed = { .inventory = inventory, .each = each };
	json_t *document = inventory_json(inventory, err);
	size_t from;

	if (!document)
		return -1;
	from = find_list(inventory, document);
	json_decref(document);
	return call_all(&listed, from, err);
}

char *json_member_text(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	char *text;

	if (json_is_string(value))
		return xstrdup(json_string_value(value));
	if (!json_is_number(value))
		return xstrdup("");
	if (json_is_real(value) && json_real_value(value) >= 0 && json_real_value(value) < 9e15 &&
		json_real_value(value) == (double)(long long)json_real_value(value))
		return xasprintf("%lld", (long long)json_real_value(value));
	text = json_dumps(value, JSON_ENCODE_ANY);
	return text ? text : xstrdup("");
}
