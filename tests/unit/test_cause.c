/* SPDX-License-Identifier: Apache-2.0 */
/* Why: from a judged attempt to its chain of causes. Lines are those of public reports (their case
 * number stands in the title) and of Debian's builds. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "blender/cause.h"
#include "tap.h"

static struct gpu gpus[2] = { { .bdf = "0000:c1:00.0",
				      .gfx_target = "gfx90a",
				      .unique_id = { true, 0x074e71f78335a291 },
				      .kfd_node = { true, 4 } },
	{ .bdf = "0000:c6:00.0",
		.gfx_target = "gfx90a",
		.unique_id = { true, 0xb0541a725918221e },
		.kfd_node = { true, 5 } } };
static struct node node = {
	.gpus = gpus, .gpu_count = 2, .hip_driver_version = { true, 50700000 }
};
static struct attempt_context context = { .node = &node };
static struct attempt attempt;
static struct facts facts;
static struct surroundings around;
static struct prediction prediction;
static struct causes causes;

static void say(const char *line)
{
	log_line(&attempt.log, line, strlen(line));
}

/* An attempt of which all is yes, with Debian's Blender of this version. */
static void begin(int major, int minor)
{
	const struct prediction_input in = {
		.gfx = "gfx90a", .major = major, .minor = minor, .hipcc = "none"
	};
	int i;

	json_decref(attempt.worker);
	memset(&attempt, 0, sizeof(attempt));
	memset(&around, 0, sizeof(around));
	around.hipcc = "none";
	str_copy(around.looked, sizeof(around.looked), "/opt/rocm/lib");
	attempt.context = &context;
	attempt.gpu = &gpus[0];
	attempt.facts = &facts;
	attempt.started = true;
	attempt.child.ending.how = CHILD_EXITED;
	log_init(&attempt.log);
	facts_init(&facts, PROBE_STRICT);
	for (i = 0; i < FACT_COUNT; i++)
		facts_set(&facts, (enum fact)i, KNOWN_YES, "seen");
	prediction_make(&in, &prediction, NULL);
}

static void no(enum fact fact, const char *evidence)
{
	facts_set(&facts, fact, KNOWN_NO, "%s", evidence);
}

static void worker_is(const char *text)
{
	json_decref(attempt.worker);
	attempt.worker = json_loads(text, 0, NULL);
	tap_ok(attempt.worker != NULL, "the worker's report is JSON");
}

/* "root > ... > last", and the candidates after " ? ". */
static const char *chain(void)
{
	static char text[400];
	size_t i, used = 0;

	attempt.verdict = verdict_of(&facts);
	causes_of(&attempt, &prediction, &around, &causes);
	text[0] = '\0';
	for (i = 0; i < causes.chain_count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " > " : "",
			cause_help(causes.chain[i].id)->name);
	for (i = 0; i < causes.candidate_count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " ? %s",
			cause_help(causes.candidates[i].id)->name);
	return text;
}

static const char *remedy(void)
{
	return remedy_help(causes.remedy)->name;
}

/* --- not listed, told apart
 * ------------------------------------------------------------------------ */

static void not_listed(int major, int minor, const char *line)
{
	begin(major, minor);
	no(FACT_CYCLES_LISTS, line ? line : "Cycles lists no HIP device and does not say why");
	if (line)
		say(line);
}

static void test_listing(void)
{
	not_listed(4, 2, "HIPEW initialization failed: Error opening HIP dynamic library");
	str_copy(around.libraries, sizeof(around.libraries), "/opt/rocm/lib/libamdhip64.so.7");
	tap_text(chain(), "library-not-loadable-by-blender > device-not-listed", "A11 the library");
	tap_ok(strstr(causes.chain[0].evidence, "present: /opt/rocm/lib/libamdhip64.so.7") != NULL,
		"A11 with what is present");
	tap_text(remedy(), "install-hip-runtime", "A11 install another runtime");
	not_listed(5, 0, "Driver version is too old");
	no(FACT_DRIVER_NEW_ENOUGH, "Driver version is too old");
	tap_text(chain(), "hip-driver-too-old", "A12 the driver");
	tap_ok(strstr(causes.chain[0].evidence, "found: 50700000 (5.7.0)") != NULL,
		"A12 with its version");
	not_listed(4, 3, "Neither precompiled kernels nor HIPCC was found, unable to use HIP");
	tap_text(chain(), "neither-kernels-nor-compiler > device-not-listed",
		"neither kernels nor hipcc, though 4.3 would hide gfx90a anyway");
	tap_text(remedy(), "add-compiler", "add the compiler");
	not_listed(3, 4, "HIP hipInit: Invalid device");
	tap_text(chain(), "hip-init-failed > device-not-listed",
		"A10 the runtime, not the architecture");
	not_listed(3, 4, NULL);
	no(FACT_CYCLES_LISTS, "Cycles lists 1 HIP devices, none of them at 0000:c1:00.0");
	tap_text(chain(), "other-device-listed > device-not-listed", "another device is listed");
	begin(3, 4);
	no(FACT_BLENDER_HAS_HIP, "HIP is not among the device types of this build");
	no(FACT_CYCLES_LISTS, "Cycles lists no HIP device and does not say why");
	tap_text(chain(), "built-without-hip", "a build without HIP");
	tap_text(remedy(), "change-blender", "take another build");
}

/* Silence proves nothing, unless everything else was seen to be in order. */
static void test_floor(void)
{
	not_listed(4, 3, NULL);
	say("Found HIPCC hipcc");
	tap_text(chain(), "architecture-below-floor > device-not-listed", "4.3 hides gfx90a");
	tap_text(causes.chain[0].class, "inferred", "which is inferred");
	tap_text(causes.chain[1].class, "observed", "from what was observed");
	tap_text(remedy(), "change-blender", "an older Blender lists it");
	not_listed(4, 3, NULL);
	tap_text(chain(),
		"device-not-listed ? architecture-below-floor ? neither-kernels-nor-compiler",
		"without the line that a compiler was found both are candidates");
	tap_text(causes.candidates[0].class, "predicted", "the rule is only a prediction then");
	tap_text(remedy(), "narrow-down", "to be told apart");
	not_listed(3, 4, NULL);
	say("Found HIPCC hipcc");
	tap_text(chain(), "device-not-listed", "3.4 takes gfx90a, so the rule explains nothing");
	not_listed(4, 3, NULL);
	say("Found HIPCC hipcc");
	facts_set(&facts, FACT_BLENDER_LOADS_HIP, KNOWN_UNKNOWN, "nothing says so");
	tap_text(chain(),
		"device-not-listed ? architecture-below-floor ? library-not-loadable-by-blender",
		"a library that may not have been loaded is not ruled out");
}

/* --- masks
 * ----------------------------------------------------------------------------------------- */

static void hidden(const char *rocr, const char *hip)
{
	begin(3, 4);
	around.masks[0] = rocr;
	around.masks[1] = hip;
	no(FACT_HIP_ENUMERATES, "HIP enumerates devices, none of them at 0000:c1:00.0");
}

static void test_masks(void)
{
	hidden("1", NULL);
	tap_text(chain(), "device-hidden-by-mask > device-not-enumerated", "another index");
	tap_text(remedy(), "fix-mask", "correct the mask");
	tap_ok(strstr(causes.chain[0].evidence, "ROCR_VISIBLE_DEVICES=1") != NULL,
		"which is named");
	hidden("0", "1");
	tap_text(chain(), "masked-twice > device-not-enumerated",
		"the second mask counts in what the first left");
	tap_ok(strstr(causes.chain[0].evidence, "ROCR_VISIBLE_DEVICES=0, HIP_VISIBLE_DEVICES=1") !=
			NULL,
		"both are named");
	hidden(NULL, "1");
	tap_text(chain(), "device-not-enumerated ? device-hidden-by-mask",
		"one mask of HIP's own indices is a candidate");
	hidden(NULL, NULL);
	tap_text(chain(), "device-not-enumerated", "no mask, no such cause");
	tap_number(cause_rocr_hides("GPU-074e71f78335a291", &gpus[0], 0), KNOWN_NO, "by unique id");
	tap_number(
		cause_rocr_hides("GPU-b0541a725918221e", &gpus[0], 0), KNOWN_YES, "by another's");
	tap_number(cause_rocr_hides("3,0", &gpus[0], 0), KNOWN_NO, "in a list");
	tap_number(cause_rocr_hides("", &gpus[0], 0), KNOWN_YES, "an empty mask hides all");
	tap_number(cause_rocr_hides("GPU-074e71f78335a2", &gpus[0], 0), KNOWN_YES,
		"a cut id is another");
}

/* --- the CPU instead
 * -------------------------------------------------------------------------------- */

static const char listed[] =
	"\"available\": [{\"type\": \"HIP\", \"id\": \"HIP_MI250X_0000:c1:00\"}]";

static void fallback(const char *preferences)
{
	char *text = xasprintf("{\"devices\": {%s, %s}}", listed, preferences);

	begin(3, 4);
	attempt.facts->probe = PROBE_AS_FARM;
	no(FACT_NOT_ON_CPU, "Path tracing on: CPU (CPU) [CPU]");
	say("Path tracing on: CPU (CPU) [CPU]");
	worker_is(text);
	free(text);
}

static void test_fallback(void)
{
	fallback("\"compute_device_type\": \"NONE\", \"preferences\": []");
	tap_text(
		chain(), "preferences-reset > rendered-on-cpu", "A03 factory settings choose none");
	tap_text(remedy(), "fix-device-choice", "A03 choose the device in every run");
	fallback("\"compute_device_type\": \"HIP\", \"preferences\": [{\"type\": \"HIP\", \"use\": "
		 "true, "
		 "\"id\": \"HIP_MI250X_0000:d1:00\"}]");
	tap_text(chain(), "stored-device-id-absent > rendered-on-cpu",
		"A09 preferences of another node");
	tap_ok(strstr(causes.chain[0].evidence, "HIP_MI250X_0000:d1:00") != NULL,
		"A09 with its id");
	fallback("\"compute_device_type\": \"HIP\", \"preferences\": [{\"type\": \"HIP\", \"use\": "
		 "true, "
		 "\"id\": \"HIP_MI250X_0000:c1:00\"}]");
	tap_text(chain(), "rendered-on-cpu",
		"A04 the preferences say HIP, the CPU rendered: no more is known");
	fallback("\"compute_device_type\": \"HIP\"");
	say("Device gpu is not a valid Cycles device.");
	tap_text(chain(), "device-type-misspelt > rendered-on-cpu",
		"A07 a word that Blender does not know");
	fallback("\"compute_device_type\": \"HIP\"");
	say("Path tracing on: AMD (HIP) [HIP_AMD_0000:c1:00]");
	tap_text(chain(), "cpu-beside-gpu > rendered-on-cpu", "CPU and GPU together");
	fallback("\"compute_device_type\": \"NONE\"");
	no(FACT_CYCLES_LISTS, "none");
	say("Neither precompiled kernels nor HIPCC was found, unable to use HIP");
	tap_text(chain(), "neither-kernels-nor-compiler > device-not-listed > rendered-on-cpu",
		"why it is not listed stands first");
	begin(3, 4);
	no(FACT_NOT_ELSEWHERE, "Path tracing on: AMD (HIP) [HIP_AMD_0000:c1:00]");
	worker_is("{\"devices\": {\"available\": [{\"id\": \"HIP_X_0000:c1:00\"}, {\"id\": "
		  "\"HIP_X_0000:c1:00\"}]}}");
	tap_text(chain(), "device-ids-not-unique > rendered-elsewhere",
		"A09 partitions share one id");
}

/* --- kernels, errors, endings, pictures: a line or two each
 * ------------------------------------------- */

static const struct {
	enum fact no;
	const char *evidence;
	const char *lines[3];
	const char *want, *remedy, *title;
} cases[] = {
	{ FACT_KERNELS_READY, "no kernel",
		{ "HIP binary kernel for this graphics card compute capability (11.0) not found." },
		"kernel-not-shipped > no-kernel-for-target", "build-kernel",
		"A16 not among the kernels" },
	{ FACT_KERNELS_READY, "no kernel",
		{ "HIP hipcc compiler not found. Install HIP toolkit in default location." },
		"no-compiler > no-kernel-for-target", "add-compiler", "no hipcc at run time" },
	{ FACT_IMAGE_SOUND, "alpha is 0 everywhere",
		{ "HIP binary kernel for this graphics card compute capability (11.0) not found." },
		"kernel-not-shipped > image-is-no-picture", "build-kernel",
		"A16 an empty grid for want of a kernel" },
	{ FACT_KERNELS_BUILT, "error: unhandled SGPR spill to memory", { NULL },
		"compiler-cannot-spill > kernel-does-not-build", "change-compiler",
		"A17 the compiler's limit" },
	{ FACT_KERNELS_BUILT, "error: 'tex2D' has been explicitly marked unavailable here",
		{ NULL }, "target-without-textures > kernel-does-not-build", "not-a-render-worker",
		"gfx942 has no textures" },
	{ FACT_KERNELS_LOADED, "Failed to load HIP kernel",
		{ "Using locally compiled kernel.",
			"Failed to load HIP kernel from 'x' (hipErrorFileNotFound)" },
		"kernel-refused ? kernel-from-cache", "clear-kernel-cache",
		"A17 a file of another Blender" },
	{ FACT_MEMORY_ENOUGH, "System is out of GPU memory (20 such lines)",
		{ "System is out of GPU memory", "Invalid context" },
		"domain-memory-exhausted > memory-exhausted", "reduce-scene",
		"A21 the first cause" },
	{ FACT_MEMORY_ENOUGH, "x", { "System is out of GPU and shared host memory" },
		"host-memory-exhausted > memory-exhausted", "reduce-scene", "A21 the host's too" },
	{ FACT_MEMORY_ENOUGH, "x",
		{ "Failed to create image. Maximum GPU image size or available GPU memory was "
		  "likely exceeded." },
		"texture-too-large > memory-exhausted", "reduce-scene", "A22 a texture" },
	{ FACT_NO_DEVICE_ERROR, "kernel: amdgpu 0000:c1:00.0: GPU reset begin!", { NULL },
		"kernel-log-line > device-reported-error", "check-hardware",
		"A20 the kernel's log" },
	{ FACT_ENDED_WELL, "exit status 1", { "Build without OpenImageDenoiser" },
		"denoiser-missing > blender-reported-failure", "change-blender",
		"no GPU finding: the denoiser" },
	{ FACT_ENDED_WELL, "exit status 1", { "Unable to open a display" },
		"display-needed > blender-reported-failure", "fix-scene",
		"A32 the engine is not Cycles" },
	{ FACT_ENDED_WELL, "exit status 1",
		{ "Device found: CUDA", "Found no Cycles device of the specified type",
			"Blender quit" },
		"device-not-listed", "narrow-down", "A06 the last error over the optimistic line" },
	{ FACT_NOT_SIGNALLED, "killed by signal 6",
		{ "hipErrorNoBinaryForGpu: Unable to find code object for all current devices" },
		"crash-in-denoiser-probe > killed-by-signal", "change-blender",
		"A13 the denoiser's probe" },
	{ FACT_IN_TIME, "deadline", { "Compiling HIP kernel ..." },
		"compile-unfinished > deadline-reached", "raise-deadline",
		"a compile that did not end" },
	{ FACT_IMAGE_WRITTEN, "no image.exr",
		{ "Error: Render error (No such file or directory) cannot save: 'C:\\tmp\\'" },
		"output-not-writable > no-image-written", "fix-output",
		"A27 the path that failed" },
	{ FACT_SCENE_READABLE,
		"s.blend was written by Blender 4.5 and this is 3.4.1: it would lose data",
		{ NULL }, "scene-newer-than-blender > scene-unreadable", "change-blender",
		"A30 the scene is newer" },
	{ FACT_REFERENCE, "there is none", { NULL }, "no-reference-picture", "make-reference",
		"no reference" },
	{ FACT_STABLE, "repeats 1 and 2 differ", { NULL }, "repeats-disagree",
		"not-a-render-worker", "unstable" },
};

static void test_lines(void)
{
	size_t i, j;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(3, 4);
		no(cases[i].no, cases[i].evidence);
		attempt.child.ending.signal = cases[i].no == FACT_NOT_SIGNALLED ? SIGABRT : 0;
		if (strncmp(cases[i].title, "A06", 3) == 0)
			no(FACT_CYCLES_LISTS, "Cycles lists no HIP device and does not say why");
		if (strncmp(cases[i].title, "A06", 3) == 0)
			say("Found HIPCC hipcc");
		for (j = 0; j < 3 && cases[i].lines[j]; j++)
			say(cases[i].lines[j]);
		tap_text(chain(), cases[i].want, cases[i].title);
		tap_text(remedy(), cases[i].remedy, "and what to do");
	}
}

static void test_fault(void)
{
	begin(3, 4);
	no(FACT_NO_DEVICE_ERROR, "fault");
	say("Memory access fault by GPU node-4 (Agent handle: 0x1) on address 0x2. Reason: Page "
	    "not present.");
	tap_text(chain(), "memory-fault > device-reported-error", "A19 a memory fault");
	tap_ok(strstr(causes.chain[0].evidence, "KFD node 4 is 0000:c1:00.0") != NULL,
		"A19 with its address");
	tap_ok(!strstr(causes.chain[0].evidence, "not the GPU of"), "A19 of this GPU");
	attempt.gpu = &gpus[1];
	chain();
	tap_ok(strstr(causes.chain[0].evidence, "not the GPU of this attempt") != NULL,
		"A19 another GPU's fault is told");
}

static void test_endings(void)
{
	begin(3, 4);
	no(FACT_NOT_SIGNALLED, "killed by signal 9 (Killed)");
	attempt.child.ending.signal = SIGKILL;
	tap_text(chain(), "killed-by-signal ? killed-from-outside",
		"A24 the host's killer is a candidate");
	begin(3, 4);
	no(FACT_NOT_SIGNALLED, "killed by signal 11 (Segmentation fault)");
	attempt.child.ending.signal = SIGSEGV;
	str_copy(around.crash_report, sizeof(around.crash_report), "tmp/blender.crash.txt");
	tap_text(chain(), "crash-report > killed-by-signal", "A18 Blender's own crash report");
	begin(3, 4);
	no(FACT_IN_TIME, "left behind");
	attempt.child.ending.how = CHILD_STUCK;
	tap_text(chain(), "stuck-in-kernel > deadline-reached", "A20 a child that cannot be ended");
	begin(3, 4);
	no(FACT_IMAGE_MATCHES, "mean error 0.2");
	worker_is("{\"scene\": {\"external_files\": [{\"stored\": \"//wood.png\", \"exists\": "
		  "false}]}}");
	tap_text(chain(), "external-file-missing > image-outside-limits",
		"A29 a texture is missing");
	tap_ok(strstr(causes.chain[0].evidence, "//wood.png") != NULL, "A29 with its name");
	begin(3, 4);
	no(FACT_IMAGE_MATCHES, "mean error 0.2");
	tap_text(chain(), "image-outside-limits ? kernel-miscompiled",
		"A34 a miscompile is a candidate");
	begin(3, 4);
	facts_set(&facts, FACT_TRACED_HERE, KNOWN_UNKNOWN, "no second source");
	tap_text(chain(), "evidence-missing", "what is not known is no cause of the device's");
	tap_text(remedy(), "complete-evidence", "but something to be completed");
	begin(3, 4);
	tap_text(chain(), "", "accepted has no cause");
	tap_text(remedy(), "none", "and needs no remedy");
}

/* Whatever a no may be, its chain has an end, a name and a remedy. */
static void test_every_fact(void)
{
	size_t i, without = 0;

	for (i = 0; i < FACT_COUNT; i++) {
		begin(3, 4);
		no((enum fact)i, "no");
		chain();
		without += !causes.chain_count || !causes.chain[0].evidence[0] ||
			   !causes.chain[0].source || causes.remedy == REMEDY_NONE;
		facts_set(&facts, (enum fact)i, KNOWN_UNKNOWN, "unknown");
		chain();
		without += causes.chain_count != 1 || causes.chain[0].id != CAUSE_EVIDENCE_MISSING;
	}
	tap_number(without, 0, "every fact that is not yes has its chain");
}

static void test_names(void)
{
	size_t i, wrong = 0;

	for (i = 0; i < CAUSE_COUNT; i++)
		wrong += cause_find(cause_help((enum cause_id)i)->name) != (enum cause_id)i ||
			 cause_help((enum cause_id)i)->remedy == REMEDY_NONE;
	for (i = 0; i < REMEDY_COUNT; i++)
		wrong += remedy_find(remedy_help((enum remedy_id)i)->name) != (enum remedy_id)i;
	tap_number(wrong, 0, "each name is one thing's, each cause has a remedy");
	tap_number(cause_find("x"), CAUSE_COUNT, "an unknown cause");
	tap_number(remedy_find(""), REMEDY_COUNT, "an unknown remedy");
}

int main(void)
{
	test_listing();
	test_floor();
	test_masks();
	test_fallback();
	test_lines();
	test_fault();
	test_endings();
	test_every_fact();
	test_names();
	json_decref(attempt.worker);
	return tap_done();
}
