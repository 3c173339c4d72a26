/* SPDX-License-Identifier: Apache-2.0 */
#include "node/kfd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "base/text.h"

#define TOPOLOGY "sys/class/kfd/kfd/topology/nodes"

enum { FILE_LIMIT = 65536, MAX_ENTRIES = 4096, MAX_BANKS = 64 };
enum { HEAP_FRAME_BUFFER_PUBLIC = 1, HEAP_FRAME_BUFFER_PRIVATE = 2 };

/* --- `key value` lines ---------------------------------------------------------------------- */

struct row {
	const char *key;
	size_t offset; /* of a struct known_u64 */
};

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

/* Decimal only: a sign, a blank or a base prefix is no number of KFD's. */
static bool decimal(const char *text, size_t len, uint64_t *value)
{
	uint64_t read = 0;
	size_t i;

	if (!len)
		return false;
	for (i = 0; i < len; i++) {
		unsigned int digit = (unsigned int)(unsigned char)text[i] - '0';

		if (digit > 9 || read > (UINT64_MAX - digit) / 10)
			return false;
		read = read * 10 + digit;
	}
	*value = read;
	return true;
}

struct parsed {
	const struct row *rows;
	char *base;
	unsigned long seen, spoilt; /* bits by row */
};

static void enter_line(struct parsed *parsed, const char *line, size_t len)
{
	const char *space = memchr(line, ' ', len);
	size_t key_len = space ? (size_t)(space - line) : len, i;
	struct known_u64 value = { false, 0 }, *field;

	for (i = 0; parsed->rows[i].key; i++)
		if (strlen(parsed->rows[i].key) == key_len &&
			memcmp(parsed->rows[i].key, line, key_len) == 0)
			break;
	if (!parsed->rows[i].key)
		return;
	field = (struct known_u64 *)(void *)(parsed->base + parsed->rows[i].offset);
	value.known = space && decimal(space + 1, len - key_len - 1, &value.value);
	if (!value.known || ((parsed->seen >> i & 1) && field->value != value.value))
		parsed->spoilt |= 1UL << i;
	parsed->seen |= 1UL << i;
	*field = parsed->spoilt >> i & 1 ? (struct known_u64){ false, 0 } : value;
}

static void parse_rows(const struct row *rows, void *base, const char *text, size_t len)
{
	struct parsed parsed = { rows, base, 0, 0 };
	size_t at = 0;

	while (at < len) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t line = end ? (size_t)(end - text) - at : len - at;

		enter_line(&parsed, text + at, line);
		at += line + 1;
	}
}

void kfd_properties_parse(const char *text, size_t len, struct kfd_properties *out)
{
	memset(out, 0, sizeof(*out));
	parse_rows(property_rows, out, text, len);
}

int kfd_bank_parse(const char *text, size_t len, bool *vram, uint64_t *bytes)
{
	struct bank bank = { { false, 0 }, { false, 0 } };

	parse_rows(bank_rows, &bank, text, len);
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

static void enter_bdf(const struct kfd_properties *p, struct gpu *gpu)
{
	uint64_t location = p->location_id.value;

	if (p->location_id.known && p->domain.known && location <= 0xffff &&
		p->domain.value <= UINT32_MAX)
		snprintf(gpu->bdf, sizeof(gpu->bdf), "%04x:%02x:%02x.%x",
			(unsigned int)p->domain.value, (unsigned int)(location >> 8),
			(unsigned int)(location >> 3 & 31), (unsigned int)(location & 7));
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

static int by_number(const void *a, const void *b)
{
	const unsigned long long x = *(const unsigned long long *)a,
				 y = *(const unsigned long long *)b;

	return (x > y) - (x < y);
}

/* The numeric names in a folder, ascending, in a new array. -1 with errno set. */
static int list_numbers(int root_fd, const char *path, unsigned long long **out, size_t *count)
{
	int fd = file_open_in(root_fd, path, O_RDONLY | O_DIRECTORY);
	DIR *listing = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!listing) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*out = xcalloc(MAX_ENTRIES, sizeof(**out));
	*count = 0;
	while (*count < MAX_ENTRIES && (entry = readdir(listing)))
		if (strlen(entry->d_name) < 10 && text_u64(entry->d_name, 10, &(*out)[*count]))
			(*count)++;
	closedir(listing);
	qsort(*out, *count, sizeof(**out), by_number);
	return 0;
}

static struct known_u64 read_number(int root_fd, const char *path)
{
	struct known_u64 value = { false, 0 };
	struct str text = STR_INIT;

	if (file_read_in(root_fd, path, FILE_LIMIT, &text, NULL) == 0)
		value.known = decimal(text.data, strcspn(text.data, "\n"), &value.value);
	str_release(&text);
	return value;
}

/* The VRAM of one node: unknown unless every bank it says it has could be read. */
static struct known_u64 read_vram(int root_fd, const char *node_path, struct known_u64 expected)
{
	struct known_u64 sum = { false, 0 };
	char *folder = xasprintf("%s/mem_banks", node_path);
	unsigned long long *banks = NULL;
	size_t count = 0, i;

	if (list_numbers(root_fd, folder, &banks, &count) != 0)
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

/* A node that a device cgroup hides is there, but its properties are not readable: that is said,
 * not skipped. */
static void read_one(struct node *node, unsigned long long number)
{
	char *path = xasprintf(TOPOLOGY "/%llu", number);
	char *properties_path = xasprintf("%s/properties", path);
	char *gpu_id_path = xasprintf("%s/gpu_id", path);
	struct known_u64 gpu_id = read_number(node->root_fd, gpu_id_path);
	struct kfd_properties properties;
	struct str text = STR_INIT;
	size_t len = strlen(node->kfd_why);

	if (file_read_in(node->root_fd, properties_path, FILE_LIMIT, &text, NULL) != 0) {
		snprintf(node->kfd_why + len, sizeof(node->kfd_why) - len, "%snode %llu: %s",
			len ? "; " : "", number, strerror(errno));
	} else {
		kfd_properties_parse(text.data, text.len, &properties);
		if (properties.simd_count.known ? properties.simd_count.value > 0
						: gpu_id.value > 0)
			add_gpu(node, &properties, path, number, gpu_id);
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

	if (list_numbers(node->root_fd, TOPOLOGY, &numbers, &count) != 0) {
		node->kfd_readable = KNOWN_NO;
		snprintf(
			node->kfd_why, sizeof(node->kfd_why), "/" TOPOLOGY ": %s", strerror(errno));
		return;
	}
	node->kfd_readable = KNOWN_YES;
	for (i = 0; i < count; i++)
		read_one(node, numbers[i]);
	free(numbers);
}
