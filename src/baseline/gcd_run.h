/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a job on the one visible device. Only ever called in a child of the program (`oamqual
 * hip-render`): a launch may never return. */
#ifndef BASELINE_GCD_RUN_H
#define BASELINE_GCD_RUN_H

#include <jansson.h>

struct gcd_run_request {
	const char *job; /* gcd_job.h */
	const char *kernel; /* gcd_cache.h */
	const char *pixels; /* takes struct gcd_pixel after struct gcd_pixel as the device wrote
			     * them, or the poison where it did not */
	const char *library; /* NULL: libamdhip64 by its usual names */
	double at_least_s; /* the same picture is rendered again until so much time has passed */
};

/* What the memory of the device, and that of the host before the copy, are filled with. A pixel
 * that was never written, or never copied, still holds it in `samples`. */
enum { GCD_POISON_DEVICE = 0xa5, GCD_POISON_HOST = 0x5c };

/* Never fails; a new reference of "schema": "oamqual-hip-render/1" with
 *   state    "missing" | "unusable" | "no-device" | "failed" | "done"; why: the call and its error
 *   library, stand_in (bool), bdf
 *   device_bytes   that were allocated
 *   launches       of the kernel that were seen to end, in all rounds
 *   passes         [{samples, device_ms}] of all launches over the same samples, round after round,
 *                  the first GCD_PASSES_SHOWN
 *   first, sustained  {samples, device_ms}: of the first pass, and of the last half of all
 *   device_seconds, wall_seconds   of the first round, from the first launch to the last's end
 *   rounds         pictures that were rendered
 *   round_differs  the number (from 1) of the first that had other bytes than the first one, whose
 *                  pixels are then at the path `pixels` with ".differs" behind it; null none */
json_t *gcd_run_json(const struct gcd_run_request *request);

enum { GCD_PASSES_SHOWN = 64 };

#endif
