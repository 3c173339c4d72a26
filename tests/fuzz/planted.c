/* SPDX-License-Identifier: Apache-2.0 */
/* Not a parser: a program with known bugs, by which the test of the fuzz run sees that crashes,
 * hangs and greed are noticed. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

/* PLANTED names the bug: "read", "hang" or "leak". */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bug = getenv("PLANTED");
	volatile uint8_t *copy = malloc(size + 1);
	volatile uint8_t beyond = 0;

	if (!copy || !bug)
		abort();
	memcpy((void *)copy, data, size);
	fuzz_count(true);
	if (size < 4 || memcmp(data, "over", 4) != 0)
		bug = "";
	if (strcmp(bug, "read") == 0)
		beyond = copy[size + 1];
	while (strcmp(bug, "hang") == 0)
		beyond++;
	if (strcmp(bug, "leak") == 0)
		copy = NULL;
	free((void *)copy);
	return 0;
}
