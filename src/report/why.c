/* SPDX-License-Identifier: Apache-2.0 */
#include "report/why.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "report/html_parts.h"

static char *names(const json_t *causes, const char *between)
{
	struct str text = STR_INIT;
	const json_t *cause;
	size_t i;

	json_array_foreach (causes, i, cause)
		str_addf(&text, "%s%s", i ? between : "", json_text(cause, "what", "?"));
	return str_detach(&text);
}

char *why_chain(const json_t *attempt)
{
	const json_t *chain = json_object_get(json_object_get(attempt, "causes"), "chain");

	if (!json_is_array(chain))
		return xstrdup("not in the record");
	return json_array_size(chain) ? names(chain, " > ") : xstrdup("none");
}

char *why_candidates(const json_t *attempt)
{
	return names(json_object_get(json_object_get(attempt, "causes"), "candidates"), ", ");
}

const char *why_remedy(const json_t *attempt)
{
	return json_text(json_object_get(attempt, "remedy"), "class", "not in the record");
}

char *why_predicted(const json_t *attempt)
{
	const json_t *prediction = json_object_get(attempt, "prediction");
	const json_t *verdict = json_object_get(prediction, "verdict");
	const char *value = json_text(verdict, "value", NULL);

	if (value)
		return xstrdup(value);
	if (!verdict)
		verdict = prediction;
	return xasprintf("unknown: %s", json_text(verdict, "why", "not in the record"));
}

const json_t *why_deciding(const json_t *record, const json_t *gcd)
{
	json_int_t number = json_integer_of(gcd, "decided_by_attempt", -1);
	const json_t *attempt;
	size_t i;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt)
		if (json_integer_of(attempt, "number", 0) == number)
			return attempt;
	return NULL;
}

/* --- on the page ---------------------------------------------------------------------------------
 */

static void add_cause(struct markup *m, const json_t *cause, const char *standing)
{
	markup_open(m, "tr", NULL);
	html_cell(m, "cause", json_text(cause, "what", "?"));
	html_cell(m, "standing", standing);
	html_cell(m, "class", json_text(cause, "class", "?"));
	html_cell(m, "source", json_text(cause, "source", "?"));
	html_cell(m, "evidence", json_text(cause, "evidence", "none in the record"));
	markup_close(m);
}

static void add_causes(struct markup *m, const json_t *causes)
{
	static const char *const labels[] = { "cause", "standing", "class", "source", "evidence" };
	const json_t *cause;
	size_t i;

	html_table_head(m, labels, sizeof(labels) / sizeof(labels[0]));
	json_array_foreach (json_object_get(causes, "chain"), i, cause)
		add_cause(m, cause, i ? "follows" : "root");
	json_array_foreach (json_object_get(causes, "candidates"), i, cause)
		add_cause(m, cause, "candidate, not proven");
	markup_close(m);
	markup_close(m);
}

void html_why(struct markup *m, const json_t *attempt)
{
	const json_t *causes = json_object_get(attempt, "causes");
	const json_t *remedy = json_object_get(attempt, "remedy");
	char *predicted = why_predicted(attempt);

	if (json_array_size(json_object_get(causes, "chain"))) {
		markup_element(m, "h3", NULL, "Why");
		add_causes(m, causes);
		markup_open(m, "p", NULL);
		markup_textf(
			m, "Remedy: %s. %s", why_remedy(attempt), json_text(remedy, "text", ""));
		markup_close(m);
	}
	markup_open(m, "p", NULL);
	markup_textf(m, "Predicted verdict, not observed: %s. Observed: %s.", predicted,
		json_text(attempt, "verdict", "not in the record"));
	markup_close(m);
	free(predicted);
}
