/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/node_fit.h"
#include "cli/node_memory.h"
#include "cli/node_open.h"
#include "cli/node_preflight.h"
#include "cli/node_published.h"
#include "node/survey.h"
#include "node/system.h"

/* The node with what was concluded of it. */
struct view {
	struct open_node open;
	struct survey survey;
};

static int view_open(const struct options *options, const char *work, struct view *view,
	struct error *err)
{
	memset(view, 0, sizeof(*view));
	if (node_open(options_text(options, "node"), work, options_text(options, "hip-library"),
		    !options_flag(options, "no-hip"), &view->open, err) != 0)
		return -1;
	survey_take(&view->open.node, &view->survey);
	return 0;
}

static void view_close(struct view *view)
{
	survey_release(&view->survey);
	node_close(&view->open);
}

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

static void print_view(const struct view *view)
{
	print_node(&view->open.node);
	print_counts(&view->survey.counts);
	if (view->survey.modules.count)
		print_modules(&view->open.node, &view->survey.modules);
	node_published_print(&view->open.node);
	print_findings(&view->survey.findings);
}

/* The record's form of the node, with the GPUs under the name of what they are. */
static json_t *view_json(const struct view *view)
{
	const struct node *node = &view->open.node;
	json_t *json = node_json(node);

	json_object_del(json, "gpus");
	json_object_set_new(json, "counts", counts_json(node, &view->survey.counts));
	json_object_set_new(json, "modules", module_list_json(&view->survey.modules, node));
	json_object_set_new(json, "gcds", node_gcds_json(node));
	json_object_set_new(json, "published", node_published_json(node));
	json_object_set_new(json, "findings", finding_list_json(&view->survey.findings));
	json_object_set_new(json, "system", system_json(node));
	return json;
}

/* The stage of a replay and the probe's answer: gone again at the end. */
static char *make_work(struct error *err)
{
	const char *temporary = getenv("TMPDIR");
	char *work = path_join(
		temporary && temporary[0] == '/' ? temporary : "/tmp", "oamqual-node-XXXXXX");

	if (mkdtemp(work))
		return work;
	error_errno(err, "cannot make a folder like %s", work);
	free(work);
	return NULL;
}

/* The exit status, or -1. */
static int show(const struct options *options, const struct memory_request *memory,
	const char *work, struct error *err)
{
	int status = STATUS_ACCEPTED;
	struct view view;

	if (view_open(options, work, &view, err) != 0)
		return -1;
	if (options_flag(options, "memory-check")) {
		status = node_memory_check(options, memory, &view.open, work, err);
	} else if (options_text(options, "fit")) {
		status = node_fit(options, &view.open.node);
	} else if (options_flag(options, "preflight")) {
		status = node_preflight(&view.open.node, &view.survey.findings, options_flag(options, "json"));
	} else if (options_flag(options, "json")) {
		json_t *json = view_json(&view);

		json_print(json, stdout);
		json_decref(json);
	} else {
		print_view(&view);
	}
	view_close(&view);
	return status;
}

static int run(const struct options *options)
{
	struct memory_request memory;
	struct error err;
	char *work;
	int rc;

	if (options_flag(options, "no-hip") && options_text(options, "hip-library")) {
		error_set(&err, "--no-hip and --hip-library exclude each other");
		return cli_usage(options, &err);
	}
	if (memory_request_read(options, &memory, &err) != 0)
		return cli_usage(options, &err);
	if (node_fit_check(options, &err) != 0)
		return cli_usage(options, &err);
	work = make_work(&err);
	rc = work ? show(options, &memory, work, &err) : -1;
	if (work)
		folder_remove(work, NULL);
	free(work);
	return rc >= 0 ? rc : cli_fail(&err);
}

static const struct option_row rows[] = {
	{ "node", 0, "DIR", "read the recorded or synthetic node in DIR instead of this machine" },
	{ "json", 0, NULL,
		"print every value with its class and source, or why it is unknown, as JSON" },
	{ "hip-library", 0, "FILE", "ask this libamdhip64 instead of the usual names" },
	{ "no-hip", 0, NULL, "do not ask the HIP runtime" },
	{ "preflight", 0, NULL,
		"one line and an exit status for a node health check: 0 ready to be qualified, 1 not, 3 unknown" },
	{ "memory-check", 0, NULL,
		"fill each domain but a margin, check the pattern, and see more than the domain refused" },
	{ "gcd", 0, "GCD", "check only this one: address, number or unique id (may be repeated)" },
	{ "margin", 0, "SIZE", "of the free memory, leave so much alone (default 1GiB)" },
	{ "limit", 0, "SIZE", "fill at most so much of each (default: no limit; replayed: 64MiB)" },
	{ "whole", 0, NULL, "write and read every byte instead of blocks" },
	{ "force", 0, NULL, "check a domain that another process holds memory of" },
	NODE_FIT_ROWS,
	{ 0 },
};

const struct command command_node = {
	.name = "node",
	.operands = "",
	.summary = "GPU domains of this node, as the kernel driver and HIP report them",
	.about = "One line a GPU domain (GCD): PCI address, unique id, target, compute units, "
		 "memory, and whether\n"
		 "KFD and HIP know it. A dash is unknown: it was not told, and is not 0. HIP is "
		 "asked in a child,\n"
		 "so a driver that crashes or hangs is reported as that. HIP sees what the "
		 "caller's\n"
		 "ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES let it see.\n",
	.rows = rows,
	.run = run,
};
