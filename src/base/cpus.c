/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* syscall */
#include "base/cpus.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A number below CPUS_MAX at *text, which moves on. */
static bool take_number(const char **text, unsigned int *number)
{
	size_t digits = strspn(*text, "0123456789");
	unsigned int value = 0;

	if (!digits || digits > 4)
		return false;
	for (; digits; digits--)
		value = value * 10 + (unsigned int)(*(*text)++ - '0');
	*number = value;
	return value < CPUS_MAX;
}

int cpus_parse(const char *text, struct cpus *out)
{
	struct cpus read = { { 0 } };
	unsigned int first, last;

	if (!*text) {
		*out = read;
		return 0;
	}
	for (;; text++) {
		if (!take_number(&text, &first))
			return -1;
		last = first;
		if (*text == '-' && (text++, !take_number(&text, &last) || last < first))
			return -1;
		for (; first <= last; first++)
			cpus_add(&read, first);
		if (!*text)
			break;
		if (*text != ',')
			return -1;
	}
	*out = read;
	return 0;
}

void cpus_format(const struct cpus *cpus, char *text, size_t size)
{
	unsigned int cpu, last;
	size_t len = 0;

	text[0] = '\0';
	for (cpu = 0; cpu < CPUS_MAX; cpu = last + 1) {
		char piece[24];

		last = cpu;
		if (!cpus_has(cpus, cpu))
			continue;
		while (last + 1 < CPUS_MAX && cpus_has(cpus, last + 1))
			last++;
		snprintf(piece, sizeof(piece), last > cpu ? "%s%u-%u" : "%s%u", len ? "," : "", cpu,
			last);
		if (len + strlen(piece) + 4 > size) {
			snprintf(text + len, size - len, "...");
			return;
		}
		memcpy(text + len, piece, strlen(piece) + 1);
		len += strlen(piece);
	}
}

void cpus_add(struct cpus *cpus, unsigned int cpu)
{
	if (cpu < CPUS_MAX)
		cpus->words[cpu / CPUS_WORD] |= 1UL << cpu % CPUS_WORD;
}

bool cpus_has(const struct cpus *cpus, unsigned int cpu)
{
	return cpu < CPUS_MAX && (cpus->words[cpu / CPUS_WORD] >> cpu % CPUS_WORD & 1);
}

bool cpus_is_empty(const struct cpus *cpus)
{
	static const struct cpus none;

	return cpus_equal(cpus, &none);
}

bool cpus_equal(const struct cpus *a, const struct cpus *b)
{
	return memcmp(a->words, b->words, sizeof(a->words)) == 0;
}

struct cpus cpus_common(const struct cpus *a, const struct cpus *b)
{
	struct cpus both;
	size_t i;

	for (i = 0; i < CPUS_WORDS; i++)
		both.words[i] = a->words[i] & b->words[i];
	return both;
}

int cpus_of_process(pid_t pid, struct cpus *out)
{
	struct cpus read = { { 0 } };

	if (syscall(SYS_sched_getaffinity, pid, sizeof(read.words), read.words) < 0)
		return -1;
	*out = read;
	return 0;
}

int cpus_bind(const struct cpus *cpus)
{
	return syscall(SYS_sched_setaffinity, 0, sizeof(cpus->words), cpus->words) < 0 ? -1 : 0;
}
