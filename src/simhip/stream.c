/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>

#include "simhip/api.h"
#include "simhip/sim.h"

/* Everything is done when its call returns, so a stream orders nothing; an event keeps its time. */
struct sim_stream {
	unsigned int flags;
	int priority;
};

struct sim_event {
	struct timespec at;
};

int hipStreamCreateWithPriority(void **stream, unsigned int flags, int priority)
{
	struct sim_stream *made;
	int rc = sim_device_state(sim_current());

	if (!stream)
		rc = HIP_INVALID_VALUE;
	if (rc != HIP_OK)
		return sim_result(rc);
	made = malloc(sizeof(*made));
	if (!made)
		return sim_result(HIP_OUT_OF_MEMORY);
	*made = (struct sim_stream){ flags, priority };
	*stream = made;
	return HIP_OK;
}

int hipStreamCreateWithFlags(void **stream, unsigned int flags)
{
	return hipStreamCreateWithPriority(stream, flags, 0);
}

int hipStreamCreate(void **stream)
{
	return hipStreamCreateWithPriority(stream, 0, 0);
}

int hipStreamDestroy(void *stream)
{
	free(stream);
	return HIP_OK;
}

int hipStreamSynchronize(void *stream)
{
	(void)stream;
	return hipDeviceSynchronize();
}

int hipStreamQuery(void *stream)
{
	return hipStreamSynchronize(stream);
}

int hipStreamWaitEvent(void *stream, void *event, unsigned int flags)
{
	(void)stream;
	(void)event;
	(void)flags;
	return hipDeviceSynchronize();
}

int hipStreamGetFlags(void *stream, unsigned int *flags)
{
	if (!flags)
		return sim_result(HIP_INVALID_VALUE);
	*flags = stream ? ((struct sim_stream *)stream)->flags : 0;
	return HIP_OK;
}

int hipStreamGetPriority(void *stream, int *priority)
{
	if (!priority)
		return sim_result(HIP_INVALID_VALUE);
	*priority = stream ? ((struct sim_stream *)stream)->priority : 0;
	return HIP_OK;
}

int hipStreamAddCallback(
	void *stream, void (*callback)(void *, int, void *), void *data, unsigned int flags)
{
	(void)flags;
	if (!callback)
		return sim_result(HIP_INVALID_VALUE);
	callback(stream, sim_device_state(sim_current()), data);
	return HIP_OK;
}

int hipEventCreateWithFlags(void **event, unsigned int flags)
{
	(void)flags;
	if (!event)
		return sim_result(HIP_INVALID_VALUE);
	*event = calloc(1, sizeof(struct sim_event));
	return sim_result(*event ? HIP_OK : HIP_OUT_OF_MEMORY);
}

int hipEventCreate(void **event)
{
	return hipEventCreateWithFlags(event, 0);
}

int hipEventRecord(void *event, void *stream)
{
	(void)stream;
	if (!event)
		return sim_result(HIP_INVALID_HANDLE);
	clock_gettime(CLOCK_MONOTONIC, &((struct sim_event *)event)->at);
	return hipDeviceSynchronize();
}

int hipEventQuery(void *event)
{
	(void)event;
	return hipDeviceSynchronize();
}

int hipEventSynchronize(void *event)
{
	(void)event;
	return hipDeviceSynchronize();
}

int hipEventDestroy(void *event)
{
	free(event);
	return HIP_OK;
}

int hipEventElapsedTime(float *ms, void *start, void *stop)
{
	const struct sim_event *from = start, *to = stop;

	if (!ms || !from || !to)
		return sim_result(HIP_INVALID_VALUE);
	*ms = (float)((double)(to->at.tv_sec - from->at.tv_sec) * 1e3 +
		      (double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-6);
	return HIP_OK;
}
