/* SPDX-License-Identifier: Apache-2.0 */
/* What is known about one attempt, three-valued. Every fact is put so that yes is good: an attempt
 * is accepted only when every fact its probe needs is KNOWN_YES, each with its evidence. */
#ifndef VERDICT_FACTS_H
#define VERDICT_FACTS_H

#include <stdbool.h>

#include "base/known.h"

/* How the attempt asks for the GPU. */
enum probe {
	PROBE_STRICT, /* `-- --cycles-device HIP`: Blender refuses rather than falls back */
	PROBE_AS_FARM, /* scene and preferences say GPU, no override: what falls back silently */
	PROBE_CONTROL, /* the same build and scene on the CPU on purpose */
	PROBE_RANK /* strict, of a share of a frame's samples: judged by the picture that all make */
};

/* The ladder, in order; numbers are those of the record. */
enum rung {
	RUNG_NONE,
	RUNG_SCENE_READABLE,
	RUNG_IN_KFD,
	RUNG_HIP_ENUMERATES,
	RUNG_BLENDER_LOADS_HIP,
	RUNG_CYCLES_LISTS,
	RUNG_KERNELS_READY,
	RUNG_KERNELS_LOADED,
	RUNG_TRACED_HERE,
	RUNG_IMAGE_WRITTEN,
	RUNG_IMAGE_SOUND,
	RUNG_IMAGE_WITHIN_LIMITS,
	RUNG_NO_DEVICE_ERROR,
	RUNG_COUNT
};

enum fact {
	FACT_SCENE_READABLE,
	FACT_IN_KFD,
	FACT_KFD_OPENABLE,
	FACT_HIP_LOADABLE, /* by a probe of our own */
	FACT_HIP_HAS_DEVICES, /* any */
	FACT_HIP_ENUMERATES, /* this one */
	FACT_BLENDER_STARTED,
	FACT_SCENE_RENDERABLE, /* this build has what the scene asks for, such as a denoiser */
	FACT_BLENDER_HAS_HIP,
	FACT_BLENDER_LOADS_HIP,
	FACT_DRIVER_NEW_ENOUGH,
	FACT_CYCLES_LISTS,
	FACT_KERNELS_READY, /* found or built */
	FACT_KERNELS_BUILT, /* no: a build was tried and failed */
	FACT_KERNELS_LOADED,
	FACT_TRACED_HERE, /* by two independent sources, never by the log alone */
	FACT_NOT_ON_CPU,
	FACT_NOT_ELSEWHERE, /* on no other GPU; for the control: on no GPU */
	FACT_IMAGE_WRITTEN,
	FACT_IMAGE_SOUND, /* finite, right shape, not empty */
	FACT_REFERENCE, /* there is one for this very scene */
	FACT_IMAGE_MATCHES,
	FACT_NO_DEVICE_ERROR,
	FACT_MEMORY_ENOUGH,
	FACT_ENDED_WELL, /* exit status 0: needed, and proof of nothing */
	FACT_NOT_SIGNALLED,
	FACT_IN_TIME,
	FACT_NOT_INTERRUPTED,
	FACT_STABLE, /* repeats agree; yes when only one was asked for */
	FACT_COUNT
};

enum { EVIDENCE_BYTES = 400 };

struct facts {
	enum probe probe;
	enum known answer[FACT_COUNT];
	char evidence[FACT_COUNT][EVIDENCE_BYTES]; /* what says so; for unknown: why it is */
};

/* Everything unknown, "not looked at". */
void facts_init(struct facts *facts, enum probe probe);

/* Enters an answer with its evidence. A later call replaces an earlier one. */
void facts_set(struct facts *facts, enum fact fact, enum known answer, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* "cycles-lists-device": stable names of the record. Static. */
const char *fact_name(enum fact fact);
const char *rung_name(enum rung rung);
const char *probe_name(enum probe probe); /* "strict", "as-farm", "control", "rank" */

/* The rung a fact belongs to; RUNG_NONE for how the process ended. */
enum rung fact_rung(enum fact fact);

/* Is the fact needed for this probe? The control has no GPU rungs, a
 * rank no reference. */
bool fact_is_needed(enum fact fact, enum probe probe);

/* The rung as the ladder has it: no when one of its facts is no, else unknown when one is, else
 * yes. */
enum known facts_rung(const struct facts *facts, enum rung rung);

#endif
