/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/str.h"
#include "base/text.h"
#include "inventory/cores.h"
#include "inventory/judge_parts.h"

/* --- AutoDetect
 * ------------------------------------------------------------------------------------- */

/* Slurm's values; `other` names whose GPUs it finds when they are not AMD's. */
static const struct {
	const char *value, *other;
} detectors[] = {
	{ "rsmi", NULL },
	{ "full", NULL }, /* each in turn, since 26.05 */
	{ "off", NULL },
	{ "nvml", "NVIDIA" },
	{ "nvidia", "NVIDIA" },
	{ "oneapi", "Intel" },
	{ "nrt", "AWS" },
};

const char *judge_autodetect_values(void)
{
	return "rsmi (AMD), nvml and nvidia (NVIDIA), oneapi (Intel), nrt (AWS), full (each in "
	       "turn, since 26.05), off";
}

bool judge_autodetect_finds_amd(const char *value)
{
	return strcasecmp(value, "rsmi") == 0 || strcasecmp(value, "full") == 0;
}

static int detector_of(const char *value)
{
	size_t i;

	for (i = 0; i < sizeof(detectors) / sizeof(detectors[0]); i++)
		if (strcasecmp(value, detectors[i].value) == 0)
			return (int)i;
	return -1;
}

static void check_autodetect(struct bench *bench, const struct inventory_item *item)
{
	int detector = detector_of(item->autodetect);

	if (!item->autodetect[0])
		return;
	if (detector < 0)
		bench_add(bench, item->line, "autodetect-unknown", FINDING_FAULT,
			"AutoDetect=off and one File= line for each domain, or AutoDetect=rsmi "
			"where "
			"Slurm was built with ROCm SMI",
			"AutoDetect=%s is no value that Slurm knows; it knows %s", item->autodetect,
			judge_autodetect_values());
	else if (detectors[detector].other)
		bench_add(bench, item->line, "autodetect-other-vendor", FINDING_FAULT,
			"AutoDetect=off and one File= line for each domain",
			"AutoDetect=%s finds GPUs of %s, the node has %zu of AMD", item->autodetect,
			detectors[detector].other, bench->site->count);
	else if (judge_autodetect_finds_amd(item->autodetect))
		bench_add(bench, item->line, "autodetect-needs-library", FINDING_NOTE,
			"when slurmd says that it cannot find that lib: AutoDetect=off and one "
			"File= "
			"line for each domain",
			"AutoDetect=%s finds AMD's GPUs only where Slurm was built with ROCm SMI; "
			"Debian's is not",
			item->autodetect);
}

/* A line of the node's own outdoes a line for all. */
static const char *effective_autodetect(const struct bench *bench)
{
	const char *found = "";
	bool own = false;
	size_t i;

	for (i = 0; i < bench->inventory->count; i++) {
		const struct inventory_item *item = &bench->inventory->items[i];

		if (!bench->judged->is_of[i] || !item->autodetect[0] || (own && !item->host[0]))
			continue;
		found = item->autodetect;
		own = item->host[0] != '\0';
	}
	return found;
}

/* --- device files
 * ------------------------------------------------------------------------------------ */

static void add_minors(const struct site *site, struct str *text)
{
	uint64_t from = 0, to = 0;
	bool open = false;
	size_t i;

	for (i = 0; i <= site->count; i++) {
		struct known_u64 minor = { false, 0 };

		if (i < site->count)
			minor = site->domains[i].gpu->drm_render_minor;
		if (open && minor.known && minor.value == to + 1) {
			to = minor.value;
			continue;
		}
		if (open)
			str_addf(text, to > from ? "%s%llu-%llu" : "%s%llu", text->len ? ", " : "",
				(unsigned long long)from, (unsigned long long)to);
		open = minor.known;
		from = to = minor.value;
	}
}

struct files {
	size_t *lines; /* by domain: the line that names it, 0 none */
	size_t wrong; /* that are of no domain */
	size_t wrong_line;
	const char *wrong_file;
	size_t named;
};

static void take_files(struct bench *bench, const struct inventory_item *item, struct files *files)
{
	size_t i;

	for (i = 0; i < item->file_count; i++) {
		long domain = site_find_file(bench->site, item->files[i]);

		if (domain >= 0 && files->lines[domain]) {
			bench_add(bench, item->line, "file-repeated", FINDING_FAULT, NULL,
				"%s is also on line %zu", item->files[i], files->lines[domain]);
		} else if (domain >= 0) {
			files->lines[domain] = item->line;
			files->named++;
		} else if (!files->wrong++) {
			files->wrong_line = item->line;
			files->wrong_file = item->files[i];
		}
	}
}

static size_t first_unnamed(const struct site *site, const struct files *files)
{
	size_t i;

	for (i = 0; i < site->count; i++)
		if (!files->lines[i])
			break;
	return i;
}

static void report_wrong_files(struct bench *bench, const struct files *files)
{
	const struct site *site = bench->site;
	struct str minors = STR_INIT;
	const char *base = path_base(files->wrong_file);

	add_minors(site, &minors);
	if (str_starts(base, "renderD"))
		bench_add(bench, files->wrong_line, "file-wrong", FINDING_FAULT,
			"take the minors from KFD's drm_render_minor, never from the index",
			"File=%s is of no GPU of the node (%zu such files in all): the render "
			"minors "
			"are %s",
			files->wrong_file, files->wrong, minors.data ? minors.data : "unknown");
	else
		bench_add(bench, files->wrong_line, "file-not-render", FINDING_FAULT,
			"one File=/dev/dri/renderD<minor> for each domain",
			"File=%s does not name one GPU domain (%zu such files in all): the render "
			"minors of the node are %s",
			files->wrong_file, files->wrong, minors.data ? minors.data : "unknown");
	str_release(&minors);
}

static void check_files(struct bench *bench, const struct files *files, size_t line)
{
	const struct site *site = bench->site;
	size_t missing = first_unnamed(site, files);

	if (files->wrong)
		report_wrong_files(bench, files);
	if (files->named && missing < site->count && files->named + files->wrong >= site->count)
		bench_add(bench, line, "domain-without-file", FINDING_FAULT, NULL,
			"no File= names %s, the domain at %s",
			site->domains[missing].file ? site->domains[missing].file
						    : "its render node",
			site->domains[missing].gpu->bdf);
}

/* --- gres.conf
 * ----------------------------------------------------------------------------------------- */

static bool is_number(const char *text)
{
	return text[0] && strspn(text, "0123456789") == strlen(text);
}

/* From slurm.conf when it was given too, else from the node itself. */
static struct known_u64 cores_of_host(const struct bench *bench)
{
	size_t i, j;

	for (i = 0; i < bench->all_count; i++)
		for (j = 0; j < bench->all[i].count; j++)
			if (bench->all_judged[i].is_of[j] &&
				bench->all[i].items[j].core_count.known)
				return bench->all[i].items[j].core_count;
	return bench->site->core_count;
}

static void check_cores(struct bench *bench, size_t index, struct known_u64 cores)
{
	const struct inventory_item *item = &bench->inventory->items[index];
	struct known_u64 highest = cores_highest(item->cores);
	char *right, *remedy;

	if (!cores.known || !highest.known || highest.value < cores.value)
		return;
	bench->judged->cores_wrong[index] = true;
	right = cores_from_threads(item->cores, cores.value, bench->site->threads_adjacent);
	remedy = right ? xasprintf("Cores=%s, when these are threads of those cores", right) : NULL;
	bench_add(bench, item->line, "cores-are-threads", FINDING_FAULT, remedy,
		"Cores=%s names core %llu, the node has %llu cores: Cores= takes core numbers from "
		"0 "
		"to %llu, not thread numbers",
		item->cores, (unsigned long long)highest.value, (unsigned long long)cores.value,
		(unsigned long long)cores.value - 1);
	free(right);
	free(remedy);
}

static void check_line(struct bench *bench, size_t index, bool detected, struct known_u64 cores)
{
	const struct inventory_item *item = &bench->inventory->items[index];

	if (item->junk[0])
		bench_add(bench, item->line, "not-a-setting", FINDING_FAULT, "Key=value",
			"'%s' is no setting: Slurm refuses the file", item->junk);
	check_autodetect(bench, item);
	if (!item->is_gpu)
		return;
	if (is_number(item->type))
		bench_add(bench, item->line, "type-is-a-number", FINDING_FAULT,
			"Type= is the GPU's name; the number of GPUs is Count=, or follows from "
			"File=",
			"Type=%s: Type is a name that jobs ask for, not a count; the line stands "
			"for %llu "
			"GPU%s",
			item->type, (unsigned long long)item->count.value,
			item->count.value == 1 ? "" : "s");
	if (item->file_count && item->count.known && item->count.value != item->file_count)
		bench_add(bench, item->line, "file-count", FINDING_FAULT,
			"leave Count= out: it follows from File=",
			"Count=%llu, but File= names %zu", (unsigned long long)item->count.value,
			item->file_count);
	if (!item->file_count && !detected)
		bench_add(bench, item->line, "file-missing", FINDING_FAULT,
			"one File=/dev/dri/renderD<minor> for each domain",
			"a gpu line without File= is discarded: the node has %zu GPUs, this line "
			"configures 0",
			bench->site->count);
	check_cores(bench, index, cores);
}

void judge_gres_conf(struct bench *bench)
{
	bool detected = judge_autodetect_finds_amd(effective_autodetect(bench));
	struct known_u64 cores = cores_of_host(bench);
	struct files files = { .lines = xcalloc(bench->site->count + 1, sizeof(size_t)) };
	uint64_t configured = 0;
	size_t i, line = 0;

	bench->judged->cores = cores;
	for (i = 0; i < bench->inventory->count; i++) {
		const struct inventory_item *item = &bench->inventory->items[i];

		if (!bench->judged->is_of[i])
			continue;
		check_line(bench, i, detected, cores);
		if (!item->is_gpu)
			continue;
		line = line ? line : item->line;
		take_files(bench, item, &files);
		configured += item->file_count;
	}
	check_files(bench, &files, line);
	free(files.lines);
	if (detected && !configured)
		return;
	bench->judged->declared.count = known_u64(configured);
	if (configured)
		bench_count(bench, line, configured, "one File= line for each domain");
	else if (!line && bench->site->count)
		bench_add(bench, 0, "gpu-missing", FINDING_FAULT, "one File= line for each domain",
			"no Name=gpu line for %s: 0 GPUs are configured, the node has %zu",
			bench->site->host, bench->site->count);
}

/* --- slurm.conf
 * ---------------------------------------------------------------------------------------- */

void judge_slurm_conf(struct bench *bench)
{
	const struct inventory *inventory = bench->inventory;
	size_t i, line = 0;

	for (i = 0; i < inventory->count; i++) {
		const struct inventory_item *item = &inventory->items[i];

		if (!bench->judged->is_of[i])
			continue;
		line = item->line;
		bench->judged->declared.count = item->is_gpu ? item->count : known_u64(0);
		if (item->is_gpu)
			bench_count(bench, item->line, item->count.value,
				"Gres=gpu:<type>:<number of domains>");
		else if (bench->site->count)
			bench_add(bench, item->line, "gres-missing", FINDING_FAULT,
				"Gres=gpu:<type>:<number of domains> on the node's line",
				"the node's line has no Gres=gpu: slurmctld knows of 0 GPUs, the "
				"node "
				"has %zu",
				bench->site->count);
		if (is_number(item->type))
			bench_add(bench, item->line, "type-is-a-number", FINDING_FAULT,
				"Gres=gpu:<type>:<number of domains>",
				"the type of Gres=gpu is '%s': it is a name, not a count",
				item->type);
	}
	if (!line)
		bench_add(bench, 0, "node-missing", FINDING_FAULT, "a NodeName line for the node",
			"no NodeName line is of %s", bench->site->host);
	else if (!inventory->gres_types_gpu && bench->site->count)
		bench_add(bench, inventory->gres_types_line, "gres-types-missing", FINDING_FAULT,
			"GresTypes=gpu",
			inventory->gres_types_line
				? "GresTypes= does not list gpu: Slurm ignores every GPU"
				: "there is no GresTypes=gpu: Slurm ignores every GPU");
}

/* --- scontrol show node
 * --------------------------------------------------------------------------------- */

void judge_scontrol(struct bench *bench)
{
	size_t i;

	for (i = 0; i < bench->inventory->count; i++) {
		const struct inventory_item *item = &bench->inventory->items[i];

		if (!bench->judged->is_of[i])
			continue;
		bench->judged->declared.count = item->is_gpu ? item->count : known_u64(0);
		if (item->is_gpu)
			bench_count(bench, item->line, item->count.value,
				"Gres= in slurm.conf and File= lines in gres.conf");
		else if (bench->site->count)
			bench_add(bench, item->line, "gres-null", FINDING_FAULT,
				"Gres=gpu:<type>:<number> on the node's line of slurm.conf, and "
				"GresTypes=gpu",
				"Slurm says Gres=(null), the node has %zu GPUs",
				bench->site->count);
		if (strstr(item->reason, "gres/"))
			bench_add(bench, item->line, "node-drained", FINDING_WARNING,
				"correct both files, restart slurmd, then scontrol update with "
				"State=RESUME",
				"Slurm has drained the node: %s", item->reason);
	}
}

/* --- both files
 * ------------------------------------------------------------------------------------------ */

static const struct inventory_item *first_gpu(const struct judged *judged, enum inventory_kind kind)
{
	size_t i;

	if (judged->inventory->kind != kind)
		return NULL;
	for (i = 0; i < judged->inventory->count; i++)
		if (judged->is_of[i] && judged->inventory->items[i].is_gpu)
			return &judged->inventory->items[i];
	return NULL;
}

void judge_slurm_pair(const struct site *site, const struct inventory *inventories,
	struct judged *judged, size_t count, struct finding_list *findings)
{
	const struct inventory_item *node = NULL, *gres = NULL;
	struct bench bench = { site, NULL, NULL, findings, inventories, judged, count };
	size_t i;

	for (i = 0; i < count; i++) {
		node = node ? node : first_gpu(&judged[i], INVENTORY_SLURM_CONF);
		if (!gres && (gres = first_gpu(&judged[i], INVENTORY_GRES_CONF))) {
			bench.inventory = &inventories[i];
			bench.judged = &judged[i];
		}
	}
	/* gpu:8 without a type goes with any. */
	if (node && gres && node->type[0] && strcmp(node->type, gres->type) != 0)
		bench_add(&bench, gres->line, "types-differ", FINDING_FAULT,
			"the same name in both files",
			"Type=%s here, slurm.conf says '%s' on line %zu: jobs that ask for the one "
			"do "
			"not get the other",
			gres->type[0] ? gres->type : "(none)", node->type, node->line);
}
