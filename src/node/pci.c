/* SPDX-License-Identifier: Apache-2.0 */
#include "node/pci.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "base/text.h"
#include "node/description.h"
#include "node/rooted.h"

#define PCI_DEVICES "sys/bus/pci/devices"
#define DRM_CLASS   "sys/class/drm"

enum { UEVENT_LIMIT = 65536 };

/* --- reading ------------------------------------------------------------------------------ */

struct known_u64 pci_value_parse(const char *line, int base)
{
	unsigned long long value;

	if (!text_u64(line, base, &value))
		return (struct known_u64){ false, 0 };
	return known_u64(value);
}

static struct known_u64 read_value(int root_fd, const char *folder, const char *name, int base)
{
	char *path = path_join(folder, name), *line = rooted_line(root_fd, path, NULL);
	struct known_u64 value = pci_value_parse(line ? line : "", base);

	free(line);
	free(path);
	return value;
}

static bool enter_address(const char *text, char bdf[NODE_BDF])
{
	char *p;

	str_copy(bdf, NODE_BDF, text);
	for (p = bdf; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	if (strlen(text) >= NODE_BDF || !description_is_bdf(bdf))
		bdf[0] = '\0';
	return bdf[0];
}

/* The value of `key` (with its '=') in a uevent text. */
static bool uevent_value(const char *text, size_t len, const char *key, char *value, size_t size)
{
	size_t at = 0, key_len = strlen(key);

	value[0] = '\0';
	while (at < len) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t line = end ? (size_t)(end - text) - at : len - at;

		if (line > key_len && line - key_len < size && memcmp(text + at, key, key_len) == 0) {
			memcpy(value, text + at + key_len, line - key_len);
			value[line - key_len] = '\0';
			return true;
		}
		at += line + 1;
	}
	return false;
}

void pci_slot_parse(const char *text, size_t len, char bdf[NODE_BDF])
{
	char value[NODE_BDF];

	bdf[0] = '\0';
	if (uevent_value(text, len, "PCI_SLOT_NAME=", value, sizeof(value)))
		enter_address(value, bdf);
}

static void read_driver(int root_fd, const char *folder, struct pci_device *device)
{
	char *link = path_join(folder, "driver"), *path = path_join(folder, "uevent");
	struct str text = STR_INIT;

	device->driver_known =
		rooted_link(root_fd, link, device->driver, sizeof(device->driver)) == 0;
	if (!device->driver_known && file_read_in(root_fd, path, UEVENT_LIMIT, &text, NULL) == 0) {
		device->driver_known = true;
		uevent_value(text.data, text.len, "DRIVER=", device->driver, sizeof(device->driver));
	}
	str_release(&text);
	free(path);
	free(link);
}

/* The graphics core as the card's own table calls it: gfx943 there may be KFD's gfx942. */
static void read_ip_discovery(int root_fd, const char *folder, struct pci_device *device)
{
	static const char *const parts[] = { "major", "minor", "revision" };
	struct known_u64 value[3];
	size_t i;

	for (i = 0; i < 3; i++) {
		char *name = xasprintf("ip_discovery/die/0/GC/0/%s", parts[i]);

		value[i] = read_value(root_fd, folder, name, 10);
		free(name);
		if (!value[i].known || value[i].value > 99)
			return;
	}
	snprintf(device->ip_target, sizeof(device->ip_target), "gfx%u%x%x",
		(unsigned int)value[0].value, (unsigned int)value[1].value,
		(unsigned int)value[2].value);
}

static void read_device(int root_fd, const char *folder, struct pci_device *device)
{
	const struct {
		const char *name;
		struct known_u64 *to;
		int base;
	} rows[] = {
		{ "device", &device->device, 0 },
		{ "subsystem_vendor", &device->subsystem_vendor, 0 },
		{ "subsystem_device", &device->subsystem_device, 0 },
		{ "class", &device->class, 0 },
		{ "numa_node", &device->numa_node, 10 },
		{ "unique_id", &device->unique_id, 16 },
		{ "mem_info_vram_total", &device->vram_total, 10 },
		{ "mem_info_vram_used", &device->vram_used, 10 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		*rows[i].to = read_value(root_fd, folder, rows[i].name, rows[i].base);
	if (!device->unique_id.value)
		device->unique_id.known = false;
	read_driver(root_fd, folder, device);
	read_ip_discovery(root_fd, folder, device);
}

static void read_pci(struct node *node)
{
	char **names = rooted_names(node->root_fd, PCI_DEVICES, "");
	size_t count = 0, i;

	node->pci_readable = names ? KNOWN_YES : KNOWN_NO;
	while (names && names[count])
		count++;
	node->pci = xcalloc(count + 1, sizeof(*node->pci));
	for (i = 0; i < count; i++) {
		struct pci_device *device = &node->pci[node->pci_count];
		char *folder = path_join(PCI_DEVICES, names[i]);

		memset(device, 0, sizeof(*device));
		if (enter_address(names[i], device->bdf)) {
			device->vendor = read_value(node->root_fd, folder, "vendor", 0);
			if (!device->vendor.known || device->vendor.value == PCI_VENDOR_AMD) {
				read_device(node->root_fd, folder, device);
				node->pci_count++;
			}
		}
		free(folder);
	}
	rooted_names_free(names);
}

/* A recorded tree may hold the link or the folder itself: the folder's uevent says the same. */
static void read_drm_device(int root_fd, const char *folder, struct drm_node *drm)
{
	char *link = path_join(folder, "device"), *uevent = path_join(link, "uevent");
	struct str text = STR_INIT;

	rooted_link(root_fd, link, drm->device, sizeof(drm->device));
	if (drm->device[0])
		enter_address(drm->device, drm->bdf);
	if (!drm->bdf[0] && file_read_in(root_fd, uevent, UEVENT_LIMIT, &text, NULL) == 0)
		pci_slot_parse(text.data, text.len, drm->bdf);
	drm->vendor = read_value(root_fd, link, "vendor", 0);
	str_release(&text);
	free(uevent);
	free(link);
}

static void read_drm(struct node *node)
{
	char **names = rooted_names(node->root_fd, DRM_CLASS, "renderD");
	size_t count = 0, i;

	node->drm_readable = names ? KNOWN_YES : KNOWN_NO;
	while (names && names[count])
		count++;
	node->drm = xcalloc(count + 1, sizeof(*node->drm));
	for (i = 0; i < count; i++) {
		struct drm_node *drm = &node->drm[node->drm_count];
		char *folder = path_join(DRM_CLASS, names[i]);

		memset(drm, 0, sizeof(*drm));
		if (text_u64(names[i] + 7, 10, &drm->minor)) {
			read_drm_device(node->root_fd, folder, drm);
			node->drm_count++;
		}
		free(folder);
	}
	rooted_names_free(names);
}

void pci_read(struct node *node)
{
	read_pci(node);
	read_drm(node);
}

/* --- joining ------------------------------------------------------------------------------ */

bool pci_same_card(const char *a, const char *b)
{
	const char *dot_a = strrchr(a, '.'), *dot_b = strrchr(b, '.');

	return dot_a && dot_b && dot_a - a == dot_b - b &&
	       strncmp(a, b, (size_t)(dot_a - a)) == 0;
}

static bool contradicts(const struct gpu *gpu, const struct pci_device *device)
{
	return gpu->unique_id.known && device->unique_id.known &&
	       gpu->unique_id.value != device->unique_id.value;
}

static const struct pci_device *by_address(const struct node *node, const struct gpu *gpu)
{
	const struct pci_device *card = NULL;
	size_t i;

	for (i = 0; i < node->pci_count; i++) {
		const struct pci_device *device = &node->pci[i];

		if (strcmp(device->bdf, gpu->bdf) == 0)
			return contradicts(gpu, device) ? NULL : device;
		/* The driver gives only the card's first function to PCI; partitions are its children. */
		if (pci_same_card(device->bdf, gpu->bdf) && str_ends(device->bdf, ".0") &&
			!contradicts(gpu, device))
			card = device;
	}
	return card;
}

/* Only when the id singles out one device and what KFD tells of the address agrees. */
static const struct pci_device *by_unique_id(const struct node *node, const struct gpu *gpu)
{
	const struct pci_device *found = NULL;
	size_t i;

	for (i = 0; gpu->unique_id.known && i < node->pci_count; i++) {
		const struct pci_device *device = &node->pci[i];

		if (!device->unique_id.known || device->unique_id.value != gpu->unique_id.value)
			continue;
		if (found || !pci_same_card(strchr(device->bdf, ':') + 1, gpu->location))
			return NULL;
		found = device;
	}
	return found;
}

const struct pci_device *pci_of(const struct node *node, const struct gpu *gpu)
{
	return gpu->bdf[0] ? by_address(node, gpu) : by_unique_id(node, gpu);
}

enum known pci_is_amdgpu(const struct pci_device *device)
{
	uint64_t base = device->class.value >> 16;

	if ((device->vendor.known && device->vendor.value != PCI_VENDOR_AMD) ||
		(device->class.known && base != 0x03 && base != 0x12) ||
		(device->driver_known && strcmp(device->driver, "amdgpu") != 0))
		return KNOWN_NO;
	return device->vendor.known && (device->class.known || device->driver_known) ? KNOWN_YES
										   : KNOWN_UNKNOWN;
}

static bool shares_card(const struct node *node, const struct gpu *gpu)
{
	size_t i;

	for (i = 0; i < node->gpu_count; i++)
		if (&node->gpus[i] != gpu && pci_same_card(node->gpus[i].bdf, gpu->bdf))
			return true;
	return false;
}

static void join_device(struct node *node, struct gpu *gpu)
{
	const struct pci_device *device = pci_of(node, gpu);

	gpu->in_pci = gpu->bdf[0] || device ? KNOWN_NO : KNOWN_UNKNOWN;
	if (node->pci_readable != KNOWN_YES)
		gpu->in_pci = KNOWN_UNKNOWN;
	if (!device)
		return;
	gpu->in_pci = KNOWN_YES;
	if (!gpu->bdf[0]) {
		/* The same bus and device; the function is KFD's. */
		str_copy(gpu->bdf, sizeof(gpu->bdf), device->bdf);
		gpu->bdf[strlen(gpu->bdf) - 1] = gpu->location[strlen(gpu->location) - 1];
	}
	if (!gpu->unique_id.known)
		gpu->unique_id = device->unique_id;
	if (!gpu->pci_device_id.known)
		gpu->pci_device_id = device->device;
	gpu->pci_subsystem_vendor_id = device->subsystem_vendor;
	gpu->pci_subsystem_device_id = device->subsystem_device;
	str_copy(gpu->ip_target, sizeof(gpu->ip_target), device->ip_target);
	if (device->numa_node.known) {
		gpu->numa_node = device->numa_node;
		gpu->numa_from = "pci";
	}
	if (strcmp(device->bdf, gpu->bdf) == 0 && !shares_card(node, gpu)) {
		gpu->sysfs_vram_total = device->vram_total;
		gpu->sysfs_vram_used = device->vram_used;
	}
}

/* KFD tells the minor itself; without it the node whose device has the address. */
static void join_drm(const struct node *node, struct gpu *gpu)
{
	const struct drm_node *found = NULL;
	size_t i;

	for (i = 0; i < node->drm_count; i++) {
		const struct drm_node *drm = &node->drm[i];

		if (gpu->drm_render_minor.known ? drm->minor == gpu->drm_render_minor.value
						: gpu->bdf[0] && strcmp(drm->bdf, gpu->bdf) == 0)
			found = drm;
	}
	if (gpu->drm_render_minor.known && gpu->drm_render_minor.value)
		snprintf(gpu->render_node, sizeof(gpu->render_node), "/dev/dri/renderD%llu",
			(unsigned long long)gpu->drm_render_minor.value);
	else if (found)
		snprintf(gpu->render_node, sizeof(gpu->render_node), "/dev/dri/renderD%llu",
			found->minor);
	if (node->drm_readable == KNOWN_YES && (gpu->drm_render_minor.known || gpu->bdf[0]))
		gpu->in_drm = found ? KNOWN_YES : KNOWN_NO;
}

void pci_join(struct node *node, size_t from)
{
	size_t i;

	for (i = from; i < node->gpu_count; i++) {
		join_device(node, &node->gpus[i]);
		join_drm(node, &node->gpus[i]);
	}
}
