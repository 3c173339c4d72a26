/* SPDX-License-Identifier: Apache-2.0 */
/* What the children `hip-peers` and `hip-collective` print (node/hip_peers.h,
 * node/hip_collective.h), and what it means. A driver that runs wild writes into the same output,
 * so any of it may be missing, cut or something else. */
#ifndef NODE_TRANSPORT_H
#define NODE_TRANSPORT_H

#include <jansson.h>
#include <stdbool.h>

/* Of all children that were begun, one behind the other. */
struct peers_said {
	json_t *head; /* {"state", "why", "library"}; NULL none said so yet */
	json_t *pairs; /* the lines of ended pairs: "pair" counts from 0, without a gap */
	json_t *begun; /* the line of the pair that has not ended, or NULL */
	bool done;
	size_t most; /* there are no more pairs */
};

void peers_said_init(struct peers_said *said, size_t most);
void peers_said_release(struct peers_said *said);

/* Adds what one child printed. A line that is no JSON or none of the expected is passed over, as is
 * a pair that is not the next one. */
void peers_said_read(struct peers_said *said, const char *text);

/* The pair that was begun and did not end becomes one of the pairs, "lost": "hung" or "crashed";
 * `how` says how its child ended. Nothing when there is none. */
void peers_said_lose(struct peers_said *said, bool hung, const char *how);

enum { TRANSPORT_WHY = 500 };

/* "held", "no-access", "wrong", "failed", "hung" or "crashed" of one of the pairs, with the reason
 * ("" when there is nothing to say). The result is static. */
const char *peers_verdict(const json_t *pair, char why[TRANSPORT_WHY]);

/* "held", "failed" or "not-tested" of what hip-collective printed. */
const char *collective_verdict(const json_t *answer, char why[TRANSPORT_WHY]);

/* Millions of bytes a second of an answer: "bytes" times "repeats" in "seconds". A
 * fact; unknown with `why_none` when no time passed, or no number comes of it. A new reference. */
json_t *transport_rate(
	const json_t *answer, const char *class, const char *source, const char *why_none);

#endif
