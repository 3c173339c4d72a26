/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "tap.h"
#include "verdict/verdict.h"

static void all_yes(struct facts *facts, enum probe probe)
{
	int i;

	facts_init(facts, probe);
	for (i = 0; i < FACT_COUNT; i++)
		facts_set(facts, (enum fact)i, KNOWN_YES, "seen");
}

static const char *verdict_when_no(enum probe probe, enum fact fact)
{
	static struct facts facts;

	all_yes(&facts, probe);
	facts_set(&facts, fact, KNOWN_NO, "broken");
	return verdict_name(verdict_of(&facts).id);
}

/* Written from the design's list of verdicts, not from the table under test. */
static const struct {
	enum fact no;
	const char *want;
} single[] = {
	{ FACT_SCENE_READABLE, "bad-scene" },
	{ FACT_IN_KFD, "inconclusive" },
	{ FACT_KFD_OPENABLE, "no-permission" },
	{ FACT_HIP_LOADABLE, "hip-missing" },
	{ FACT_HIP_HAS_DEVICES, "hip-no-device" },
	{ FACT_HIP_ENUMERATES, "hip-no-device" },
	{ FACT_BLENDER_STARTED, "blender-failed" },
	{ FACT_SCENE_RENDERABLE, "inconclusive" },
	{ FACT_BLENDER_HAS_HIP, "blender-without-hip" },
	{ FACT_BLENDER_LOADS_HIP, "hip-missing" },
	{ FACT_DRIVER_NEW_ENOUGH, "driver-too-old" },
	{ FACT_CYCLES_LISTS, "not-listed" },
	{ FACT_KERNELS_READY, "kernel-missing" },
	{ FACT_KERNELS_BUILT, "kernel-build-failed" },
	{ FACT_KERNELS_LOADED, "kernel-load-failed" },
	{ FACT_TRACED_HERE, "inconclusive" },
	{ FACT_NOT_ON_CPU, "cpu-fallback" },
	{ FACT_NOT_ELSEWHERE, "wrong-device" },
	{ FACT_IMAGE_WRITTEN, "no-output" },
	{ FACT_IMAGE_SOUND, "image-invalid" },
	{ FACT_REFERENCE, "no-reference" },
	{ FACT_IMAGE_MATCHES, "image-differs" },
	{ FACT_NO_DEVICE_ERROR, "device-error" },
	{ FACT_MEMORY_ENOUGH, "out-of-memory" },
	{ FACT_ENDED_WELL, "blender-failed" },
	{ FACT_NOT_SIGNALLED, "crashed" },
	{ FACT_IN_TIME, "timed-out" },
	{ FACT_NOT_INTERRUPTED, "inconclusive" },
	{ FACT_STABLE, "unstable" },
};

static void test_single(void)
{
	size_t i;

	tap_number(sizeof(single) / sizeof(single[0]), FACT_COUNT, "every fact has its row here");
	for (i = 0; i < sizeof(single) / sizeof(single[0]); i++)
		tap_text(verdict_when_no(PROBE_STRICT, single[i].no), single[i].want,
			fact_name(single[i].no));
}

/* Nothing passes without evidence: one unknown, whichever, is enough. */
static void test_unknown(void)
{
	static struct facts facts;
	int i;

	for (i = 0; i < FACT_COUNT; i++) {
		all_yes(&facts, PROBE_AS_FARM);
		facts_set(&facts, (enum fact)i, KNOWN_UNKNOWN, "nobody looked");
		tap_ok(verdict_of(&facts).id == VERDICT_INCONCLUSIVE, "unknown %s is inconclusive",
			fact_name((enum fact)i));
	}
	facts_init(&facts, PROBE_STRICT);
	tap_ok(verdict_of(&facts).id == VERDICT_INCONCLUSIVE, "nothing known is inconclusive");
}

static void test_accepted(void)
{
	static struct facts facts;

	all_yes(&facts, PROBE_STRICT);
	tap_ok(verdict_of(&facts).id == VERDICT_ACCEPTED, "all yes is accepted");
	tap_ok(verdict_of(&facts).rung == RUNG_NONE, "and no rung is short");
	facts_set(&facts, FACT_IMAGE_SOUND, KNOWN_NO, "black");
	tap_number(verdict_of(&facts).rung, RUNG_IMAGE_SOUND, "the first rung not yes is named");
	tap_number(verdict_of(&facts).fact, FACT_IMAGE_SOUND, "and the fact that decided");
}

static void test_precedence(void)
{
	static struct facts facts;

	all_yes(&facts, PROBE_AS_FARM);
	facts_set(&facts, FACT_CYCLES_LISTS, KNOWN_NO, "broken");
	facts_set(&facts, FACT_NOT_ON_CPU, KNOWN_NO, "Path tracing on: ... [CPU]");
	tap_text(verdict_name(verdict_of(&facts).id), "cpu-fallback",
		"a fallback is a fallback, whatever kept the GPU from being listed");
	tap_number(verdict_of(&facts).rung, RUNG_CYCLES_LISTS, "the rung still says what kept it");
	all_yes(&facts, PROBE_STRICT);
	facts_set(&facts, FACT_MEMORY_ENOUGH, KNOWN_NO, "broken");
	facts_set(&facts, FACT_NO_DEVICE_ERROR, KNOWN_NO, "broken");
	facts_set(&facts, FACT_IN_TIME, KNOWN_NO, "broken");
	tap_text(verdict_name(verdict_of(&facts).id), "out-of-memory",
		"E22: out of memory stands before its echoes and the deadline");
}

/* The control is a CPU render on purpose: it has no GPU rungs and a GPU would be the wrong device.
 */
static void test_control(void)
{
	static struct facts facts;
	int i;

	facts_init(&facts, PROBE_CONTROL);
	for (i = 0; i < FACT_COUNT; i++)
		if (fact_is_needed((enum fact)i, PROBE_CONTROL))
			facts_set(&facts, (enum fact)i, KNOWN_YES, "seen");
	tap_ok(verdict_of(&facts).id == VERDICT_ACCEPTED, "a control needs no GPU facts");
	facts_set(&facts, FACT_NOT_ON_CPU, KNOWN_NO, "broken");
	tap_ok(verdict_of(&facts).id == VERDICT_ACCEPTED, "and is meant to be on the CPU");
	facts_set(&facts, FACT_NOT_ELSEWHERE, KNOWN_NO, "broken");
	tap_text(verdict_name(verdict_of(&facts).id), "wrong-device",
		"A05: a control that was rendered on a GPU is no control");
}

static void test_names(void)
{
	int i;

	for (i = 0; i < VERDICT_COUNT; i++) {
		const struct verdict_help *help = verdict_help((enum verdict_id)i);
		const char *name = verdict_name((enum verdict_id)i);

		tap_ok(name && verdict_find(name) == (enum verdict_id)i, "%s is found by its name",
			name);
		tap_ok(help->meaning && help->evidence && help->causes && help->remedy,
			"%s is explained", name);
	}
	tap_ok(verdict_find("fine") == VERDICT_COUNT, "an unknown name is not found");
}

int main(void)
{
	test_single();
	test_unknown();
	test_accepted();
	test_precedence();
	test_control();
	test_names();
	return tap_done();
}
