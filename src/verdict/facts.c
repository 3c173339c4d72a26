/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { GPU_ONLY, ALWAYS, WHOLE_FRAME };

static const struct fact_row {
	const char *name;
	enum rung rung;
	int needed;
} rows[FACT_COUNT] = {
	[FACT_SCENE_READABLE] = { "scene-readable", RUNG_SCENE_READABLE, ALWAYS },
	[FACT_IN_KFD] = { "device-in-kfd", RUNG_IN_KFD, GPU_ONLY },
	[FACT_KFD_OPENABLE] = { "kfd-openable", RUNG_IN_KFD, GPU_ONLY },
	[FACT_HIP_LOADABLE] = { "hip-library-loadable", RUNG_HIP_ENUMERATES, GPU_ONLY },
	[FACT_HIP_HAS_DEVICES] = { "hip-has-devices", RUNG_HIP_ENUMERATES, GPU_ONLY },
	[FACT_HIP_ENUMERATES] = { "hip-enumerates-device", RUNG_HIP_ENUMERATES, GPU_ONLY },
	[FACT_BLENDER_STARTED] = { "blender-started", RUNG_NONE, ALWAYS },
	[FACT_SCENE_RENDERABLE] = { "build-can-render-scene", RUNG_NONE, ALWAYS },
	[FACT_BLENDER_HAS_HIP] = { "blender-built-with-hip", RUNG_BLENDER_LOADS_HIP, GPU_ONLY },
	[FACT_BLENDER_LOADS_HIP] = { "blender-loads-hip", RUNG_BLENDER_LOADS_HIP, GPU_ONLY },
	[FACT_DRIVER_NEW_ENOUGH] = { "driver-new-enough", RUNG_BLENDER_LOADS_HIP, GPU_ONLY },
	[FACT_CYCLES_LISTS] = { "cycles-lists-device", RUNG_CYCLES_LISTS, GPU_ONLY },
	[FACT_KERNELS_READY] = { "kernels-found-or-built", RUNG_KERNELS_READY, GPU_ONLY },
	[FACT_KERNELS_BUILT] = { "kernel-build-not-failed", RUNG_KERNELS_READY, GPU_ONLY },
	[FACT_KERNELS_LOADED] = { "kernels-loaded", RUNG_KERNELS_LOADED, GPU_ONLY },
	[FACT_TRACED_HERE] = { "traced-on-this-device", RUNG_TRACED_HERE, GPU_ONLY },
	[FACT_NOT_ON_CPU] = { "not-traced-on-cpu", RUNG_TRACED_HERE, GPU_ONLY },
	[FACT_NOT_ELSEWHERE] = { "not-traced-elsewhere", RUNG_TRACED_HERE, ALWAYS },
	[FACT_IMAGE_WRITTEN] = { "image-written-by-this-run", RUNG_IMAGE_WRITTEN, ALWAYS },
	[FACT_IMAGE_SOUND] = { "image-sound", RUNG_IMAGE_SOUND, ALWAYS },
	[FACT_REFERENCE] = { "reference-present", RUNG_IMAGE_WITHIN_LIMITS, WHOLE_FRAME },
	[FACT_IMAGE_MATCHES] = { "image-within-limits", RUNG_IMAGE_WITHIN_LIMITS, WHOLE_FRAME },
	[FACT_NO_DEVICE_ERROR] = { "no-device-error", RUNG_NO_DEVICE_ERROR, GPU_ONLY },
	[FACT_MEMORY_ENOUGH] = { "memory-enough", RUNG_NO_DEVICE_ERROR, ALWAYS },
	[FACT_ENDED_WELL] = { "ended-with-status-0", RUNG_NONE, ALWAYS },
	[FACT_NOT_SIGNALLED] = { "not-killed-by-signal", RUNG_NONE, ALWAYS },
	[FACT_IN_TIME] = { "within-deadline", RUNG_NONE, ALWAYS },
	[FACT_NOT_INTERRUPTED] = { "not-interrupted", RUNG_NONE, ALWAYS },
	[FACT_STABLE] = { "repeats-agree", RUNG_NONE, ALWAYS },
};

void facts_init(struct facts *facts, enum probe probe)
{
	int i;

	facts->probe = probe;
	for (i = 0; i < FACT_COUNT; i++)
		facts_set(facts, (enum fact)i, KNOWN_UNKNOWN, "not looked at");
}

void facts_set(struct facts *facts, enum fact fact, enum known answer, const char *format, ...)
{
	va_list args;

	facts->answer[fact] = answer;
	va_start(args, format);
	vsnprintf(facts->evidence[fact], EVIDENCE_BYTES, format, args);
	va_end(args);
}

const char *fact_name(enum fact fact)
{
	return rows[fact].name;
}

const char *rung_name(enum rung rung)
{
	static const char *const names[RUNG_COUNT] = { "none", "scene-readable", "device-in-kfd",
		"hip-enumerates-device", "blender-loads-hip", "cycles-lists-device",
		"kernels-found-or-built", "kernels-loaded", "traced-on-this-device",
		"image-written-by-this-run", "image-sound", "image-within-limits",
		"no-device-error" };

	return names[rung];
}

const char *probe_name(enum probe probe)
{
	static const char *const names[] = { "strict", "as-farm", "control", "rank" };

	return names[probe];
}

enum rung fact_rung(enum fact fact)
{
	return rows[fact].rung;
}

bool fact_is_needed(enum fact fact, enum probe probe)
{
	switch (rows[fact].needed) {
	case GPU_ONLY:
		return probe != PROBE_CONTROL;
	case WHOLE_FRAME:
		return probe != PROBE_RANK;
	}
	return true;
}

enum known facts_rung(const struct facts *facts, enum rung rung)
{
	enum known answer = KNOWN_YES;
	int i;

	for (i = 0; i < FACT_COUNT; i++) {
		if (rows[i].rung != rung || !fact_is_needed((enum fact)i, facts->probe))
			continue;
		if (facts->answer[i] == KNOWN_NO)
			return KNOWN_NO;
		if (facts->answer[i] == KNOWN_UNKNOWN)
			answer = KNOWN_UNKNOWN;
	}
	return answer;
}
