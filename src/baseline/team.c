/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/team.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/str.h"

struct member {
	pthread_t thread;
	team_fn *fn;
	void *work;
	unsigned part, parts;
};

static void *run(void *data)
{
	struct member *member = data;

	member->fn(member->work, member->part, member->parts);
	return NULL;
}

void team_run(unsigned parts, team_fn *fn, void *work)
{
	struct member *members = xcalloc(parts, sizeof(*members));
	unsigned started = 1, i;

	for (i = 0; i < parts; i++)
		members[i] = (struct member){ .fn = fn, .work = work, .part = i, .parts = parts };
	while (started < parts &&
		pthread_create(&members[started].thread, NULL, run, &members[started]) == 0)
		started++;
	run(&members[0]);
	for (i = started; i < parts; i++)
		run(&members[i]);
	for (i = 1; i < started; i++)
		pthread_join(members[i].thread, NULL);
	free(members);
}

unsigned team_begin(unsigned count, unsigned part, unsigned parts)
{
	return (unsigned)((unsigned long long)count * part / parts);
}
