/* SPDX-License-Identifier: Apache-2.0 */
/* What the children of `oamqual node --peers` print, and what it means. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "node/transport.h"
#include "tap.h"

static void check_pairs(void)
{
	static const struct {
		const char *pair, *verdict, *why;
	} rows[] = {
		{ "{\"right\": true, \"enabled\": true}", "held", "" },
		{ "{\"right\": true, \"enabled\": false}", "no-access",
			"HIP denies peer access; the copy went another way and is right" },
		{ "{\"right\": false, \"enabled\": true}", "failed",
			"the child did not say that the copy is right" },
		{ "{\"enabled\": true}", "failed", "the child did not say that the copy is right" },
		{ "{\"right\": true, \"enabled\": true, \"stopped\": \"hipMalloc: 2\"}", "failed",
			"hipMalloc: 2" },
		{ "{\"right\": true, \"enabled\": true, \"lost\": \"hung\"}", "hung",
			"it did not end" },
		{ "{\"right\": true, \"enabled\": true, \"bad\": {\"offset\": 8, \"wrote\": "
		  "\"0x1\", "
		  "\"read\": \"0x2\", \"words\": 3}}",
			"wrong",
			"the copy differs at offset 8: wrote 0x1, read 0x2; 3 words in all" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *pair = json_loads(rows[i].pair, 0, NULL);
		char why[TRANSPORT_WHY];

		tap_text(peers_verdict(pair, why), rows[i].verdict, rows[i].pair);
		tap_text(why, rows[i].why, "  and why");
		json_decref(pair);
	}
}

static void check_lines(void)
{
	struct peers_said said;

	peers_said_init(&said, 2);
	peers_said_read(&said, "{\"state\": \"ready\"}\nnoise\n{\"pair\": 1}\n{\"begin\": 0}\n");
	tap_number((long long)json_array_size(said.pairs), 0, "a pair out of turn is passed over");
	peers_said_lose(&said, false, "killed by signal 11");
	tap_text(json_text(json_array_get(said.pairs, 0), "lost", ""), "crashed",
		"one that was begun and did not end is lost");
	tap_text(json_text(json_array_get(said.pairs, 0), "stopped", ""), "killed by signal 11",
		"with how its child ended");
	peers_said_read(&said, "{\"pair\": 1}\n{\"pair\": 2}\n{\"done\": true}\n{\"pair\": 3");
	tap_number(
		(long long)json_array_size(said.pairs), 2, "and there are no more than there are");
	tap_ok(said.done && !said.begun, "done");
	peers_said_release(&said);
}

static void check_rates(void)
{
	static const struct {
		const char *answer;
		double rate; /* -1: unknown */
	} rows[] = {
		{ "{\"bytes\": 2000000, \"repeats\": 5, \"seconds\": 0.5}", 20 },
		{ "{\"bytes\": 2000000, \"repeats\": 5, \"seconds\": null}", -1 },
		{ "{\"bytes\": 2000000, \"repeats\": 5, \"seconds\": 1e-320}", -1 },
		{ "{\"bytes\": -2000000, \"repeats\": 5, \"seconds\": 1}", -1 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *answer = json_loads(rows[i].answer, 0, NULL);
		json_t *rate = transport_rate(answer, "observed", "hip", "none");

		tap_ok(json_real_of(rate, "value", -1) == rows[i].rate, "%s", rows[i].answer);
		json_decref(rate);
		json_decref(answer);
	}
}

int main(void)
{
	check_pairs();
	check_lines();
	check_rates();
	return tap_done();
}
