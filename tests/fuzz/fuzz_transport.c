/* SPDX-License-Identifier: Apache-2.0 */
/* What the children of `oamqual node --peers` print. The first byte selects: hip-peers, several
 * children one behind the other with a form feed between, or hip-collective. */
#include <assert.h>
#include <math.h>

#include "base/json.h"
#include "base/str.h"
#include "node/transport.h"
#include "tests/fuzz/fuzz.h"

enum { PAIRS = 6 };

static void check_rate(const json_t *answer)
{
	json_t *rate = transport_rate(answer, "observed", "hip", "none");
	const json_t *value = json_object_get(rate, "value");

	assert(json_is_null(value) ||
		(isfinite(json_real_value(value)) && json_real_value(value) >= 0));
	json_decref(rate);
}

/* A good verdict needs each of its witnesses. */
static void check_pair(const json_t *pair, size_t i)
{
	char why[TRANSPORT_WHY];
	const char *verdict = peers_verdict(pair, why);
	bool held = strcmp(verdict, "held") == 0;

	assert(json_integer_value(json_object_get(pair, "pair")) == (json_int_t)i);
	assert(memchr(why, 0, sizeof(why)) && held == !why[0]);
	assert(!held || (json_is_true(json_object_get(pair, "right")) &&
				json_is_true(json_object_get(pair, "enabled")) &&
				!json_is_object(json_object_get(pair, "bad")) &&
				!json_object_get(pair, "lost")));
	check_rate(pair);
}

static bool read_peers(char *text)
{
	struct peers_said said;
	const json_t *pair;
	char *child, *end;
	bool accepted;
	size_t i;

	peers_said_init(&said, PAIRS);
	for (child = text; child; child = end) {
		end = strchr(child, '\f');
		if (end)
			*end++ = '\0';
		peers_said_read(&said, child);
		peers_said_lose(&said, json_array_size(said.pairs) % 2, "killed by signal 11");
		assert(!said.begun);
	}
	assert(json_array_size(said.pairs) <= PAIRS);
	json_array_foreach (said.pairs, i, pair)
		check_pair(pair, i);
	accepted = said.head && i;
	peers_said_release(&said);
	return accepted;
}

static bool read_collective(const char *text, size_t len)
{
	json_t *answer = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	char why[TRANSPORT_WHY];
	const char *verdict = collective_verdict(answer, why);
	bool held = strcmp(verdict, "held") == 0;

	assert(memchr(why, 0, sizeof(why)) && held == !why[0]);
	assert(!held || json_is_true(json_object_get(answer, "right")));
	check_rate(answer);
	json_decref(answer);
	return strcmp(verdict, "not-tested") != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = xstrndup((const char *)data + 1, size - 1);
	fuzz_count(data[0] % 2 ? read_collective(text, strlen(text)) : read_peers(text));
	free(text);
	return 0;
}
