/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that adds bytes to digests while the caller decompresses the next ones. Bounded: the
 * caller waits when it is too far ahead. */
#ifndef SCENE_DIGEST_LANE_H
#define SCENE_DIGEST_LANE_H

#include <stddef.h>

#include "base/digest.h"

struct digest_lane;

/* NULL when there is no thread to be had; the caller then adds for itself. */
struct digest_lane *digest_lane_start(void);

/* Copies the bytes and sees to it that they are added, in order. Until digest_lane_wait() the
 * digest belongs to the lane. */
void digest_lane_add(
	struct digest_lane *lane, struct digest *digest, const void *bytes, size_t len);

/* All bytes are added. NULL is fine. */
void digest_lane_wait(struct digest_lane *lane);

/* Waits and frees. NULL is fine. */
void digest_lane_stop(struct digest_lane *lane);

#endif
