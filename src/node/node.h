/* SPDX-License-Identifier: Apache-2.0 */
/* The node: its GPU domains (GCDs) as KFD sysfs and HIP report them, each field known or unknown.
 *
 * A node is live (root "/") or replayed (`--node DIR`: DIR/sys/... and, when it is there,
 * DIR/node.json with what the stand-in runtime is to say). The code is the same; only the root
 * differs, and a replayed node is marked simulated. Devices are joined by domain:BDF and unique_id
 * only, never by position or by KFD's gpu_id, which is an index. */
#ifndef NODE_NODE_H
#define NODE_NODE_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "base/known.h"

enum { NODE_BDF = 24, NODE_LOCATION = 12, NODE_GFX = 64, NODE_NAME = 256, NODE_WHY = 160 };

struct gpu {
	/* identity */
	char bdf[NODE_BDF]; /* "0000:c1:00.0", lower case; "" unknown */
	char location[NODE_LOCATION]; /* "c1:00.0" as KFD tells it, also when the domain is unknown; "" unknown */
	struct known_u64 unique_id;
	char gfx_target[NODE_GFX]; /* "gfx90a"; "" unknown; from KFD, else from HIP without
				      ":features" */
	struct known_u64 pci_device_id, pci_vendor_id;

	/* KFD sysfs */
	enum known in_kfd;
	struct known_u64 kfd_node; /* folder number under topology/nodes */
	struct known_u64
		kfd_gpu_id; /* changes between boots: to find its files, not to identify it */
	struct known_u64 simd_count, simd_per_cu, drm_render_minor, num_xcc;
	struct known_u64 vram_total; /* bytes, sum of the VRAM banks of mem_banks */

	/* PCI and DRM sysfs. A partition of a card has the address of the card's own function. */
	enum known in_pci, in_drm;
	struct known_u64 pci_subsystem_vendor_id, pci_subsystem_device_id;
	struct known_u64 numa_node;
	const char *numa_from; /* "pci" or "kfd"; static */
	struct known_u64 sysfs_vram_total, sysfs_vram_used; /* bytes; unknown for a partition: they are the card's */
	char ip_target[NODE_GFX]; /* "gfx943" as IP discovery calls it; "" unknown */
	char render_node[NODE_NAME]; /* "/dev/dri/renderD128"; "" unknown */
	enum known openable; /* the render node opens here, tried; unknown on a replayed node */
	char open_why[NODE_WHY];

	/* HIP */
	enum known in_hip;
	struct known_u64 hip_index; /* in the probe's own environment */
	char hip_name[NODE_NAME]; /* "" unknown */
	char hip_gcn_arch[NODE_GFX]; /* "gfx90a:sramecc+:xnack-"; "" unknown */
	struct known_u64 hip_total, hip_free; /* bytes */
};

/* A PCI device of AMD's, or one whose vendor could not be read. */
struct pci_device {
	char bdf[NODE_BDF];
	struct known_u64 vendor, device, subsystem_vendor, subsystem_device, class, unique_id;
	struct known_u64 numa_node, vram_total, vram_used; /* numa_node -1 is unknown */
	char ip_target[NODE_GFX];
	bool driver_known;
	char driver[NODE_GFX]; /* "amdgpu"; "" none */
};

/* A render node: sys/class/drm/renderD<minor>. */
struct drm_node {
	unsigned long long minor;
	char bdf[NODE_BDF]; /* "": its device is no PCI device, or is not told */
	char device[NODE_GFX]; /* "amdgpu_xcp_1"; "" unknown */
	struct known_u64 vendor;
};

/* How far the HIP runtime let itself be asked. */
enum hip_state {
	HIP_NOT_ASKED,
	HIP_MISSING, /* no library could be loaded */
	HIP_UNUSABLE, /* loaded, but a symbol is missing or a call failed otherwise */
	HIP_NO_DEVICE, /* hipInit 100/101 or count 0: its own state */
	HIP_ANSWERED,
	HIP_CRASHED, /* the probe child died by a signal inside the runtime */
	HIP_HUNG /* the probe child was killed at its deadline */
};

struct node {
	char *name; /* of node.json, else the host name */
	bool simulated;
	char *folder; /* of a replayed node, else NULL */
	int root_fd; /* "/" or the folder */
	json_t *description; /* node.json, or NULL */

	enum known kfd_readable; /* topology/nodes could be listed */
	char kfd_why[300]; /* when not */
	enum known kfd_openable; /* /dev/kfd opens read-write here; unknown on a replayed node */
	char kfd_open_why[300];
	size_t kfd_hidden_count; /* topology nodes whose properties could not be read */
	uint64_t *kfd_cpus; /* folder numbers of the nodes that are no GPU */
	size_t kfd_cpu_count;

	enum known pci_readable, drm_readable; /* sys/bus/pci/devices, sys/class/drm could be listed */
	struct pci_device *pci;
	size_t pci_count;
	struct drm_node *drm;
	size_t drm_count;

	enum hip_state hip_state;
	char hip_why[600]; /* the failing call and code, or the loader's message */
	char hip_library[600]; /* path that was loaded; "" none */
	struct known_i64 hip_driver_version, hip_runtime_version; /* as HIP encodes them */

	struct gpu *gpus; /* KFD order, then devices that only HIP knows */
	size_t gpu_count;
};

/* Reads sysfs and node.json below `folder` (NULL: this machine). A missing KFD tree is a fact, not
 * an error. -1 when the folder or its node.json cannot be used, *out untouched. */
int node_read(const char *folder, struct node *out, struct error *err);

void node_release(struct node *node);

/* Enters what the probe child printed (`text`, untrusted JSON of hip_probe_json()). -1 when it is
 * not such a document; the node is then unchanged but for hip_state = HIP_UNUSABLE and hip_why. */
int node_merge_hip(struct node *node, const char *text, size_t len, struct error *err);

/* Enters that the probe child did not answer: crashed or hung. */
void node_hip_failed(struct node *node, enum hip_state state, const char *why);

/* "missing", "no-device", ... Static. */
const char *hip_state_name(enum hip_state state);

/* Finds by "0000:c1:00.0", by KFD-order index "3", or by unique id in any notation of
 * node/identity.h. NULL when there is none. */
const struct gpu *node_find(const struct node *node, const char *what);

/* The name of a GPU in texts and in modules: its address, else "?:c1:00.0" without the domain, else "kfd-node-5" or
 * "hip-device-2". */
void gpu_label(const struct gpu *gpu, char label[NODE_GFX]);

/* "observed" or "simulated": the class of every fact read from it. */
const char *node_class(const struct node *node);

/* A new reference: name, source, kfd, hip and gpus[], every value a fact of base/json.h. */
json_t *node_json(const struct node *node);

/* A new reference: the GPUs as in node_json() with what PCI and DRM sysfs and the opening say of each. */
json_t *node_gcds_json(const struct node *node);

#endif
