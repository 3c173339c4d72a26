/* SPDX-License-Identifier: Apache-2.0 */
/* sim.conf: what the stand-in runtime plays. The environment variable OAMQUAL_SIM names the file;
 * without it the stand-in is a runtime on a machine without devices.
 *
 * One `key value` a line; the value is the rest of the line. An unknown key or a value out of range
 * is an error (reported on stderr; hipInit then returns 999), so that a fault that is misspelt is
 * never a silent pass.
 *
 *   driver_version N           what hipDriverGetVersion says
 *   runtime_version N          what hipRuntimeGetVersion says
 *   state FOLDER               where counters and KFD process entries are written; absent: nowhere
 *   playback FOLDER            pictures to deliver, <width>x<height>x<floats per pixel>.raw, or of a
 *                              share of the samples ...x<floats per pixel>@<first>-<count>.raw; absent: zeros
 *   fault BDF|* NAME [AFTER]   plays NAME (src/node/sim_abi.h) from the chance after
 * AFTER on device BDF                 begins a device, 0000:c1:00.0; the keys below belong to it
 *   unique_id HEX              16 hex digits
 *   gpu_id N                   KFD's number of it
 *   kfd_node N                 its folder below topology/nodes
 *   gcn_arch ARCH              gfx90a:sramecc+:xnack-
 *   name TEXT                  marketing name
 *   total_bytes N, free_bytes N
 *   multiprocessors N          compute units
 *   clock_khz N, memory_clock_khz N, memory_bus_bits N, l2_bytes N
 */
#ifndef SIMHIP_CONFIG_H
#define SIMHIP_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "node/sim_abi.h"

struct sim_device_config {
	char bdf[SIM_BDF];
	unsigned int domain, bus, slot, function;
	char unique_id[17];
	uint64_t gpu_id, kfd_node;
	char gcn_arch[256];
	char name[256];
	uint64_t total_bytes, free_bytes;
	uint64_t multiprocessors, clock_khz, memory_clock_khz, memory_bus_bits, l2_bytes;
	bool fault[SIM_FAULT_COUNT];
	uint64_t fault_after[SIM_FAULT_COUNT];
};

struct sim_config {
	uint64_t driver_version, runtime_version;
	char state[4096], playback[4096];
	struct sim_device_config devices[SIM_MAX_DEVICES];
	unsigned int device_count;
	/* Faults of `*`: those that concern the runtime as a whole are asked of here. */
	bool fault[SIM_FAULT_COUNT];
};

/* 0, or -1 after a line on stderr. */
int sim_config_read(const char *path, struct sim_config *out);

#endif
