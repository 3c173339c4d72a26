/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/judge.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/str.h"
#include "base/text.h"
#include "inventory/amount.h"
#include "inventory/hostlist.h"
#include "inventory/judge_parts.h"

/* --- what all kinds share
 * ------------------------------------------------------------------------- */

void bench_add(struct bench *bench, size_t line, const char *code, enum finding_weight weight,
	const char *remedy, const char *format, ...)
{
	char *subject = line ? xasprintf("%s:%zu", bench->inventory->path, line)
			     : xstrdup(bench->inventory->path);
	char text[900];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	finding_add(bench->findings, code, weight, subject, remedy, "%s", text);
	bench->judged->wrong += weight != FINDING_NOTE;
	free(subject);
}

void bench_count(struct bench *bench, size_t line, uint64_t listed, const char *remedy)
{
	const struct site *site = bench->site;
	unsigned long long n = listed;

	if (listed == site->count)
		return;
	if (listed != site->modules.count)
		bench_add(bench, line, "wrong-count", FINDING_FAULT, remedy,
			"%llu GPUs are listed, the node has %zu", n, site->count);
	else if (site->mode[0])
		bench_add(bench, line, "card-not-partition", FINDING_FAULT, remedy,
			"%llu GPUs are listed: that is the number of cards; in mode %s the node "
			"has %zu "
			"partitions, and each is a device of its own",
			n, site->mode, site->count);
	else
		bench_add(bench, line, "module-not-gcd", FINDING_FAULT, remedy,
			"%llu GPUs are listed: that is the number of modules; the node has %zu GPU "
			"domains "
			"(GCDs) in them, and programs see each as a device of its own",
			n, site->count);
}

/* Two domains are a module's size also where the links do not say which two. */
static bool is_module_total(const struct site *site, uint64_t bytes)
{
	if (site->module_bytes.known)
		return amount_agrees(bytes, site->module_bytes.value);
	return amount_agrees(bytes, 2 * site->domain_bytes.value);
}

void bench_memory(struct bench *bench, size_t line, struct known_u64 listed, const char *what)
{
	const struct site *site = bench->site;
	char remedy[120], domain[32], one[32];

	if (!listed.known || !site->domain_bytes.known ||
		amount_agrees(listed.value, site->domain_bytes.value))
		return;
	site_memory_text(listed, one);
	site_memory_text(site->domain_bytes, domain);
	snprintf(remedy, sizeof(remedy), "list %s for each domain", domain);
	if (is_module_total(site, listed.value))
		bench_add(bench, line, "module-memory", FINDING_FAULT, remedy,
			"%s of %s: that is a module's total; one domain has %s (%llu bytes), and "
			"nothing can "
			"allocate more than that on one device",
			one, what, domain, (unsigned long long)site->domain_bytes.value);
	else
		bench_add(bench, line, "memory-differs",
			listed.value > site->domain_bytes.value ? FINDING_FAULT : FINDING_WARNING,
			remedy, "%s of %s, one domain has %s (%llu bytes)", one, what, domain,
			(unsigned long long)site->domain_bytes.value);
}

/* --- lists with one item a device, module or host ------------------------------------------------
 */

static void check_address(struct bench *bench, const struct inventory_item *item, bool *seen)
{
	long domain = site_find_bdf(bench->site, item->bdf);

	if (!item->bdf[0])
		return;
	if (domain < 0)
		bench_add(bench, item->line, "address-unknown", FINDING_FAULT,
			"take the addresses from oamqual node",
			"no GPU of the node has the address %s", item->bdf);
	else if (seen[domain])
		bench_add(bench, item->line, "address-repeated", FINDING_FAULT, NULL,
			"the GPU at %s is listed twice", item->bdf);
	else
		seen[domain] = true;
}

static void judge_table(struct bench *bench)
{
	bool *seen = xcalloc(bench->site->count + 1, sizeof(*seen));
	struct known_u64 sum = known_u64(0);
	size_t i, first = 0;

	for (i = 0; i < bench->inventory->count; i++) {
		const struct inventory_item *item = &bench->inventory->items[i];

		if (!bench->judged->is_of[i])
			continue;
		first = first ? first : item->line;
		sum.known = sum.known && item->count.known;
		sum.value += item->count.value < UINT32_MAX ? item->count.value : UINT32_MAX;
		if (!item->count.known)
			bench_add(bench, item->line, "count-unreadable", FINDING_WARNING, NULL,
				"the number of GPUs is no whole number");
		bench_memory(bench, item->line, item->memory, "memory are listed for a GPU");
		check_address(bench, item, seen);
	}
	bench->judged->declared.count = sum;
	if (sum.known)
		bench_count(bench, first, sum.value,
			"one item for each domain, under the identity of its module");
	free(seen);
}

/* --- Kubernetes
 * -------------------------------------------------------------------------------------- */

static void check_mode(struct bench *bench, const struct inventory_item *item)
{
	const char *mode = bench->site->mode;

	if (item->mode[0] && mode[0] && strncasecmp(item->mode, mode, strlen(mode)) != 0)
		bench_add(bench, item->line, "mode-differs", FINDING_WARNING,
			"restart the node labeller after each change of the partitioning",
			"the label says compute-memory-partition=%s, the node is in mode %s",
			item->mode, mode);
}

static void check_capacity(struct bench *bench, const struct inventory_item *item)
{
	static const char restart[] =
		"the count is the device plugin's, no text can set it: restart the plugin's "
		"pod on this node, and kubelet when it stays";
	unsigned long long capacity = item->count.value, allocatable = item->allocatable.value;

	if (item->counts_as_null) {
		bench_add(bench, item->line, "resource-missing", FINDING_FAULT,
			"install the AMD GPU device plugin on this node",
			"the node offers no amd.com/gpu, and has %zu GPUs: no device plugin has "
			"registered",
			bench->site->count);
		return;
	}
	if (!item->count.known && !item->allocatable.known)
		return;
	if (item->count.known && capacity == 0 && bench->site->count) {
		bench_add(bench, item->line, "kubelet-zero", FINDING_FAULT, restart,
			"kubelet offers 0 amd.com/gpu (allocatable %llu), the node has %zu: what "
			"the plugin "
			"found has not reached kubelet",
			allocatable, bench->site->count);
		return;
	}
	if (item->count.known && item->allocatable.known && allocatable < capacity)
		bench_add(bench, item->line, "allocatable-below-capacity", FINDING_WARNING,
			"ask the device plugin's log which device it holds to be unhealthy",
			"allocatable %llu of capacity %llu: kubelet holds %llu devices to be "
			"unhealthy",
			allocatable, capacity, capacity - allocatable);
	bench_count(bench, item->line, item->count.known ? capacity : allocatable,
		bench->site->mode[0]
			? "the device plugin has to know partitions: update it, set the resource "
			  "naming "
			  "strategy that fits, and restart it after each change of the partitioning"
			: restart);
}

static void judge_kubernetes(struct bench *bench)
{
	size_t i;

	for (i = 0; i < bench->inventory->count; i++) {
		const struct inventory_item *item = &bench->inventory->items[i];

		if (!bench->judged->is_of[i])
			continue;
		bench->judged->declared.count =
			item->allocatable.known ? item->allocatable : item->count;
		check_capacity(bench, item);
		check_mode(bench, item);
		bench_memory(
			bench, item->line, item->memory, "GPU memory are in the label gpu.vram");
	}
}

/* --- OpenCue
 * ----------------------------------------------------------------------------------------- */

struct known_u64 judge_tag_memory(const char *tag, size_t *digits)
{
	struct known_u64 unknown = { false, 0 };
	size_t at = strcspn(tag, "0123456789"), len = strspn(tag + at, "0123456789");
	char *word;

	if (!len || len > 4)
		return unknown;
	word = xasprintf("%s", tag + at);
	*digits = at;
	unknown = strcasecmp(word + len, "g") == 0 || strcasecmp(word + len, "gb") == 0 ||
				  strcasecmp(word + len, "gib") == 0
			  ? amount_read(word, 0)
			  : unknown;
	free(word);
	return unknown;
}

static void check_tags(struct bench *bench, const struct inventory_item *item)
{
	size_t i, digits;

	for (i = 0; i < item->tag_count; i++) {
		struct known_u64 bytes = judge_tag_memory(item->tags[i], &digits);

		/* A tag may speak of the host's memory: only a module's total is certain to be a
		 * GPU's. */
		if (bytes.known && bench->site->module_bytes.known &&
			amount_agrees(bytes.value, bench->site->module_bytes.value))
			bench_memory(bench, item->line, bytes, "memory are promised by a tag");
	}
}

static void judge_opencue(struct bench *bench)
{
	size_t i;

	for (i = 0; i < bench->inventory->count; i++) {
		const struct inventory_item *item = &bench->inventory->items[i];

		if (!bench->judged->is_of[i])
			continue;
		bench->judged->declared.count = item->count;
		if (item->count.known)
			bench_count(bench, item->line, item->count.value,
				"let RQD report each domain as a GPU");
		else
			bench_add(bench, item->line, "gpus-missing", FINDING_FAULT,
				"let RQD report each domain as a GPU",
				"the host offers no GPUs, and has %zu", bench->site->count);
		bench_memory(
			bench, item->line, item->memory, "GPU memory for each GPU of the host");
		check_tags(bench, item);
	}
}

/* --- which items are of the node
 * ---------------------------------------------------------------------- */

/* gres.conf lines without NodeName= are of every host. */
static bool all_alike(const struct inventory *inventory)
{
	const char *first = NULL;
	size_t i;

	for (i = 0; i < inventory->count; i++) {
		const char *host = inventory->items[i].host;

		if (!host[0])
			continue;
		if (first && strcmp(first, host) != 0)
			return false;
		first = host;
	}
	return true;
}

static size_t mark_items(const struct site *site, struct judged *judged)
{
	size_t i, named = 0;

	for (i = 0; i < judged->inventory->count; i++) {
		const struct inventory_item *item = &judged->inventory->items[i];

		judged->is_of[i] = inventory_item_is_of(item, site->host);
		named += judged->is_of[i];
	}
	return named;
}

/* A list that speaks of one host or one group of equal hosts can only mean the node that it is
 * given with. */
static int find_items(struct bench *bench, struct error *err)
{
	struct judged *judged = bench->judged;
	const struct inventory *inventory = bench->inventory;
	size_t i;

	if (mark_items(bench->site, judged) || !inventory->count)
		return 0;
	if (!all_alike(inventory))
		return error_set(err, "%s: none of its hosts is %s: say which one with --host",
			inventory->path, bench->site->host);
	for (i = 0; i < inventory->count; i++)
		judged->is_of[i] = true;
	bench_add(bench, 0, "host-taken", FINDING_NOTE, "say which host it is with --host",
		"%s is not named; its only host, %s, was taken for it", bench->site->host,
		inventory->items[0].host);
	return 0;
}

static void note_other_hosts(struct bench *bench)
{
	size_t i;

	for (i = 0; i < bench->inventory->count; i++) {
		const struct inventory_item *item = &bench->inventory->items[i];

		if (bench->judged->is_of[i] && item->hosts > 1 &&
			(item->is_gpu || item->counts_as_null))
			bench_add(bench, item->line, "hosts-not-seen", FINDING_NOTE,
				"run oamqual reconcile on each of them",
				"the line stands for %zu hosts, and only one of them was looked at",
				item->hosts);
	}
}

static void find_memory(struct judged *judged)
{
	size_t i;

	for (i = 0; i < judged->inventory->count; i++) {
		struct known_u64 memory = judged->inventory->items[i].memory;

		if (judged->is_of[i] && memory.known &&
			(!judged->declared.memory.known ||
				memory.value > judged->declared.memory.value))
			judged->declared.memory = memory;
	}
}

static void (*const judges[INVENTORY_KIND_COUNT])(struct bench *bench) = {
	[INVENTORY_SLURM_CONF] = judge_slurm_conf,
	[INVENTORY_GRES_CONF] = judge_gres_conf,
	[INVENTORY_SCONTROL] = judge_scontrol,
	[INVENTORY_KUBERNETES] = judge_kubernetes,
	[INVENTORY_OPENCUE] = judge_opencue,
	[INVENTORY_CSV] = judge_table,
	[INVENTORY_JSON] = judge_table,
};

int judge(const struct site *site, const struct inventory *inventories, size_t count,
	struct judged *judged, struct finding_list *findings, struct error *err)
{
	size_t i;
	int rc = 0;

	memset(judged, 0, count * sizeof(*judged));
	for (i = 0; rc == 0 && i < count; i++) {
		struct bench bench = { site, &inventories[i], &judged[i], findings, inventories,
			judged, count };

		judged[i].inventory = &inventories[i];
		judged[i].is_of = xcalloc(inventories[i].count, sizeof(bool));
		judged[i].cores_wrong = xcalloc(inventories[i].count, sizeof(bool));
		rc = find_items(&bench, err);
	}
	for (i = 0; rc == 0 && i < count; i++) {
		struct bench bench = { site, &inventories[i], &judged[i], findings, inventories,
			judged, count };

		judges[inventories[i].kind](&bench);
		find_memory(&judged[i]);
		note_other_hosts(&bench);
	}
	if (rc == 0)
		judge_slurm_pair(site, inventories, judged, count, findings);
	for (i = 0; rc != 0 && i < count; i++)
		judged_release(&judged[i]);
	return rc;
}

void judged_release(struct judged *judged)
{
	free(judged->is_of);
	free(judged->cores_wrong);
	memset(judged, 0, sizeof(*judged));
}
