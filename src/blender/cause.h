/* SPDX-License-Identifier: Apache-2.0 */
/* Why a judged attempt came to its verdict: a chain of causes from the root to the fact that
 * decided, each with its evidence and who says so. What could explain and is not proven is a
 * candidate, never a cause. Pure: no I/O. */
#ifndef BLENDER_CAUSE_H
#define BLENDER_CAUSE_H

#include "blender/attempt.h"
#include "blender/prediction.h"
#include "blender/surroundings.h"
#include "verdict/cause.h"

enum { CAUSE_EVIDENCE = 600, CAUSE_CHAIN_MAX = 6, CAUSE_CANDIDATES_MAX = 8 };

struct cause {
	enum cause_id id;
	const char
		*source; /* "log", "worker", "kfd", "hip", "process", "image", "environment" ... */
	const char *class; /* "observed" or "simulated"; "inferred": all else was seen not to be it;
			      "predicted": the table of versions says so */
	char evidence[CAUSE_EVIDENCE];
};

struct causes {
	struct cause chain[CAUSE_CHAIN_MAX]; /* the root first */
	size_t chain_count; /* 0 when accepted */
	struct cause candidates[CAUSE_CANDIDATES_MAX];
	size_t candidate_count;
	enum remedy_id remedy; /* of the root */
};

/* `prediction` may be NULL: the target is not known. */
void causes_of(const struct attempt *attempt, const struct prediction *prediction,
	const struct surroundings *around, struct causes *out);

/* Does this value of ROCR_VISIBLE_DEVICES hide the GPU? `index` is its place in KFD's order. */
enum known cause_rocr_hides(const char *mask, const struct gpu *gpu, size_t index);

/* Adds "prediction", "causes" and "remedy" to an attempt's JSON. */
void attempt_add_causes(json_t *json, const struct attempt *attempt);

#endif
