/* SPDX-License-Identifier: Apache-2.0 */
/* Kubernetes node objects and OpenCue host messages. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "inventory/amount.h"
#include "inventory/json_list.h"
#include "inventory/readers.h"

/* --- Kubernetes
 * ----------------------------------------------------------------------------------- */

/* The labels of AMD's node labeller: with one value for all GPUs the value is it
 * ("amd.com/gpu.vram": "64G"); the older ones are counted ("beta.amd.com/gpu.vram.64G": "8") and
 * are read when only one such label is there. */
static char *label_text(const json_t *labels, const char *name)
{
	char *key = xasprintf("amd.com/%s", name), *value = json_member_text(labels, key);
	char *counted = xasprintf("beta.amd.com/%s.", name);
	const char *label;
	json_t *member;
	int found = 0;

	if (!value[0])
		json_object_foreach ((json_t *)labels, label, member) {
			if (!str_starts(label, counted))
				continue;
			free(value);
			value = xstrdup(label + strlen(counted));
			found++;
		}
	if (found > 1)
		value[0] = '\0';
	free(key);
	free(counted);
	return value;
}

static void take(char **field, char *value_owned)
{
	item_text(field, value_owned);
	free(value_owned);
}

static int enter_k8s_node(struct inventory *inventory, const json_t *object,
	struct inventory_span span, size_t line, struct error *err)
{
	const json_t *metadata = json_object_get(object, "metadata");
	const json_t *labels = json_object_get(metadata, "labels");
	const json_t *status = json_object_get(object, "status");
	struct inventory_item *item = inventory_add(inventory, line, err);
	char *capacity, *allocatable, *vram;

	if (!item)
		return -1;
	item->span = span;
	take(&item->host, json_member_text(metadata, "name"));
	take(&item->type, label_text(labels, "gpu.product-name"));
	take(&item->mode, label_text(labels, "compute-memory-partition"));
	vram = label_text(labels, "gpu.vram");
	capacity = json_member_text(json_object_get(status, "capacity"), "amd.com/gpu");
	allocatable = json_member_text(json_object_get(status, "allocatable"), "amd.com/gpu");
	item->memory = amount_read(vram, 0);
	item->count = item_number(capacity);
	item->allocatable = item_number(allocatable);
	item->is_gpu = capacity[0] || allocatable[0];
	item->counts_as_null = !item->is_gpu;
	free(vram);
	free(capacity);
	free(allocatable);
	return 0;
}

int kubernetes_read(struct inventory *inventory, struct error *err)
{
	return json_list_each(inventory, enter_k8s_node, err);
}

/* --- OpenCue
 * -------------------------------------------------------------------------------------- */

/* Protobuf's own names, or lower camel case as gateways write them. */
static char *either(const json_t *object, const char *name, const char *camel)
{
	return json_member_text(object, json_object_get(object, name) ? name : camel);
}

static void enter_tags(struct inventory_item *item, const json_t *tags)
{
	size_t i, count = json_array_size(tags);

	if (count > 256)
		count = 256;
	item->tags = xcalloc(count, sizeof(*item->tags));
	for (i = 0; i < count; i++) {
		const char *tag = json_string_value(json_array_get(tags, i));

		item->tags[i] = xstrdup("");
		if (tag)
			item_text(&item->tags[i], tag);
	}
	item->tag_count = count;
}

/* OpenCue keeps memory in KiB, of all GPUs together. */
static int enter_host(struct inventory *inventory, const json_t *object, struct inventory_span span,
	size_t line, struct error *err)
{
	struct inventory_item *item = inventory_add(inventory, line, err);
	char *gpus, *memory;
	struct known_u64 total;

	if (!item)
		return -1;
	item->span = span;
	take(&item->host, json_member_text(object, "name"));
	gpus = json_member_text(object, "gpus");
	memory = either(object, "total_gpu_memory", "totalGpuMemory");
	item->count = item_number(gpus);
	item->is_gpu = item->count.known;
	item->counts_as_null = !item->is_gpu;
	total = item_number(memory);
	if (total.known && total.value && total.value < (uint64_t)1 << 50 && item->count.known &&
		item->count.value)
		item->memory = known_u64((total.value << 10) / item->count.value);
	enter_tags(item, json_object_get(object, "tags"));
	free(gpus);
	free(memory);
	return 0;
}

int opencue_read(struct inventory *inventory, struct error *err)
{
	return json_list_each(inventory, enter_host, err);
}
