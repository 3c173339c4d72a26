/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/csv_row.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 1024 };

static void add_cell(struct csv_row *row, struct str *cell)
{
	char *text = str_detach(cell);

	if (row->count >= MOST_CELLS) {
		free(text);
		return;
	}
	row->cells = xrealloc(row->cells, (row->count + 1) * sizeof(*row->cells));
	row->cells[row->count++] = text;
}

/* The inside of a quoted cell; returns where its closing quote has been passed. */
static size_t read_quoted(const struct str *text, size_t at, struct str *cell, size_t *lines)
{
	while (at < text->len) {
		char c = text->data[at++];

		if (c == '"' && (at >= text->len || text->data[at] != '"'))
			break;
		at += c == '"';
		*lines += c == '\n';
		str_add_bytes(cell, &c, 1);
	}
	return at;
}

static void end_row(
	const struct str *text, struct csv_cursor *cursor, struct csv_row *row, size_t at)
{
	row->ending = "";
	row->span.len = at - row->span.from;
	if (at < text->len && text->data[at] == '\r' && at + 1 < text->len) {
		row->ending = "\r\n";
		cursor->at = at + 2;
	} else if (at < text->len) {
		row->ending = "\n";
		cursor->at = at + 1;
	} else {
		cursor->at = at;
	}
	cursor->lines += row->ending[0] != '\0';
}

static bool at_end(const struct str *text, size_t at)
{
	return at >= text->len || text->data[at] == '\n' ||
	       (text->data[at] == '\r' && at + 1 < text->len && text->data[at + 1] == '\n');
}

bool csv_row_next(
	const struct str *text, char separator, struct csv_cursor *cursor, struct csv_row *out)
{
	struct csv_row row = { .span = { cursor->at, 0 }, .line = cursor->lines + 1 };
	struct str cell = STR_INIT;
	size_t at = cursor->at;

	if (at >= text->len)
		return false;
	while (!at_end(text, at)) {
		char c = text->data[at];

		if (c == '"' && !cell.len) {
			at = read_quoted(text, at + 1, &cell, &cursor->lines);
			continue;
		}
		if (c == separator)
			add_cell(&row, &cell);
		else
			str_add_bytes(&cell, &c, 1);
		at++;
	}
	add_cell(&row, &cell);
	end_row(text, cursor, &row, at);
	*out = row;
	return true;
}

void csv_row_release(struct csv_row *row)
{
	size_t i;

	for (i = 0; i < row->count; i++)
		free(row->cells[i]);
	free(row->cells);
	memset(row, 0, sizeof(*row));
}

void csv_cell_add(struct str *to, const char *cell, char separator)
{
	const char special[] = { separator, '"', '\n', '\r', '\0' };

	if (!strpbrk(cell, special)) {
		str_add(to, cell);
		return;
	}
	str_add(to, "\"");
	for (; *cell; cell++)
		str_add(to, *cell == '"' ? "\"\"" : (char[]){ *cell, '\0' });
	str_add(to, "\"");
}
