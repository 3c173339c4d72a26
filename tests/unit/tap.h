/* SPDX-License-Identifier: Apache-2.0 */
/* A unit test prints TAP: `tap_ok(fact, "what holds")`, and ends with `return tap_done();`.
 * One that writes files begins with `tap_place();`. */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static int tap_count, tap_failures;
static char tap_folder[] = "/tmp/oamqual-unit-XXXXXX";
static bool tap_has_folder;

/* From here on in a folder of its own, which tap_done() removes. */
static inline void tap_place(void)
{
	tap_has_folder = mkdtemp(tap_folder) && chdir(tap_folder) == 0;
	if (!tap_has_folder)
		exit(1);
}

static inline bool tap_at(bool passed, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static inline bool tap_at(bool passed, const char *file, int line, const char *format, ...)
{
	va_list args;

	tap_count++;
	printf("%s %d - ", passed ? "ok" : "not ok", tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	if (!passed) {
		tap_failures++;
		printf("# at %s:%d\n", file, line);
	}
	return passed;
}

static inline void tap_text_at(const char *got, const char *want, const char *what,
	const char *file, int line)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (!tap_at(same, file, line, "%s", what))
		printf("#  got: %s\n# want: %s\n", got ? got : "(null)", want ? want : "(null)");
}

static inline void tap_number_at(long long got, long long want, const char *what, const char *file,
	int line)
{
	if (!tap_at(got == want, file, line, "%s", what))
		printf("#  got: %lld\n# want: %lld\n", got, want);
}

static inline void tap_skip(const char *what, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_count, what, why);
}

static inline int tap_done(void)
{
	if (tap_has_folder)
		folder_remove(tap_folder, NULL);
	printf("1..%d\n", tap_count);
	return tap_failures ? 1 : 0;
}

#define tap_ok(passed, ...) tap_at(passed, __FILE__, __LINE__, __VA_ARGS__)
#define tap_text(got, want, what) tap_text_at(got, want, what, __FILE__, __LINE__)
#define tap_number(got, want, what) tap_number_at((long long)(got), want, what, __FILE__, __LINE__)

#endif
