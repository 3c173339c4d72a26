/* SPDX-License-Identifier: Apache-2.0 */
#include "node/kfd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "node/rooted.h"
#include "node/rows.h"

enum { FILE_LIMIT = 65536, MAX_BANKS = 64 };
enum { HEAP_FRAME_BUFFER_PUBLIC = 1, HEAP_FRAME_BUFFER_PRIVATE = 2 };

/* --- `key value` lines ---------------------------------------------------------------------- */

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, offsetof(struct kfd_properties, name)                                       \
	}

static const struct row property_rows[] = {
	ROW(device_id),
	ROW(domain),
	ROW(drm_render_minor),
	ROW(gfx_target_version),
	ROW(location_id),
	ROW(mem_banks_count),
	ROW(num_xcc),
	ROW(simd_count),
	ROW(simd_per_cu),
	ROW(unique_id),
	ROW(vendor_id),
	{ NULL, 0 },
};

struct bank {
	struct known_u64 heap_type, size_in_bytes;
};

static const struct row bank_rows[] = {
	{ "heap_type", offsetof(struct bank, heap_type) },
	{ "size_in_bytes", offsetof(struct bank, size_in_bytes) },
	{ NULL, 0 },
};

void kfd_properties_parse(const char *text, size_t len, struct kfd_properties *out)
{
	memset(out, 0, sizeof(*out));
	rows_parse(property_rows, out, text, len);
}

int kfd_bank_parse(const char *text, size_t len, bool *vram, uint64_t *bytes)
{
	struct bank bank = { { false, 0 }, { false, 0 } };

	rows_parse(bank_rows, &bank, text, len);
	if (!bank.heap_type.known || !bank.size_in_bytes.known)
		return -1;
	*vram = bank.heap_type.value == HEAP_FRAME_BUFFER_PUBLIC ||
		bank.heap_type.value == HEAP_FRAME_BUFFER_PRIVATE;
	*bytes = bank.size_in_bytes.value;
	return 0;
}

/* --- identity --------------------------------------------------------------------------- */

/* 90010 is gfx90a: major 9, minor 0, step 10 in hex. */
static void enter_gfx(struct known_u64 version, struct gpu *gpu)
{
	uint64_t major = version.value / 10000, minor = version.value / 100 % 100,
		 step = version.value % 100;

	if (version.known && major > 0 && major < 100 && minor < 16 && step < 16)
		snprintf(gpu->gfx_target, sizeof(gpu->gfx_target), "gfx%u%x%x", (unsigned int)major,
			(unsigned int)minor, (unsigned int)step);
}

/* Old kernels tell no domain: the rest is kept apart, for without it this is no address. */
static void enter_bdf(const struct kfd_properties *p, struct gpu *gpu)
{
	uint64_t location = p->location_id.value;

	if (!p->location_id.known || location > 0xffff)
		return;
	snprintf(gpu->location, sizeof(gpu->location), "%02x:%02x.%x", (unsigned int)(location >> 8),
		(unsigned int)(location >> 3 & 31), (unsigned int)(location & 7));
	if (p->domain.known && p->domain.value <= UINT32_MAX)
		snprintf(gpu->bdf, sizeof(gpu->bdf), "%04x:%s", (unsigned int)p->domain.value,
			gpu->location);
}

void kfd_properties_enter(const struct kfd_properties *p, struct gpu *gpu)
{
	enter_bdf(p, gpu);
	enter_gfx(p->gfx_target_version, gpu);
	/* KFD writes 0 for a card that has none. */
	if (p->unique_id.value)
		gpu->unique_id = p->unique_id;
	gpu->pci_device_id = p->device_id;
	gpu->pci_vendor_id = p->vendor_id;
	gpu->simd_count = p->simd_count;
	gpu->simd_per_cu = p->simd_per_cu;
	gpu->drm_render_minor = p->drm_render_minor;
	gpu->num_xcc = p->num_xcc;
}

/* --- reading ------------------------------------------------------------------------------ */

/* The VRAM of one node: unknown unless every bank it says it has could be read. */
static struct known_u64 read_vram(int root_fd, const char *node_path, struct known_u64 expected)
{
	struct known_u64 sum = { false, 0 };
	char *folder = xasprintf("%s/mem_banks", node_path);
	unsigned long long *banks = NULL;
	size_t count = 0, i;

	if (rooted_numbers(root_fd, folder, &banks, &count) != 0)
		count = 0;
	sum.known = count > 0 && count <= MAX_BANKS && (!expected.known || expected.value == count);
	for (i = 0; sum.known && i < count; i++) {
		char *path = xasprintf("%s/%llu/properties", folder, banks[i]);
		struct str text = STR_INIT;
		uint64_t bytes = 0;
		bool vram = false;

		sum.known = file_read_in(root_fd, path, FILE_LIMIT, &text, NULL) == 0 &&
			    kfd_bank_parse(text.data, text.len, &vram, &bytes) == 0 &&
			    bytes <= UINT64_MAX - sum.value;
		if (sum.known && vram)
			sum.value += bytes;
		str_release(&text);
		free(path);
	}
	/* A GPU without a VRAM bank has told nothing of its memory. */
	if (!sum.known || !sum.value)
		sum = (struct known_u64){ false, 0 };
	free(banks);
	free(folder);
	return sum;
}

static void add_gpu(struct node *node, const struct kfd_properties *properties, const char *path,
	unsigned long long number, struct known_u64 gpu_id)
{
	struct gpu gpu;

	memset(&gpu, 0, sizeof(gpu));
	kfd_properties_enter(properties, &gpu);
	gpu.in_kfd = KNOWN_YES;
	gpu.kfd_node = known_u64(number);
	gpu.kfd_gpu_id = gpu_id;
	gpu.vram_total = read_vram(node->root_fd, path, properties->mem_banks_count);
	node->gpus = xrealloc(node->gpus, (node->gpu_count + 1) * sizeof(gpu));
	node->gpus[node->gpu_count++] = gpu;
}

static void add_cpu(struct node *node, unsigned long long number)
{
	node->kfd_cpus =
		xrealloc(node->kfd_cpus, (node->kfd_cpu_count + 1) * sizeof(*node->kfd_cpus));
	node->kfd_cpus[node->kfd_cpu_count++] = number;
}

/* A node that a device cgroup hides is there, but its properties are not readable: that is said,
 * not skipped. */
static void read_one(struct node *node, unsigned long long number)
{
	char *path = xasprintf(KFD_NODES "/%llu", number);
	char *properties_path = xasprintf("%s/properties", path);
	char *gpu_id_path = xasprintf("%s/gpu_id", path);
	struct known_u64 gpu_id = rooted_number(node->root_fd, gpu_id_path, 10, NULL);
	struct kfd_properties properties;
	struct str text = STR_INIT;
	size_t len = strlen(node->kfd_why);

	if (file_read_in(node->root_fd, properties_path, FILE_LIMIT, &text, NULL) != 0) {
		snprintf(node->kfd_why + len, sizeof(node->kfd_why) - len, "%snode %llu: %s",
			len ? "; " : "", number, strerror(errno));
		node->kfd_hidden_count++;
	} else {
		kfd_properties_parse(text.data, text.len, &properties);
		if (properties.simd_count.known ? properties.simd_count.value > 0
						: gpu_id.value > 0)
			add_gpu(node, &properties, path, number, gpu_id);
		else if (properties.simd_count.known || gpu_id.known)
			add_cpu(node, number);
	}
	str_release(&text);
	free(gpu_id_path);
	free(properties_path);
	free(path);
}

void kfd_read(struct node *node)
{
	unsigned long long *numbers = NULL;
	size_t count = 0, i;

	if (rooted_numbers(node->root_fd, KFD_NODES, &numbers, &count) != 0) {
		node->kfd_readable = KNOWN_NO;
		snprintf(
			node->kfd_why, sizeof(node->kfd_why), "/" KFD_NODES ": %s", strerror(errno));
		return;
	}
	node->kfd_readable = KNOWN_YES;
	for (i = 0; i < count; i++)
		read_one(node, numbers[i]);
	free(numbers);
}
