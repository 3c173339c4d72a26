/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/data.h"

#include <stddef.h>

#include "base/program.h"

static const char *const share[] = { "../share/oamqual", "../..", "..", NULL };
static const char *const lib[] = { "../lib/oamqual", ".", NULL };

char *data_scenes(struct error *err)
{
	return program_find(share, "scenes", err);
}

char *data_expected(struct error *err)
{
	return program_find(share, "expected", err);
}

char *data_simhip(struct error *err)
{
	return program_find(lib, "simhip", err);
}
