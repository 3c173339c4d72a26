/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "run/child.h"
#include "run/oom.h"
#include "run/sandbox.h"
#include "tap.h"

static void put(const char *path, const char *text)
{
	char *folder = xstrndup(path, (size_t)(path_base(path) - path - 1));

	folder_make(folder, NULL);
	file_write(path, text, strlen(text), NULL);
	free(folder);
}

static struct oom_count count_below(const char *root)
{
	struct oom_count count;

	oom_set_root(root);
	oom_read(&count);
	oom_set_root(NULL);
	return count;
}

static const char v1_list[] =
	"9:name=systemd:/\n5:devices,memory:/wrong\n4:memory:/job/step 1\n0::/\n";

static void test_trees(void)
{
	struct oom_count count;

	put("v1/proc/self/cgroup", v1_list);
	put("v1/sys/fs/cgroup/memory/job/step 1/memory.oom_control",
		"oom_kill_disable 1\nunder_oom 0\noom_kill 7\n");
	put("v1/sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\noom_kill 2\n");
	count = count_below("v1");
	tap_ok(count.kills.known && count.kills.value == 7, "v1: the count of the own group");
	tap_text(count.path, "sys/fs/cgroup/memory/job/step 1/memory.oom_control", "by its path");

	put("v2/proc/self/cgroup", "0::/system.slice/x.service\n");
	put("v2/sys/fs/cgroup/system.slice/x.service/memory.events",
		"low 0\nhigh 9\nmax 8\noom 5\noom_kill 3\noom_group_kill 1\n");
	count = count_below("v2");
	tap_ok(count.kills.known && count.kills.value == 3, "v2: oom_kill of memory.events");

	put("inside/proc/self/cgroup", "0::/docker/0123\n");
	put("inside/sys/fs/cgroup/memory.events", "oom 1\noom_kill 1\n");
	count = count_below("inside");
	tap_ok(count.kills.known && count.kills.value == 1,
		"a container that sees its group as the root");

	put("old/proc/self/cgroup", "4:memory:/\n0::/\n");
	put("old/sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n");
	tap_ok(!count_below("old").kills.known, "a kernel that does not count them");
	put("bad/proc/self/cgroup", "\n::\n0:\n0::/../../etc\n");
	tap_ok(!count_below("bad").kills.known, "a list that is none");
	tap_ok(!count_below("nowhere").kills.known, "no root");
}

static struct child_ending run_shell(const char *script)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)script, NULL };
	const struct child_command command = {
		.argv = argv, .grace_ms = 100, .deadline_ms = 60000
	};
	struct child_ending ending;

	memset(&ending, 0, sizeof(ending));
	child_run(&command, &ending, NULL);
	return ending;
}

#define COUNT "tree/sys/fs/cgroup/memory/memory.oom_control"

static void test_children(void)
{
	struct child_ending ending;

	put("tree/proc/self/cgroup", "4:memory:/\n");
	put(COUNT, "oom_kill 1\n");
	oom_set_root("tree");
	ending = run_shell("kill -9 $$");
	tap_ok(!child_was_out_of_memory(&ending), "SIGKILL alone is not out of memory");
	ending = run_shell("echo oom_kill 2 >" COUNT "; kill -9 $$");
	tap_ok(child_was_out_of_memory(&ending), "SIGKILL while the count grew is");
	ending = run_shell("echo oom_kill 3 >" COUNT "; exit 1");
	tap_ok(!child_was_out_of_memory(&ending),
		"an exit while it grew is not: the kill was another's");
	ending = run_shell("echo oom_kill 4 >" COUNT "; exit 137");
	sandbox_read_ending(&ending);
	tap_ok(child_was_out_of_memory(&ending), "bwrap tells the kill by its exit status");
	ending = run_shell("echo oom_kill 5 >" COUNT "; kill -11 $$");
	tap_ok(!child_was_out_of_memory(&ending), "another signal is not");
	ending = run_shell("echo oom_kill 1 >" COUNT "; kill -9 $$");
	tap_ok(!child_was_out_of_memory(&ending), "nor a count that fell");
	oom_set_root(NULL);
}

/* A memory cgroup of our own with 64 MiB, for the rest of this process. Kernels without swap
 * accounting have no memsw file. */
static bool enter_small_cgroup(const char *group)
{
	char *limit = xasprintf("%s/memory.limit_in_bytes", group);
	char *swap = xasprintf("%s/memory.memsw.limit_in_bytes", group);
	char *procs = xasprintf("%s/cgroup.procs", group);
	FILE *file;
	bool inside = mkdir(group, 0755) == 0 && (file = fopen(limit, "w")) != NULL &&
		      fputs("67108864", file) >= 0 && fclose(file) == 0;

	file = inside ? fopen(swap, "w") : NULL;
	if (file) {
		fputs("67108864", file);
		fclose(file);
	}
	file = inside ? fopen(procs, "w") : NULL;
	inside = file && fprintf(file, "%ld", (long)getpid()) > 0 && fclose(file) == 0;
	free(limit);
	free(swap);
	free(procs);
	return inside;
}

/* 0: the kernel's kill was known for what it is; 1: it was not; 2: no cgroup can be made here. */
static int run_out_of_memory(const char *group)
{
	struct child_ending ending;
	char text[200];

	if (!enter_small_cgroup(group))
		return 2;
	ending = run_shell("echo 1000 >/proc/self/oom_score_adj; exec tail /dev/zero");
	child_ending_text(&ending, text, sizeof(text));
	printf("# %s; %llu kills more in %s\n", text, (unsigned long long)ending.oom_kills,
		ending.oom.path);
	fflush(stdout);
	return child_was_out_of_memory(&ending) ? 0 : 1;
}

/* Only root may make a memory cgroup, and only of v1 here: then the kernel itself is asked. */
static void test_kernel(void)
{
	char *group = xasprintf("/sys/fs/cgroup/memory/oamqual-test-%ld", (long)getpid());
	pid_t pid;
	int status = 0;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(run_out_of_memory(group));
	waitpid(pid, &status, 0);
	rmdir(group);
	if (WIFSIGNALED(status))
		printf("# ended by signal %d itself\n", WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		printf("# no memory cgroup can be made here\n");
	else
		tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
			"a child that the kernel killed for memory is known for it");
	free(group);
}

int main(void)
{
	tap_place();
	test_trees();
	test_children();
	test_kernel();
	return tap_done();
}
