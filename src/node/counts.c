/* SPDX-License-Identifier: Apache-2.0 */
#include "node/counts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "node/pci.h"

const char *const counts_masks[] = { "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
	"CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", NULL };

/* --- openable --------------------------------------------------------------------------------- */

static void try_open(int root_fd, struct gpu *gpu)
{
	int fd = file_open_in(root_fd, gpu->render_node + 1, O_RDWR | O_NONBLOCK);

	gpu->openable = fd >= 0 ? KNOWN_YES : KNOWN_NO;
	if (fd >= 0)
		close(fd);
	else
		snprintf(gpu->open_why, sizeof(gpu->open_why), "%.100s: %s", gpu->render_node,
			strerror(errno));
}

void counts_try_open(struct node *node)
{
	size_t i;

	for (i = 0; i < node->gpu_count; i++) {
		struct gpu *gpu = &node->gpus[i];

		if (node->simulated)
			str_copy(gpu->open_why, sizeof(gpu->open_why),
				"a replayed node has no device to open");
		else if (!gpu->render_node[0])
			str_copy(gpu->open_why, sizeof(gpu->open_why), "its render node is unknown");
		else
			try_open(node->root_fd, gpu);
	}
}

/* --- counting --------------------------------------------------------------------------------- */

static bool is_of_gpu(const struct node *node, const char *bdf)
{
	size_t i;

	for (i = 0; i < node->gpu_count; i++)
		if (node->gpus[i].in_kfd == KNOWN_YES &&
			(strcmp(node->gpus[i].bdf, bdf) == 0 ||
				pci_same_card(node->gpus[i].bdf, bdf)))
			return true;
	return false;
}

/* A device of which a trimmed tree says too little is a GPU when KFD says so. */
static bool is_pci_gpu(const struct node *node, const struct pci_device *device)
{
	enum known is = pci_is_amdgpu(device);

	return is == KNOWN_YES || (is == KNOWN_UNKNOWN && is_of_gpu(node, device->bdf));
}

static const struct pci_device *pci_at(const struct node *node, const char *bdf)
{
	size_t i;

	for (i = 0; i < node->pci_count; i++)
		if (strcmp(node->pci[i].bdf, bdf) == 0)
			return &node->pci[i];
	return NULL;
}

static bool is_drm_gpu(const struct node *node, const struct drm_node *drm)
{
	const struct pci_device *device = drm->bdf[0] ? pci_at(node, drm->bdf) : NULL;
	size_t i;

	if (str_starts(drm->device, "amdgpu_xcp"))
		return true;
	if (device && pci_is_amdgpu(device) == KNOWN_NO)
		return false;
	if (drm->vendor.known || device)
		return drm->vendor.known ? drm->vendor.value == PCI_VENDOR_AMD
					 : is_pci_gpu(node, device);
	for (i = 0; i < node->gpu_count; i++)
		if (node->gpus[i].drm_render_minor.known &&
			node->gpus[i].drm_render_minor.value == drm->minor)
			return true;
	return drm->bdf[0] && is_of_gpu(node, drm->bdf);
}

static struct known_u64 count_pci(const struct node *node)
{
	struct known_u64 count = { node->pci_readable == KNOWN_YES, 0 };
	size_t i;

	for (i = 0; count.known && i < node->pci_count; i++)
		count.value += is_pci_gpu(node, &node->pci[i]);
	return count;
}

static struct known_u64 count_drm(const struct node *node)
{
	struct known_u64 count = { node->drm_readable == KNOWN_YES, 0 };
	size_t i;

	for (i = 0; count.known && i < node->drm_count; i++)
		count.value += is_drm_gpu(node, &node->drm[i]);
	return count;
}

/* One GPU whose answer is missing makes the number unknown, unless /dev/kfd is closed to all. */
static struct known_u64 count_openable(const struct node *node)
{
	struct known_u64 count = { !node->simulated && node->kfd_readable == KNOWN_YES &&
					   node->kfd_openable != KNOWN_UNKNOWN,
		0 };
	size_t i;

	if (!count.known || node->kfd_openable == KNOWN_NO)
		return count;
	for (i = 0; i < node->gpu_count; i++) {
		if (node->gpus[i].in_kfd != KNOWN_YES)
			continue;
		if (node->gpus[i].openable == KNOWN_UNKNOWN)
			return (struct known_u64){ false, 0 };
		count.value += node->gpus[i].openable == KNOWN_YES;
	}
	return count;
}

void counts_take(const struct node *node, struct counts *out)
{
	bool told = node->hip_state == HIP_ANSWERED || node->hip_state == HIP_NO_DEVICE;
	size_t i;

	memset(out, 0, sizeof(*out));
	out->kfd.known = node->kfd_readable == KNOWN_YES;
	out->hip.known = told;
	out->visible.known = told && out->kfd.known;
	for (i = 0; i < node->gpu_count; i++) {
		const struct gpu *gpu = &node->gpus[i];

		out->kfd.value += gpu->in_kfd == KNOWN_YES;
		out->hip.value += told && gpu->in_hip == KNOWN_YES;
		out->visible.value +=
			out->visible.known && gpu->in_kfd == KNOWN_YES && gpu->in_hip == KNOWN_YES;
	}
	out->pci = count_pci(node);
	out->drm = count_drm(node);
	out->openable = count_openable(node);
}

/* --- findings --------------------------------------------------------------------------------- */

/* Names for a finding: the first few of many. */
struct names {
	struct str text;
	size_t count;
};

static void add_name(struct names *names, const char *name)
{
	enum { MOST = 8 };

	if (names->count < MOST)
		str_addf(&names->text, "%s%s", names->count ? ", " : "", name);
	else if (names->count == MOST)
		str_add(&names->text, " ...");
	names->count++;
}

/* GPUs that PCI or DRM has and KFD has not. A topology node that cannot be read explains as many. */
static void say_not_in_kfd(const struct node *node, const struct counts *counts,
	struct finding_list *findings)
{
	struct names names = { STR_INIT, 0 };
	bool hidden = node->kfd_hidden_count > 0;
	size_t i;

	for (i = 0; counts->kfd.known && i < node->pci_count; i++)
		if (pci_is_amdgpu(&node->pci[i]) == KNOWN_YES && !is_of_gpu(node, node->pci[i].bdf))
			add_name(&names, node->pci[i].bdf);
	for (i = 0; counts->kfd.known && i < node->drm_count; i++)
		if (node->drm[i].bdf[0] && !pci_at(node, node->drm[i].bdf) &&
			is_drm_gpu(node, &node->drm[i]) && !is_of_gpu(node, node->drm[i].bdf))
			add_name(&names, node->drm[i].bdf);
	if (names.count && hidden)
		finding_add(findings, "hidden-from-here", FINDING_NOTE, "", NULL,
			"%zu GPUs are in PCI or DRM and not in KFD's topology, which shows %llu here; %zu of its "
			"nodes cannot be read, as in an allocation of part of the node: %s",
			names.count, (unsigned long long)counts->kfd.value, node->kfd_hidden_count,
			names.text.data);
	else if (names.count)
		finding_add(findings, "gpu-not-in-kfd", FINDING_WARNING, "",
			"look for kfd's lines in the kernel's log: it names devices that it does not support",
			"%zu GPUs are in PCI or DRM and not in KFD's topology, which has %llu: unsupported by "
			"kfd, or failed to start there: %s",
			names.count, (unsigned long long)counts->kfd.value, names.text.data);
	str_release(&names.text);
}

static void say_absent(const struct node *node, struct finding_list *findings, const char *code,
	const char *where, size_t member, struct known_u64 there)
{
	struct names names = { STR_INIT, 0 };
	char label[NODE_GFX];
	size_t i, kfd = 0;

	for (i = 0; i < node->gpu_count; i++) {
		const struct gpu *gpu = &node->gpus[i];

		kfd += gpu->in_kfd == KNOWN_YES;
		if (gpu->in_kfd != KNOWN_YES ||
			*(const enum known *)(const void *)((const char *)gpu + member) != KNOWN_NO)
			continue;
		gpu_label(gpu, label);
		add_name(&names, label);
	}
	if (names.count)
		finding_add(findings, code, FINDING_WARNING, "",
			"compare with the host's own view: a container or a trimmed tree may hide it",
			"%zu of the %zu GPUs of KFD's topology are not in %s, which has %llu: %s", names.count,
			kfd, where, (unsigned long long)there.value, names.text.data);
	str_release(&names.text);
}

static void say_gpu(const struct node *node, const struct gpu *gpu, struct finding_list *findings)
{
	const struct pci_device *device = gpu->bdf[0] ? pci_at(node, gpu->bdf) : NULL;
	char label[NODE_GFX], arch[NODE_GFX];
	size_t i;

	gpu_label(gpu, label);
	str_copy(arch, sizeof(arch), gpu->hip_gcn_arch);
	arch[strcspn(arch, ":")] = '\0';
	if (device && device->unique_id.known && gpu->unique_id.known &&
		device->unique_id.value != gpu->unique_id.value)
		finding_add(findings, "identity-disagrees", FINDING_FAULT, label,
			"do not use the node until the two agree: one of them is stale or forged",
			"KFD has unique id 0x%016llx at %s and PCI 0x%016llx; they are not joined",
			(unsigned long long)gpu->unique_id.value, label,
			(unsigned long long)device->unique_id.value);
	if (arch[0] && gpu->gfx_target[0] && strcmp(arch, gpu->gfx_target) != 0)
		finding_add(findings, "target-disagrees", FINDING_WARNING, label, NULL,
			"HIP calls it %s and KFD %s; KFD's is used", arch, gpu->gfx_target);
	for (i = 0; gpu->bdf[0] && gpu->drm_render_minor.known && i < node->drm_count; i++)
		if (strcmp(node->drm[i].bdf, gpu->bdf) == 0 &&
			node->drm[i].minor != gpu->drm_render_minor.value)
			finding_add(findings, "render-minor-disagrees", FINDING_WARNING, label,
				"name render nodes by KFD's drm_render_minor",
				"KFD says renderD%llu and DRM renderD%llu",
				(unsigned long long)gpu->drm_render_minor.value, node->drm[i].minor);
}

static bool has_other_ip(const struct gpu *gpu)
{
	return gpu->ip_target[0] && gpu->gfx_target[0] && strcmp(gpu->ip_target, gpu->gfx_target) != 0;
}

/* Usual on MI300 (gfx943 is KFD's gfx942): told once for all that are alike. */
static void say_ip_targets(const struct node *node, struct finding_list *findings)
{
	const struct gpu *first = NULL;
	struct names names = { STR_INIT, 0 };
	char label[NODE_GFX];
	size_t i;

	for (i = 0; i < node->gpu_count; i++) {
		const struct gpu *gpu = &node->gpus[i];

		if (!has_other_ip(gpu) || (first && (strcmp(first->ip_target, gpu->ip_target) != 0 ||
							    strcmp(first->gfx_target, gpu->gfx_target) != 0)))
			continue;
		first = first ? first : gpu;
		gpu_label(gpu, label);
		add_name(&names, label);
	}
	if (first)
		finding_add(findings, "target-disagrees", FINDING_NOTE, "", NULL,
			"IP discovery says %s and KFD %s of %zu GPUs; KFD's is used: %s",
			first->ip_target, first->gfx_target, names.count, names.text.data);
	str_release(&names.text);
}

/* "ROCR_VISIBLE_DEVICES=0,1 HIP_VISIBLE_DEVICES=0" of this environment. */
static size_t masks_text(struct str *text)
{
	size_t count = 0, i;

	for (i = 0; counts_masks[i]; i++) {
		const char *value = getenv(counts_masks[i]);

		if (value)
			str_addf(text, "%s%s=%.100s", count++ ? " " : "", counts_masks[i], value);
	}
	return count;
}

static void say_masks(struct finding_list *findings, const char *masks, size_t count)
{
	if (count > 1)
		finding_add(findings, "masked-twice", FINDING_WARNING, "",
			"set one of them: the scheduler's, usually ROCR_VISIBLE_DEVICES",
			"%zu variables hide devices one after another, and the later ones count among what the "
			"earlier ones leave: %s",
			count, masks);
}

static size_t modules_with_visible(const struct node *node, const struct module_list *modules)
{
	size_t count = 0, i, j;

	for (i = 0; i < modules->count; i++)
		for (j = 0; j < modules->items[i].gpu_count; j++)
			if (node->gpus[modules->items[i].gpus[j]].in_hip == KNOWN_YES) {
				count++;
				break;
			}
	return count;
}

static void say_visible(const struct node *node, const struct module_list *modules,
	const struct counts *counts, struct finding_list *findings, const char *masks)
{
	if (!counts->visible.known || counts->visible.value == counts->kfd.value)
		return;
	if (masks[0])
		finding_add(findings, "visible-fewer", FINDING_WARNING, "",
			"check that the mask names what the job was given; a mask is not access control",
			"%llu of %llu GPUs are visible to HIP here, on %zu of %zu modules: %s",
			(unsigned long long)counts->visible.value, (unsigned long long)counts->kfd.value,
			modules_with_visible(node, modules), modules->count, masks);
	else
		finding_add(findings, "hip-count-differs", FINDING_FAULT, "",
			"check access to /dev/kfd and the render nodes, and the runtime's version",
			"KFD has %llu GPUs and HIP enumerates %llu of them, on %zu of %zu modules, though no "
			"variable hides any",
			(unsigned long long)counts->kfd.value, (unsigned long long)counts->visible.value,
			modules_with_visible(node, modules), modules->count);
}

static void say_hip_only(const struct node *node, const struct counts *counts,
	struct finding_list *findings)
{
	struct names names = { STR_INIT, 0 };
	char label[NODE_GFX];
	size_t i;

	for (i = 0; counts->kfd.known && i < node->gpu_count; i++)
		if (node->gpus[i].in_kfd == KNOWN_NO && node->gpus[i].in_hip == KNOWN_YES) {
			gpu_label(&node->gpus[i], label);
			add_name(&names, label);
		}
	if (names.count)
		finding_add(findings, "hip-only", FINDING_FAULT, "",
			"the runtime and the kernel driver disagree: compare both with lspci",
			"HIP enumerates %llu devices, and %zu of them are none of KFD's %llu: %s",
			(unsigned long long)counts->hip.value, names.count,
			(unsigned long long)counts->kfd.value, names.text.data);
	str_release(&names.text);
}

static void say_openable(const struct node *node, const struct counts *counts,
	struct finding_list *findings)
{
	const char *why = node->kfd_openable == KNOWN_NO ? node->kfd_open_why : "";
	size_t i;

	if (!counts->openable.known || counts->openable.value == counts->kfd.value)
		return;
	for (i = 0; !why[0] && i < node->gpu_count; i++)
		if (node->gpus[i].openable == KNOWN_NO)
			why = node->gpus[i].open_why;
	finding_add(findings, "openable-fewer", FINDING_WARNING, "",
		"a device cgroup or permissions decide this; ask the scheduler for the devices, or see the groups of the files",
		"%llu GPUs are present and %llu can be opened here: %s",
		(unsigned long long)counts->kfd.value, (unsigned long long)counts->openable.value, why);
}

void counts_findings(const struct node *node, const struct module_list *modules,
	const struct counts *counts, struct finding_list *findings)
{
	struct str masks = STR_INIT;
	size_t mask_count = masks_text(&masks), i;

	str_add(&masks, "");
	say_not_in_kfd(node, counts, findings);
	say_absent(node, findings, "gpu-not-in-pci", "PCI", offsetof(struct gpu, in_pci), counts->pci);
	say_absent(node, findings, "gpu-not-in-drm", "DRM", offsetof(struct gpu, in_drm), counts->drm);
	for (i = 0; i < node->gpu_count; i++)
		say_gpu(node, &node->gpus[i], findings);
	say_ip_targets(node, findings);
	say_masks(findings, masks.data ? masks.data : "", mask_count);
	say_visible(node, modules, counts, findings, masks.data ? masks.data : "");
	say_hip_only(node, counts, findings);
	say_openable(node, counts, findings);
	str_release(&masks);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *masks_json(void)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; counts_masks[i]; i++) {
		const char *value = getenv(counts_masks[i]);

		if (value)
			json_array_append_new(array,
				json_pack("{s:s, s:o}", "name", counts_masks[i], "value",
					json_printable_text(value)));
	}
	return array;
}

json_t *counts_json(const struct node *node, const struct counts *counts)
{
	const char *class = node_class(node);
	const char *kfd_why = node->kfd_why[0] ? node->kfd_why : "KFD's topology could not be read";
	const char *hip_why = node->hip_why[0] ? node->hip_why : "HIP was not asked";
	const struct {
		const char *key;
		struct known_u64 value;
		const char *from, *why;
	} rows[] = {
		{ "kfd", counts->kfd, "kfd", kfd_why },
		{ "pci", counts->pci, "pci", "sys/bus/pci/devices could not be listed" },
		{ "drm", counts->drm, "drm", "sys/class/drm could not be listed" },
		{ "hip", counts->hip, "hip", hip_why },
		{ "visible", counts->visible, "hip", counts->hip.known ? kfd_why : hip_why },
		{ "openable", counts->openable, "open",
			node->simulated ? "a replayed node has no device to open"
					: "not every device could be tried" },
		{ "cycles", { false, 0 }, "", "Blender was not asked: oamqual qualify does" },
		{ "scheduler", { false, 0 }, "", "no inventory was read: oamqual reconcile does" },
	};
	json_t *json = json_object();
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		json_object_set_new(json, rows[i].key,
			fact_u64(rows[i].value, class, rows[i].from, rows[i].why));
	json_object_set_new(json, "masks", masks_json());
	return json;
}
