/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's log: each line of the input is one record, read as it comes. */
#define _GNU_SOURCE /* memfd_create */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "node/kernel_log.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("kmsg", MFD_CLOEXEC);
	struct kernel_log *log;
	const char *line;
	char path[40];
	size_t at, len;

	if (fd < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	log = kernel_log_open(path);
	assert(!kernel_log_unreadable(log));
	for (at = 0; at < size; at += len) {
		const uint8_t *end = memchr(data + at, '\n', size - at);

		len = end ? (size_t)(end - data) - at + 1 : size - at;
		if (write(fd, data + at, len) != (ssize_t)len)
			abort();
		kernel_log_poll(log);
	}
	line = kernel_log_error(log, 0, UINT64_MAX, "0000:c1:00.0");
	assert(!line || (!strchr(line, 27) && !strchr(line, '\n')));
	fuzz_count(line != NULL);
	kernel_log_free(log);
	close(fd);
	return 0;
}
