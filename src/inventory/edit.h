/* SPDX-License-Identifier: Apache-2.0 */
/* Replacements in a text; all bytes between them stay as they are. */
#ifndef INVENTORY_EDIT_H
#define INVENTORY_EDIT_H

#include "inventory/inventory.h"

struct edit {
	struct inventory_span span; /* len 0: an insertion before `from` */
	char *text;
};

struct edit_list {
	struct edit *items;
	size_t count;
};

/* Takes `text` over. Of two spans that overlap the earlier one counts. */
void edit_add(struct edit_list *list, size_t from, size_t len, char *text);

/* The text with all edits done, and its length (the original may hold NUL bytes); the caller frees.
 */
char *edit_apply(const struct edit_list *list, const struct str *text, size_t *len);

void edit_list_release(struct edit_list *list);

#endif
