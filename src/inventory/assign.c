/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/assign.h"

#include <stdlib.h>
#include <string.h>

#include "inventory/judge_parts.h"

/* The items of the host, in their order. */
struct mine {
	size_t *items;
	size_t count;
};

static struct mine mine_of(const struct work *work)
{
	struct mine mine = { xcalloc(work->inventory->count, sizeof(size_t)), 0 };
	size_t i;

	for (i = 0; i < work->inventory->count; i++)
		if (work->judged->is_of[i])
			mine.items[mine.count++] = i;
	return mine;
}

static size_t assign_addresses(const struct work *work, const struct mine *mine, long *item)
{
	size_t found = 0, i;

	for (i = 0; i < mine->count; i++) {
		long domain = site_find_bdf(work->site, work->inventory->items[mine->items[i]].bdf);

		if (domain >= 0 && item[domain] < 0) {
			item[domain] = (long)mine->items[i];
			found++;
		}
	}
	return found;
}

/* A domain without an item of its own goes where the first of its module is. */
static void assign_mates(const struct work *work, long *item)
{
	const struct site *site = work->site;
	size_t i, j;

	for (i = 0; i < site->count; i++)
		for (j = 0; item[i] < 0 && j < site->count; j++)
			if (site->domains[j].module == site->domains[i].module && item[j] >= 0)
				item[i] = item[j];
}

static void assign_first(const struct work *work, const struct mine *mine, long *item)
{
	size_t i;

	for (i = 0; i < work->site->count; i++)
		if (item[i] < 0)
			item[i] = (long)mine->items[0];
}

static void assign_order(struct work *work, const struct mine *mine, long *item)
{
	const struct site *site = work->site;
	bool by_domain = mine->count == site->count;
	size_t i;

	if (!by_domain && mine->count != site->modules.count) {
		assign_first(work, mine, item);
		return;
	}
	for (i = 0; i < site->count; i++)
		item[i] = (long)mine->items[by_domain ? i : site->domains[i].module];
	if (mine->count > 1)
		finding_add(work->findings, "placed-by-order", FINDING_NOTE, work->inventory->path,
			"give each item the address of its device",
			"the list has no addresses: its %zu items were taken for the %s in the "
			"node's order, "
			"which is a guess",
			mine->count, by_domain ? "domains" : "modules");
}

/* How many modules stand under the item. */
static bool item_spans_modules(const struct site *site, const long *item, size_t domain)
{
	size_t i;

	for (i = 0; i < site->count; i++)
		if (item[i] == item[domain] &&
			site->domains[i].module != site->domains[domain].module)
			return true;
	return false;
}

static void name_modules(const struct work *work, struct assignment *out)
{
	size_t i;

	for (i = 0; i < out->count; i++) {
		const char *listed = work->inventory->items[out->item[i]].module;

		out->module[i] =
			listed[0] && !item_spans_modules(work->site, out->item, i)
				? xstrdup(listed)
				: site_module_name(work->site, work->site->domains[i].module);
	}
}

int assign(struct work *work, struct assignment *out, struct error *err)
{
	struct mine mine = mine_of(work);
	size_t i;

	if (!mine.count) {
		free(mine.items);
		return error_set(err, "%s: no item of %s to correct", work->inventory->path,
			work->site->host);
	}
	out->count = work->site->count;
	out->item = xcalloc(out->count, sizeof(*out->item));
	out->module = xcalloc(out->count, sizeof(*out->module));
	for (i = 0; i < out->count; i++)
		out->item[i] = -1;
	if (assign_addresses(work, &mine, out->item)) {
		assign_mates(work, out->item);
		assign_first(work, &mine, out->item);
	} else {
		assign_order(work, &mine, out->item);
	}
	name_modules(work, out);
	free(mine.items);
	return 0;
}

void assignment_release(struct assignment *assignment)
{
	size_t i;

	for (i = 0; i < assignment->count; i++)
		free(assignment->module[i]);
	free(assignment->module);
	free(assignment->item);
	memset(assignment, 0, sizeof(*assignment));
}
