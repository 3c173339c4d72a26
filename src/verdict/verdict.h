/* SPDX-License-Identifier: Apache-2.0 */
/* From facts to a verdict: a pure function over one ordered table. No I/O, no allocation. */
#ifndef VERDICT_VERDICT_H
#define VERDICT_VERDICT_H

#include <stddef.h>

#include "verdict/facts.h"

/* Stable names; the record and the command line use verdict_name(). */
enum verdict_id {
	VERDICT_ACCEPTED,
	VERDICT_CPU_FALLBACK,
	VERDICT_WRONG_DEVICE,
	VERDICT_NOT_LISTED,
	VERDICT_HIP_MISSING,
	VERDICT_HIP_NO_DEVICE,
	VERDICT_NO_PERMISSION,
	VERDICT_DRIVER_TOO_OLD,
	VERDICT_BLENDER_WITHOUT_HIP,
	VERDICT_KERNEL_MISSING,
	VERDICT_KERNEL_BUILD_FAILED,
	VERDICT_KERNEL_LOAD_FAILED,
	VERDICT_DEVICE_ERROR,
	VERDICT_OUT_OF_MEMORY,
	VERDICT_IMAGE_INVALID,
	VERDICT_IMAGE_DIFFERS,
	VERDICT_UNSTABLE,
	VERDICT_NO_OUTPUT,
	VERDICT_NO_REFERENCE,
	VERDICT_BAD_SCENE,
	VERDICT_BLENDER_FAILED,
	VERDICT_CRASHED,
	VERDICT_TIMED_OUT,
	VERDICT_INCONCLUSIVE,
	VERDICT_COUNT
};

struct verdict {
	enum verdict_id id;
	enum rung rung; /* first rung that is not yes; RUNG_NONE when all are */
	enum fact fact; /* the fact that decided; its evidence is the line to show. FACT_COUNT: none
			 */
	const char *why; /* the rule, in words. Static */
};

/* The first row of the table that fits; when none does, inconclusive if any needed fact is not yes,
 * else accepted. */
struct verdict verdict_of(const struct facts *facts);

const char *verdict_name(enum verdict_id id);

/* VERDICT_COUNT for an unknown name. */
enum verdict_id verdict_find(const char *name);

/* The i-th rule of precedence: the verdict when the fact is a known no. False past the last. */
bool verdict_rule(size_t i, enum verdict_id *id, enum fact *no, const char **why);

/* What a verdict means, for people. All static, one or a few sentences. */
struct verdict_help {
	const char *meaning;
	const char *evidence; /* what must have been seen for it */
	const char *causes;
	const char *remedy; /* what to try */
};

const struct verdict_help *verdict_help(enum verdict_id id);

#endif
