/* SPDX-License-Identifier: Apache-2.0 */
/* The power of a GCD's module while an attempt runs: hwmon's reading, taken every half second. A
 * module has one meter, on one of its dies (node/health.h), so the reading is of all its dies. */
#ifndef BLENDER_POWER_H
#define BLENDER_POWER_H

#include <jansson.h>
#include <stdint.h>

#include "node/node.h"

enum { POWER_DIES = 8 };

struct power {
	const struct gpu *dies[POWER_DIES]; /* of the module, the attempt's own first; borrowed */
	size_t die_count;
	int64_t next_ms; /* CLOCK_MONOTONIC */
	double watts; /* the sum of all samples */
	size_t samples;
	char meter[NODE_BDF]; /* the die that has it; "" none so far */
	char why[200]; /* of no sample */
};

/* Which dies to ask. `node` and its GPUs must outlive it. */
void power_begin(struct power *power, const struct node *node, const struct gpu *gpu);

/* Takes a sample when it is time for one. */
void power_sample(struct power *power, const struct node *node);

/* A new reference: the mean of the samples in W as a fact, or unknown. */
json_t *power_json(const struct power *power, const char *class);

#endif
