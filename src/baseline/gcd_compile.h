/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the kernel for one target with the node's hiprtc. Only ever called in a child of the
 * program (`oamqual hip-compile`): hiprtc aborts on a target that it does not know. */
#ifndef BASELINE_GCD_COMPILE_H
#define BASELINE_GCD_COMPILE_H

#include <jansson.h>

struct gcd_compile_request {
	const char *target; /* "gfx90a:sramecc+:xnack-" */
	const char *folder; /* of compiled kernels: looked at first, written to (gcd_cache.h) */
	const char *library; /* NULL: libhiprtc and, before ROCm 6, libamdhip64, by their names */
};

/* Never fails; a new reference of "schema": "oamqual-hip-compile/1" with
 *   state    "missing" | "failed" | "compiled" | "cached", why
 *   library, compiler ("hiprtc 9.0, HIP 50221153"), target, options
 *   key      the digest of source, options and compiler
 *   path     of the compiled kernel, bytes of its code object
 *   damaged  what was wrong with the kernel that lay there before, or null
 *   seconds  that compiling took, log of the compiler */
json_t *gcd_compile_json(const struct gcd_compile_request *request);

#endif
