/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "simhip/api.h"
#include "simhip/sim.h"

/* A context is no more than a device number. Handles are addresses in a fixed table, so that a
 * foreign handle is told apart from ours without being followed. */
static const char context_of[SIM_MAX_DEVICES];

enum { STACK_DEPTH = 64 };
static _Thread_local int stack[STACK_DEPTH];
static _Thread_local int depth;

static int index_of(const void *context)
{
	uintptr_t base = (uintptr_t)context_of, at = (uintptr_t)context;

	return at >= base && at < base + (uintptr_t)sim.device_count ? (int)(at - base) : -1;
}

static void *handle_of(int index)
{
	return index < 0 ? NULL : (void *)(uintptr_t)(context_of + index);
}

int hipCtxPushCurrent(void *context)
{
	int index = index_of(context);

	if (index < 0 || depth == STACK_DEPTH)
		return sim_result(HIP_INVALID_CONTEXT);
	stack[depth++] = sim_current_index();
	sim_set_current(index);
	return HIP_OK;
}

int hipCtxPopCurrent(void **context)
{
	if (!depth)
		return sim_result(HIP_INVALID_CONTEXT);
	if (context)
		*context = handle_of(sim_current_index());
	sim_set_current(stack[--depth]);
	return HIP_OK;
}

int hipCtxCreate(void **context, unsigned int flags, int device)
{
	struct sim_device *at = sim_device_at(device);
	int rc = at ? sim_device_state(at) : HIP_INVALID_DEVICE;

	(void)flags;
	if (!context)
		rc = HIP_INVALID_VALUE;
	if (rc != HIP_OK)
		return sim_result(rc);
	*context = handle_of(device);
	return hipCtxPushCurrent(*context);
}

int hipCtxDestroy(void *context)
{
	return sim_result(index_of(context) < 0 ? HIP_INVALID_CONTEXT : HIP_OK);
}

int hipCtxSetCurrent(void *context)
{
	int index = index_of(context);

	if (context && index < 0)
		return sim_result(HIP_INVALID_CONTEXT);
	sim_set_current(index);
	return HIP_OK;
}

int hipCtxGetCurrent(void **context)
{
	if (!context)
		return sim_result(HIP_INVALID_VALUE);
	*context = handle_of(sim_current_index());
	return HIP_OK;
}

int hipCtxGetDevice(int *device)
{
	return hipGetDevice(device);
}

int hipCtxGetFlags(unsigned int *flags)
{
	*flags = 0;
	return HIP_OK;
}

int hipCtxGetApiVersion(void *context, int *version)
{
	(void)context;
	*version = 4;
	return HIP_OK;
}

int hipCtxSynchronize(void)
{
	return hipDeviceSynchronize();
}

int hipCtxGetCacheConfig(int *config)
{
	*config = 0;
	return HIP_OK;
}

int hipCtxSetCacheConfig(int config)
{
	(void)config;
	return HIP_OK;
}

int hipCtxGetSharedMemConfig(int *config)
{
	*config = 0;
	return HIP_OK;
}

int hipCtxSetSharedMemConfig(int config)
{
	(void)config;
	return HIP_OK;
}

int hipCtxEnablePeerAccess(void *peer, unsigned int flags)
{
	(void)flags;
	return sim_result(index_of(peer) < 0 ? HIP_INVALID_CONTEXT : HIP_OK);
}

int hipCtxDisablePeerAccess(void *peer)
{
	return sim_result(index_of(peer) < 0 ? HIP_INVALID_CONTEXT : HIP_OK);
}

int hipDevicePrimaryCtxRetain(void **context, int device)
{
	if (!context || !sim_device_at(device))
		return sim_result(context ? HIP_INVALID_DEVICE : HIP_INVALID_VALUE);
	*context = handle_of(device);
	return HIP_OK;
}

int hipDevicePrimaryCtxRelease(int device)
{
	return sim_result(sim_device_at(device) ? HIP_OK : HIP_INVALID_DEVICE);
}

int hipDevicePrimaryCtxSetFlags(int device, unsigned int flags)
{
	(void)flags;
	return sim_result(sim_device_at(device) ? HIP_OK : HIP_INVALID_DEVICE);
}

int hipDevicePrimaryCtxGetState(int device, unsigned int *flags, int *active)
{
	if (!sim_device_at(device))
		return sim_result(HIP_INVALID_DEVICE);
	*flags = 0;
	*active = sim_current_index() == device;
	return HIP_OK;
}

int hipDevicePrimaryCtxReset(int device)
{
	return sim_result(sim_device_at(device) ? HIP_OK : HIP_INVALID_DEVICE);
}

int hipDeviceSynchronize(void)
{
	return sim_result(sim_device_state(sim_current()));
}

int hipDeviceReset(void)
{
	return HIP_OK;
}
