/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's log while a run lasts: amdgpu and kfd lines that tell of errors, by PCI address and time. */
#ifndef NODE_KERNEL_LOG_H
#define NODE_KERNEL_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_log;

/* Opens `path` (normally "/dev/kmsg") at its end. Never fails: a log that cannot be read is one that cannot
 * answer, and kernel_log_readable() says why. */
struct kernel_log *kernel_log_open(const char *path);

/* NULL when it can be read, else why not. Lives as long as the log. */
const char *kernel_log_unreadable(const struct kernel_log *log);

/* Takes in what has come. Call it now and then: the kernel's ring forgets. */
void kernel_log_poll(struct kernel_log *log);

/* The first error line between the two moments (CLOCK_MONOTONIC, microseconds) that names the device at `bdf`, or no
 * device at all; NULL when there is none. Lives as long as the log. */
const char *kernel_log_error(const struct kernel_log *log, uint64_t from_us, uint64_t to_us,
	const char *bdf);

void kernel_log_free(struct kernel_log *log);

#endif
