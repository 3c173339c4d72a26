/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the stand-in runtime. Devices seen by the caller are a filtered, re-based list
 * (`visible`) over those of sim.conf. All of it is behind one lock; what is slow, copies and the
 * project's own kernels, runs outside of it. */
#ifndef SIMHIP_SIM_H
#define SIMHIP_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/hip_abi.h"
#include "simhip/config.h"

struct sim_device {
	const struct sim_device_config *config;
	unsigned int row; /* in sim.conf's order: of counters */
	uint64_t used_bytes;
	uint64_t chances[SIM_FAULT_COUNT];
	bool failed; /* after launch-error: every later call says so */
	bool lost;
	uint64_t peers; /* visible devices that it may access: a bit each */
};

struct sim {
	bool initialised;
	int init_result; /* enum hip_error */
	struct sim_config config;
	struct sim_device devices[SIM_MAX_DEVICES]; /* as the caller sees them */
	int device_count;
};

/* Reads sim.conf once and applies the visibility variables; the process's hipInit. enum hip_error.
 */
int sim_start(void);

/* The visible device `index`, or NULL. */
struct sim_device *sim_device_at(int index);

/* The device of this thread's current context. NULL when there is none. */
struct sim_device *sim_current(void);
int sim_current_index(void);
void sim_set_current(int index);

/* Counts a chance of `fault` on `device`; true when the fault is to be played now. */
bool sim_fault_due(struct sim_device *device, enum sim_fault fault);

/* What every call on a device returns while it is broken; HIP_OK when it is not. */
int sim_device_state(const struct sim_device *device);

/* Keeps the code for hipGetLastError and, when it is none of a query's, counts it. Returns it. */
int sim_result(int code);

void sim_lock(void);
void sim_unlock(void);

/* The two layers read their variables by rules of their own. Both stop at the first entry that
 * names no device; a device named twice ends ROCr's list and is skipped by HIP. */
enum sim_filter { SIM_FILTER_ROCR, SIM_FILTER_HIP };

/* Which of `count` devices (ids of 16 hex digits) `text` names: fills `chosen` with their indices,
 * in the order of the text, and returns how many. */
unsigned int sim_visible(enum sim_filter filter, const char *text, const char (*uuids)[17],
	unsigned int count, unsigned int *chosen);

/* counters.c: the mapped counts of this process and its KFD process entry. */
void sim_counters_open(const struct sim_config *config);
struct sim_counters_row *sim_counters_of(unsigned int row);
void sim_vram_write(const struct sim_config *config, unsigned int row, uint64_t bytes);

/* memory.c: the host bytes behind a device allocation. */
int sim_allocate(struct sim_device *device, size_t bytes, void **out);
int sim_free(void *address);
bool sim_range(const void *inside, void **base, size_t *bytes);

/* playback.c: gives `to` the picture whose size is `bytes`, when there is one. */
bool sim_playback(const struct sim *sim, struct sim_device *device, void *to, size_t bytes);

/* kernels.c: a kernel of the project's own. `run` returns when all blocks of the grid have run. */
struct sim_kernel {
	const char *name;
	void (*run)(struct sim_device *device, unsigned int grid, void **arguments);
};

/* NULL: no kernel of ours. */
const struct sim_kernel *sim_kernel_find(const char *name);

extern struct sim sim;

#endif
