/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and JSON lists: one row for each domain, under its module's identity. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "inventory/amount.h"
#include "inventory/assign.h"
#include "inventory/csv_row.h"
#include "inventory/json_list.h"

/* What a row is to say of its domain; NULL: leave as it is. */
static char *new_value(const struct work *work, const struct assignment *assignment, size_t domain,
	enum inventory_column column, const char *old, uint64_t unit)
{
	const struct gpu *gpu = work->site->domains[domain].gpu;
	struct known_u64 memory = gpu->vram_total.known ? gpu->vram_total : gpu->hip_total;
	char text[40];

	switch (column) {
	case COLUMN_COUNT:
		return xstrdup("1");
	case COLUMN_MEMORY:
		if (!memory.known)
			return NULL;
		amount_write(text, memory.value, old, unit);
		return xstrdup(text);
	case COLUMN_MODULE:
		return xstrdup(assignment->module[domain]);
	case COLUMN_BDF:
		return gpu->bdf[0] ? xstrdup(gpu->bdf) : NULL;
	default:
		return NULL;
	}
}

/* --- CSV
 * ------------------------------------------------------------------------------------------------
 */

struct table {
	struct work *work;
	struct assignment assignment;
	uint64_t unit; /* of a bare number of memory */
	size_t header_count; /* columns of the original */
	size_t added[COLUMN_COUNT_ALL]; /* index of a column that was added; 0 none */
};

/* The columns that give a row its identity are added when they are missing. */
static void edit_header(struct table *table, const struct csv_row *header)
{
	static const struct {
		enum inventory_column column;
		const char *name;
	} identities[] = { { COLUMN_MODULE, "module" }, { COLUMN_BDF, "bdf" } };
	const struct inventory *inventory = table->work->inventory;
	struct str more = STR_INIT;
	size_t i, columns = header->count;

	table->header_count = header->count;
	for (i = 0; i < sizeof(identities) / sizeof(identities[0]); i++) {
		if (inventory->column[identities[i].column] >= 0)
			continue;
		table->added[identities[i].column] = columns++;
		str_addf(&more, "%c%s", inventory->separator, identities[i].name);
	}
	if (more.len)
		edit_add(&table->work->edits, inventory->header.from + inventory->header.len, 0,
			str_detach(&more));
	str_release(&more);
}

static enum inventory_column column_at(const struct table *table, size_t index)
{
	int column;

	for (column = 0; column < COLUMN_COUNT_ALL; column++)
		if (table->work->inventory->column[column] == (int)index ||
			(table->added[column] && table->added[column] == index))
			break;
	return (enum inventory_column)column;
}

static void add_row(const struct table *table, const struct csv_row *row, size_t domain,
	size_t columns, struct str *to)
{
	size_t i;

	for (i = 0; i < columns || i < row->count; i++) {
		const char *old = i < row->count ? row->cells[i] : "";
		char *value = new_value(table->work, &table->assignment, domain,
			column_at(table, i), old, table->unit);

		if (i)
			str_add_bytes(to, &table->work->inventory->separator, 1);
		csv_cell_add(to, value ? value : old, table->work->inventory->separator);
		free(value);
	}
}

static size_t columns_of(const struct table *table)
{
	size_t columns = table->header_count, i;

	for (i = 0; i < COLUMN_COUNT_ALL; i++)
		if (table->added[i] >= columns)
			columns = table->added[i] + 1;
	return columns;
}

/* The rows of the domains that stand under the item take its place; none: it goes. */
static void edit_row(struct table *table, const struct csv_row *row, size_t item)
{
	const struct assignment *assignment = &table->assignment;
	struct str rows = STR_INIT;
	size_t i, len = row->span.len;

	for (i = 0; i < assignment->count; i++) {
		if (assignment->item[i] != (long)item)
			continue;
		if (rows.len)
			str_add(&rows, row->ending[0] ? row->ending : "\n");
		add_row(table, row, i, columns_of(table), &rows);
	}
	if (!rows.len)
		len += strlen(row->ending);
	edit_add(&table->work->edits, row->span.from, len, str_detach(&rows));
}

static void edit_rows(struct table *table)
{
	const struct inventory *inventory = table->work->inventory;
	struct csv_cursor cursor = { 0, 0 };
	struct csv_row row;
	size_t item = 0;
	bool first = true;

	while (csv_row_next(&inventory->text, inventory->separator, &cursor, &row)) {
		if (first) {
			int memory = inventory->column[COLUMN_MEMORY];

			if (memory >= 0 && (size_t)memory < row.count)
				column_of(row.cells[memory], &table->unit);
			edit_header(table, &row);
		} else if (item < inventory->count && row.line == inventory->items[item].line) {
			if (table->work->judged->is_of[item])
				edit_row(table, &row, item);
			item++;
		}
		first = false;
		csv_row_release(&row);
	}
}

int correct_csv(struct work *work, struct error *err)
{
	struct table table = { .work = work };

	if (assign(work, &table.assignment, err) != 0)
		return -1;
	edit_rows(&table);
	assignment_release(&table.assignment);
	return 0;
}

/* --- JSON
 * -----------------------------------------------------------------------------------------------
 */

/* The member that the reader took for the column, or NULL. */
static const char *key_of(const json_t *object, enum inventory_column column, uint64_t *unit)
{
	const char *key;
	json_t *member;

	json_object_foreach ((json_t *)object, key, member) {
		if (column_of(key, unit) == column && !json_is_array(member) &&
			!json_is_object(member))
			return key;
	}
	return NULL;
}

/* In the type of the member that it replaces. */
static void set_member(const struct work *work, const struct assignment *assignment, size_t domain,
	enum inventory_column column, const char *otherwise, json_t *object)
{
	uint64_t unit = 0;
	const char *key = key_of(object, column, &unit);
	char *name, *old, *value;
	struct known_u64 number;

	if (!key && !otherwise)
		return;
	name = xstrdup(key ? key : otherwise);
	old = json_member_text(object, name);
	value = new_value(work, assignment, domain, column, old, unit);
	number = value ? item_number(value) : (struct known_u64){ false, 0 };
	if (value && json_is_number(json_object_get(object, name)) && number.known)
		json_object_set_new(object, name, json_integer((json_int_t)number.value));
	else if (value)
		json_object_set_new(object, name, json_printable_text(value));
	free(name);
	free(old);
	free(value);
}

static char *domain_object(const struct work *work, const struct assignment *assignment,
	size_t domain, const struct inventory_item *item)
{
	json_t *object =
		json_loadb(work->inventory->text.data + item->span.from, item->span.len, 0, NULL);
	char *text;

	set_member(work, assignment, domain, COLUMN_COUNT, NULL, object);
	set_member(work, assignment, domain, COLUMN_MEMORY, NULL, object);
	set_member(work, assignment, domain, COLUMN_MODULE, "module", object);
	set_member(work, assignment, domain, COLUMN_BDF, "bdf", object);
	text = json_dumps(object, 0);
	json_decref(object);
	return text ? text : xstrdup("{}");
}

/* What stands between two items: a comma and the blanks before this one. */
static char *joint_before(const struct inventory *inventory, size_t from)
{
	size_t at = from;

	while (at > 0 && strchr(" \t\r\n", inventory->text.data[at - 1]) &&
		inventory->text.data[at - 1])
		at--;
	return xasprintf(",%.*s", (int)(from - at), inventory->text.data + at);
}

/* An item that goes takes the comma before it along: the first item of the host always stays. */
static size_t comma_before(const struct inventory *inventory, size_t from)
{
	size_t at = from;

	while (at > 0 && strchr(" \t\r\n", inventory->text.data[at - 1]))
		at--; /* valid JSON: no NUL that strchr() would take for its own */
	return at > 0 && inventory->text.data[at - 1] == ',' ? at - 1 : from;
}

static void edit_item(struct work *work, const struct assignment *assignment, size_t index)
{
	const struct inventory_item *item = &work->inventory->items[index];
	char *joint = joint_before(work->inventory, item->span.from);
	struct str objects = STR_INIT;
	size_t i, from = item->span.from;

	for (i = 0; i < assignment->count; i++) {
		char *object;

		if (assignment->item[i] != (long)index)
			continue;
		object = domain_object(work, assignment, i, item);
		str_add(&objects, objects.len ? joint : "");
		str_add(&objects, object);
		free(object);
	}
	if (!objects.len)
		from = comma_before(work->inventory, from);
	edit_add(&work->edits, from, item->span.from + item->span.len - from, str_detach(&objects));
	free(joint);
}

int correct_json(struct work *work, struct error *err)
{
	struct assignment assignment;
	size_t i;

	if (work->inventory->count == 1 && work->inventory->text.data[0] == '{' &&
		work->inventory->items[0].span.from == 0)
		return error_set(err,
			"%s: one object, not a list: there is no place for %zu domains",
			work->inventory->path, work->site->count);
	if (assign(work, &assignment, err) != 0)
		return -1;
	for (i = 0; i < work->inventory->count; i++)
		if (work->judged->is_of[i])
			edit_item(work, &assignment, i);
	assignment_release(&assignment);
	return 0;
}
