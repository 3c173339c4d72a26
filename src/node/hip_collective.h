/* SPDX-License-Identifier: Apache-2.0 */
/* One sum over all devices by RCCL (librccl, loaded when it is there, never linked). Only ever
 * called in a child of the program (`oamqual hip-collective`): a collective can hang. */
#ifndef NODE_HIP_COLLECTIVE_H
#define NODE_HIP_COLLECTIVE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct hip_collective_request {
	const char *hip_library, *rccl_library; /* NULL: the usual names */
	const char *const *gcds; /* PCI addresses of all that take part */
	size_t gcd_count;
	uint64_t bytes; /* of each device's part; a multiple of 4 */
	unsigned repeats; /* of the sum that is timed, at least 1 */
};

/* Never fails; a new reference of "schema": "oamqual-hip-collective/1" with
 *   state     "missing" (no HIP) | "no-rccl" | "unusable" | "no-device" | "done", why
 *   library   path of librccl, version as it encodes it (major * 10000 + minor * 100 + patch)
 *   right     null, or whether every element on every device is the sum of all devices'
 *   bad       null, or {gcd, element, want, got, elements}
 *   stopped   null, or the call that failed
 *   bytes, repeats, seconds    seconds of all repeats, null when none was timed
 * ncclAllReduce, float, sum, in one group call. The values are small integers, so the sum is exact
 * in any order. */
json_t *hip_collective_json(const struct hip_collective_request *request);

#endif
