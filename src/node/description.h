/* SPDX-License-Identifier: Apache-2.0 */
/* node.json, "oamqual-node/1": what the stand-in runtime of a replayed node says and which faults
 * it plays.
 *
 *   schema       "oamqual-node/1"
 *   name         text
 *   derived      true when no machine was recorded: the tree was made from published facts
 *   provenance   where it comes from
 *   hip          {sonames: [5, 6, 7], driver_version, runtime_version, devices: [{bdf, unique_id
 * "0x...", gcn_arch, name, total_bytes, free_bytes[, multiprocessors, clock_khz, memory_clock_khz,
 *                memory_bus_bits, l2_bytes]}]}; without sonames no library is found
 *   faults       [{device: "0000:c1:00.0" | "*", fault: word of node/sim_abi.h[, after: n]}]
 *   tools        {hipcc: "hidden" | "inherit" | absolute path}
 *   playback     folder of pictures, relative to the node's folder
 *
 * Read strictly: an unknown key, a wrong type or a value out of range is an error that names file,
 * key and reason. */
#ifndef NODE_DESCRIPTION_H
#define NODE_DESCRIPTION_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

/* 0, or -1 with an error that begins with `path`. */
int description_check(const char *path, const json_t *description, struct error *err);

/* "0000:c1:00.0", lower-case hex: domain of 4 to 8 digits. */
bool description_is_bdf(const char *text);

#endif
