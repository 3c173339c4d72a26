/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/node_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/node_published.h"
#include "node/system.h"

/* Text of a table cell: "-" stands for unknown. */
enum { CELL = 40 };

static void print_shown(const char *text, int width)
{
	char *shown = text_printable(text, strlen(text));

	printf("%-*s", width, shown[0] ? shown : "-");
	free(shown);
}

static void memory_cell(struct known_u64 bytes, char cell[CELL])
{
	char text[24];

	str_copy(cell, CELL, "-");
	if (bytes.known) {
		text_bytes(text, (double)bytes.value);
		str_copy(cell, CELL, text);
	}
}

static void id_cell(struct known_u64 id, char cell[CELL])
{
	str_copy(cell, CELL, "-");
	if (id.known)
		snprintf(cell, CELL, "0x%016llx", (unsigned long long)id.value);
}

static void units_cell(const struct gpu *gpu, char cell[CELL])
{
	str_copy(cell, CELL, "-");
	if (gpu->simd_count.known && gpu->simd_per_cu.known && gpu->simd_per_cu.value)
		snprintf(cell, CELL, "%llu",
			(unsigned long long)(gpu->simd_count.value / gpu->simd_per_cu.value));
}

static void hip_cell(const struct gpu *gpu, char cell[CELL])
{
	str_copy(cell, CELL, known_name(gpu->in_hip));
	if (gpu->in_hip == KNOWN_YES && gpu->hip_index.known)
		snprintf(cell, CELL, "yes, %llu", (unsigned long long)gpu->hip_index.value);
}

static void print_gpu(const struct node *node, size_t index)
{
	const struct gpu *gpu = &node->gpus[index];
	char id[CELL], units[CELL], vram[CELL], free_cell[CELL], hip[CELL];

	id_cell(gpu->unique_id, id);
	units_cell(gpu, units);
	memory_cell(gpu->vram_total.known ? gpu->vram_total : gpu->hip_total, vram);
	memory_cell(gpu->hip_free, free_cell);
	hip_cell(gpu, hip);
	printf("%-3zu ", index);
	print_shown(gpu->bdf, 14);
	printf("%-20s", id);
	print_shown(gpu->gfx_target, 9);
	printf("%-5s%-10s%-10s%-8s%-9s", units, vram, free_cell, known_name(gpu->in_kfd), hip);
	print_shown(gpu->hip_name, 1);
	if (node->simulated)
		printf("  SIMULATED");
	putchar('\n');
}

static void print_line(const char *label, const char *value, const char *why)
{
	printf("%-8s", label);
	print_shown(value, 1);
	if (why[0]) {
		printf(" (");
		print_shown(why, 1);
		putchar(')');
	}
	putchar('\n');
}

static void print_version(const char *label, struct known_i64 version)
{
	if (version.known)
		printf("%s %lld", label, (long long)version.value);
	else
		printf("%s unknown", label);
}

static void print_node(const struct node *node)
{
	size_t i;

	printf("node    ");
	print_shown(node->name, 1);
	if (node->simulated) {
		printf(", SIMULATED: replayed from ");
		print_shown(node->folder, 1);
		printf("\n        nothing here is evidence about hardware");
	}
	putchar('\n');
	print_line("KFD", node->kfd_readable == KNOWN_YES ? "read" : "not readable", node->kfd_why);
	print_line("access", known_name(node->kfd_openable), node->kfd_open_why);
	print_line("HIP", hip_state_name(node->hip_state), node->hip_why);
	if (node->hip_library[0]) {
		printf("        ");
		print_version("driver", node->hip_driver_version);
		print_version(", runtime", node->hip_runtime_version);
		printf(", ");
		print_shown(node->hip_library, 1);
		putchar('\n');
	}
	if (!node->gpu_count) {
		puts("\nno GPU device found");
		return;
	}
	printf("\n%-4s%-14s%-20s%-9s%-5s%-10s%-10s%-8s%-9s%s\n", "#", "address", "unique id", "gfx",
		"CU", "memory", "free", "in KFD", "in HIP", "name");
	for (i = 0; i < node->gpu_count; i++)
		print_gpu(node, i);
}

static void print_count(const char *label, struct known_u64 count)
{
	if (count.known)
		printf("%s %llu", label, (unsigned long long)count.value);
	else
		printf("%s unknown", label);
}

static void print_counts(const struct counts *counts)
{
	const struct {
		const char *label;
		struct known_u64 value;
	} rows[] = {
		{ "KFD", counts->kfd },
		{ ", PCI", counts->pci },
		{ ", DRM", counts->drm },
		{ "; visible here: HIP", counts->hip },
		{ "; openable here:", counts->openable },
		{ "; Cycles", { false, 0 } },
		{ ", scheduler", { false, 0 } },
	};
	size_t i;

	printf("\ncounts  present: ");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		print_count(rows[i].label, rows[i].value);
	putchar('\n');
	for (i = 0; counts_masks[i]; i++)
		if (getenv(counts_masks[i])) {
			printf("        %s=", counts_masks[i]);
			print_shown(getenv(counts_masks[i]), 1);
			putchar('\n');
		}
}

static void print_modules(const struct node *node, const struct module_list *modules)
{
	size_t i, j;

	printf("\n%zu GCD%s in %zu module%s\n", node->gpu_count, node->gpu_count == 1 ? "" : "s",
		modules->count, modules->count == 1 ? "" : "s");
	for (i = 0; i < modules->count; i++) {
		const struct module *module = &modules->items[i];

		printf("%-4zu", i);
		for (j = 0; j < module->gpu_count; j++) {
			char label[NODE_GFX];

			gpu_label(&node->gpus[module->gpus[j]], label);
			printf("%s ", label);
		}
		printf(" %s: %s\n", module_basis_name(module->basis), module->why);
	}
}

static void print_findings(const struct finding_list *findings)
{
	size_t i;

	if (findings->count)
		puts("\nfindings");
	for (i = 0; i < findings->count; i++) {
		const struct finding *item = &findings->items[i];

		printf("%s %s%s%s: %s\n", finding_weight_name(item->weight), item->code,
			item->subject[0] ? " " : "", item->subject, item->text);
		if (item->remedy)
			printf("        %s\n", item->remedy);
	}
}

void node_view_print(const struct node *node, const struct survey *survey)
{
	print_node(node);
	print_counts(&survey->counts);
	if (survey->modules.count)
		print_modules(node, &survey->modules);
	node_published_print(node);
	print_findings(&survey->findings);
}

/* The record's form of the node, with the GPUs under the name of what they are. */
json_t *node_view_json(const struct node *node, const struct survey *survey)
{
	json_t *json = node_json(node);

	json_object_del(json, "gpus");
	json_object_set_new(json, "counts", counts_json(node, &survey->counts));
	json_object_set_new(json, "modules", module_list_json(&survey->modules, node));
	json_object_set_new(json, "gcds", node_gcds_json(node));
	json_object_set_new(json, "published", node_published_json(node));
	json_object_set_new(json, "findings", finding_list_json(&survey->findings));
	json_object_set_new(json, "system", system_json(node));
	return json;
}
