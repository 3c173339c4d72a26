/* SPDX-License-Identifier: Apache-2.0 */
#include "simhip/sim.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simhip/api.h"

struct sim sim;

/* By this name a probe knows that no driver is behind the library (node/sim_abi.h). */
SIM_API extern const int oamqual_stand_in;
const int oamqual_stand_in = 1;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int last_error;
static _Thread_local int current_index = -1;

void sim_lock(void)
{
	pthread_mutex_lock(&lock);
}

void sim_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

int sim_result(int code)
{
	struct sim_device *device = sim_current();

	if (code == HIP_OK || code == HIP_NOT_READY)
		return code;
	last_error = code;
	if (device)
		__atomic_add_fetch(&sim_counters_of(device->row)->errors, 1, __ATOMIC_RELAXED);
	return code;
}

int hipPeekAtLastError(void)
{
	return last_error;
}

int hipGetLastError(void)
{
	int code = last_error;

	last_error = HIP_OK;
	return code;
}

struct sim_device *sim_device_at(int index)
{
	return index >= 0 && index < sim.device_count ? &sim.devices[index] : NULL;
}

int sim_current_index(void)
{
	return current_index;
}

void sim_set_current(int index)
{
	current_index = index;
}

/* A thread that chose none works on device 0, as with the real one. */
struct sim_device *sim_current(void)
{
	return sim_device_at(current_index < 0 ? 0 : current_index);
}

bool sim_fault_due(struct sim_device *device, enum sim_fault fault)
{
	uint64_t chance;

	if (!device || !device->config->fault[fault])
		return false;
	chance = __atomic_fetch_add(&device->chances[fault], 1, __ATOMIC_RELAXED);
	return chance >= device->config->fault_after[fault];
}

int sim_device_state(const struct sim_device *device)
{
	if (!device)
		return HIP_INVALID_CONTEXT;
	if (device->lost)
		return HIP_NO_DEVICES;
	return device->failed ? HIP_LAUNCH_FAILURE : HIP_OK;
}

/* --- starting ----------------------------------------------------------------------------- */

struct selection {
	unsigned int rows[SIM_MAX_DEVICES];
	unsigned int count;
};

/* Replaces the selection by those of it that `text` names. */
static void select_from(struct selection *from, enum sim_filter filter, const char *text)
{
	char uuids[SIM_MAX_DEVICES][17];
	unsigned int chosen[SIM_MAX_DEVICES], i, count;
	struct selection kept = { .count = 0 };

	for (i = 0; i < from->count; i++)
		memcpy(uuids[i], sim.config.devices[from->rows[i]].unique_id, sizeof(uuids[i]));
	count = sim_visible(filter, text, (const char(*)[17])uuids, from->count, chosen);
	for (i = 0; i < count; i++)
		kept.rows[kept.count++] = from->rows[chosen[i]];
	*from = kept;
}

/* ROCR filters first, and set to nothing it hides all; then HIP's own variable, on the re-based
 * indices, of which an empty one counts as unset. */
static void select_devices(void)
{
	const char *rocr = getenv("ROCR_VISIBLE_DEVICES"), *hip = getenv("HIP_VISIBLE_DEVICES");
	struct selection selection = { .count = 0 };
	unsigned int i;

	for (i = 0; i < sim.config.device_count; i++)
		if (!sim.config.devices[i].fault[SIM_NO_DEVICE])
			selection.rows[selection.count++] = i;
	if (rocr)
		select_from(&selection, SIM_FILTER_ROCR, rocr);
	if (!hip || !hip[0])
		hip = getenv("CUDA_VISIBLE_DEVICES");
	if (hip && hip[0])
		select_from(&selection, SIM_FILTER_HIP, hip);
	for (i = 0; i < selection.count; i++) {
		struct sim_device *device = &sim.devices[i];

		device->row = selection.rows[i];
		device->config = &sim.config.devices[device->row];
	}
	sim.device_count = (int)selection.count;
}

static void play_init_fault(void)
{
	if (sim.config.fault[SIM_INIT_CRASH]) {
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
	}
	while (sim.config.fault[SIM_INIT_HANG])
		pause();
}

static int start(void)
{
	const char *path = getenv("OAMQUAL_SIM");

	if (!path || !path[0])
		return HIP_INVALID_DEVICE;
	if (sim_config_read(path, &sim.config) != 0)
		return HIP_UNKNOWN_ERROR;
	play_init_fault();
	if (sim.config.fault[SIM_INIT_ERROR])
		return HIP_UNKNOWN_ERROR;
	sim_counters_open(&sim.config);
	select_devices();
	return sim.device_count ? HIP_OK : HIP_INVALID_DEVICE;
}

int sim_start(void)
{
	sim_lock();
	if (!sim.initialised) {
		sim.init_result = start();
		sim.initialised = true;
	}
	sim_unlock();
	return sim.init_result;
}
