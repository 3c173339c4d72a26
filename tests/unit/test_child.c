/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "run/child.h"
#include "tap.h"

static struct child_ending run_shell(
	const char *script, int64_t deadline_ms, const char *const *edits)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)script, NULL };
	const struct child_command command = {
		.argv = argv,
		.environ_edits = edits,
		.stdout_path = "out.txt",
		.stderr_path = "err.txt",
		.deadline_ms = deadline_ms,
		.grace_ms = 200,
		.file_bytes_max = 1 << 20,
	};
	struct child_ending ending;
	struct error err;

	if (child_run(&command, &ending, &err) != 0)
		printf("# %s\n", err.text);
	return ending;
}

static char *content(const char *path)
{
	struct str text = STR_INIT;

	file_read(path, 4096, &text, NULL);
	return str_detach(&text);
}

static void test_endings(void)
{
	struct child_ending ending = run_shell("exit 137", 0, NULL);
	char *argv[] = { (char *)"/nonexistent/blender", NULL };
	const struct child_command absent = { .argv = argv };
	struct error err;

	tap_ok(ending.how == CHILD_EXITED && ending.code == 137 && ending.signal == 0,
		"exit status 137 is an exit status");
	ending = run_shell("kill -9 $$", 0, NULL);
	tap_ok(ending.how == CHILD_SIGNALLED && ending.signal == SIGKILL, "SIGKILL is a signal");
	tap_number(child_run(&absent, &ending, &err), 0, "a program that is not there");
	tap_ok(ending.how == CHILD_NOT_STARTED && ending.error_number == 2,
		"was not started: ENOENT");
	ending = run_shell("i=0; while :; do i=$((i+1)); done", 300, NULL);
	tap_ok(ending.how == CHILD_TIMED_OUT, "a busy child is ended at its deadline");
	tap_ok(ending.user_s > 0.05, "and its CPU time is known");
	ending = run_shell("head -c 3000000 /dev/zero", 5000, NULL);
	tap_ok(ending.how != CHILD_TIMED_OUT && (ending.signal || ending.code),
		"output over the limit ends the child");
}

static void test_group(void)
{
	struct child_ending ending;
	int64_t start = clock_monotonic_ms();

	children_adopt_orphans();
	ending = run_shell("trap '' TERM; sleep 60 & wait", 200, NULL);
	tap_ok(ending.how == CHILD_TIMED_OUT && clock_monotonic_ms() - start < 20000,
		"E21: a child that ignores SIGTERM is killed");
	ending = run_shell("sleep 60 & exit 0", 10000, NULL);
	tap_ok(ending.how == CHILD_EXITED && ending.left_others,
		"E21: what it leaves behind is ended and reported");
	run_shell("setsid sleep 61 & exit 0", 10000, NULL);
	tap_ok(children_end_orphans() >= 1, "even what left its session comes back and is ended");
	tap_ok(system("pgrep -x -f 'sleep 6[01]' >/dev/null") != 0, "none of them is left");
}

static void test_environment(void)
{
	static const char *const edits[] = { "ADDED=yes", "GONE", NULL };
	char *text;

	setenv("GONE", "still here", 1);
	setenv("ADDED", "no", 1);
	run_shell("echo $ADDED,$GONE,$HOME >&2; echo out", 0, edits);
	text = content("err.txt");
	tap_ok(str_starts(text, "yes,,"), "variables are set and unset: %s", text);
	free(text);
	text = content("out.txt");
	tap_text(text, "out\n", "stdout has its own file");
	free(text);
}

static void test_interrupt(void)
{
	char *argv[] = { (char *)"/bin/sleep", (char *)"30", NULL };
	const struct child_command command = { .argv = argv, .grace_ms = 100 };
	struct child child;
	struct error err;

	tap_number(child_start(&child, &command, &err), 0, "a child starts");
	tap_ok(!child_step(&child), "and runs");
	child_interrupt(&child);
	while (!child_step(&child))
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	tap_ok(child.ending.how == CHILD_INTERRUPTED, "interrupting is not timing out");
}

int main(void)
{
	tap_place();
	test_endings();
	test_group();
	test_environment();
	test_interrupt();
	return tap_done();
}
