/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "blender/log.h"
#include "tap.h"

static struct log log_under_test;

static void feed(const char *line)
{
	log_line(&log_under_test, line, strlen(line));
}

static size_t count(enum log_event event)
{
	return log_under_test.event[event].count;
}

/* Lines that Blender 3.4.1 and 5.2.2 printed. */
static void test_formats(void)
{
	struct log *log = &log_under_test;

	log_init(log);
	feed("I1130 02:16:07.736569  4897 device.cpp:56] HIPEW initialization failed: Error "
	     "opening HIP dynamic library");
	tap_text(log->event[LOG_HIP_LIBRARY_FAILED].text,
		"HIPEW initialization failed: Error opening HIP dynamic library",
		"a glog prefix is taken off");
	feed("00:01.687  reports | ERROR Found no Cycles device of the specified type");
	tap_text(log->event[LOG_NO_DEVICE_OF_TYPE].text,
		"ERROR Found no Cycles device of the specified type",
		"A06: so is the prefix of 5.x");
	feed("error: unhandled SGPR spill to memory");
	feed("error: unhandled SGPR spill to memory");
	tap_number(count(LOG_COMPILER_ERROR), 2, "repeats are counted");
	feed("Kernel compilation finished in 123.50s.");
	tap_ok(log->compile_seconds == 123.5, "the compile time is read");
	feed("Saved: '/x/image.exr'");
	tap_number(count(LOG_SAVED), 1, "A27: the saved file is named by its line");
}

static void test_traced(void)
{
	struct log *log = &log_under_test;

	log_init(log);
	feed("Path tracing on: AMD [odd] Name (HIP) [HIP_AMD [odd] Name_0000:c1:00]");
	feed("Path tracing on: Some CPU (CPU) (2 threads) [CPU]");
	feed("Path tracing on: no brackets at all");
	tap_number(log->traced_count, 3, "each line is one device");
	tap_text(log->traced[1].kind, "CPU", "the CPU is told");
	tap_text(log->traced[2].kind, "unknown", "a line without an id is nobody's");
	log_init(log);
	feed("Path tracing on: AMD Radeon PRO W7900 (HIP) [HIP_AMD Radeon PRO W7900_0000:c1:00]");
	feed("                 Example Processor (CPU) (1 threads) [CPU]");
	feed("");
	feed("                 [no device]");
	tap_number(log->traced_count, 2, "the second device stands below the first");
	tap_text(log->traced[1].id, "CPU", "so that a CPU beside a GPU is told");
	log_init(log);
	feed("                            | Path tracing on: A (HIP) [HIP_A_0000:c1:00]");
	feed("                            |                      Hardware Ray-Tracing: Off");
	feed("                            |                  B (HIP) [HIP_B_0000:c6:00]");
	feed("                            | ");
	feed("                            |                  C (HIP) [HIP_C_0000:c9:00]");
	tap_number(log->traced_count, 2, "also behind the bar of 5.x");
	tap_text(log->traced[1].id, "HIP_B_0000:c6:00", "with its id");
	log_init(log);
	feed("Path tracing on: AMD Instinct MI250X (HIP) [HIP_AMD Instinct MI250X_0000:c1:00]");
	tap_text(log->traced[0].kind, "HIP", "HIP is told");
	tap_ok(log_id_is_at(log->traced[0].id, "0000:c1:00.0"), "with its address");
	tap_ok(!log_id_is_at(log->traced[0].id, "0001:c1:00.0"), "in its own domain only");
	tap_ok(!log_id_is_at(log->traced[0].id, "0000:c6:00.0"), "on its own bus only");
	tap_ok(!log_id_is_at("CPU", "0000:c1:00.0"), "the CPU has no address");
	tap_ok(!log_id_is_at(log->traced[0].id, ""), "an unknown address matches nothing");
}

/* A14: this line is printed many times by healthy runs and decides nothing. */
static void test_noise(void)
{
	int i, events = 0;

	log_init(&log_under_test);
	for (i = 0; i < 100; i++)
		feed("init: Returned hipErrorNoBinaryForGpu : continue parsing remaining modules");
	for (i = 0; i < LOG_EVENT_COUNT; i++)
		events += log_under_test.event[i].count > 0;
	tap_number(events, 0, "A14: hipErrorNoBinaryForGpu alone is no event");
	tap_number(log_under_test.lines, 100, "though every line was read");
}

/* Files have any name, also one that reads like a line of Cycles. */
static void test_names(void)
{
	static const char *const lines[] = {
		"Read blend: /x/girl in hippie dress.blend",
		"Read blend: /x/System is out of GPU memory.blend",
		"Read blend: /x/Path tracing on: X (HIP) [HIP_X_0000:77:00]",
		"I1130 02:16:07.736569  4897 device_impl.cpp:237] Testing for locally compiled "
		"kernel "
		"/System is out of GPU memory/k.",
		"Warning: /x/Memory access fault by GPU.png not found",
		"Read blend: /x/Saved: 'image.exr'",
	};
	size_t i, events = 0;

	log_init(&log_under_test);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		feed(lines[i]);
	for (i = 0; i < LOG_EVENT_COUNT; i++)
		events += log_under_test.event[i].count > 0;
	tap_number((long long)events, 0, "a file's name is no event");
	tap_number((long long)log_under_test.traced_count, 0, "and no device");
	feed("Saved: '/System is out of GPU memory/image.exr'");
	tap_number((long long)count(LOG_SAVED), 1, "a saved file is a saved file");
	tap_number((long long)count(LOG_OUT_OF_MEMORY), 0, "whatever its folder is called");
	feed("Launch failed in hipMemcpyHtoD(a, b) (./x.h:67)");
	tap_number((long long)count(LOG_HIP_CALL_FAILED), 1, "a failing HIP call is one");
}

static void test_hostile(void)
{
	static const char nul[] = "Error:\0 \x1b[31m \xff tail";
	char *huge = malloc(1 << 20);
	struct error err;
	FILE *file;

	log_init(&log_under_test);
	log_line(&log_under_test, nul, sizeof(nul) - 1);
	tap_text(log_under_test.event[LOG_ERROR].text, "Error:\\x00 \\x1b[31m \\xff tail",
		"A33: NUL, ESC and bytes that are not UTF-8 are shown");
	memset(huge, 'x', 1 << 20);
	log_line(&log_under_test, huge, 1 << 20);
	free(huge);
	file = fopen("log", "wb");
	fwrite("\xff\xfe\0\r\nError: a\r\nError: b", 1, 23, file);
	fclose(file);
	log_init(&log_under_test);
	tap_number(log_read(&log_under_test, "log", &err), 0, "a file of such bytes is read");
	tap_number(count(LOG_ERROR), 2, "to its last line without a newline");
	tap_number(log_read(&log_under_test, "absent", &err), -1, "an absent one is an error");
}

static void test_progress(void)
{
	unsigned done = 0, all = 0;
	struct error err = { "" };
	FILE *file = fopen("stdout.txt", "w");

	fprintf(file, "%5000s\nFra:1 | Sample 1/16\nFra:1 | Sample 7/16\n", "");
	fclose(file);
	tap_ok(log_progress("stdout.txt", &done, &all) && done == 7 && all == 16,
		"the last sample count is found in the tail");
	tap_ok(!log_progress("absent", &done, &all), "none without a file");
	/* A scene's script may put one where its log was; the alarm ends a test that waits. */
	mkfifo("pipe", 0600);
	alarm(20);
	tap_ok(!log_progress("pipe", &done, &all),
		"a pipe that nobody writes to is not waited for");
	log_init(&log_under_test);
	tap_number(log_read(&log_under_test, "pipe", &err), -1, "nor read as a log");
	tap_ok(strstr(err.text, "pipe: ") != NULL, "and named");
	alarm(0);
}

static long samples_of(const char *first, const char *second)
{
	log_init(&log_under_test);
	log_line(&log_under_test, first, strlen(first));
	log_line(&log_under_test, second, strlen(second));
	return log_under_test.samples;
}

/* The account at the end of a render, by Blender 3.4 and 5.2. */
static void test_samples(void)
{
	static const char done[] = "Rendered 8 samples in 0.539958 seconds";

	tap_number(samples_of(done, "Fra:1 Mem:10.28M"), 8, "how many samples were rendered");
	tap_number(
		samples_of(
			"                            | Rendered 5 samples in 0.489165 seconds", ""),
		5, "behind the bar of 5.x");
	tap_number(samples_of("I1130 13:05:43.162467  5219 path_trace.cpp:404] Rendered 1 samples "
			      "in 0.190921 seconds "
			      "(0.190921 seconds per sample), occupancy: 1",
			   ""),
		-1, "not the lines on the way");
	tap_number(samples_of(done, done), 8, "said twice");
	tap_number(samples_of(done, "Rendered 9 samples in 0.5 seconds"), -2,
		"said twice and differently");
	tap_number(
		samples_of("Rendered -4 samples in 1 seconds", "Rendered x samples in 1 seconds"),
		-1, "no number");
}

int main(void)
{
	tap_place();
	test_samples();
	test_formats();
	test_traced();
	test_noise();
	test_names();
	test_hostile();
	test_progress();
	return tap_done();
}
