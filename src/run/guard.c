/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "run/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* More at once than a run ever starts. */
enum { GROUPS_MAX = 256 };

struct order {
	pid_t group;
	bool add;
};

static int to_guard = -1;
static pid_t guard;

static void obey(const struct order *order, pid_t *groups)
{
	pid_t wanted = order->add ? 0 : order->group;
	size_t i;

	for (i = 0; i < GROUPS_MAX && groups[i] != wanted; i++)
		;
	if (i < GROUPS_MAX)
		groups[i] = order->add ? order->group : 0;
}

/* Only async-signal-safe calls. The end of the socket is the end of whoever held the other one. */
static void stand_guard(int fd)
{
	static pid_t groups[GROUPS_MAX];
	struct order order;
	ssize_t got;
	size_t i;

	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	do {
		got = recv(fd, &order, sizeof(order), 0);
		if (got == sizeof(order))
			obey(&order, groups);
	} while (got > 0 || (got < 0 && errno == EINTR));
	for (i = 0; i < GROUPS_MAX; i++)
		if (groups[i])
			kill(-groups[i], SIGKILL);
	_exit(0);
}

void guard_start(void)
{
	int fds[2];

	if (guard || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
		return;
	guard = fork();
	if (guard == 0) {
		close(fds[0]);
		stand_guard(fds[1]);
	}
	close(fds[1]);
	if (guard < 0) {
		close(fds[0]);
		guard = 0;
		return;
	}
	to_guard = fds[0];
}

static void tell(pid_t group, bool add)
{
	const struct order order = { group, add };

	/* A guard that somebody killed guards nothing; that is no reason to stop. */
	if (to_guard >= 0 && send(to_guard, &order, sizeof(order), MSG_NOSIGNAL) < 0)
		guard_stop();
}

void guard_add(pid_t group)
{
	tell(group, true);
}

void guard_remove(pid_t group)
{
	tell(group, false);
}

void guard_stop(void)
{
	if (!guard)
		return;
	close(to_guard);
	to_guard = -1;
	while (waitpid(guard, NULL, 0) < 0 && errno == EINTR)
		;
	guard = 0;
}
