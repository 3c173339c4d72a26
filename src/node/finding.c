/* SPDX-License-Identifier: Apache-2.0 */
#include "node/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"

static char *shown(const char *text)
{
	return text_printable(text, strlen(text));
}

void finding_add(struct finding_list *list, const char *code, enum finding_weight weight,
	const char *subject, const char *remedy, const char *format, ...)
{
	char text[1000];
	struct finding *item;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	list->items = xrealloc(list->items, (list->count + 1) * sizeof(*list->items));
	item = &list->items[list->count++];
	str_copy(item->code, sizeof(item->code), code);
	item->weight = weight;
	item->subject = shown(subject);
	item->text = shown(text);
	item->remedy = remedy ? shown(remedy) : NULL;
}

void finding_list_release(struct finding_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		free(list->items[i].subject);
		free(list->items[i].text);
		free(list->items[i].remedy);
	}
	free(list->items);
	memset(list, 0, sizeof(*list));
}

enum finding_weight finding_worst(const struct finding_list *list)
{
	enum finding_weight worst = FINDING_NOTE;
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->items[i].weight > worst)
			worst = list->items[i].weight;
	return worst;
}

const char *finding_weight_name(enum finding_weight weight)
{
	static const char *const names[] = { "note", "warning", "fault" };

	return names[weight];
}

json_t *finding_list_json(const struct finding_list *list)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct finding *item = &list->items[i];

		json_array_append_new(array,
			json_pack("{s:s, s:s, s:s, s:s, s:s?}", "code", item->code, "weight",
				finding_weight_name(item->weight), "subject", item->subject, "text",
				item->text, "remedy", item->remedy));
	}
	return array;
}
