/* SPDX-License-Identifier: Apache-2.0 */
/* From what an attempt left behind to facts: each witness (our own probes, Cycles' log, the worker
 * inside Blender, KFD's process entry, the stand-in's counters, how the child ended, the pixels) is
 * heard on what it saw itself, and what none saw stays unknown. */
#ifndef BLENDER_WITNESS_H
#define BLENDER_WITNESS_H

#include "blender/attempt.h"

/* What was known before Blender ran: scene, KFD, HIP. */
void witness_node(const struct attempt *attempt, struct facts *facts);

/* That it was written by this run, is sound and within its limits; reads it. */
void witness_picture(struct attempt *attempt, struct facts *facts);

/* What the stand-in runtime of a replayed node counted for this attempt; false when there is none.
 */
bool witness_counters(const struct attempt *attempt, struct replay_counters *counters);

/* Everything. Also reads the image and fills check and match of the attempt. */
void witness_all(struct attempt *attempt, struct facts *facts);

#endif
