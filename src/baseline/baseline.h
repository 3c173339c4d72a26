/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline: the project's own path tracer, timed on the CPU of the machine that runs the tool
 * and, by gcd.h, on the GCDs of a node. */
#ifndef BASELINE_BASELINE_H
#define BASELINE_BASELINE_H

#include <jansson.h>

#include "base/error.h"
#include "baseline/input.h"
#include "baseline/render.h"
#include "node/node.h"

struct baseline {
	struct baseline_input input; /* its file's name is borrowed */
	struct render_options options;
	struct render_result result; /* of render_sums() */
	kernel_u32 triangle_count;
	double make_seconds; /* to make the scene's triangles */
	double build_seconds; /* to build its tree, on all threads */
	uint64_t tree_bytes; /* with the triangles' copies in its leaves */
	uint64_t process_peak_bytes; /* resident, of the whole process up to the end of the run */
	char image_sha256[65]; /* of the means as little-endian binary32 */
	json_t *gcds; /* of gcd_run_all(), owned; NULL: it was not asked for */
	struct render_options gcd_options; /* that those were run with */
};

/* 256x256, 32 samples, seed 0, one thread a usable CPU: about 2 CPU-seconds for the Cornell box.
 * The bounces are 6; baseline_run() takes those of the scene. */
struct render_options baseline_defaults(void);

/* Renders a scene with its own bounces; options->gcd_job takes it along for GCDs. -1 as
 * baseline_input_make(), baseline_scene_finish() and render_sums(), *out untouched. */
int baseline_run(const struct baseline_input *input, const struct render_options *options,
	struct baseline *out, struct error *err);

void baseline_release(struct baseline *baseline);

/* Millions of samples and of rays a second of wall clock; 0 when the clock saw no time pass. */
double baseline_msamples_per_s(const struct baseline *baseline);
double baseline_mrays_per_s(const struct baseline *baseline);

/* "camera", "bounce", "shadow"; how many were traced; and millions of them a second while all
 * threads trace nothing else: over the time that they spent on that kind alone. -1 when that was
 * not timed (RENDER_SINGLE). */
const char *baseline_kind_name(enum wide_kind kind);
uint64_t baseline_kind_rays(const struct baseline *baseline, enum wide_kind kind);
double baseline_kind_mrays_per_s(const struct baseline *baseline, enum wide_kind kind);

/* Why a GCD has no figure. Static. */
const char *baseline_gcd_why(void);

/* Why a node without GCDs has none. Static, or of the node. */
const char *baseline_no_gcd_why(const struct node *node);

/* A new reference of "schema": "oamqual-baseline/1": node (name and source), scene, settings, cpu
 * (facts, always observed and about the machine that ran the tool, also when the node is replayed)
 * and gcds, one entry a GCD of the node. With no GCD, gcds_why says why. */
json_t *baseline_json(const struct baseline *baseline, const struct node *node);

#endif
