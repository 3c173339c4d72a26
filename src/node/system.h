/* SPDX-License-Identifier: Apache-2.0 */
/* The system envelope: what surrounds the GPUs. What cannot be read is unknown, with why. */
#ifndef NODE_SYSTEM_H
#define NODE_SYSTEM_H

#include <jansson.h>

#include "node/node.h"

/* A new reference: kernel, os, cpu, memory, amdgpu_driver, rocm_release, container, enclosure, chassis, cooling ...
 * each a fact. Of a replayed node only what its tree holds. */
json_t *system_json(const struct node *node);

/* A new reference: kernel, os, cpu, logical CPUs of the machine that runs the tool, for a replayed node. */
json_t *system_host_json(void);

#endif
