/* SPDX-License-Identifier: Apache-2.0 */
#include "node/kernel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/text.h"

enum { RECORD_BYTES = 8192, LINES_MAX = 4096 };

struct line {
	uint64_t time_us;
	char *text;
};

struct kernel_log {
	int fd;
	char why[200];
	struct line *lines;
	size_t count;
};

/* Words of amdgpu and amdkfd messages that mean trouble (their wording varies by kernel). */
static const char *const trouble[] = { "uncorrectable", "GPU reset", "VRAM is lost", "page fault",
	"ring gfx", "ring sdma", "timeout", "hang", "Fatal", "fatal", "failed", "ERREVENT", "poison",
	"lost" };

static const char *const drivers[] = { "amdgpu", "kfd", "AMD-Vi" };

static bool contains_any(const char *text, const char *const *words, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

struct kernel_log *kernel_log_open(const char *path)
{
	struct kernel_log *log = xcalloc(1, sizeof(*log));

	log->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log->fd < 0)
		snprintf(log->why, sizeof(log->why), "%s: %s", path, strerror(errno));
	else
		lseek(log->fd, 0, SEEK_END);
	return log;
}

const char *kernel_log_unreadable(const struct kernel_log *log)
{
	return log->why[0] ? log->why : NULL;
}

/* A record is "priority,sequence,microseconds,flags;text\n". */
static void take(struct kernel_log *log, char *record)
{
	char *text = strchr(record, ';');
	unsigned long long time_us;

	if (!text || sscanf(record, "%*u,%*u,%llu", &time_us) != 1)
		return;
	text++;
	text[strcspn(text, "\n")] = '\0';
	if (!contains_any(text, drivers, sizeof(drivers) / sizeof(drivers[0])) ||
		!contains_any(text, trouble, sizeof(trouble) / sizeof(trouble[0])))
		return;
	if (log->count == LINES_MAX)
		return;
	log->lines = xrealloc(log->lines, (log->count + 1) * sizeof(*log->lines));
	log->lines[log->count].time_us = time_us;
	log->lines[log->count++].text = text_printable(text, strlen(text));
}

void kernel_log_poll(struct kernel_log *log)
{
	char record[RECORD_BYTES];
	ssize_t got;

	while (log->fd >= 0) {
		got = read(log->fd, record, sizeof(record) - 1);
		if (got < 0 && errno == EPIPE)
			str_copy(log->why, sizeof(log->why),
				"the kernel's ring overwrote lines before they were read");
		if (got < 0 && (errno == EINTR || errno == EPIPE))
			continue;
		if (got <= 0)
			return;
		record[got] = '\0';
		take(log, record);
	}
}

static bool names_other_device(const char *text, const char *bdf)
{
	const char *at = text;

	if (strstr(text, bdf))
		return false;
	while ((at = strchr(at, ':'))) {
		unsigned domain, bus, device, function;

		if (at - text >= 4 && sscanf(at - 4, "%4x:%2x:%2x.%1x", &domain, &bus, &device, &function) == 4)
			return true;
		at++;
	}
	return false;
}

const char *kernel_log_error(const struct kernel_log *log, uint64_t from_us, uint64_t to_us,
	const char *bdf)
{
	size_t i;

	for (i = 0; i < log->count; i++)
		if (log->lines[i].time_us >= from_us && log->lines[i].time_us <= to_us &&
			!names_other_device(log->lines[i].text, bdf))
			return log->lines[i].text;
	return NULL;
}

void kernel_log_free(struct kernel_log *log)
{
	size_t i;

	if (!log)
		return;
	for (i = 0; i < log->count; i++)
		free(log->lines[i].text);
	free(log->lines);
	if (log->fd >= 0)
		close(log->fd);
	free(log);
}
