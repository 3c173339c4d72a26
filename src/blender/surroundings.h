/* SPDX-License-Identifier: Apache-2.0 */
/* What lies around an attempt and can explain its verdict: variables that hide devices, HIP
 * libraries that are installed, the hipcc in reach, a crash report that it left. */
#ifndef BLENDER_SURROUNDINGS_H
#define BLENDER_SURROUNDINGS_H

#include "blender/attempt.h"

enum { SURROUNDINGS_MASKS = 4 };

struct surroundings {
	const char *masks[SURROUNDINGS_MASKS]; /* values of counts_masks[] in our environment; NULL
						  unset. Borrowed */
	char libraries[400]; /* libamdhip64 files that were found, space between them; "" none */
	char looked[300]; /* in which folders */
	const char *hipcc; /* as prediction_input has it. Borrowed from the run's compiler */
	char crash_report[200]; /* beside the attempt's other temporary files; "" none */
};

void surroundings_read(const struct attempt *attempt, struct surroundings *out);

#endif
