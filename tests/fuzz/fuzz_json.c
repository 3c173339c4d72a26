/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes to the reader of parts of a JSON text. jansson is the judge: both take the same and
 * keep the same, and a text of which nothing is kept is still refused when it is no JSON. */
#include <assert.h>
#include <jansson.h>
#include <stdint.h>

#include "base/json_pick.h"
#include "tests/fuzz/fuzz.h"

static const struct json_pick none[] = { { NULL, NULL } };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	json_t *theirs = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, NULL);
	struct error err = { "" };
	json_t *all = json_pick("input", bytes, size, NULL, &err);
	json_t *few = json_pick("input", bytes, size, none, &err);

	fuzz_count(all != NULL);
	assert(!all == !theirs && !few == !theirs);
	assert(all ? json_equal(all, theirs) : err.text[0] != '\0');
	json_decref(theirs);
	json_decref(all);
	json_decref(few);
	return 0;
}
