/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "image/bands.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

struct band {
	pthread_t thread;
	bool started;
	int index, from, to;
	bands_fn *fn;
	void *data;
};

static int cpu_count(void)
{
	cpu_set_t cpus;
	int count = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 1;

	return count < 1 ? 1 : count > BANDS_THREADS_MAX ? BANDS_THREADS_MAX : count;
}

static int steps_of(int rows, int step)
{
	return rows / step + (rows % step != 0);
}

/* Rows in each band but the last. */
static int band_rows(int rows, int step)
{
	int steps = steps_of(rows, step), count = cpu_count();

	return (steps / count + (steps % count != 0)) * step;
}

int bands_count(int rows, int step)
{
	return rows < 1 ? 0 : steps_of(rows, band_rows(rows, step));
}

static void *work(void *data)
{
	struct band *band = data;

	band->fn(band->index, band->from, band->to, band->data);
	return NULL;
}

void bands_run(int rows, int step, bands_fn *fn, void *data)
{
	struct band bands[BANDS_THREADS_MAX];
	int each = rows < 1 ? 0 : band_rows(rows, step), count = bands_count(rows, step), i;

	for (i = count - 1; i >= 0; i--) {
		int from = i * each, to = i == count - 1 ? rows : from + each;

		bands[i] =
			(struct band){ .index = i, .from = from, .to = to, .fn = fn, .data = data };
		/* The first band is the caller's own. */
		bands[i].started =
			i > 0 && pthread_create(&bands[i].thread, NULL, work, &bands[i]) == 0;
		if (!bands[i].started)
			work(&bands[i]);
	}
	for (i = 1; i < count; i++)
		if (bands[i].started)
			pthread_join(bands[i].thread, NULL);
}
