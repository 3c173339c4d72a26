/* SPDX-License-Identifier: Apache-2.0 */
/* The shares of one frame, merged and held against the picture of one GCD alone and against the
 * scene's references. */
#ifndef DISTRIBUTED_FRAME_H
#define DISTRIBUTED_FRAME_H

#include <jansson.h>

#include "blender/reference_set.h"
#include "distributed/rank.h"
#include "node/finding.h"

/* All borrowed. */
struct frame_parts {
	const struct rank *ranks;
	const struct image *images; /* one a rank; without pixels: its picture is not there */
	size_t count; /* at least 1 */
	unsigned total; /* samples of the frame */
	const struct reference_set *references;
	const char *whole; /* file: the same frame rendered by one GCD alone */
};

/* Writes the merged picture to `path` and gives {"sha256", "whole": {"same_noise", "comparison",
 * "sums"}, "match"}, the caller's to complete; JSON null when it cannot be merged. Adds what is
 * wrong:
 *   not-merged              a share is not there, or they are no parts of one picture
 *   merged-differs          it is not the picture of one GCD
 *   merged-no-reference     it is not the references'
 *   other-noise, sums-differ (notes)
 * A new reference; NULL with an error when a file cannot be read or written. */
json_t *frame_merge(const struct frame_parts *parts, const char *path,
	struct finding_list *findings, struct error *err);

/* "accepted", "inconclusive" or "failed", by the heaviest finding. Static. */
const char *frame_outcome(const struct finding_list *findings);

/* The first of the heaviest findings as text; JSON null when there are only notes. */
json_t *frame_why_json(const struct finding_list *findings);

#endif
