/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of inventory_parse(), one a format, and what they share. Each fills inventory->items
 * from inventory->text. */
#ifndef INVENTORY_READERS_H
#define INVENTORY_READERS_H

#include <jansson.h>

#include "inventory/inventory.h"

/* In one file; more is an error. */
enum { MOST_ITEMS = 100000, MOST_HOSTS = 1000000, MOST_FILES = 1024, MOST_ALL_FILES = 65536 };

int slurm_conf_read(struct inventory *inventory, struct error *err);
int gres_conf_read(struct inventory *inventory, struct error *err);
int scontrol_read(struct inventory *inventory, struct error *err);
int kubernetes_read(struct inventory *inventory, struct error *err);
int opencue_read(struct inventory *inventory, struct error *err);
int csv_read(struct inventory *inventory, struct error *err);
int json_items_read(struct inventory *inventory, struct error *err);

/* A new item, all texts "" and all numbers unknown; NULL with an error when there are too many.
 * Valid until the next one. */
struct inventory_item *inventory_add(struct inventory *inventory, size_t line, struct error *err);

/* Replaces a text of an item; hostile bytes become \xHH. */
void item_text(char **field, const char *value);

/* A whole number of an item; unknown when it is anything else. */
struct known_u64 item_number(const char *text);

/* Which column a heading or key names, or COLUMN_COUNT_ALL; *unit is the bytes that a number
 * without a unit stands for, or 0 when the name does not say. */
enum inventory_column column_of(const char *name, uint64_t *unit);

/* Whole text of a JSON inventory, checked and within depth. NULL with an error. */
json_t *inventory_json(const struct inventory *inventory, struct error *err);

#endif
