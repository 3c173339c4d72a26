/* SPDX-License-Identifier: Apache-2.0 */
/* KFD's part of sysfs:
 * /sys/class/kfd/kfd/topology/nodes/<n>/{properties,gpu_id,mem_banks/<i>/properties}. */
#ifndef NODE_KFD_H
#define NODE_KFD_H

#include "node/node.h"

#define KFD_NODES "sys/class/kfd/kfd/topology/nodes"

/* What a properties file says: `key value` lines, decimal. Missing, malformed or given twice with
 * different values is unknown. */
struct kfd_properties {
	struct known_u64 simd_count, simd_per_cu, gfx_target_version, vendor_id, device_id,
		location_id;
	struct known_u64 domain, drm_render_minor, num_xcc, unique_id, mem_banks_count;
};

void kfd_properties_parse(const char *text, size_t len, struct kfd_properties *out);

/* Bytes of a memory bank that is VRAM; false: it is another kind. -1 when size or kind is unknown.
 */
int kfd_bank_parse(const char *text, size_t len, bool *vram, uint64_t *bytes);

/* Fills the identity fields of `gpu` from the properties. */
void kfd_properties_enter(const struct kfd_properties *properties, struct gpu *gpu);

/* Reads the topology below node->root_fd into node->gpus; never fails, the node says what could not
 * be read. */
void kfd_read(struct node *node);

#endif
