/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over the objects of a JSON inventory: the document itself, an array, or the array in one of
 * the members that such lists use. */
#ifndef INVENTORY_JSON_LIST_H
#define INVENTORY_JSON_LIST_H

#include <jansson.h>

#include "inventory/json_span.h"
#include "inventory/readers.h"

/* Calls `each` with each object, its span and line. 0, or -1 with an error: not valid JSON, an
 * element that is no object, or `each` said so. */
int json_list_each(struct inventory *inventory,
	int (*each)(struct inventory *inventory, const json_t *object, struct inventory_span span,
		size_t line, struct error *err),
	struct error *err);

/* A member as text: a string, a number or a boolean; "" when absent or of another type. The caller
 * frees. */
char *json_member_text(const json_t *object, const char *key);

#endif
