/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "record/history_parts.h"
#include "record/spread.h"
#include "record/trend.h"

enum { NEIGHBOURS = 5 }; /* runs before and after a change that are held against each other */

static const struct quantity {
	const char *member, *what, *more, *less;
	double least; /* smaller differences do not matter */
} quantities[] = {
	{ "seconds", "render seconds", "slower", "faster", 0.2 },
	{ "memory", "peak bytes", "more-memory", "less-memory", 64.0 * 1024 * 1024 },
};

/* One case over time: the median of each run that has it. */
struct series {
	const char *card, *which;
	const struct quantity *quantity;
	double *values; /* NaN where the run has none */
};

static struct series series_of(const struct timeline *line, const char *which, const char *card,
	const struct quantity *quantity)
{
	struct series series = { card, which, quantity,
		xcalloc(line->count + 1, sizeof(*series.values)) };
	size_t i;

	for (i = 0; i < line->count; i++) {
		const json_t *each =
			json_object_get(json_object_get(line->parts[i], "cases"), which);
		struct spread spread = spread_of_json(json_object_get(each, quantity->member));

		series.values[i] = spread.count ? spread.median : NAN;
	}
	return series;
}

/* --- steps --- */

/* Up to NEIGHBOURS runs of the surroundings of run `at`: backwards from it, or forwards. */
static struct spread neighbours(
	const struct timeline *line, const struct series *series, size_t at, bool forwards)
{
	double values[NEIGHBOURS];
	size_t i = at, count = 0;

	while (count < NEIGHBOURS) {
		if (line->environment[i] == line->environment[at] && !isnan(series->values[i]))
			values[count++] = series->values[i];
		if (forwards ? ++i == line->count : i-- == 0)
			break;
	}
	return spread_of(values, count);
}

static bool is_new(const struct timeline *line, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (line->environment[i] == line->environment[at])
			return false;
	return true;
}

static json_t *spread_json(struct spread spread)
{
	return json_pack("{s:f, s:f, s:f, s:I}", "median", spread.median, "low", spread.low, "high",
		spread.high, "count", (json_int_t)spread.count);
}

static void add_step(struct timeline *line, const struct series *series, size_t at,
	struct spread before, struct spread after)
{
	bool more = after.median > before.median;
	char *note = before.median > 0 ? xasprintf("%s %+.1f %%", series->quantity->what,
						 100 * (after.median / before.median - 1))
				       : xstrdup(series->quantity->what);

	history_add(line,
		(struct event){ .kind = more ? series->quantity->more : series->quantity->less,
			.weight = more ? "worse" : "better",
			.card = series->card,
			.which = series->which,
			.part = line->parts[at],
			.before = spread_json(before),
			.after = spread_json(after),
			.came_with = history_between(line->parts[at - 1], line->parts[at]),
			.note = note,
			.standing = line->environment[line->count - 1] == line->environment[at] });
	free(note);
}

/* Where surroundings begin that were never there before. */
static void find_steps(struct timeline *line, const struct series *series)
{
	size_t at;

	for (at = 1; at < line->count; at++) {
		struct spread before, after;

		if (line->environment[at] == line->environment[at - 1] || !is_new(line, at))
			continue;
		before = neighbours(line, series, at - 1, false);
		after = neighbours(line, series, at, true);
		if (spread_compare(before, after, series->quantity->least))
			add_step(line, series, at, before, after);
	}
}

/* --- drift --- */

/* The points of one environment; the arrays hold as many as the timeline. */
static size_t points_of(const struct timeline *line, const struct series *series,
	size_t environment, double *x, double *y)
{
	size_t i, count = 0;

	for (i = 0; i < line->count; i++) {
		if (line->environment[i] != environment || isnan(series->values[i]))
			continue;
		x[count] = line->days[i];
		y[count++] = series->values[i];
	}
	return count;
}

static void add_drift(
	struct timeline *line, const struct series *series, size_t environment, struct trend trend)
{
	size_t at = line->count - 1;
	char *note;

	while (line->environment[at] != environment || isnan(series->values[at]))
		at--;
	note = xasprintf("%s %+.1f %% over %zu runs, %+.3g a day, p %.2g", series->quantity->what,
		100 * trend.share, trend.count, trend.slope, trend.p);
	history_add(line,
		(struct event){ .kind = "drift",
			.weight = trend.slope > 0 ? "worse" : "better",
			.card = series->card,
			.which = series->which,
			.part = line->parts[at],
			.after = json_pack("{s:f, s:f, s:f, s:I}", "per_day", trend.slope, "share",
				trend.share, "p", trend.p, "count", (json_int_t)trend.count),
			.note = note,
			.standing = line->environment[line->count - 1] == environment });
	free(note);
}

/* With `series_count` 0: only how many series are long enough to be tested. */
static size_t find_drift(struct timeline *line, const struct series *series, size_t series_count)
{
	double *x = xcalloc(line->count + 1, sizeof(*x)), *y = xcalloc(line->count + 1, sizeof(*y));
	size_t environment, tested = 0;

	for (environment = 0; environment < line->environments; environment++) {
		size_t count = points_of(line, series, environment, x, y);
		struct trend trend;

		if (count < TREND_POINTS_MIN)
			continue;
		tested++;
		if (!series_count)
			continue;
		trend = trend_of(x, y, count);
		if (trend_is_drift(trend, series_count))
			add_drift(line, series, environment, trend);
	}
	free(x);
	free(y);
	return tested;
}

/* --- all --- */

static json_t *all_cases(const struct timeline *line)
{
	json_t *all = json_object();
	size_t i;

	for (i = 0; i < line->count; i++)
		json_object_update_missing(all, json_object_get(line->parts[i], "cases"));
	return all;
}

/* Twice: how many series there are decides how unlikely a trend must be. */
static size_t look(struct timeline *line, json_t *cases, size_t series_count)
{
	const char *which;
	json_t *each;
	size_t i, tested = 0;

	json_object_foreach (cases, which, each)
		for (i = 0; i < sizeof(quantities) / sizeof(quantities[0]); i++) {
			struct series series = series_of(
				line, which, json_text(each, "card", "?"), &quantities[i]);

			if (series_count != 0)
				find_steps(line, &series);
			tested += find_drift(line, &series, series_count);
			free(series.values);
		}
	return tested;
}

size_t history_numbers(struct timeline *line)
{
	json_t *cases = all_cases(line);
	size_t series = look(line, cases, 0);

	look(line, cases, series ? series : 1);
	json_decref(cases);
	return series;
}
