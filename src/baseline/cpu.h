/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU that the baseline runs on. */
#ifndef BASELINE_CPU_H
#define BASELINE_CPU_H

#include <stdbool.h>

/* "AMD EPYC 9575F 64-Core Processor" as Linux names it; the caller frees. NULL when it names none.
 */
char *cpu_model(void);

/* Logical CPUs that this process may run on, at least 1. */
unsigned cpu_usable(void);

/* AVX2 with BMI2, and AVX-512 F, BW, DQ and VL, as far as the operating system lets them be used.
 */
bool cpu_has_avx2(void);
bool cpu_has_avx512(void);

#endif
