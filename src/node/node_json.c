/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/json.h"
#include "node/node.h"

static json_t *text_or(const char *text, const char *class, const char *from, const char *why)
{
	return text[0] ? fact_text(text, class, from) : fact_unknown(why);
}

static json_t *known_or(enum known value, const char *class, const char *from, const char *why)
{
	if (value == KNOWN_UNKNOWN)
		return fact_unknown(why[0] ? why : "not asked");
	return fact_json(json_boolean(value == KNOWN_YES), class, from);
}

/* An identity: text, since it exceeds what JSON readers keep. */
/* `digits`: identities have 16 in every place of the record, so that their texts are equal. */
static json_t *hex_or(
	struct known_u64 id, int digits, const char *class, const char *from, const char *why)
{
	char text[24];

	if (!id.known)
		return fact_unknown(why);
	snprintf(text, sizeof(text), "0x%0*llx", digits, (unsigned long long)id.value);
	return fact_text(text, class, from);
}

static json_t *version_or(struct known_i64 version, const char *class, const char *why)
{
	return version.known ? fact_integer(version.value, class, "hip") : fact_unknown(why);
}

static const char *hip_why(const struct node *node)
{
	return node->hip_why[0] ? node->hip_why : "HIP does not say";
}

static json_t *gpu_json(const struct node *node, const struct gpu *gpu)
{
	const char *class = node_class(node);
	const char *no_kfd = gpu->in_kfd == KNOWN_YES ? "not in KFD's properties"
						      : "the device is not in KFD's topology";
	const char *no_hip =
		gpu->in_hip == KNOWN_NO ? "HIP does not enumerate the device" : hip_why(node);
	const char *identity = gpu->in_kfd == KNOWN_YES ? "kfd" : "hip";
	struct known_u64 units = {
		gpu->simd_count.known && gpu->simd_per_cu.known && gpu->simd_per_cu.value, 0
	};
	json_t *json = json_object();

	if (units.known)
		units.value = gpu->simd_count.value / gpu->simd_per_cu.value;
	json_object_set_new(json, "bdf", text_or(gpu->bdf, class, identity, no_kfd));
	json_object_set_new(json, "unique_id", hex_or(gpu->unique_id, 16, class, identity, no_kfd));
	json_object_set_new(json, "gfx_target", text_or(gpu->gfx_target, class, identity, no_kfd));
	json_object_set_new(
		json, "pci_vendor_id", hex_or(gpu->pci_vendor_id, 4, class, "kfd", no_kfd));
	json_object_set_new(
		json, "pci_device_id", hex_or(gpu->pci_device_id, 4, class, "kfd", no_kfd));
	json_object_set_new(json, "in_kfd", known_or(gpu->in_kfd, class, "kfd", node->kfd_why));
	json_object_set_new(json, "kfd_node", fact_u64(gpu->kfd_node, class, "kfd", no_kfd));
	json_object_set_new(json, "kfd_gpu_id", fact_u64(gpu->kfd_gpu_id, class, "kfd", no_kfd));
	json_object_set_new(json, "compute_units", fact_u64(units, class, "kfd", no_kfd));
	json_object_set_new(json, "num_xcc", fact_u64(gpu->num_xcc, class, "kfd", no_kfd));
	json_object_set_new(
		json, "drm_render_minor", fact_u64(gpu->drm_render_minor, class, "kfd", no_kfd));
	json_object_set_new(json, "vram_total",
		fact_u64(gpu->vram_total, class, "kfd",
			gpu->in_kfd == KNOWN_YES ? "no complete memory banks in KFD's topology"
						 : no_kfd));
	json_object_set_new(json, "in_hip", known_or(gpu->in_hip, class, "hip", node->hip_why));
	json_object_set_new(json, "hip_index", fact_u64(gpu->hip_index, class, "hip", no_hip));
	json_object_set_new(json, "hip_name", text_or(gpu->hip_name, class, "hip", no_hip));
	json_object_set_new(json, "hip_gcn_arch", text_or(gpu->hip_gcn_arch, class, "hip", no_hip));
	json_object_set_new(json, "hip_total", fact_u64(gpu->hip_total, class, "hip", no_hip));
	json_object_set_new(json, "hip_free", fact_u64(gpu->hip_free, class, "hip", no_hip));
	return json;
}

static const char *pci_why(const struct node *node, const struct gpu *gpu)
{
	if (node->pci_readable != KNOWN_YES)
		return "sys/bus/pci/devices could not be listed";
	if (gpu->in_pci == KNOWN_NO)
		return "the device is not in PCI's list, or its unique id contradicts";
	return gpu->in_pci == KNOWN_YES ? "not in the files of its PCI device"
					: "its address is unknown";
}

/* What PCI, DRM and the opening add to a GPU. */
static void add_surroundings(const struct node *node, const struct gpu *gpu, json_t *json)
{
	const char *class = node_class(node), *no_pci = pci_why(node, gpu);
	const char *drm_why = node->drm_readable == KNOWN_YES
				      ? "neither its minor nor its address is known"
				      : "sys/class/drm could not be listed";

	json_object_set_new(json, "in_pci", known_or(gpu->in_pci, class, "pci", no_pci));
	json_object_set_new(json, "pci_subsystem_vendor_id",
		hex_or(gpu->pci_subsystem_vendor_id, 4, class, "pci", no_pci));
	json_object_set_new(json, "pci_subsystem_device_id",
		hex_or(gpu->pci_subsystem_device_id, 4, class, "pci", no_pci));
	json_object_set_new(json, "numa_node",
		fact_u64(gpu->numa_node, class, gpu->numa_from ? gpu->numa_from : "pci",
			"neither PCI nor a link to a CPU node tells"));
	json_object_set_new(json, "sysfs_vram_total",
		fact_u64(gpu->sysfs_vram_total, class, "pci", no_pci));
	json_object_set_new(
		json, "sysfs_vram_used", fact_u64(gpu->sysfs_vram_used, class, "pci", no_pci));
	json_object_set_new(json, "ip_target", text_or(gpu->ip_target, class, "pci", no_pci));
	json_object_set_new(json, "in_drm", known_or(gpu->in_drm, class, "drm", drm_why));
	json_object_set_new(json, "render_node",
		text_or(gpu->render_node, class, gpu->drm_render_minor.known ? "kfd" : "drm", drm_why));
	json_object_set_new(json, "openable", known_or(gpu->openable, class, "open", gpu->open_why));
}

json_t *node_gcds_json(const struct node *node)
{
	json_t *gcds = json_array();
	size_t i;

	for (i = 0; i < node->gpu_count; i++) {
		json_t *gcd = gpu_json(node, &node->gpus[i]);

		add_surroundings(node, &node->gpus[i], gcd);
		json_array_append_new(gcds, gcd);
	}
	return gcds;
}

static json_t *kfd_json(const struct node *node)
{
	const char *class = node_class(node);
	json_t *json = json_object();

	json_object_set_new(
		json, "readable", known_or(node->kfd_readable, class, "kfd", node->kfd_why));
	json_object_set_new(
		json, "openable", known_or(node->kfd_openable, class, "kfd", node->kfd_open_why));
	json_object_set_new(
		json, "why", node->kfd_why[0] ? json_printable_text(node->kfd_why) : json_null());
	json_object_set_new(json, "open_why",
		node->kfd_open_why[0] ? json_printable_text(node->kfd_open_why) : json_null());
	return json;
}

static json_t *hip_json(const struct node *node)
{
	const char *class = node_class(node);
	json_t *json = json_object();

	json_object_set_new(json, "state",
		node->hip_state == HIP_NOT_ASKED
			? fact_unknown("HIP was not asked")
			: fact_text(hip_state_name(node->hip_state), class, "hip"));
	json_object_set_new(
		json, "why", node->hip_why[0] ? json_printable_text(node->hip_why) : json_null());
	json_object_set_new(
		json, "library", text_or(node->hip_library, class, "hip", hip_why(node)));
	json_object_set_new(
		json, "driver_version", version_or(node->hip_driver_version, class, hip_why(node)));
	json_object_set_new(json, "runtime_version",
		version_or(node->hip_runtime_version, class, hip_why(node)));
	return json;
}

json_t *node_json(const struct node *node)
{
	json_t *json = json_object(), *gpus = json_array();
	const char *provenance = json_text(node->description, "provenance", NULL);
	size_t i;

	json_object_set_new(json, "name", json_printable_text(node->name));
	json_object_set_new(json, "source", json_string(node->simulated ? "simulated" : "live"));
	if (node->folder)
		json_object_set_new(json, "folder", json_printable_text(node->folder));
	if (provenance)
		json_object_set_new(json, "provenance", json_printable_text(provenance));
	json_object_set_new(json, "kfd", kfd_json(node));
	json_object_set_new(json, "hip", hip_json(node));
	for (i = 0; i < node->gpu_count; i++)
		json_array_append_new(gpus, gpu_json(node, &node->gpus[i]));
	json_object_set_new(json, "gpus", gpus);
	return json;
}
