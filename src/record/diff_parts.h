/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of a comparison. Each appends to diff->changes. */
#ifndef RECORD_DIFF_PARTS_H
#define RECORD_DIFF_PARTS_H

#include <jansson.h>

struct diff {
	const json_t *before, *after; /* records */
	json_t *changes;
	json_t *cards_before, *cards_after; /* address -> the card's name in this comparison */
};

/* Takes over the two values; `note` may be NULL. */
void diff_add(struct diff *diff, const char *area, const char *subject, const char *what,
	json_t *before_stolen, json_t *after_stolen, const char *weight, const char *note);

/* Two facts (base/json.h): unknown on both sides is no change. */
void diff_fact(struct diff *diff, const char *area, const char *subject, const char *what,
	const json_t *before, const json_t *after);

/* Two plain values; absent is null. */
void diff_value(struct diff *diff, const char *area, const char *subject, const char *what,
	const json_t *before, const json_t *after);

/* Which card is which; cards that came, went, moved or were exchanged; what they are; their
 * verdicts. */
void diff_cards(struct diff *diff);

/* Verdict, rung, speed and memory by case. Needs diff_cards(). */
void diff_cases(struct diff *diff);

/* Scenes, their settings, references and limits. */
void diff_scenes(struct diff *diff);

/* Findings that are new or gone. Needs diff_cards(). */
void diff_findings(struct diff *diff);

#endif
