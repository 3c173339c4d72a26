/* SPDX-License-Identifier: Apache-2.0 */
/* Do the ranks, by their own evidence, make one frame: each sample once, each rank on a GCD of its
 * own? */
#ifndef DISTRIBUTED_RANK_MAP_H
#define DISTRIBUTED_RANK_MAP_H

#include "distributed/rank.h"
#include "node/finding.h"

/* Adds what is wrong (FINDING_FAULT) and what is not proven (FINDING_WARNING):
 *   rank-lost, rank-inconclusive    it did not render, or is not known to have
 *   range-unproven                  nothing says which samples it rendered
 *   range-differs, seed-differs     it rendered others than it was given
 *   samples-disagree                Blender, Cycles' log and the picture count differently
 *   adaptive-sampling               it may have stopped early
 *   range-twice, range-missing      two ranks rendered a sample; none did
 *   gcd-twice                       two ranks worked on one GCD
 *   picture-twice                   two shares are the same picture to the bit
 *   pid-differs                     another process than the one that was started left the report
 *
 * The subject is the rank's label. */
void rank_map_judge(
	const struct rank *ranks, size_t count, unsigned total, struct finding_list *findings);

/* Did all work at some moment at the same time? */
bool rank_map_overlaps(const struct rank *ranks, size_t count);

#endif
