/* SPDX-License-Identifier: Apache-2.0 */
/* A child process: what to run is one thing, a running instance another.
 *
 * States: child_start() -> running -> child_step() returns true once -> ended. A child leads its
 * own session and process group; at its deadline the whole group gets SIGTERM, after the grace
 * SIGKILL. stdout and stderr go to files, so that no pipe can fill up and block it. The program is
 * a subreaper (children_adopt_orphans), so a grandchild that outlives its parent comes back to us
 * and is ended too. */
#ifndef RUN_CHILD_H
#define RUN_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cpus.h"
#include "base/error.h"
#include "run/oom.h"

struct child_command {
	char *const *argv; /* argv[0] is the path to execute; NULL-terminated; borrowed */
	const char *const
		*environ_edits; /* NULL-terminated: "NAME=value" sets, "NAME" unsets; NULL none */
	const char *folder; /* working folder, or NULL for ours */
	const char *stdout_path; /* made new; NULL discards */
	const char *stderr_path; /* the same path as stdout_path shares the file */
	int64_t deadline_ms; /* after the start; 0 none */
	int64_t grace_ms; /* between SIGTERM and SIGKILL */
	uint64_t file_bytes_max; /* RLIMIT_FSIZE, each file it writes; 0 none */
	const struct cpus *cpus; /* it may run on these only; NULL all of ours */
	uint64_t memory_bytes_max; /* RLIMIT_DATA: what it may write to; a GPU runtime reserves more
				      addresses than there is memory. 0 none */
	uint64_t open_files_max; /* RLIMIT_NOFILE; 0 none */
	const char *status_path; /* made new, and open as descriptor 3; NULL none */
};

enum child_end {
	CHILD_NOT_STARTED, /* exec failed: `error_number` */
	CHILD_EXITED, /* `code` */
	CHILD_SIGNALLED, /* `signal` */
	CHILD_TIMED_OUT, /* we ended it at its deadline */
	CHILD_INTERRUPTED, /* we ended it because we were told to stop */
	CHILD_STUCK /* SIGKILL did not end it (D state); it was left behind and is named by pid */
};

struct child_ending {
	enum child_end how;
	long pid; /* the one it had; 0 when it was never made */
	int code; /* CHILD_EXITED: 0..255 */
	int signal; /* CHILD_SIGNALLED, and what ended a timed-out child */
	int error_number; /* CHILD_NOT_STARTED: errno of the exec */
	double wall_s, user_s, system_s; /* of it and of what came back to us from it */
	long max_rss_kib;
	bool left_others; /* members of its group outlived it and were killed */
	struct oom_count oom; /* when it ended */
	uint64_t oom_kills; /* so many more than when it was started */
};

struct child {
	pid_t pid; /* 0 when it is not running */
	int64_t started_ms, deadline_ms, kill_ms;
	int64_t grace_ms;
	bool terminated, killed, interrupted;
	struct oom_count oom; /* when it was started */
	struct child_ending ending; /* valid after child_step() returned true */
};

/* Once, before the first start: what children leave behind comes back to us, and what they started
 * does not outlive us even if we are killed (run/guard.h). */
void children_adopt_orphans(void);

/* Starts it. -1 only when the files or the process cannot be made; a failing exec is an ending. */
int child_start(struct child *child, const struct child_command *command, struct error *err);

/* Looks at it without waiting; enforces the deadline. True once it has ended: `ending` is then
 * filled. */
bool child_step(struct child *child);

/* Steps until it has ended. */
void child_wait(struct child *child);

/* Asks it to end now (SIGTERM, SIGKILL after the grace); go on stepping. */
void child_interrupt(struct child *child);

/* Did the kernel kill it because memory ran out? A SIGKILL that is not ours, while the count of its
 * cgroup grew; after sandbox_read_ending() of one in a sandbox. */
bool child_was_out_of_memory(const struct child_ending *ending);

/* Sleeps until something may have changed, at most `wait_ms`. */
void children_wait(const struct child *children[], size_t count, int wait_ms);

/* child_start, then steps until it has ended. */
int child_run(const struct child_command *command, struct child_ending *ending, struct error *err);

/* Kills and reaps whatever descendants of ours are left; how many there were. */
size_t children_end_orphans(void);

/* "exited", "signalled", "timed-out", ... Static. */
const char *child_end_name(enum child_end how);

/* "exit status 1", "killed by signal 11 (Segmentation fault)" ... in `text`. */
void child_ending_text(const struct child_ending *ending, char *text, size_t size);

#endif
