/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "record/diff_parts.h"

static bool is_note(const json_t *finding)
{
	return strcmp(json_text(finding, "weight", "note"), "note") == 0;
}

/* By code and subject, the subject as this comparison names the card: a finding moves with its
 * card. */
static void add_findings(json_t *to, const json_t *list, const json_t *cards, bool notes)
{
	const json_t *finding;
	size_t i;

	json_array_foreach (list, i, finding) {
		const char *subject = json_text(finding, "subject", "");
		char *key;

		if (!notes && is_note(finding))
			continue;
		key = xasprintf("%s\t%s", json_text(finding, "code", "?"),
			json_text(cards, subject, subject));
		if (!json_object_get(to, key))
			json_object_set(to, key, (json_t *)(uintptr_t)finding);
		free(key);
	}
}

/* The node's own, and what the error counts of a card did while an attempt ran. */
static json_t *findings_of(const json_t *record, const json_t *cards)
{
	json_t *all = json_object();
	const json_t *attempt;
	size_t i;

	add_findings(all, json_object_get(record, "findings"), cards, true);
	json_array_foreach (json_object_get(record, "attempts"), i, attempt)
		add_findings(all, json_object_get(attempt, "counters"), cards, false);
	return all;
}

static void add_change(struct diff *diff, const char *key, const json_t *finding, bool was)
{
	const char *subject = strchr(key, '\t') + 1;
	json_t *code = json_string(json_text(finding, "code", "?"));

	diff_add(diff, "finding", subject, was ? "gone" : "new", was ? code : json_null(),
		was ? json_null() : code,
		is_note(finding) ? "changed"
		: was		 ? "better"
				 : "worse",
		json_text(finding, "text", NULL));
}

void diff_findings(struct diff *diff)
{
	json_t *before = findings_of(diff->before, diff->cards_before);
	json_t *after = findings_of(diff->after, diff->cards_after), *finding;
	const char *key;

	json_object_foreach (after, key, finding)
		if (!json_object_get(before, key))
			add_change(diff, key, finding, false);
	json_object_foreach (before, key, finding)
		if (!json_object_get(after, key))
			add_change(diff, key, finding, true);
	json_decref(before);
	json_decref(after);
}
