/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* vfork, wait4, pidfd through syscall(2), strsignal */
#include "run/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "run/guard.h"

/* How long a child may survive SIGKILL before it counts as stuck in the kernel. */
enum { STUCK_MS = 5000 };

/* What a child started may be on its way out when the child has ended: so long until it counts as
 * left behind. */
enum { DRAIN_MS = 250, DRAIN_STEP_MS = 2 };

/* Descriptors that must not be in the way of 0 to 3 in the child. */
enum { WAIT_MS = 100 };
enum { HIGH_FD = 10, STATUS_FD = 3 };

extern char **environ;

void children_adopt_orphans(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
	guard_start();
}

static bool edit_names(const char *edit, const char *variable)
{
	size_t len = strcspn(edit, "=");

	return strncmp(edit, variable, len) == 0 && variable[len] == '=';
}

/* The environment after the edits; strings stay borrowed. Built before fork: malloc is not safe
 * after it. */
static char **edited_environment(const char *const *edits)
{
	size_t have = 0, more = 0, kept = 0, i, j;
	char **result;

	while (environ[have])
		have++;
	while (edits && edits[more])
		more++;
	result = xcalloc(have + more + 1, sizeof(*result));
	for (i = 0; i < have; i++) {
		for (j = 0; j < more && !edit_names(edits[j], environ[i]); j++)
			;
		if (j == more)
			result[kept++] = environ[i];
	}
	for (j = 0; j < more; j++)
		if (strchr(edits[j], '='))
			result[kept++] = (char *)edits[j];
	return result;
}

static int open_output(const char *path, struct error *err)
{
	int fd = open(path ? path : "/dev/null",
		O_WRONLY | O_CLOEXEC | O_APPEND | (path ? O_CREAT | O_TRUNC : 0), 0644);
	int high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD) : -1;

	if (high < 0)
		error_errno(err, "cannot write %s", path ? path : "/dev/null");
	if (fd >= 0)
		close(fd);
	return high;
}

static void limit(int which, uint64_t most)
{
	struct rlimit bound = { .rlim_cur = most, .rlim_max = most };

	if (most)
		setrlimit(which, &bound);
}

/* A handler of ours would run on memory that is shared until the exec. */
static void forget_handlers(void)
{
	static const int caught[] = { SIGPIPE, SIGINT, SIGTERM, SIGHUP };
	sigset_t none;
	size_t i;

	for (i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		signal(caught[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Only async-signal-safe calls from here to exec, and nothing of the parent's is written. */
static _Noreturn void become(const struct child_command *command, char **environment,
	const int outputs[3], int report_fd)
{
	struct rlimit no_core = { 0, 0 };
	int null_fd = open("/dev/null", O_RDONLY);
	int reason;

	setsid();
	/* Should we be killed, nobody is left to end the child at its deadline. */
	prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0L, 0L, 0L);
	forget_handlers();
	setrlimit(RLIMIT_CORE, &no_core);
	/* A set that the kernel refuses leaves it unbound; who asked looks at what it got. */
	if (command->cpus)
		cpus_bind(command->cpus);
	limit(RLIMIT_FSIZE, command->file_bytes_max);
	limit(RLIMIT_DATA, command->memory_bytes_max);
	limit(RLIMIT_NOFILE, command->open_files_max);
	if (dup2(null_fd, 0) >= 0 && dup2(outputs[0], 1) >= 0 && dup2(outputs[1], 2) >= 0 &&
		(outputs[2] < 0 || dup2(outputs[2], STATUS_FD) >= 0) &&
		(!command->folder || chdir(command->folder) == 0))
		execve(command->argv[0], command->argv, environment);
	reason = errno;
	if (write(report_fd, &reason, sizeof(reason)) < 0)
		_exit(126);
	_exit(127);
}

/* The exec closes the pipe; a failed one sends errno through it first. */
static int exec_result(int fd)
{
	int reason = 0;
	ssize_t got;

	do
		got = read(fd, &reason, sizeof(reason));
	while (got < 0 && errno == EINTR);
	return got == sizeof(reason) ? reason : 0;
}

/* Its writing end is out of the way of the child's own descriptors. */
static int make_report(int report[2], struct error *err)
{
	int low;

	if (pipe2(report, O_CLOEXEC) != 0)
		return error_errno(err, "cannot make a pipe");
	low = report[1];
	report[1] = fcntl(low, F_DUPFD_CLOEXEC, HIGH_FD);
	close(low);
	if (report[1] >= 0)
		return 0;
	error_errno(err, "cannot make a pipe");
	close(report[0]);
	return -1;
}

/* Copying our page tables, with all that the picture library maps, would cost as much as all else
 * that is done for an attempt: the child runs on our memory until its exec, signals held back. */
static pid_t spawn(const struct child_command *command, char **environment, const int outputs[3],
	int report_fd)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = vfork();
	if (pid == 0)
		become(command, environment, outputs, report_fd);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static int launch(struct child *child, const struct child_command *command, const int outputs[3],
	struct error *err)
{
	char **environment;
	int report[2];
	pid_t pid;

	if (make_report(report, err) != 0)
		return -1;
	environment = edited_environment(command->environ_edits);
	pid = spawn(command, environment, outputs, report[1]);
	free(environment);
	close(report[1]);
	if (pid < 0)
		error_errno(err, "cannot start %s", command->argv[0]);
	else
		child->ending.error_number = exec_result(report[0]);
	close(report[0]);
	child->pid = pid > 0 ? pid : 0;
	child->ending.pid = child->pid;
	if (pid > 0)
		guard_add(pid);
	return pid < 0 ? -1 : 0;
}

static void close_outputs(const int outputs[3])
{
	size_t i;

	for (i = 0; i < 3; i++)
		if (outputs[i] >= 0 && (i == 0 || outputs[i] != outputs[i - 1]))
			close(outputs[i]);
}

/* stdout, stderr, which may be the same, and what is open as descriptor 3, which need not be. */
static int open_outputs(const struct child_command *command, int outputs[3], struct error *err)
{
	bool shared = command->stdout_path && command->stderr_path &&
		      strcmp(command->stdout_path, command->stderr_path) == 0;

	outputs[0] = outputs[1] = outputs[2] = -1;
	outputs[0] = open_output(command->stdout_path, err);
	if (outputs[0] >= 0)
		outputs[1] = shared ? outputs[0] : open_output(command->stderr_path, err);
	if (outputs[1] >= 0 && command->status_path)
		outputs[2] = open_output(command->status_path, err);
	if (outputs[1] >= 0 && (outputs[2] >= 0 || !command->status_path))
		return 0;
	close_outputs(outputs);
	return -1;
}

int child_start(struct child *child, const struct child_command *command, struct error *err)
{
	int outputs[3];
	int rc;

	memset(child, 0, sizeof(*child));
	if (open_outputs(command, outputs, err) != 0)
		return -1;
	child->started_ms = clock_monotonic_ms();
	oom_read(&child->oom);
	child->deadline_ms = command->deadline_ms ? child->started_ms + command->deadline_ms : 0;
	child->grace_ms = command->grace_ms;
	rc = launch(child, command, outputs, err);
	close_outputs(outputs);
	return rc;
}

static bool group_exists(pid_t group)
{
	return kill(-group, 0) == 0 || errno == EPERM;
}

static void add_usage(struct child_ending *ending, const struct rusage *usage)
{
	ending->user_s += (double)usage->ru_utime.tv_sec + 1e-6 * (double)usage->ru_utime.tv_usec;
	ending->system_s += (double)usage->ru_stime.tv_sec + 1e-6 * (double)usage->ru_stime.tv_usec;
	if (usage->ru_maxrss > ending->max_rss_kib)
		ending->max_rss_kib = usage->ru_maxrss;
}

/* Members of its group that came back to us. */
static void reap_group(struct child *child)
{
	struct rusage usage;

	while (wait4(-child->pid, NULL, WNOHANG, &usage) > 0)
		add_usage(&child->ending, &usage);
}

/* What the child started and did not wait for. */
static void end_group(struct child *child)
{
	const struct timespec step = { 0, DRAIN_STEP_MS * 1000000L };
	int waited;

	reap_group(child);
	for (waited = 0; group_exists(child->pid) && waited < DRAIN_MS; waited += DRAIN_STEP_MS) {
		nanosleep(&step, NULL);
		reap_group(child);
	}
	if (!group_exists(child->pid))
		return;
	child->ending.left_others = true;
	kill(-child->pid, SIGKILL);
	for (waited = 0; group_exists(child->pid) && waited < DRAIN_MS; waited += DRAIN_STEP_MS) {
		nanosleep(&step, NULL);
		reap_group(child);
	}
}

static void count_oom_kills(struct child *child)
{
	struct child_ending *ending = &child->ending;

	oom_read(&ending->oom);
	if (child->oom.kills.known && ending->oom.kills.known &&
		ending->oom.kills.value > child->oom.kills.value)
		ending->oom_kills = ending->oom.kills.value - child->oom.kills.value;
}

static void fill_ending(struct child *child, int status, const struct rusage *usage)
{
	struct child_ending *ending = &child->ending;

	ending->wall_s = (double)(clock_monotonic_ms() - child->started_ms) / 1000;
	add_usage(ending, usage);
	count_oom_kills(child);
	if (WIFSIGNALED(status))
		ending->signal = WTERMSIG(status);
	else
		ending->code = WEXITSTATUS(status);
	if (ending->error_number)
		ending->how = CHILD_NOT_STARTED;
	else if (child->interrupted)
		ending->how = CHILD_INTERRUPTED;
	else if (child->terminated)
		ending->how = CHILD_TIMED_OUT;
	else
		ending->how = WIFSIGNALED(status) ? CHILD_SIGNALLED : CHILD_EXITED;
}

static void terminate(struct child *child, int64_t now)
{
	child->terminated = true;
	child->kill_ms = now + child->grace_ms;
	kill(-child->pid, SIGTERM);
}

static bool enforce(struct child *child)
{
	int64_t now = clock_monotonic_ms();

	if (!child->terminated && child->deadline_ms && now >= child->deadline_ms)
		terminate(child, now);
	if (child->terminated && !child->killed && now >= child->kill_ms) {
		child->killed = true;
		kill(-child->pid, SIGKILL);
	}
	if (!child->killed || now < child->kill_ms + STUCK_MS)
		return false;
	child->ending.how = CHILD_STUCK;
	child->ending.wall_s = (double)(now - child->started_ms) / 1000;
	return true;
}

bool child_step(struct child *child)
{
	struct rusage usage;
	int status;
	pid_t got;

	if (!child->pid)
		return true;
	got = wait4(child->pid, &status, WNOHANG, &usage);
	if (got == 0 || (got < 0 && errno == EINTR))
		return enforce(child);
	if (got < 0) {
		status = 0;
		memset(&usage, 0, sizeof(usage));
	}
	fill_ending(child, status, &usage);
	end_group(child);
	guard_remove(child->pid);
	child->pid = 0;
	return true;
}

void child_interrupt(struct child *child)
{
	if (!child->pid || child->interrupted)
		return;
	child->interrupted = true;
	if (!child->terminated)
		terminate(child, clock_monotonic_ms());
}

bool child_was_out_of_memory(const struct child_ending *ending)
{
	return ending->how == CHILD_SIGNALLED && ending->signal == SIGKILL && ending->oom_kills;
}

void children_wait(const struct child *children[], size_t count, int wait_ms)
{
	struct pollfd fds[64];
	nfds_t open_fds = 0;
	size_t i;

	for (i = 0; i < count && open_fds < 64; i++) {
		long fd = syscall(SYS_pidfd_open, children[i]->pid, 0);

		if (fd >= 0)
			fds[open_fds++] = (struct pollfd){ .fd = (int)fd, .events = POLLIN };
	}
	poll(fds, open_fds, wait_ms);
	while (open_fds)
		close(fds[--open_fds].fd);
}

void child_wait(struct child *child)
{
	const struct child *waited[1] = { child };

	while (!child_step(child))
		children_wait(waited, 1, WAIT_MS);
}

int child_run(const struct child_command *command, struct child_ending *ending, struct error *err)
{
	struct child child;

	if (child_start(&child, command, err) != 0)
		return -1;
	child_wait(&child);
	*ending = child.ending;
	return 0;
}

size_t children_end_orphans(void)
{
	size_t ended = 0;
	char path[64];
	FILE *list;
	long pid;

	guard_stop();
	snprintf(path, sizeof(path), "/proc/self/task/%ld/children", (long)getpid());
	list = fopen(path, "re");
	if (list) {
		while (fscanf(list, "%ld", &pid) == 1) {
			kill((pid_t)pid, SIGKILL);
			ended++;
		}
		fclose(list);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	return ended;
}

const char *child_end_name(enum child_end how)
{
	static const char *const names[] = { "not-started", "exited", "signalled", "timed-out",
		"interrupted", "stuck" };

	return names[how];
}

void child_ending_text(const struct child_ending *ending, char *text, size_t size)
{
	switch (ending->how) {
	case CHILD_NOT_STARTED:
		snprintf(text, size, "could not be started: %s", strerror(ending->error_number));
		return;
	case CHILD_EXITED:
		snprintf(text, size, "exit status %d after %.1f s", ending->code, ending->wall_s);
		return;
	case CHILD_SIGNALLED:
		snprintf(text, size, "killed by signal %d (%s) after %.1f s", ending->signal,
			strsignal(ending->signal), ending->wall_s);
		return;
	case CHILD_TIMED_OUT:
		snprintf(text, size, "ended by us at its deadline, after %.1f s", ending->wall_s);
		return;
	case CHILD_INTERRUPTED:
		snprintf(text, size, "ended by us when the run was interrupted");
		return;
	case CHILD_STUCK:
		snprintf(text, size, "survived SIGKILL for %d s: stuck in the kernel",
			STUCK_MS / 1000);
		return;
	}
}
