/* SPDX-License-Identifier: Apache-2.0 */
/* What a replayed node and its stand-in runtime agree on: the names of the faults and the counters
 * file. Types only. */
#ifndef NODE_SIM_ABI_H
#define NODE_SIM_ABI_H

#include <stdint.h>

/* Exported by the stand-in: a library that has it is no runtime of a real node. */
#define SIM_MARKER "oamqual_stand_in"

/* X(name, word, what it plays). `after N` lets the first N chances pass: loads, launches,
 * allocations ... */
#define SIM_FAULTS(X)                                                                              \
	X(INIT_CRASH, "init-crash", "segmentation fault inside hipInit")                           \
	X(INIT_HANG, "init-hang", "hipInit never returns")                                         \
	X(INIT_ERROR, "init-error", "hipInit returns 999")                                         \
	X(NO_DEVICE, "no-device", "the device is not enumerated; for *: hipInit 101, count 100")   \
	X(LOAD_ERROR, "load-error", "hipModuleLoad* returns 209, no binary for this GPU")          \
	X(LAUNCH_ERROR, "launch-error", "launches and every later call return 719")                \
	X(LAUNCH_HANG, "launch-hang", "a launch never returns")                                    \
	X(LAUNCH_CRASH, "launch-crash", "memory access fault: a line on stderr and abort()")       \
	X(OUT_OF_MEMORY, "out-of-memory", "64 MiB of the device are free, no pinned host memory")  \
	X(WRONG_TILE, "wrong-tile", "a 16x16 tile of a picture is off")                            \
	X(LOST_WAVEFRONT, "lost-wavefront", "64 pixels of the baseline are never written")         \
	X(FLIPPED_BIT, "flipped-bit", "one bit of one float of the baseline is another")           \
	X(LAST_BIT, "last-bit", "the last bit of one float of the baseline is another")            \
	X(NAN_PIXEL, "nan-pixel", "one pixel of a played-back picture is not a number")            \
	X(BAD_MEMORY, "bad-memory", "a bit at 8195 bytes into an allocation reads back flipped")   \
	X(PEER_NO_ACCESS, "peer-no-access", "no other device may access it")                       \
	X(PEER_WRONG, "peer-wrong", "a bit of what another device copies into it arrives flipped") \
	X(PEER_HANG, "peer-hang", "a copy into it from another device never returns")              \
	X(DEVICE_LOST, "device-lost", "from a launch on, every call on the device returns 100")

enum sim_fault {
#define SIM_FAULT_NAME(name, word, what) SIM_##name,
	SIM_FAULTS(SIM_FAULT_NAME)
#undef SIM_FAULT_NAME
		SIM_FAULT_COUNT
};

/* state/<pid>.counters: this header, then `devices` rows, in the host's byte order. The stand-in
 * maps the file, so that the counts outlive the process however it ends. */
#define SIM_COUNTERS_MAGIC "OAMSIM1"

enum { SIM_MAX_DEVICES = 64, SIM_BDF = 24 };

struct sim_counters_head {
	char magic[8];
	uint32_t devices;
	uint32_t row_bytes;
};

struct sim_counters_row {
	char bdf[SIM_BDF];
	uint64_t launches, allocations, modules, errors, vram_peak;
	uint64_t first_sample, end_sample; /* of the camera rays that were asked for; end 0: none */
};

#endif
