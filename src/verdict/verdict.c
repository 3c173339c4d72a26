/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/verdict.h"

#include <string.h>

/* The verdict when the fact is a known no. */
struct rule {
	enum verdict_id id;
	enum fact no;
	const char *why;
};

/* clang-format off */
/* The order is the precedence. What broke first stands before its echoes: a device that is out of memory
 * also fails to load kernels, a lost device also ends by a signal, a fallback also has no GPU listed. */
static const struct rule rules[] = {
	{ VERDICT_BAD_SCENE,           FACT_SCENE_READABLE,      "the scene cannot be read" },
	{ VERDICT_INCONCLUSIVE,        FACT_NOT_INTERRUPTED,     "the attempt was interrupted before it ended" },
	{ VERDICT_BLENDER_FAILED,      FACT_BLENDER_STARTED,     "Blender could not be started" },
	{ VERDICT_INCONCLUSIVE,        FACT_SCENE_RENDERABLE,    "skipped: this Blender lacks what the scene asks for" },
	{ VERDICT_OUT_OF_MEMORY,       FACT_MEMORY_ENOUGH,       "memory ran out" },
	{ VERDICT_KERNEL_BUILD_FAILED, FACT_KERNELS_BUILT,       "the render kernel could not be compiled for this gfx target" },
	{ VERDICT_KERNEL_LOAD_FAILED,  FACT_KERNELS_LOADED,      "the render kernel could not be loaded onto the device" },
	{ VERDICT_DEVICE_ERROR,        FACT_NO_DEVICE_ERROR,     "the device or its driver reported an error" },
	{ VERDICT_TIMED_OUT,           FACT_IN_TIME,             "it was ended at its deadline" },
	{ VERDICT_CRASHED,             FACT_NOT_SIGNALLED,       "Blender was killed by a signal" },
	{ VERDICT_WRONG_DEVICE,        FACT_NOT_ELSEWHERE,       "it was rendered on another device than the one asked for" },
	{ VERDICT_CPU_FALLBACK,        FACT_NOT_ON_CPU,          "the GPU was asked for and the CPU rendered" },
	{ VERDICT_BLENDER_WITHOUT_HIP, FACT_BLENDER_HAS_HIP,     "this Blender is built without HIP" },
	{ VERDICT_NO_PERMISSION,       FACT_KFD_OPENABLE,        "/dev/kfd cannot be opened here" },
	{ VERDICT_HIP_MISSING,         FACT_HIP_LOADABLE,        "no HIP runtime library can be loaded" },
	{ VERDICT_HIP_NO_DEVICE,       FACT_HIP_HAS_DEVICES,     "the HIP runtime has no device" },
	{ VERDICT_HIP_NO_DEVICE,       FACT_HIP_ENUMERATES,      "the HIP runtime does not enumerate this device" },
	{ VERDICT_DRIVER_TOO_OLD,      FACT_DRIVER_NEW_ENOUGH,   "the driver is older than this Blender accepts" },
	{ VERDICT_HIP_MISSING,         FACT_BLENDER_LOADS_HIP,   "this Blender cannot load the HIP runtime" },
	{ VERDICT_NOT_LISTED,          FACT_CYCLES_LISTS,        "Cycles does not list the device" },
	{ VERDICT_KERNEL_MISSING,      FACT_KERNELS_READY,       "there is no render kernel for this gfx target and no way to build one" },
	{ VERDICT_BLENDER_FAILED,      FACT_ENDED_WELL,          "Blender reported failure" },
	{ VERDICT_NO_OUTPUT,           FACT_IMAGE_WRITTEN,       "no image was written by this run" },
	{ VERDICT_UNSTABLE,            FACT_STABLE,              "repeats of the same render disagree" },
	{ VERDICT_IMAGE_INVALID,       FACT_IMAGE_SOUND,         "the image is not a picture of the scene" },
	{ VERDICT_NO_REFERENCE,        FACT_REFERENCE,           "there is no reference to compare with" },
	{ VERDICT_IMAGE_DIFFERS,       FACT_IMAGE_MATCHES,       "the image is outside the limits of its reference" },
};
/* clang-format on */

bool verdict_rule(size_t i, enum verdict_id *id, enum fact *no, const char **why)
{
	if (i >= sizeof(rules) / sizeof(rules[0]))
		return false;
	*id = rules[i].id;
	*no = rules[i].no;
	*why = rules[i].why;
	return true;
}

static bool fits(const struct rule *rule, const struct facts *facts)
{
	return fact_is_needed(rule->no, facts->probe) && facts->answer[rule->no] == KNOWN_NO;
}

static enum rung first_rung_not_yes(const struct facts *facts)
{
	int rung;

	for (rung = RUNG_SCENE_READABLE; rung < RUNG_COUNT; rung++)
		if (facts_rung(facts, (enum rung)rung) != KNOWN_YES)
			return (enum rung)rung;
	return RUNG_NONE;
}

/* The first needed fact that is not yes, in the order of the ladder. */
static enum fact first_fact_not_yes(const struct facts *facts)
{
	int i;

	for (i = 0; i < FACT_COUNT; i++)
		if (fact_is_needed((enum fact)i, facts->probe) && facts->answer[i] != KNOWN_YES)
			return (enum fact)i;
	return FACT_COUNT;
}

struct verdict verdict_of(const struct facts *facts)
{
	struct verdict verdict = { .rung = first_rung_not_yes(facts) };
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (!fits(&rules[i], facts))
			continue;
		verdict.id = rules[i].id;
		verdict.fact = rules[i].no;
		verdict.why = rules[i].why;
		return verdict;
	}
	verdict.fact = first_fact_not_yes(facts);
	verdict.id = verdict.fact == FACT_COUNT ? VERDICT_ACCEPTED : VERDICT_INCONCLUSIVE;
	verdict.why = verdict.fact == FACT_COUNT ? "every rung is yes, each with its evidence"
						 : "something that acceptance needs is not known";
	return verdict;
}

static const char *const names[VERDICT_COUNT] = {
	[VERDICT_ACCEPTED] = "accepted",
	[VERDICT_CPU_FALLBACK] = "cpu-fallback",
	[VERDICT_WRONG_DEVICE] = "wrong-device",
	[VERDICT_NOT_LISTED] = "not-listed",
	[VERDICT_HIP_MISSING] = "hip-missing",
	[VERDICT_HIP_NO_DEVICE] = "hip-no-device",
	[VERDICT_NO_PERMISSION] = "no-permission",
	[VERDICT_DRIVER_TOO_OLD] = "driver-too-old",
	[VERDICT_BLENDER_WITHOUT_HIP] = "blender-without-hip",
	[VERDICT_KERNEL_MISSING] = "kernel-missing",
	[VERDICT_KERNEL_BUILD_FAILED] = "kernel-build-failed",
	[VERDICT_KERNEL_LOAD_FAILED] = "kernel-load-failed",
	[VERDICT_DEVICE_ERROR] = "device-error",
	[VERDICT_OUT_OF_MEMORY] = "out-of-memory",
	[VERDICT_IMAGE_INVALID] = "image-invalid",
	[VERDICT_IMAGE_DIFFERS] = "image-differs",
	[VERDICT_UNSTABLE] = "unstable",
	[VERDICT_NO_OUTPUT] = "no-output",
	[VERDICT_NO_REFERENCE] = "no-reference",
	[VERDICT_BAD_SCENE] = "bad-scene",
	[VERDICT_BLENDER_FAILED] = "blender-failed",
	[VERDICT_CRASHED] = "crashed",
	[VERDICT_TIMED_OUT] = "timed-out",
	[VERDICT_INCONCLUSIVE] = "inconclusive",
};

const char *verdict_name(enum verdict_id id)
{
	return names[id];
}

enum verdict_id verdict_find(const char *name)
{
	int i;

	for (i = 0; i < VERDICT_COUNT && strcmp(names[i], name) != 0; i++)
		;
	return (enum verdict_id)i;
}
