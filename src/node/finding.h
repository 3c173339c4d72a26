/* SPDX-License-Identifier: Apache-2.0 */
/* Something about a node or an inventory that somebody should know: what disagrees, with both numbers. */
#ifndef NODE_FINDING_H
#define NODE_FINDING_H

#include <jansson.h>
#include <stddef.h>

enum finding_weight {
	FINDING_NOTE,    /* worth knowing; nothing is wrong */
	FINDING_WARNING, /* may mislead a scheduler or a person */
	FINDING_FAULT    /* wrong: jobs will fail or land in the wrong place */
};

struct finding {
	char code[48]; /* stable, kebab-case: "partition-missing" */
	enum finding_weight weight;
	char *subject; /* "0000:c1:00.0", "gres.conf:3", or "" for the whole */
	char *text;    /* one sentence with the numbers */
	char *remedy;  /* what to do, or NULL */
};

struct finding_list {
	struct finding *items;
	size_t count;
};

/* Appends one. `remedy` NULL: none. The texts are copied; hostile bytes in them are shown as \xHH. */
void finding_add(struct finding_list *list, const char *code, enum finding_weight weight,
	const char *subject, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

void finding_list_release(struct finding_list *list);

/* The heaviest weight in it; FINDING_NOTE for an empty list. */
enum finding_weight finding_worst(const struct finding_list *list);

/* "note", "warning", "fault". Static. */
const char *finding_weight_name(enum finding_weight weight);

/* A new reference: [{code, weight, subject, text, remedy|null}]. */
json_t *finding_list_json(const struct finding_list *list);

#endif
