/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "node/hip_peers.h"

enum { GCDS_MAX = 64 };

static int run(const struct options *options)
{
	unsigned long long first = 0, bytes = 64ULL << 20, repeats = 5;
	struct hip_peers_request request = { .library = options_text(options, "hip-library") };
	const char *gcds[GCDS_MAX];
	struct error err;
	FILE *out;

	if (options_number(options, "first", 0, UINT32_MAX, &first, &err) != 0 ||
		options_number(options, "bytes", 65536, 1ULL << 34, &bytes, &err) != 0 ||
		options_number(options, "repeats", 1, 1000, &repeats, &err) != 0)
		return cli_usage(options, &err);
	while (request.gcd_count < GCDS_MAX &&
		(gcds[request.gcd_count] = options_nth(options, "gcd", request.gcd_count)))
		request.gcd_count++;
	out = answer_take_stdout("hip-peers", &err);
	if (!out)
		return cli_fail(&err);
	request.gcds = gcds;
	request.first = (size_t)first;
	request.bytes = bytes / 8 * 8;
	request.repeats = (unsigned)repeats;
	hip_peers_print(&request, out);
	fclose(out);
	return STATUS_ACCEPTED;
}

static const struct option_row rows[] = {
	{ "gcd", 0, "BDF", "a device by its PCI address; repeat for more" },
	{ "first", 0, "N", "the pair to begin with" },
	{ "bytes", 0, "BYTES", "of each copy (default 64 MiB)" },
	{ "repeats", 0, "N", "of the copy that is timed (default 5)" },
	{ "hip-library", 0, "FILE", "ask this library instead of the usual names" },
	{ 0 },
};

const struct command command_hip_peers = {
	.name = "hip-peers",
	.operands = "",
	.summary = "Copy between each two devices and print what was seen, a line of JSON a pair",
	.about = "The program calls this itself, in a child under a deadline: a copy can hang.\n",
	.rows = rows,
	.run = run,
	.hidden = true,
};
