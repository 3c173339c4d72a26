/* SPDX-License-Identifier: Apache-2.0 */
#include "node/catalogue.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "node/catalogue_parts.h"
#include "node/pci.h"

enum { RELEASES_EITHER_WAY = 2 };

static void find_driver_gap(const struct node *node, struct finding_list *findings)
{
	struct catalogue_driver driver;

	catalogue_driver_read(node, &driver);
	if (driver.distance > RELEASES_EITHER_WAY)
		finding_add(findings, "driver-gap", FINDING_WARNING, "",
			"install a kernel driver and a ROCm that are at most two releases apart",
			"user space is ROCm %s (%s) and the kernel driver is ROCm %s (%s): %d "
			"releases apart, "
			"compatible are two either way",
			driver.user, driver.user_text, driver.driver, driver.driver_text,
			driver.distance);
}

/* Devices of which the same was read get one finding, at the first of them. */
static bool reads_same(const struct gpu *a, const struct gpu *b)
{
	return a->pci_device_id.known == b->pci_device_id.known &&
	       a->pci_device_id.value == b->pci_device_id.value &&
	       strcmp(a->gfx_target, b->gfx_target) == 0 && strcmp(a->hip_name, b->hip_name) == 0;
}

static size_t count_same(const struct node *node, size_t index)
{
	size_t i, count = 0;

	for (i = 0; i < node->gpu_count; i++)
		if (reads_same(&node->gpus[i], &node->gpus[index])) {
			if (i < index)
				return 0;
			count++;
		}
	return count;
}

static void find_variant(const struct node *node, size_t index, struct finding_list *findings)
{
	const struct gpu *gpu = &node->gpus[index];
	const struct catalogue_entry *entries[CATALOGUE_VARIANTS];
	size_t count = catalogue_candidates(gpu, entries), same = count_same(node, index);
	char names[300], read[NODE_NAME + 200];

	if (count < 2 || !same)
		return;
	catalogue_list_names(entries, count, " or ", names, sizeof(names));
	catalogue_identity_text(gpu, read, sizeof(read));
	finding_add(findings, "variant-unknown", FINDING_NOTE, gpu->bdf,
		"enter the part from the board's label or the invoice, as declared",
		"variant unknown: %zu GPU%s %s %s, and what was read does not tell which (%s)",
		same, same == 1 ? "" : "s", same == 1 ? "is" : "are each", names, read);
}

static bool names_another(
	const struct gpu *gpu, const struct catalogue_entry *const *entries, size_t count)
{
	const struct catalogue_entry *entry;
	bool names_any = false;
	size_t i;

	for (entry = catalogue; entry->name; entry++)
		names_any = names_any || (catalogue_is_part(entry) &&
						 catalogue_names_part(gpu->hip_name, entry->name));
	for (i = 0; i < count; i++)
		if (catalogue_names_part(gpu->hip_name, entries[i]->name))
			return false;
	return names_any;
}

static void find_contradiction(const struct node *node, size_t index, struct finding_list *findings)
{
	const struct gpu *gpu = &node->gpus[index];
	const struct catalogue_entry *entries[CATALOGUE_VARIANTS];
	size_t count = catalogue_candidates(gpu, entries), same = count_same(node, index);
	char read[NODE_NAME + 200];
	bool no_part = !count && gpu->pci_device_id.known &&
		       catalogue_id_is_listed(gpu->pci_device_id.value) &&
		       (!gpu->pci_vendor_id.known || gpu->pci_vendor_id.value == PCI_VENDOR_AMD);

	if (!same || (!no_part && !names_another(gpu, entries, count)))
		return;
	catalogue_identity_text(gpu, read, sizeof(read));
	finding_add(findings, "part-disagrees", FINDING_WARNING, gpu->bdf, NULL,
		"%zu GPU%s: device id, target and name do not belong to one part of the catalogue "
		"(%s)",
		same, same == 1 ? "" : "s", read);
}

/* A published "64 GB" may mean 64 * 10^9 or 64 * 2^30, and a little is reserved: only what neither
 * explains is told. */
static void find_memory(
	const struct node *node, const struct gpu *gpu, struct finding_list *findings)
{
	struct known_u64 observed = gpu->vram_total.known ? gpu->vram_total : gpu->hip_total;
	char from[600];
	struct known_u64 published = catalogue_domain(node, gpu, from, sizeof(from));
	double gb, low, high;

	if (!observed.known || !observed.value || !published.known)
		return;
	gb = (double)published.value / 1e9;
	low = gb * 1e9 * 0.95;
	high = gb * 1024 * 1024 * 1024;
	if ((double)observed.value >= low && (double)observed.value <= high)
		return;
	finding_add(findings,
		(double)observed.value < low ? "memory-below-published" : "memory-above-published",
		FINDING_WARNING, gpu->bdf, NULL,
		"observed %llu bytes (%.1f GB, %.1f GiB), published %.0f GB for one domain (%s)",
		(unsigned long long)observed.value, (double)observed.value / 1e9,
		(double)observed.value / 1073741824.0, gb, from);
}

void catalogue_findings(const struct node *node, struct finding_list *findings)
{
	size_t i;

	find_driver_gap(node, findings);
	for (i = 0; i < node->gpu_count; i++) {
		find_variant(node, i, findings);
		find_contradiction(node, i, findings);
		find_memory(node, &node->gpus[i], findings);
	}
}
