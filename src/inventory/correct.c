/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/correct.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "inventory/correct_parts.h"

static const struct {
	int (*edit)(struct work *work, struct error *err);
	char *(*make)(struct work *work, struct error *err);
	const char *form, *ending;
} correctors[INVENTORY_KIND_COUNT] = {
	[INVENTORY_SLURM_CONF] = { correct_slurm_conf, NULL, "slurm.conf", "" },
	[INVENTORY_GRES_CONF] = { correct_gres_conf, NULL, "gres.conf", "" },
	[INVENTORY_SCONTROL] = { NULL, correct_scontrol, "lines for slurm.conf and gres.conf",
		".lines" },
	[INVENTORY_KUBERNETES] = { NULL, correct_kubernetes, "merge patch", ".patch.json" },
	[INVENTORY_OPENCUE] = { correct_opencue, NULL, "OpenCue hosts", "" },
	[INVENTORY_CSV] = { correct_csv, NULL, "CSV", "" },
	[INVENTORY_JSON] = { correct_json, NULL, "JSON", "" },
};

static bool is_name(const char *type)
{
	return type[0] && strspn(type, "0123456789") != strlen(type) && !strchr(type, '\\') &&
	       !strpbrk(type, " \t,:\"#=");
}

static const char *type_in(const struct judged *judged)
{
	size_t i;

	for (i = 0; i < judged->inventory->count; i++)
		if (judged->is_of[i] && is_name(judged->inventory->items[i].type))
			return judged->inventory->items[i].type;
	return NULL;
}

/* slurm.conf first: it is what jobs are checked against. */
char *correct_type(const struct site *site, const struct judged *judged, size_t count)
{
	static const enum inventory_kind order[] = { INVENTORY_SLURM_CONF, INVENTORY_GRES_CONF,
		INVENTORY_SCONTROL };
	const char *type = NULL;
	size_t i, j;

	for (i = 0; !type && i < sizeof(order) / sizeof(order[0]); i++)
		for (j = 0; !type && j < count; j++)
			if (judged[j].inventory->kind == order[i])
				type = type_in(&judged[j]);
	return xstrdup(type ? type : site->type);
}

static void keep_all(const struct inventory *inventory, struct correction *out)
{
	struct str copy = STR_INIT;

	str_add_bytes(&copy, inventory->text.data, inventory->text.len);
	out->len = copy.len;
	out->text = str_detach(&copy);
}

int correct(const struct site *site, const struct judged *judged, const char *type,
	struct correction *out, struct finding_list *findings, struct error *err)
{
	enum inventory_kind kind = judged->inventory->kind;
	struct work work = { .site = site,
		.judged = judged,
		.inventory = judged->inventory,
		.type = type,
		.findings = findings };
	struct correction done = { .form = correctors[kind].form,
		.ending = correctors[kind].ending };
	int rc = 0;

	if (correctors[kind].make) {
		done.text = correctors[kind].make(&work, err);
		rc = done.text ? 0 : -1;
		done.len = rc == 0 ? strlen(done.text) : 0;
	} else if (!judged->wrong) {
		keep_all(judged->inventory, &done);
	} else {
		rc = correctors[kind].edit(&work, err);
		if (rc == 0)
			done.text = edit_apply(&work.edits, &judged->inventory->text, &done.len);
	}
	edit_list_release(&work.edits);
	if (rc == 0)
		*out = done;
	return rc;
}

void correction_release(struct correction *correction)
{
	free(correction->text);
	memset(correction, 0, sizeof(*correction));
}

char *correct_gres_value(const struct site *site, const char *type)
{
	return type[0] ? xasprintf("gpu:%s:%zu", type, site->count)
		       : xasprintf("gpu:%zu", site->count);
}
