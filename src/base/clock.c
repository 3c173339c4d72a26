/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <time.h>

int64_t clock_monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

double clock_monotonic_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct tm utc_now(void)
{
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	return utc;
}

void clock_utc(char text[21])
{
	struct tm utc = utc_now();

	strftime(text, 21, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void clock_utc_compact(char text[17])
{
	struct tm utc = utc_now();

	strftime(text, 17, "%Y%m%dT%H%M%SZ", &utc);
}
