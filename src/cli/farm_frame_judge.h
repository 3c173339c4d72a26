/* SPDX-License-Identifier: Apache-2.0 */
/* One scene's frame over several nodes, once their ranks have ended: the rank map by the ranks' own
 * evidence, the merged picture, what is found. */
#ifndef CLI_FARM_FRAME_JUDGE_H
#define CLI_FARM_FRAME_JUDGE_H

#include "cli/farm.h"

/* What is merged beside what. All borrowed. */
struct frame_view {
	const char *run; /* folder of the farm run */
	const struct farm_run *jobs; /* of the frame: its nodes with what they left */
	const json_t *const *records; /* of the same nodes, in the same order */
	const char *expected; /* folder of references; NULL: none */
};

/* The case of `planned`, one of the plan's (farm/frame_plan.h): {scene, samples, seed, outcome,
 * why, ranks, merged, findings}. A new reference. */
json_t *frame_judge(const struct frame_view *view, const json_t *planned);

/* The attempt of the record by the strict probe, alone, that was accepted; NULL. Borrowed. */
const json_t *frame_accepted_alone(const json_t *record, const char *scene, const char *bdf);

/* The record's scene of that name, or NULL. Borrowed. */
const json_t *frame_scene(const json_t *record, const char *name);

#endif
