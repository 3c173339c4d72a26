/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of core numbers: "48-63,176-191". */
#ifndef INVENTORY_CORES_H
#define INVENTORY_CORES_H

#include "base/known.h"

/* The highest number; unknown when the list is empty or malformed, or a number is 2^20 or more. */
struct known_u64 cores_highest(const char *list);

/* The cores of these threads, as ranges. Of a machine with `cores` cores thread n is of core n
 * modulo `cores`, or, where the threads of a core are adjacent, of core n / 2. NULL when malformed
 * or a thread is of no core. The caller frees. */
char *cores_from_threads(const char *list, uint64_t cores, bool adjacent);

#endif
