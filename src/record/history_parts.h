/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of a history. */
#ifndef RECORD_HISTORY_PARTS_H
#define RECORD_HISTORY_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The records of one node in order of time. */
struct timeline {
	const json_t **parts;
	double *days; /* since the first */
	size_t *environment; /* equal numbers: nothing that diff_surroundings() knows was different
			      */
	size_t count, environments;
	json_t *events;
};

/* The card's id in a part: its unique id, else its address. Borrowed. */
const char *history_card(const json_t *part, const char *bdf);

/* The address of the card in this part; NULL when it is not there. Borrowed. */
const char *history_bdf(const json_t *part, const char *card);

/* Appends an event; the JSON values are taken over and may be NULL. */
struct event {
	const char *kind, *weight, *card, *which; /* which: the case, or NULL */
	const json_t *part; /* where it was first seen */
	json_t *before, *after, *came_with;
	const char *note;
	bool standing;
};
void history_add(struct timeline *line, struct event event);

/* What was different between two parts, as diff_surroundings() tells it. A new reference. */
json_t *history_between(const json_t *before, const json_t *after);

/* Verdicts: regressions, recoveries, flaps, cards that came and went. */
void history_verdicts(struct timeline *line);

/* Speed and memory: steps that came with another environment, drift within one. Returns the number
 * of series that were tested for drift. */
size_t history_numbers(struct timeline *line);

#endif
