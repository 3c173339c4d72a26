/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Milliseconds of CLOCK_MONOTONIC: for deadlines and durations. */
int64_t clock_monotonic_ms(void);

/* Seconds of CLOCK_MONOTONIC. */
double clock_monotonic_s(void);

/* Nanoseconds of CLOCK_MONOTONIC: for what is short. */
uint64_t clock_monotonic_ns(void);

/* The wall clock as "2026-11-30T02:10:06Z" (21 bytes with NUL). */
void clock_utc(char text[21]);

/* The wall clock as "20261130T021006Z" (17 bytes with NUL), for folder names. */
void clock_utc_compact(char text[17]);

#endif
