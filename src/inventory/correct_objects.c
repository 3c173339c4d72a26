/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCue hosts, edited in place, and the merge patch for a Kubernetes node. */
#include <stdlib.h>
#include <string.h>

#include "inventory/amount.h"
#include "inventory/correct_parts.h"
#include "inventory/json_span.h"
#include "node/module.h"

/* --- OpenCue
 * --------------------------------------------------------------------------------------------- */

/* In the form of the member that it replaces: a number, or a number in quotes. */
static void edit_number(struct work *work, const struct inventory_item *item, const char *name,
	const char *camel, uint64_t value)
{
	const struct str *text = &work->inventory->text;
	struct inventory_span span;
	const char *quote;

	if (!json_span_member(text, item->span.from, name, &span) &&
		!json_span_member(text, item->span.from, camel, &span))
		return;
	quote = text->data[span.from] == '"' ? "\"" : "";
	edit_add(&work->edits, span.from, span.len,
		xasprintf("%s%llu%s", quote, (unsigned long long)value, quote));
}

/* A tag that promises a module's memory promises a domain's. */
static void edit_tags(struct work *work, const struct inventory_item *item)
{
	const struct str *text = &work->inventory->text;
	const struct site *site = work->site;
	struct inventory_span span, key, value;
	struct json_walk walk;
	size_t i, digits;

	if (!site->module_bytes.known || !json_span_member(text, item->span.from, "tags", &span) ||
		!json_walk_begin(&walk, text, span.from))
		return;
	for (i = 0; i < item->tag_count && json_walk_next(&walk, &key, &value); i++) {
		const char *tag = item->tags[i];
		struct known_u64 bytes = judge_tag_memory(tag, &digits);
		char amount[40];

		if (!bytes.known || !amount_agrees(bytes.value, site->module_bytes.value))
			continue;
		amount_write(amount, site->domain_bytes.value, tag + digits, 0);
		edit_add(&work->edits, value.from, value.len,
			xasprintf("\"%.*s%s\"", (int)digits, tag, amount));
	}
}

static uint64_t all_memory(const struct site *site)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < site->count; i++)
		sum += site->domains[i].gpu->vram_total.known
			       ? site->domains[i].gpu->vram_total.value
			       : site->domain_bytes.value;
	return sum;
}

int correct_opencue(struct work *work, struct error *err)
{
	size_t i;

	(void)err;
	for (i = 0; i < work->inventory->count; i++) {
		const struct inventory_item *item = &work->inventory->items[i];

		if (!work->judged->is_of[i])
			continue;
		edit_number(work, item, "gpus", "gpus", work->site->count);
		if (work->site->domain_bytes.known)
			edit_number(work, item, "total_gpu_memory", "totalGpuMemory",
				all_memory(work->site) >> 10);
		edit_tags(work, item);
	}
	return 0;
}

/* --- Kubernetes
 * ------------------------------------------------------------------------------------------- */

static void set_number(json_t *object, const char *key, size_t value)
{
	char *text = xasprintf("%zu", value);

	json_object_set_new(object, key, json_string(text));
	free(text);
}

/* Labels are for selectors, so the memory of one domain is among them; the map of the modules is an
 * annotation. */
static json_t *labels_of(const struct work *work, const struct inventory_item *item)
{
	const struct site *site = work->site;
	json_t *labels = json_object();
	const uint64_t gib = (uint64_t)1 << 30;
	char amount[40];

	set_number(labels, "oamqual/gpu-domains", site->count);
	if (!site->undetermined)
		set_number(labels, "oamqual/gpu-modules", site->modules.count);
	if (!site->domain_bytes.known)
		return labels;
	set_number(labels, "oamqual/domain-memory-gib",
		(size_t)((site->domain_bytes.value + gib / 2) / gib));
	if (item->memory.known && !amount_agrees(item->memory.value, site->domain_bytes.value)) {
		amount_write(amount, site->domain_bytes.value, "1G", 0);
		json_object_set_new(labels, "amd.com/gpu.vram", json_string(amount));
	}
	return labels;
}

static json_t *annotations_of(const struct site *site)
{
	json_t *modules = module_list_json(&site->modules, site->node), *module, *annotations;
	size_t i;
	char *text;

	json_array_foreach (modules, i, module)
		json_object_del(module, "why");
	text = json_dumps(modules, JSON_COMPACT);
	annotations = json_pack("{s:s, s:s}", "oamqual/modules", text ? text : "[]",
		"oamqual/source", node_class(site->node));
	free(text);
	json_decref(modules);
	return annotations;
}

char *correct_kubernetes(struct work *work, struct error *err)
{
	const struct inventory_item *item = NULL;
	json_t *patch;
	char *dump, *text;
	size_t i;

	for (i = work->inventory->count; i-- > 0;)
		if (work->judged->is_of[i])
			item = &work->inventory->items[i];
	if (!item) {
		error_set(err, "%s: no node is %s", work->inventory->path, work->site->host);
		return NULL;
	}
	patch = json_pack("{s:{s:o, s:o}}", "metadata", "labels", labels_of(work, item),
		"annotations", annotations_of(work->site));
	dump = json_dumps(patch, JSON_INDENT(2));
	text = xasprintf("%s\n", dump ? dump : "{}");
	free(dump);
	json_decref(patch);
	return text;
}
