/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "record/history_parts.h"

/* What a record says of a card or a case: nothing is said by a run that was interrupted or could
 * not decide. */
struct point {
	size_t at; /* in the timeline */
	bool accepted;
	const char *verdict;
};

struct series {
	const char *card, *which; /* which: NULL for the card's verdict */
	struct point *points;
	size_t count;
};

static bool says_nothing(const json_t *part, const char *verdict)
{
	return !verdict || strcmp(verdict, "inconclusive") == 0 ||
	       json_is_true(json_object_get(json_object_get(part, "run"), "interrupted"));
}

static const char *card_verdict(const json_t *part, const char *card)
{
	const char *bdf = history_bdf(part, card);
	const json_t *gcd;
	size_t i;

	json_array_foreach (json_object_get(part, "gcds"), i, gcd)
		if (bdf && strcmp(json_text(gcd, "bdf", "(no address)"), bdf) == 0)
			return json_text(gcd, "verdict", NULL);
	return NULL;
}

static const char *verdict_in(const json_t *part, const char *card, const char *which)
{
	if (!which)
		return card_verdict(part, card);
	return json_text(json_object_get(json_object_get(part, "cases"), which), "verdict", NULL);
}

static struct series series_of(const struct timeline *line, const char *card, const char *which)
{
	struct series series = { card, which, xcalloc(line->count + 1, sizeof(struct point)), 0 };
	size_t i;

	for (i = 0; i < line->count; i++) {
		const char *verdict = verdict_in(line->parts[i], card, which);

		if (!says_nothing(line->parts[i], verdict))
			series.points[series.count++] =
				(struct point){ i, strcmp(verdict, "accepted") == 0, verdict };
	}
	return series;
}

/* --- regressions and recoveries --- */

/* The last one in the same surroundings; when these are new, the last one at all. */
static const struct point *compared_with(
	const struct timeline *line, const struct series *series, size_t i)
{
	size_t environment = line->environment[series->points[i].at], j;

	for (j = i; j > 0; j--)
		if (line->environment[series->points[j - 1].at] == environment)
			return &series->points[j - 1];
	return i ? &series->points[i - 1] : NULL;
}

static void find_turns(struct timeline *line, const struct series *series)
{
	bool last = series->count && series->points[series->count - 1].accepted;
	size_t i;

	for (i = 0; i < series->count; i++) {
		const struct point *now = &series->points[i];
		const struct point *was = compared_with(line, series, i);
		json_t *came_with;

		if (!was || was->accepted == now->accepted)
			continue;
		came_with = history_between(line->parts[was->at], line->parts[now->at]);
		history_add(
			line, (struct event){ .kind = now->accepted ? "recovery" : "regression",
				      .weight = now->accepted ? "better" : "worse",
				      .card = series->card,
				      .which = series->which,
				      .part = line->parts[now->at],
				      .before = json_string(was->verdict),
				      .after = json_string(now->verdict),
				      .note = json_array_size(came_with)
						      ? NULL
						      : "with no change that the records know of",
				      .came_with = came_with,
				      .standing = last == now->accepted });
	}
}

/* --- back and forth --- */

/* How often it turned in these surroundings, and where first. */
static size_t count_turns(const struct timeline *line, const struct series *series,
	size_t environment, size_t *records, size_t *first)
{
	const struct point *was = NULL;
	size_t i, turns = 0;

	*records = 0;
	for (i = 0; i < series->count; i++) {
		const struct point *now = &series->points[i];

		if (line->environment[now->at] != environment)
			continue;
		++*records;
		if (was && was->accepted != now->accepted && turns++ == 0)
			*first = now->at;
		was = now;
	}
	return turns;
}

static bool find_flaps(struct timeline *line, const struct series *series)
{
	size_t environment, records, first = 0;
	bool any = false;

	for (environment = 0; environment < line->environments; environment++) {
		size_t turns = count_turns(line, series, environment, &records, &first);
		char *note;

		if (turns < 2)
			continue;
		any = true;
		note = xasprintf(
			"turned %zu times in %zu runs in the same surroundings", turns, records);
		history_add(line,
			(struct event){ .kind = "flap",
				.weight = "worse",
				.card = series->card,
				.which = series->which,
				.part = line->parts[first],
				.note = note,
				.standing = environment == line->environment[line->count - 1] });
		free(note);
	}
	return any;
}

/* --- cards that came and went --- */

static void find_comings(struct timeline *line)
{
	size_t i;

	for (i = 1; i < line->count; i++) {
		const json_t *was = line->parts[i - 1], *now = line->parts[i];
		const json_t *last = line->parts[line->count - 1];
		const char *bdf;
		json_t *id;

		json_object_foreach (json_object_get(was, "cards"), bdf, id)
			if (!history_bdf(now, json_string_value(id)))
				history_add(line, (struct event){ .kind = "card-gone",
							  .weight = "worse",
							  .card = json_string_value(id),
							  .part = now,
							  .before = json_string(bdf),
							  .standing = !history_bdf(
								  last, json_string_value(id)) });
		json_object_foreach (json_object_get(now, "cards"), bdf, id)
			if (!history_bdf(was, json_string_value(id)))
				history_add(line, (struct event){ .kind = "card-new",
							  .weight = "changed",
							  .card = json_string_value(id),
							  .part = now,
							  .after = json_string(bdf),
							  .standing = true });
	}
}

/* --- all --- */

/* Every key of the member `of` over all parts -> the value in the first. */
static json_t *all_of(const struct timeline *line, const char *of)
{
	json_t *all = json_object();
	size_t i;

	for (i = 0; i < line->count; i++)
		json_object_update_missing(all, json_object_get(line->parts[i], of));
	return all;
}

static json_t *all_cards(const struct timeline *line)
{
	json_t *all = json_object(), *id;
	const char *bdf;
	size_t i;

	for (i = 0; i < line->count; i++)
		json_object_foreach (json_object_get(line->parts[i], "cards"), bdf, id)
			json_object_set_new(all, json_string_value(id), json_false());
	return all;
}

/* Whether the card's own verdict turned back and forth goes to `cards`: its cases need not say it
 * again. */
static void judge_cards(struct timeline *line, json_t *cards)
{
	const char *card;
	json_t *unused;

	json_object_foreach (cards, card, unused) {
		struct series series = series_of(line, card, NULL);

		find_turns(line, &series);
		json_object_set_new(cards, card, json_boolean(find_flaps(line, &series)));
		free(series.points);
	}
}

void history_verdicts(struct timeline *line)
{
	json_t *cards = all_cards(line), *cases = all_of(line, "cases"), *each;
	const char *which;

	judge_cards(line, cards);
	json_object_foreach (cases, which, each) {
		const char *card = json_text(each, "card", "");
		struct series series;

		if (json_is_true(json_object_get(cards, card)))
			continue;
		series = series_of(line, card, which);
		find_flaps(line, &series);
		free(series.points);
	}
	find_comings(line);
	json_decref(cases);
	json_decref(cards);
}
