/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/node_published.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "node/catalogue.h"

enum { VARIANTS = 16 };

static struct known_u64 observed_memory(const struct gpu *gpu)
{
	return gpu->vram_total.known ? gpu->vram_total : gpu->hip_total;
}

static void names_cell(const struct gpu *gpu, char *cell, size_t size)
{
	const struct catalogue_entry *entries[VARIANTS];
	size_t i, count = catalogue_match(gpu, entries, VARIANTS);

	snprintf(cell, size, "%s", count ? "" : "unknown");
	for (i = 0; i < count && i < VARIANTS; i++) {
		size_t len = strlen(cell);

		snprintf(cell + len, size - len, "%s%s", i ? " or " : "", entries[i]->name);
	}
}

static void memory_cells(const struct node *node, const struct gpu *gpu)
{
	json_t *published = catalogue_published_json(node, gpu);
	const char *text = json_fact_text(published, "domain_memory");
	struct known_u64 bytes = observed_memory(gpu);

	printf("%-27s", text ? text : "unknown");
	json_decref(published);
	if (bytes.known)
		printf("%" PRIu64 " B = %.1f GB = %.1f GiB", bytes.value, (double)bytes.value / 1e9,
			(double)bytes.value / 1073741824.0);
	else
		fputs("unknown", stdout);
}

static void print_gpu(const struct node *node, size_t index)
{
	const struct gpu *gpu = &node->gpus[index];
	char names[300];
	char *bdf = text_printable(gpu->bdf, strlen(gpu->bdf));

	names_cell(gpu, names, sizeof(names));
	printf("%-4zu%-14s%-18s ", index, bdf[0] ? bdf : "-", names);
	memory_cells(node, gpu);
	printf(" (%s)\n", node_class(node));
	free(bdf);
}

static void print_driver(const struct node *node)
{
	struct catalogue_driver driver;

	catalogue_driver_read(node, &driver);
	printf("ROCm    user space %s (%s); driver %s (%s)",
		driver.user[0] ? driver.user : "unknown", driver.user_text,
		driver.driver[0] ? driver.driver : "unknown", driver.driver_text);
	if (driver.distance >= 0)
		printf("; %d release%s apart", driver.distance, driver.distance == 1 ? "" : "s");
	putchar('\n');
}

void node_published_print(const struct node *node)
{
	size_t i;

	if (!node->gpu_count)
		return;
	printf("\npublished beside %s; GB is 10^9 bytes, GiB is 2^30 bytes\n", node_class(node));
	printf("%-4s%-14s%-18s %-27s%s\n", "#", "address", "part", "published domain",
		node_class(node));
	for (i = 0; i < node->gpu_count; i++)
		print_gpu(node, i);
	print_driver(node);
}

json_t *node_published_json(const struct node *node)
{
	json_t *gcds = json_array();
	size_t i;

	for (i = 0; i < node->gpu_count; i++) {
		const struct gpu *gpu = &node->gpus[i];
		json_t *json = json_pack(
			"{s:o}", "bdf", gpu->bdf[0] ? json_printable_text(gpu->bdf) : json_null());
		json_t *published = catalogue_published_json(node, gpu);

		json_object_update(json, published);
		json_decref(published);
		json_object_set_new(json, "observed_bytes",
			fact_u64(observed_memory(gpu), node_class(node),
				gpu->vram_total.known ? "kfd" : "hip",
				"neither KFD nor HIP tells the domain's memory"));
		json_array_append_new(gcds, json);
	}
	return json_pack("{s:o, s:o}", "gcds", gcds, "rocm", catalogue_driver_json(node));
}
