/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "baseline/cpu.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

enum { CPUINFO_LIMIT = 64 << 20 };

char *cpu_model(void)
{
	struct str text = STR_INIT;
	const char *line;
	char *model = NULL;

	if (file_read("/proc/cpuinfo", CPUINFO_LIMIT, &text, NULL) != 0)
		return NULL;
	line = text.data ? strstr(text.data, "model name") : NULL;
	if (line) {
		line += strcspn(line, ":\n");
		line += strspn(line, ": \t");
		if (strcspn(line, "\n") > 0)
			model = text_printable(line, strcspn(line, "\n"));
	}
	str_release(&text);
	return model;
}

/* A batch system or a container may leave fewer CPUs than are online. */
unsigned cpu_usable(void)
{
	cpu_set_t set;
	long online;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (unsigned)CPU_COUNT(&set);
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (unsigned)online : 1;
}

#if defined(__x86_64__)

bool cpu_has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

bool cpu_has_avx512(void)
{
	return cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vl");
}

#else

bool cpu_has_avx2(void)
{
	return false;
}

bool cpu_has_avx512(void)
{
	return false;
}

#endif
