/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/edit.h"

#include <stdlib.h>
#include <string.h>

void edit_add(struct edit_list *list, size_t from, size_t len, char *text)
{
	size_t at = list->count;

	if (!(list->count & (list->count - 1)))
		list->items = xrealloc(
			list->items, (list->count ? 2 * list->count : 1) * sizeof(*list->items));
	/* Nearly always in order already. */
	for (; at > 0 && list->items[at - 1].span.from > from; at--)
		list->items[at] = list->items[at - 1];
	list->items[at] = (struct edit){ { from, len }, text };
	list->count++;
}

char *edit_apply(const struct edit_list *list, const struct str *text, size_t *len)
{
	struct str to = STR_INIT;
	size_t at = 0, i;

	for (i = 0; i < list->count; i++) {
		const struct edit *edit = &list->items[i];

		if (edit->span.from < at)
			continue;
		str_add_bytes(&to, text->data + at, edit->span.from - at);
		str_add(&to, edit->text);
		at = edit->span.from + edit->span.len;
	}
	if (text->len > at)
		str_add_bytes(&to, text->data + at, text->len - at);
	*len = to.len;
	return str_detach(&to);
}

void edit_list_release(struct edit_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		free(list->items[i].text);
	free(list->items);
	memset(list, 0, sizeof(*list));
}
