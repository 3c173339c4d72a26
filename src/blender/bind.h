/* SPDX-License-Identifier: Apache-2.0 */
/* On which CPUs an attempt runs: those near to its GPU, on a live node. */
#ifndef BLENDER_BIND_H
#define BLENDER_BIND_H

#include "blender/attempt.h"

/* Before the start: the CPUs to bind the child to, or NULL with the reason kept in the attempt. */
const struct cpus *attempt_bind(struct attempt *attempt);

/* Once the child has begun: what the kernel says of it. */
void attempt_bound(struct attempt *attempt);

/* A new reference: {numa_node, cpus}, each a fact. */
json_t *attempt_affinity_json(const struct attempt *attempt);

#endif
