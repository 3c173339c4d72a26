/* SPDX-License-Identifier: Apache-2.0 */
/* A set of logical CPUs, in the form of the kernel's lists ("0-15,64-79") and of its affinity
 * calls. */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CPUS_MAX = 4096, CPUS_WORD = 8 * sizeof(unsigned long), CPUS_WORDS = CPUS_MAX / CPUS_WORD };

struct cpus {
	unsigned long words[CPUS_WORDS];
};

/* "0-15,64-79": 0, or -1 with *out untouched when the text is anything else or names a CPU from
 * CPUS_MAX on. An empty text is the empty set. */
int cpus_parse(const char *text, struct cpus *out);

/* The list as text, "" for the empty set; "..." at the end when it does not fit. */
void cpus_format(const struct cpus *cpus, char *text, size_t size);

void cpus_add(struct cpus *cpus, unsigned int cpu);
bool cpus_has(const struct cpus *cpus, unsigned int cpu);
bool cpus_is_empty(const struct cpus *cpus);
bool cpus_equal(const struct cpus *a, const struct cpus *b);

/* What both have. */
struct cpus cpus_common(const struct cpus *a, const struct cpus *b);

/* The CPUs that process `pid` (0: this one) may run on. 0, or -1 with errno set. */
int cpus_of_process(pid_t pid, struct cpus *out);

/* Binds this process; async-signal-safe. 0, or -1 with errno set. */
int cpus_bind(const struct cpus *cpus);

#endif
