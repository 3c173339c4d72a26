/* SPDX-License-Identifier: Apache-2.0 */
/* Builds of the fast way with several kinds of arithmetic (baseline_build.c). */
#ifndef BENCH_BASELINE_BUILD_H
#define BENCH_BASELINE_BUILD_H

#include "kernels/wide.h"

extern const struct wide_path build_exact, build_contract, build_fast;

/* CPU-seconds by enum wide_stage since the program began. */
const double *build_stages_exact(void);

#endif
