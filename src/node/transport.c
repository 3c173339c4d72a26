/* SPDX-License-Identifier: Apache-2.0 */
#include "node/transport.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

void peers_said_init(struct peers_said *said, size_t most)
{
	*said = (struct peers_said){ .pairs = json_array(), .most = most };
}

void peers_said_release(struct peers_said *said)
{
	json_decref(said->head);
	json_decref(said->pairs);
	json_decref(said->begun);
}

static void keep(json_t **place, json_t *object)
{
	json_decref(*place);
	*place = json_incref(object);
}

/* The number of the pair that is next. */
static bool is_next(const struct peers_said *said, const json_t *number)
{
	size_t count = json_array_size(said->pairs);

	return count < said->most && json_is_integer(number) &&
	       json_integer_value(number) == (json_int_t)count;
}

static void read_line(struct peers_said *said, const char *line, size_t len)
{
	json_t *object = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);

	if (json_is_string(json_object_get(object, "state"))) {
		keep(&said->head, object);
	} else if (is_next(said, json_object_get(object, "begin"))) {
		keep(&said->begun, object);
	} else if (is_next(said, json_object_get(object, "pair"))) {
		json_array_append(said->pairs, object);
		keep(&said->begun, NULL);
	} else if (json_is_true(json_object_get(object, "done"))) {
		said->done = true;
	}
	json_decref(object);
}

void peers_said_read(struct peers_said *said, const char *text)
{
	const char *at, *end;

	for (at = text; (end = strchr(at, '\n')) != NULL; at = end + 1)
		read_line(said, at, (size_t)(end - at));
}

void peers_said_lose(struct peers_said *said, bool hung, const char *how)
{
	if (!said->begun)
		return;
	json_array_append_new(said->pairs,
		json_pack("{s:O, s:s, s:s, s:s, s:o}", "pair",
			json_object_get(said->begun, "begin"), "from",
			json_text(said->begun, "from", ""), "to", json_text(said->begun, "to", ""),
			"lost", hung ? "hung" : "crashed", "stopped",
			json_printable_text(hung ? "it did not end, and was killed" : how)));
	keep(&said->begun, NULL);
}

const char *peers_verdict(const json_t *pair, char why[TRANSPORT_WHY])
{
	const json_t *bad = json_object_get(pair, "bad");
	const char *stopped = json_text(pair, "stopped", NULL),
		   *lost = json_text(pair, "lost", NULL);

	why[0] = '\0';
	if (json_is_object(bad))
		snprintf(why, TRANSPORT_WHY,
			"the copy differs at offset %lld: wrote %.20s, read %.20s; %lld words in "
			"all",
			(long long)json_integer_of(bad, "offset", -1), json_text(bad, "wrote", ""),
			json_text(bad, "read", ""), (long long)json_integer_of(bad, "words", -1));
	else if (lost || stopped || !json_is_true(json_object_get(pair, "right")))
		snprintf(why, TRANSPORT_WHY, "%.300s",
			stopped && stopped[0] ? stopped
			: lost		      ? "it did not end"
					      : "the child did not say that the copy is right");
	if (json_is_object(bad))
		return "wrong";
	if (lost)
		return strcmp(lost, "hung") == 0 ? "hung" : "crashed";
	if (stopped || !json_is_true(json_object_get(pair, "right")))
		return "failed";
	if (json_is_true(json_object_get(pair, "enabled")))
		return "held";
	snprintf(why, TRANSPORT_WHY,
		"HIP denies peer access; the copy went another way and is right");
	return "no-access";
}

const char *collective_verdict(const json_t *answer, char why[TRANSPORT_WHY])
{
	const json_t *bad = json_object_get(answer, "bad");
	const char *stopped = json_text(answer, "stopped", NULL);

	why[0] = '\0';
	if (strcmp(json_text(answer, "state", ""), "done") != 0) {
		snprintf(why, TRANSPORT_WHY, "not tested: %.300s",
			json_text(answer, "why", "the child printed something else"));
		return "not-tested";
	}
	if (json_is_object(bad))
		snprintf(why, TRANSPORT_WHY,
			"the sum differs on %.30s at element %lld: %g instead of %g; %lld elements "
			"in all",
			json_text(bad, "gcd", "?"), (long long)json_integer_of(bad, "element", -1),
			json_real_of(bad, "got", 0), json_real_of(bad, "want", 0),
			(long long)json_integer_of(bad, "elements", -1));
	else if (stopped && stopped[0])
		snprintf(why, TRANSPORT_WHY, "%.300s", stopped);
	else if (!stopped && json_is_true(json_object_get(answer, "right")))
		return "held";
	else
		snprintf(why, TRANSPORT_WHY, "the child did not say that the sum is right");
	return "failed";
}

json_t *transport_rate(
	const json_t *answer, const char *class, const char *source, const char *why_none)
{
	double seconds = json_real_of(answer, "seconds", 0);
	double bytes = (double)json_integer_of(answer, "bytes", 0) *
		       (double)json_integer_of(answer, "repeats", 0);
	double rate = seconds > 0 && bytes >= 0 ? bytes / seconds / 1e6 : NAN;

	return isfinite(rate) ? fact_json(json_real(rate), class, source) : fact_unknown(why_none);
}
