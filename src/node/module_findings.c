/* SPDX-License-Identifier: Apache-2.0 */
#include "node/grouping.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "node/part.h"

/* The GPUs' names, with commas; the first few of many. */
static char *labels(const struct grouping *grouping, const size_t *gpus, size_t count)
{
	enum { MOST = 8 };
	struct str text = STR_INIT;
	char label[NODE_GFX];
	size_t i;

	for (i = 0; i < count && i < MOST; i++) {
		gpu_label(&grouping->node->gpus[gpus[i]], label);
		str_addf(&text, "%s%s", i ? ", " : "", label);
	}
	if (count > MOST)
		str_addf(&text, " and %zu more", count - MOST);
	return str_detach(&text);
}

static void say_half(struct grouping *grouping, const struct module *module)
{
	char label[NODE_GFX], size[80] = "";
	const struct gpu *gpu = &grouping->node->gpus[module->gpus[0]];

	gpu_label(gpu, label);
	if (gpu->vram_total.known)
		snprintf(size, sizeof(size), "; its memory is %llu bytes, not the module's",
			(unsigned long long)gpu->vram_total.value);
	finding_add(grouping->findings, "module-half-visible", FINDING_NOTE, label, NULL,
		"1 GCD is visible of a 2-GCD module; its mate is not visible here%s. This is how a "
		"scheduler gives one GCD, not a fault",
		size);
}

static void say_undetermined(struct grouping *grouping)
{
	size_t *gpus = xcalloc(grouping->node->gpu_count + 1, sizeof(*gpus)), count = 0, i;
	char *names;

	for (i = 0; i < grouping->modules->count; i++)
		if (grouping->modules->items[i].basis == MODULE_UNDETERMINED)
			gpus[count++] = grouping->modules->items[i].gpus[0];
	names = labels(grouping, gpus, count);
	if (count)
		finding_add(grouping->findings, "module-undetermined", FINDING_WARNING, "",
			"read the io_links of the KFD topology on the host; treat each GCD as a "
			"device of its own until then",
			"which module %zu GCD%s belong%s to is undetermined: %s", count,
			count == 1 ? "" : "s", count == 1 ? "s" : "", names);
	free(names);
	free(gpus);
}

static void say_subsystems(struct grouping *grouping, const struct module *module)
{
	const struct gpu *a = &grouping->node->gpus[module->gpus[0]];
	size_t i;

	for (i = 1; i < module->gpu_count; i++) {
		const struct gpu *b = &grouping->node->gpus[module->gpus[i]];
		char one[NODE_GFX], two[NODE_GFX];

		if (!grouping_differ(a->pci_subsystem_vendor_id, b->pci_subsystem_vendor_id) &&
			!grouping_differ(a->pci_subsystem_device_id, b->pci_subsystem_device_id))
			continue;
		gpu_label(a, one);
		gpu_label(b, two);
		finding_add(grouping->findings, "subsystem-inconsistent", FINDING_WARNING, one,
			"do not tell modules or models apart by subsystem ids",
			"%s has subsystem %04llx:%04llx and %s of the same module has "
			"%04llx:%04llx",
			one, (unsigned long long)a->pci_subsystem_vendor_id.value,
			(unsigned long long)a->pci_subsystem_device_id.value, two,
			(unsigned long long)b->pci_subsystem_vendor_id.value,
			(unsigned long long)b->pci_subsystem_device_id.value);
	}
}

static void say_host_memory(struct grouping *grouping)
{
	size_t *gpus = xcalloc(grouping->node->gpu_count + 1, sizeof(*gpus)), count = 0, i;
	char *names;

	for (i = 0; i < grouping->node->gpu_count; i++) {
		const struct part *part = part_of(&grouping->node->gpus[i]);

		if (part && part->host_memory)
			gpus[count++] = i;
	}
	names = labels(grouping, gpus, count);
	if (count)
		finding_add(grouping->findings, "memory-shared-with-host", FINDING_NOTE, "",
			"do not count this memory a second time as the host's",
			"%zu GPU%s of MI300A share%s memory with the host's cores: %s", count,
			count == 1 ? "" : "s", count == 1 ? "s" : "", names);
	free(names);
	free(gpus);
}

void grouping_find(struct grouping *grouping)
{
	size_t i;

	say_undetermined(grouping);
	for (i = 0; i < grouping->modules->count; i++) {
		if (grouping->modules->items[i].basis == MODULE_HALF_VISIBLE)
			say_half(grouping, &grouping->modules->items[i]);
		say_subsystems(grouping, &grouping->modules->items[i]);
	}
	grouping_find_missing_partitions(grouping);
	say_host_memory(grouping);
}
