/* SPDX-License-Identifier: Apache-2.0 */
/* What a version of Blender is expected to do with a gfx target, from a table of facts read in
 * public source or seen in runs. A prediction is no observation: a distribution may change any of
 * it, so the build in hand decides and this stands beside it. Pure: no I/O, no allocation. */
#ifndef BLENDER_PREDICTION_H
#define BLENDER_PREDICTION_H

#include <stdbool.h>

#include "base/error.h"
#include "base/known.h"
#include "verdict/verdict.h"

/* Versions of Blender that share all rules. */
struct prediction_range {
	int from_major, from_minor, to_major, to_minor;
	int floor_major, floor_minor; /* lowest compute capability that Cycles HIP admits */
	const char *floor_basis;
	unsigned long driver_min; /* HIP driver version on Linux; 0: any */
	const char *driver_basis;
	const char *libraries; /* names tried, in order, space between them */
	const char *libraries_basis;
	const char *kernels; /* targets of the prebuilt list, space between them; NULL unknown */
	const char *kernels_basis; /* or why it is unknown */
};

/* Ends with a row whose from_major is 0. */
extern const struct prediction_range prediction_ranges[];

struct prediction_input {
	const char *gfx; /* "gfx90a", "gfx90a:sramecc+:xnack-" */
	int major, minor; /* of Blender */
	struct known_u64 driver; /* as hipDriverGetVersion() tells it */
	enum known prebuilt; /* the build carries kernels of its version's list */
	const char *hipcc; /* "5.7.1", "none", "present" (of unknown release), NULL unknown */
};

enum { PREDICTION_VALUE = 300, PREDICTION_BASIS = 600 };

/* A value with what it rests on; value "" is unknown, and the basis says why. */
struct predicted {
	char value[PREDICTION_VALUE];
	char basis[PREDICTION_BASIS];
};

struct prediction {
	char gfx[64];
	int major, minor;
	const struct prediction_range *range; /* NULL: the table does not have this version */
	struct predicted capability; /* "9.0" */
	struct predicted architecture; /* "admitted" or "below the floor" */
	struct predicted driver; /* "accepted", "too old", or what is needed */
	struct predicted listing; /* "listed" or "hidden" */
	struct predicted libraries;
	struct predicted prebuilt; /* "in the list" or "not in the list" */
	struct predicted build; /* "builds" or "fails" */
	struct predicted verdict; /* a verdict's name; unknown when nothing speaks against it */
	enum verdict_id expected; /* of that name; VERDICT_COUNT: none is predicted */
};

/* -1 with a message when `gfx` is no gfx target. */
int prediction_make(const struct prediction_input *in, struct prediction *out, struct error *err);

/* NULL when the table does not have the version. */
const struct prediction_range *prediction_range_of(int major, int minor);

/* "3.3 - 3.5" or "4.5". */
void prediction_range_text(const struct prediction_range *range, char text[24]);

/* Major and minor of a gfx target: 9 and 0 of gfx90a. False when it is none. */
bool prediction_capability(const char *gfx, int *major, int *minor);

/* Reads "3.4", "3.4.1" or "4.5.3 LTS". */
bool prediction_version(const char *text, int *major, int *minor);

/* "6.3.42131" of 60342131. */
void prediction_driver_text(unsigned long long driver, char text[40]);

#endif
