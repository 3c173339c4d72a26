/* SPDX-License-Identifier: Apache-2.0 */
/* The system envelope: what surrounds the GPUs. What cannot be read is unknown, with why. */
#ifndef NODE_SYSTEM_H
#define NODE_SYSTEM_H

#include <jansson.h>

#include "node/node.h"

/* A new reference: kernel, os, cpu, memory, numa, amdgpu_driver, rocm_release, rocm_library,
 * enclosure, chassis_type, container, cgroup, cooling ... each a fact; access (node/access.h) and
 * health (node/health.h). Of a replayed node only what its tree holds. */
json_t *system_json(const struct node *node);

/* A new reference: kernel, os, cpu, logical CPUs of the machine that runs the tool, for a replayed
 * node. */
json_t *system_host_json(void);

#endif
