/* SPDX-License-Identifier: Apache-2.0 */
/* What every target shares. Each says of each input whether its parser took it; the last line of
 * the process tells how many that were, so that seeds which no parser takes are noticed. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long fuzz_inputs, fuzz_accepted;

static inline void fuzz_count(bool accepted)
{
	fuzz_inputs++;
	fuzz_accepted += accepted;
}

__attribute__((destructor)) static void fuzz_tell(void)
{
	fprintf(stderr, "accepted %lu of %lu inputs\n", fuzz_accepted, fuzz_inputs);
}

#endif
