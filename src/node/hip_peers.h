/* SPDX-License-Identifier: Apache-2.0 */
/* Peer access and peer copies between the devices that HIP enumerates here. Only ever called in a
 * child of the program (`oamqual hip-peers`): a copy can hang, so what was found of each pair is
 * printed before the next one is begun. */
#ifndef NODE_HIP_PEERS_H
#define NODE_HIP_PEERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct hip_peers_request {
	const char *library; /* NULL: the usual names */
	const char *const *gcds; /* PCI addresses; only pairs of these */
	size_t gcd_count;
	size_t first; /* the number of the pair to begin with: ordered pairs, in the order of gcds
		       */
	uint64_t bytes; /* of each copy; a multiple of 8 */
	unsigned repeats; /* of the copy that is timed, at least 1 */
};

/* Prints one JSON object a line, each complete before what it is about is begun or after it ended:
 *   {"state": "missing" | "unusable" | "no-device" | "ready", "why", "library"}     first of all
 *   {"begin": N, "from": BDF, "to": BDF}                                            before pair N
 *   {"pair": N, "from", "to", "can_access": bool|null, "enabled": bool, "enable_code": code|null,
 *    "right": bool|null, "bad": null|{offset, wrote, read, words}, "stopped": null|text,
 *    "bytes", "repeats", "seconds": null|number}                                    after it
 *   {"done": true}                                                                  last of all
 * `right`: the copy was read back from the other device and is what was written; the target held
 * other bytes before. `stopped` names the call that failed. `seconds` is of all repeats. A GCD that
 * HIP does not enumerate makes its pairs stop. */
void hip_peers_print(const struct hip_peers_request *request, FILE *to);

#endif
