/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a comma-separated table: quoted cells may hold the separator, doubled quotes and line
 * ends. */
#ifndef INVENTORY_CSV_ROW_H
#define INVENTORY_CSV_ROW_H

#include "inventory/inventory.h"

struct csv_row {
	char **cells; /* without their quotes */
	size_t count;
	struct inventory_span span; /* without the line end */
	size_t line; /* of its first line, from 1 */
	const char *ending; /* "\n", "\r\n" or "" at the end of the text. Static. */
};

struct csv_cursor {
	size_t at, lines;
};

/* The next row, also when it is empty. False at the end. The caller releases it. */
bool csv_row_next(
	const struct str *text, char separator, struct csv_cursor *cursor, struct csv_row *out);

void csv_row_release(struct csv_row *row);

/* Appends a cell, quoted when it must be. */
void csv_cell_add(struct str *to, const char *cell, char separator);

#endif
