/* SPDX-License-Identifier: Apache-2.0 */
/* Plain lists: CSV with a header line, JSON with an array of items. The same names are understood
 * in both. */
#include <stdlib.h>
#include <string.h>

#include "inventory/amount.h"
#include "inventory/csv_row.h"
#include "inventory/json_list.h"
#include "inventory/readers.h"

/* Enters one value of an item. */
static void enter_value(
	struct inventory_item *item, enum inventory_column column, const char *value, uint64_t unit)
{
	switch (column) {
	case COLUMN_HOST:
		item_text(&item->host, value);
		break;
	case COLUMN_COUNT:
		item->count = item_number(value);
		break;
	case COLUMN_MEMORY:
		item->memory = amount_read(value, unit);
		break;
	case COLUMN_TYPE:
		item_text(&item->type, value);
		break;
	case COLUMN_MODULE:
		item_text(&item->module, value);
		break;
	case COLUMN_BDF:
		item_text(&item->bdf, value);
		break;
	case COLUMN_COUNT_ALL:
		break;
	}
}

/* --- CSV
 * -------------------------------------------------------------------------------------------- */

/* The separator that the header line has most of. */
static char separator_of(const struct str *text)
{
	static const char separators[] = ",;\t";
	size_t best = 0, i;
	char found = ',';

	for (i = 0; separators[i]; i++) {
		size_t at, seen = 0;

		for (at = 0; at < text->len && text->data[at] != '\n'; at++)
			seen += text->data[at] == separators[i];
		if (seen > best) {
			best = seen;
			found = separators[i];
		}
	}
	return found;
}

static int read_header(
	struct inventory *inventory, const struct csv_row *row, uint64_t *unit, struct error *err)
{
	size_t i;

	for (i = 0; i < COLUMN_COUNT_ALL; i++)
		inventory->column[i] = -1;
	for (i = 0; i < row->count; i++) {
		const char *cell = row->cells[i];
		uint64_t cell_unit;
		enum inventory_column column;

		if (i == 0 && str_starts(cell, "\xef\xbb\xbf"))
			cell += 3;
		column = column_of(cell, &cell_unit);
		if (column == COLUMN_COUNT_ALL || inventory->column[column] >= 0)
			continue;
		inventory->column[column] = (int)i;
		if (column == COLUMN_MEMORY)
			*unit = cell_unit;
	}
	inventory->header = row->span;
	if (inventory->column[COLUMN_COUNT] < 0 && inventory->column[COLUMN_MEMORY] < 0 &&
		inventory->column[COLUMN_BDF] < 0 && inventory->column[COLUMN_MODULE] < 0)
		return error_set(err,
			"%s: no inventory that is known: no setting of Slurm's, no JSON, and no "
			"header "
			"line with a column like gpus, gpu_memory, module or bdf",
			inventory->path);
	return 0;
}

static int enter_row(
	struct inventory *inventory, const struct csv_row *row, uint64_t unit, struct error *err)
{
	struct inventory_item *item = inventory_add(inventory, row->line, err);
	int column;

	if (!item)
		return -1;
	item->span = row->span;
	item->count = known_u64(1);
	for (column = 0; column < COLUMN_COUNT_ALL; column++) {
		int at = inventory->column[column];

		if (at >= 0)
			enter_value(item, (enum inventory_column)column,
				(size_t)at < row->count ? row->cells[at] : "", unit);
	}
	item->is_gpu = !item->count.known || item->count.value;
	return 0;
}

int csv_read(struct inventory *inventory, struct error *err)
{
	struct csv_cursor cursor = { 0, 0 };
	struct csv_row row;
	uint64_t unit = 0;
	bool first = true;
	int rc = 0;

	inventory->separator = separator_of(&inventory->text);
	while (rc == 0 && csv_row_next(&inventory->text, inventory->separator, &cursor, &row)) {
		if (first)
			rc = read_header(inventory, &row, &unit, err);
		else if (row.span.len)
			rc = enter_row(inventory, &row, unit, err);
		first = false;
		csv_row_release(&row);
	}
	return rc == 0 && first ? error_set(err, "%s: empty", inventory->path) : rc;
}

/* --- JSON
 * ------------------------------------------------------------------------------------------- */

static int enter_object(struct inventory *inventory, const json_t *object,
	struct inventory_span span, size_t line, struct error *err)
{
	struct inventory_item *item = inventory_add(inventory, line, err);
	bool seen[COLUMN_COUNT_ALL] = { false }, any = false;
	const char *key;
	json_t *member;

	if (!item)
		return -1;
	item->span = span;
	item->count = known_u64(1);
	json_object_foreach ((json_t *)object, key, member) {
		uint64_t unit;
		enum inventory_column column = column_of(key, &unit);
		char *value;

		if (column == COLUMN_COUNT_ALL || seen[column] || json_is_array(member) ||
			json_is_object(member))
			continue;
		seen[column] = true;
		any = any || column != COLUMN_HOST;
		value = json_member_text(object, key);
		enter_value(item, column, value, unit);
		free(value);
	}
	if (!any)
		return error_set(err, "%s:%zu: an item without a count, memory, module or address",
			inventory->path, line);
	item->is_gpu = !item->count.known || item->count.value;
	return 0;
}

int json_items_read(struct inventory *inventory, struct error *err)
{
	return json_list_each(inventory, enter_object, err);
}
