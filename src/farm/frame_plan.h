/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a frame over several nodes, "oamqual-farm-frame/1": which GCD of which node renders
 * which samples. It is made of the nodes' records and read by each node's job.
 *
 *   {"schema", "manifest_sha256", "cases": [{"scene", "samples", "seed",
 *     "ranks": [{"rank", "node", "bdf", "first", "count"}]}]} */
#ifndef FARM_FRAME_PLAN_H
#define FARM_FRAME_PLAN_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

extern const char frame_plan_schema[]; /* "oamqual-farm-frame/1" */
extern const char frame_ranks_schema[]; /* "oamqual-farm-ranks/1", what a node leaves */

enum { PLAN_NODE = 256, PLAN_BDF = 24 };

struct plan_rank {
	unsigned number, first, count;
	char node[PLAN_NODE], bdf[PLAN_BDF];
};

/* Reads it; its bytes must have the digest `sha256`. A new reference, or NULL with an error. */
json_t *frame_plan_read(const char *path, const char *sha256, struct error *err);

/* The ranks of a case that are of `node` (NULL: all). What is no rank is passed over. Their number;
 * *ranks is the caller's to free, *total the frame's samples. */
size_t plan_ranks(const json_t *one, const char *node, unsigned *total, struct plan_rank **ranks);

/* Which GCDs take part: available[i] of node i, `most` altogether at most. A round gives each node
 * one more, so that as many nodes as can take part do. taken[i] becomes the number of node i; their
 * sum is the result. */
size_t plan_take(const size_t *available, size_t nodes, size_t most, size_t *taken);

#endif
