/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in librccl for the stand-in runtime, whose device memory is this process's own: it sums, or
 * does what FAKE_RCCL says ("wrong", "hang", "error"). */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64, FLOAT32 = 7, SUM = 0 };

static struct {
	const float *from;
	float *to;
} parts[MOST];
static size_t part_count, elements;
static int comm_of[MOST], comm_count;

static int plays(const char *what)
{
	const char *fault = getenv("FAKE_RCCL");

	return fault && strcmp(fault, what) == 0;
}

int ncclGetVersion(int *version)
{
	*version = 21804;
	return 0;
}

int ncclCommInitAll(void **comms, int count, const int *devices)
{
	int i;

	comm_count = count;
	for (i = 0; i < count; i++) {
		comm_of[i] = devices[i];
		comms[i] = &comm_of[i];
	}
	return plays("error") ? 2 : 0;
}

int ncclGroupStart(void)
{
	part_count = 0;
	return 0;
}

int ncclAllReduce(const void *from, void *to, size_t count, int type, int operation, void *comm, void *stream)
{
	(void)stream;
	if (type != FLOAT32 || operation != SUM || !comm || part_count == MOST)
		return 4;
	parts[part_count].from = from;
	parts[part_count++].to = to;
	elements = count;
	return 0;
}

/* Nothing is summed before all are there. */
int ncclGroupEnd(void)
{
	size_t i, part;

	while (plays("hang"))
		pause();
	if ((int)part_count != comm_count)
		return 5;
	for (i = 0; i < elements; i++) {
		float sum = 0;

		for (part = 0; part < part_count; part++)
			sum += parts[part].from[i];
		for (part = 0; part < part_count; part++)
			parts[part].to[i] = sum;
	}
	if (plays("wrong"))
		parts[part_count - 1].to[4711] += 1;
	return 0;
}

int ncclCommDestroy(void *comm)
{
	return comm ? 0 : 4;
}
