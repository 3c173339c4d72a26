/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline on the GCDs of a node: the kernel compiled for each target, the same job run on each
 * GCD in a child of its own, and the picture held against the CPU's. */
#ifndef BASELINE_GCD_H
#define BASELINE_GCD_H

#include <jansson.h>
#include <stdbool.h>

#include "baseline/baseline.h"
#include "node/node.h"

enum { GCD_WHY = 200 };

/* Why this GCD is not to run: static, or in `why`. NULL: it runs. */
typedef const char *gcd_left_out_fn(const struct gpu *gpu, void *context, char why[GCD_WHY]);

struct gcd_request {
	const struct node *node; /* HIP was asked */
	char *const *variables; /* of a replayed node's stage (node/replay.h), or NULL: live */
	const char *work; /* folder for what the children write; absolute, existing */
	const char *job; /* gcd_job.h, of the scene and settings of the baseline below */
	const char *hip_library; /* NULL: the usual names */
	gcd_left_out_fn *left_out; /* NULL: all run */
	void *context;
	double at_least_s; /* each GCD renders the picture again until so much time has passed */
	unsigned deadline_s; /* a GCD that takes longer is ended */
};

enum { GCD_DEADLINE_S = 120 };

/* How long a GCD of this node renders when nobody says: a stand-in needs one picture. */
double gcd_default_seconds(const struct node *node);

/* Runs all that are not left out, one after the other. A new reference: one object a GCD of the
 * node, in its order; docs/baseline.md, "On a GCD", says what is in it. Nothing that a GCD does is
 * an error here: it is in its `verdict` equal    every float of the picture has the CPU's bits
 * differs  not; `verdict_why` says how many and where failed   a call failed, or the child crashed
 * or was ended at the deadline; it says which not-run  unknown: `why` says why */
json_t *gcd_run_all(const struct gcd_request *request, const struct baseline *cpu);

/* A new reference: {min, median, max, outliers, bad} of the sustained rates of those that ran, or
 * null when none did. Outliers are the addresses of those that are more than a tenth off the median
 * of three or more on a live node; bad of those that differ or failed. */
json_t *gcd_spread(const json_t *gcds);

#endif
