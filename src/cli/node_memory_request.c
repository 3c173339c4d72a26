/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `oamqual node --memory-check`. */
#include "cli/node_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"

/* A replayed domain is host memory: a little of it shows that the control works. */
#define REPLAYED_LIMIT (64ULL << 20)

/* "1GiB", "512 MiB" or bytes. */
static bool parse_bytes(const char *text, unsigned long long *bytes)
{
	static const struct {
		const char *unit;
		unsigned shift;
	} units[] = { { "", 0 }, { "B", 0 }, { "KiB", 10 }, { "MiB", 20 }, { "GiB", 30 },
		{ "TiB", 40 } };
	size_t digits = strspn(text, "0123456789"), i;
	char *number = xstrndup(text, digits);
	const char *unit = text + digits + strspn(text + digits, " ");
	unsigned long long value = 0;
	bool good = false;

	if (digits && text_u64(number, 10, &value))
		for (i = 0; i < sizeof(units) / sizeof(units[0]) && !good; i++)
			good = strcmp(units[i].unit, unit) == 0 &&
			       value <= (UINT64_MAX >> 1) >> units[i].shift &&
			       (*bytes = value << units[i].shift, true);
	free(number);
	return good;
}

static int read_bytes(const struct options *options, const char *name, unsigned long long *bytes,
	struct error *err)
{
	const char *text = options_text(options, name);

	if (text && !parse_bytes(text, bytes))
		return error_set(
			err, "--%s %s: not a size like 1GiB, 512MiB or 1048576", name, text);
	return 0;
}

/* An option that would be ignored misleads. */
static int check_use(const struct options *options, struct error *err)
{
	static const char *const texts[] = { "gcd", "margin", "limit" }, *const flags[] = { "whole",
		"force" };
	size_t i;

	if (options_flag(options, "memory-check") && options_flag(options, "preflight"))
		return error_set(err, "--memory-check and --preflight exclude each other");
	if (options_flag(options, "peers") &&
		(options_flag(options, "memory-check") || options_flag(options, "preflight")))
		return error_set(
			err, "--peers excludes --memory-check and --preflight");
	if (options_flag(options, "memory-check"))
		return 0;
	for (i = options_flag(options, "peers"); i < sizeof(texts) / sizeof(texts[0]); i++)
		if (options_text(options, texts[i]))
			return error_set(err, "--%s goes with --memory-check%s", texts[i],
				i == 0 ? " or --peers" : "");
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (options_flag(options, flags[i]))
			return error_set(err, "--%s goes with --memory-check", flags[i]);
	return 0;
}

int memory_request_read(
	const struct options *options, struct memory_request *out, struct error *err)
{
	struct memory_request request = { .margin_bytes = 1ULL << 30,
		.limit_bytes = options_text(options, "node") ? REPLAYED_LIMIT : 0,
		.whole = options_flag(options, "whole"),
		.force = options_flag(options, "force"),
		.json = options_flag(options, "json"),
		.hip_library = options_text(options, "hip-library") };

	if (check_use(options, err) != 0 ||
		read_bytes(options, "margin", &request.margin_bytes, err) != 0 ||
		read_bytes(options, "limit", &request.limit_bytes, err) != 0)
		return -1;
	*out = request;
	return 0;
}
