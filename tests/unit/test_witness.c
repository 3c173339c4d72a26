/* SPDX-License-Identifier: Apache-2.0 */
/* A live node, which no test can have: what the witnesses make of a log that says everything went
 * well. */
#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "blender/pool.h"
#include "blender/witness.h"
#include "tap.h"

static struct manifest_entry blend = { .path = (char *)"s.blend",
	.blend = { .version_major = 3, .version_minor = 4 } };
static struct gpu gpu = { .bdf = "0000:c1:00.0", .in_kfd = KNOWN_YES, .in_hip = KNOWN_YES };
static struct node node = { .kfd_readable = KNOWN_YES,
	.kfd_openable = KNOWN_YES,
	.hip_state = HIP_ANSWERED,
	.hip_library = "libamdhip64.so.6" };
static struct blender_build build = { .major = 3, .minor = 4, .version = "3.4.1" };
static struct render_scene scene;
static struct attempt_context context;
static struct attempt attempt;
static struct facts facts;

static void say(const char *line)
{
	log_line(&attempt.log, line, strlen(line));
}

/* Everything that a good strict run leaves, but the picture and the second witness. */
static void good_run(void)
{
	memset(&attempt, 0, sizeof(attempt));
	scene.blend = &blend;
	context.node = &node;
	context.blender = &build;
	context.kernel_log = kernel_log_open("kmsg");
	attempt.context = &context;
	attempt.scene = &scene;
	attempt.gpu = &gpu;
	attempt.folder = (char *)".";
	attempt.child.ending.how = CHILD_EXITED;
	attempt.ended_us = 1000;
	log_init(&attempt.log);
	say("Found HIPCC hipcc");
	say("Using locally compiled kernel.");
	say("Local memory reserved 0 bytes. (0)");
	say("Path tracing on: AMD Instinct MI250X (HIP) [HIP_AMD Instinct MI250X_0000:c1:00]");
	facts_init(&facts, PROBE_STRICT);
}

static void hear(void)
{
	witness_all(&attempt, &facts);
}

static void done(void)
{
	json_decref(attempt.worker);
	kernel_log_free(context.kernel_log);
}

/* Log alone, log and KFD's denial, log and KFD's account. */
static void test_second_source(void)
{
	good_run();
	str_copy(attempt.vram_why, sizeof(attempt.vram_why), "no entry");
	hear();
	tap_number(
		facts.answer[FACT_TRACED_HERE], KNOWN_UNKNOWN, "Cycles' line alone is not enough");
	tap_ok(strstr(facts.evidence[FACT_TRACED_HERE], "no second source: no entry") != NULL,
		"and what is missing is said");
	tap_number(facts.answer[FACT_NOT_ON_CPU], KNOWN_YES, "though it did not name the CPU");
	done();
	good_run();
	attempt.vram_peak = known_u64(0);
	hear();
	tap_number(facts.answer[FACT_TRACED_HERE], KNOWN_NO,
		"a process that held no memory on the device did not render there");
	done();
	good_run();
	attempt.vram_peak = known_u64(1 << 20);
	hear();
	tap_number(facts.answer[FACT_TRACED_HERE], KNOWN_YES, "two witnesses agree");
	done();
}

static void write_kmsg(const char *text)
{
	struct error err;

	file_write("kmsg", text, strlen(text), &err);
}

/* The kernel's log is read from its end on, so lines are added after it was opened. */
static void test_kernel_log(void)
{
	static const char line[] = "3,100,500,-;amdgpu 0000:c1:00.0: amdgpu: GPU reset begin!\n"
				   "3,101,600,-;amdgpu 0000:c6:00.0: amdgpu: GPU reset begin!\n";
	FILE *file;

	write_kmsg("");
	good_run();
	hear();
	tap_number(facts.answer[FACT_NO_DEVICE_ERROR], KNOWN_YES,
		"a clean log and a clean kernel log");
	file = fopen("kmsg", "a");
	fputs(line, file);
	fclose(file);
	kernel_log_poll(context.kernel_log);
	facts_init(&facts, PROBE_STRICT);
	hear();
	tap_number(facts.answer[FACT_NO_DEVICE_ERROR], KNOWN_NO,
		"E12: a reset of this device in the window");
	tap_text(kernel_log_error(context.kernel_log, 0, 1000, "0000:d1:00.0"), NULL,
		"is none of another device's");
	tap_text(kernel_log_error(context.kernel_log, 700, 1000, "0000:c1:00.0"), NULL,
		"nor of a later window");
	done();
	remove("kmsg");
	good_run();
	hear();
	tap_number(facts.answer[FACT_NO_DEVICE_ERROR], KNOWN_UNKNOWN,
		"a kernel log that cannot be read leaves it unknown");
	tap_ok(strstr(facts.evidence[FACT_NO_DEVICE_ERROR], "CAP_SYSLOG") != NULL,
		"and what would help is said");
	done();
}

static void test_masks(void)
{
	good_run();
	node.kfd_openable = KNOWN_NO;
	str_copy(node.kfd_open_why, sizeof(node.kfd_open_why), "Permission denied");
	hear();
	tap_text(verdict_name(verdict_of(&facts).id), "no-permission",
		"/dev/kfd that cannot be opened: no-permission");
	node.kfd_openable = KNOWN_YES;
	done();
	good_run();
	gpu.in_hip = KNOWN_NO;
	hear();
	tap_text(verdict_name(verdict_of(&facts).id), "hip-no-device",
		"a device that HIP does not enumerate: hip-no-device");
	gpu.in_hip = KNOWN_YES;
	done();
}

/* Cycles 4.3 and 5.2 say that memory is out for every buffer after a launch that failed. */
static void test_echoes(void)
{
	good_run();
	say("Launch failed in hipMemcpyDtoH( (char *)mem.host_pointer + offset, size) "
	    "(./intern/cycles/device/hip/device_impl.cpp:557)");
	say("System is out of GPU memory");
	hear();
	tap_number(facts.answer[FACT_MEMORY_ENOUGH], KNOWN_UNKNOWN,
		"memory that is out after another failure accuses nobody");
	tap_text(verdict_name(verdict_of(&facts).id), "device-error", "the first failure decides");
	done();
	good_run();
	say("System is out of GPU memory");
	hear();
	tap_text(verdict_name(verdict_of(&facts).id), "out-of-memory", "memory first decides");
	done();
}

static void test_option_as_file(void)
{
	good_run();
	say("unknown argument, loading as file: --cycles-device");
	say("Error: Cannot read file \"/srv/run/--cycles-device\": No such file or directory");
	attempt.child.ending.code = 1;
	hear();
	tap_number(facts.answer[FACT_SCENE_READABLE], KNOWN_UNKNOWN,
		"A08 an option that was taken for a file says nothing of the scene");
	tap_text(verdict_name(verdict_of(&facts).id), "blender-failed", "A08 Blender failed");
	done();
}

static void test_hip_log(void)
{
	good_run();
	say("hipErrorNoBinaryForGpu: Unable to find code object for all current devices!");
	say("init: Returned hipErrorInvalidDeviceFunction");
	hear();
	tap_text(verdict_name(verdict_of(&facts).id), "device-error",
		"A14 a launch of what is not there decides, the noise before does not");
	tap_ok(strstr(facts.evidence[FACT_NO_DEVICE_ERROR], "InvalidDeviceFunction") != NULL,
		"A14 and is quoted");
	done();
}

/* A process that survives SIGKILL cannot be made here, so its ending is entered. */
static void test_stuck(void)
{
	static volatile sig_atomic_t stop;
	struct attempt attempts[3];
	struct pool pool = { .attempts = attempts, .count = 3, .jobs = 1, .stop = &stop };
	struct gpu other = { .bdf = "0000:c6:00.0" };
	struct error err = { "" };
	size_t i;

	good_run();
	for (i = 0; i < 3; i++)
		attempts[i] = attempt;
	attempts[0].judged = attempts[2].judged = true;
	attempts[0].child.ending.how = CHILD_STUCK;
	attempts[2].gpu = &other;
	pool_run(&pool, &err);
	tap_ok(attempts[1].judged && !attempts[1].started,
		"A20 nothing more is asked of a stuck GCD");
	tap_text(verdict_name(attempts[1].verdict.id), "inconclusive",
		"A20 its attempts are inconclusive");
	tap_ok(strstr(attempts[1].facts->evidence[FACT_NOT_INTERRUPTED], "stuck in the kernel") !=
			NULL,
		"A20 and say why");
	free(attempts[1].facts);
	done();
}

int main(void)
{
	write_kmsg("");
	test_echoes();
	test_option_as_file();
	test_hip_log();
	test_stuck();
	test_second_source();
	test_kernel_log();
	test_masks();
	return tap_done();
}
