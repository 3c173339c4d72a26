/* SPDX-License-Identifier: Apache-2.0 */
/* How many GPUs each source knows, side by side: present (KFD, PCI, DRM), visible here (HIP under this environment's
 * masks), openable here (by opening). They are three things, and a disagreement is a finding with both numbers. */
#ifndef NODE_COUNTS_H
#define NODE_COUNTS_H

#include <jansson.h>

#include "node/finding.h"
#include "node/module.h"
#include "node/node.h"

struct counts {
	struct known_u64 kfd;      /* GPU nodes of the topology that could be read */
	struct known_u64 pci;      /* devices of AMD's, display or accelerator, held by amdgpu: cards, not partitions */
	struct known_u64 drm;      /* render nodes of such devices and of their partitions */
	struct known_u64 hip;      /* devices that HIP enumerates in this environment */
	struct known_u64 visible;  /* KFD's GPUs among them */
	struct known_u64 openable; /* KFD's GPUs whose render node and /dev/kfd opened here */
};

/* Opens the render node of each GPU of a live node, read-write, and closes it again. Below the root, so that a test can
 * give another; a replayed node is left unknown. */
void counts_try_open(struct node *node);

void counts_take(const struct node *node, struct counts *out);

/* Adds what disagrees, with both numbers. `modules` tells how many of them the visible GPUs lie in. */
void counts_findings(const struct node *node, const struct module_list *modules,
	const struct counts *counts, struct finding_list *findings);

/* A new reference: {kfd, pci, drm, hip, visible, openable, cycles, scheduler}, each a fact, and masks: [{name, value}], the
 * variables of this environment that hide devices from HIP. */
json_t *counts_json(const struct node *node, const struct counts *counts);

/* The variables that hide devices from the HIP runtime, in the order in which they apply; ends with NULL. */
extern const char *const counts_masks[];

#endif
