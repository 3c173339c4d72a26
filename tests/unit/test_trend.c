/* SPDX-License-Identifier: Apache-2.0 */
/* Slope and sign test against values worked out elsewhere, and against many series without a trend.
 */
#include "record/trend.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "record/spread.h"
#include "tap.h"

enum { POINTS = 30 };

static uint64_t state = 20261130;

/* xorshift64*, so that the series are the same everywhere. */
static double uniform(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return ((double)((state * 2685821657736338717u) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}

/* Kinds of noise of a render time about 10 s. */
static double quiet(void)
{
	return 10 + 0.1 * normal();
}

static double wide(void)
{
	return 10 * exp(0.2 * normal());
}

static double outliers(void)
{
	return uniform() < 0.1 ? 10 + 30 * uniform() : 10 + 0.1 * normal();
}

static double rounded(void)
{
	return floor(10 + 1.5 * normal());
}

static double two_levels(void)
{
	return uniform() < 0.5 ? 10 : 12;
}

typedef double noise_fn(void);

static struct trend trend_of_series(noise_fn *noise, double rise, size_t count)
{
	double x[POINTS], y[POINTS];
	size_t i;

	for (i = 0; i < count; i++) {
		x[i] = (double)i + 0.5 * uniform();
		y[i] = noise() * (1 + rise * (double)i / (double)(count - 1));
	}
	return trend_of(x, y, count);
}

static int count_drifts(noise_fn *noise, double rise, size_t histories, size_t series)
{
	size_t i, j;
	int found = 0;

	for (i = 0; i < histories; i++) {
		bool any = false;

		for (j = 0; j < series; j++)
			any = trend_is_drift(trend_of_series(noise, rise, POINTS), series) || any;
		found += any;
	}
	return found;
}

/* At the stated level 1 in 100 may have an alarm: of 200 histories 2 are expected, and more than 8
 * by less than 1 in 1000. */
static void test_no_false_alarms(void)
{
	static const struct {
		noise_fn *noise;
		const char *name;
	} kinds[] = { { quiet, "quiet" }, { wide, "wide" }, { outliers, "with outliers" },
		{ rounded, "rounded" }, { two_levels, "on two levels" } };
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int one = count_drifts(kinds[i].noise, 0, 400, 1);
		int many = count_drifts(kinds[i].noise, 0, 100, 24);

		tap_ok(one <= 14, "no drift, %s: %d of 400 single series", kinds[i].name, one);
		tap_ok(many <= 5, "no drift, %s: %d of 100 histories of 24 series", kinds[i].name,
			many);
	}
}

static void test_drift_is_found(void)
{
	int rise = count_drifts(quiet, 0.1, 100, 8), fall = count_drifts(quiet, -0.1, 100, 8);
	int spikes = count_drifts(outliers, 0.1, 100, 8);
	int little = count_drifts(quiet, 0.02, 100, 1);

	tap_ok(rise == 100, "10 %% up over 30 runs is found: %d of 100", rise);
	tap_ok(fall == 100, "and down: %d of 100", fall);
	tap_ok(spikes >= 95, "through outliers: %d of 100", spikes);
	tap_ok(little <= 15, "2 %% is too little to matter: %d of 100", little);
}

/* Worked out by hand; the normal tail of it with Python's math.erfc(). tests/cli/56-history.sh
 * holds a series with ties against another implementation. */
static void test_numbers(void)
{
	static const double x[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	static const double up[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	static const double flat[] = { 5, 5, 5, 5, 5, 5, 5, 5, 5, 5 };
	static const double spike[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000 };
	struct trend trend = trend_of(x, up, 10);

	/* S = 45, variance 10 * 9 * 25 / 18 = 125, z = 44 / sqrt(125). */
	tap_ok(fabs(trend.slope - 1) < 1e-12, "a line's slope");
	tap_ok(fabs(trend.p - 8.303e-05) < 1e-7, "its p: %g", trend.p);
	tap_ok(fabs(trend.share - 9 / 5.5) < 1e-12, "its share of the median");
	trend = trend_of(x, spike, 10);
	tap_ok(fabs(trend.slope - 1) < 1e-12, "one wild value does not change the slope");
	trend = trend_of(x, flat, 10);
	tap_ok(trend.slope == 0 && trend.p == 1 && !trend_is_drift(trend, 1), "flat is flat");
	tap_number(trend_of(x, up, 9).count, 0, "nine points are too few");
	tap_number(trend_of(flat, up, 10).count, 0, "so is one moment");
}

static struct spread spread3(double a, double b, double c)
{
	double values[] = { a, b, c };

	return spread_of(values, 3);
}

static void test_spread(void)
{
	struct spread ten = spread3(10.1, 9.9, 10), one = { 10, 10, 10, 1 };
	struct spread other = { 12, 12, 12, 1 }, third = { 13, 13, 13, 1 }, none = { 0, 0, 0, 0 };

	tap_ok(ten.median == 10 && ten.low == 9.9 && ten.high == 10.1, "median and ends");
	tap_number(spread_compare(ten, spread3(11, 11.1, 10.9), 0), 1, "10 % more, apart");
	tap_number(spread_compare(spread3(11, 11.1, 10.9), ten, 0), -1, "10 % less");
	tap_number(spread_compare(ten, spread3(10.4, 10.3, 10.5), 0), 0, "4 % is too little");
	tap_number(
		spread_compare(ten, spread3(10.3, 11, 11.7), 0), 0, "a scatter as wide as the gap");
	tap_number(spread_compare(ten, spread3(11, 11.1, 10.9), 1.5), 0, "less than what matters");
	tap_number(spread_compare(one, other, 0), 0, "once each: 20 %");
	tap_number(spread_compare(one, third, 0), 1, "once each: 30 %");
	tap_number(spread_compare(one, none, 0), 0, "nothing to compare with");
}

/* What a comparison of repeats says of two runs that are the same: wide noise, three times each. */
static void test_spread_alarms(void)
{
	int i, wrong = 0;

	for (i = 0; i < 2000; i++) {
		struct spread a = spread3(wide(), wide(), wide()),
			      b = spread3(wide(), wide(), wide());

		wrong += spread_compare(a, b, 0.2) != 0;
	}
	tap_ok(wrong < 100, "20 %% noise, three repeats: %d of 2000 pairs called different", wrong);
}

int main(void)
{
	test_numbers();
	test_spread();
	test_spread_alarms();
	test_no_false_alarms();
	test_drift_is_found();
	return tap_done();
}
