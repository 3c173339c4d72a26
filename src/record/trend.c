/* SPDX-License-Identifier: Apache-2.0 */
#include "record/trend.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "record/spread.h"

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double theil_sen(const double *x, const double *y, size_t count)
{
	double *slopes = xcalloc(count * (count - 1) / 2 + 1, sizeof(*slopes)), median;
	size_t i, j, used = 0;

	for (i = 0; i < count; i++)
		for (j = i + 1; j < count; j++)
			if (x[j] > x[i])
				slopes[used++] = (y[j] - y[i]) / (x[j] - x[i]);
	median = spread_of(slopes, used).median;
	free(slopes);
	return median;
}

/* Pairs of the same moment say nothing about a direction. */
static double kendall_s(const double *x, const double *y, size_t count)
{
	double s = 0;
	size_t i, j;

	for (i = 0; i < count; i++)
		for (j = i + 1; j < count; j++)
			if (x[j] > x[i])
				s += (y[j] > y[i]) - (y[j] < y[i]);
	return s;
}

static double pairs_term(double n)
{
	return n * (n - 1) * (2 * n + 5);
}

/* Sums over the groups of equal values: of t(t-1)(2t+5), t(t-1)(t-2) and t(t-1). */
struct ties {
	double five, three, two;
};

static struct ties ties_of(const double *values, size_t count)
{
	double *sorted = xcalloc(count + 1, sizeof(*sorted));
	struct ties ties = { 0, 0, 0 };
	size_t i, j;

	for (i = 0; i < count; i++)
		sorted[i] = values[i];
	qsort(sorted, count, sizeof(*sorted), by_value);
	for (i = 0; i < count; i = j) {
		double t;

		for (j = i + 1; j < count && sorted[j] <= sorted[i]; j++)
			;
		t = (double)(j - i);
		ties.five += pairs_term(t);
		ties.three += t * (t - 1) * (t - 2);
		ties.two += t * (t - 1);
	}
	free(sorted);
	return ties;
}

/* Kendall 1975, 4.1: both in x and in y may be ties. */
static double variance_of_s(const double *x, const double *y, size_t count)
{
	struct ties a = ties_of(x, count), b = ties_of(y, count);
	double n = (double)count;

	return (pairs_term(n) - a.five - b.five) / 18 +
	       a.three * b.three / (9 * n * (n - 1) * (n - 2)) + a.two * b.two / (2 * n * (n - 1));
}

static double p_of(double s, double variance)
{
	double z = variance > 0 ? fmax(fabs(s) - 1, 0) / sqrt(variance) : 0;

	return erfc(z / sqrt(2));
}

static double median_of(const double *values, size_t count)
{
	double *copy = xcalloc(count, sizeof(*copy)), median;
	size_t i;

	for (i = 0; i < count; i++)
		copy[i] = values[i];
	median = spread_of(copy, count).median;
	free(copy);
	return median;
}

struct trend trend_of(const double *x, const double *y, size_t count)
{
	struct trend trend = { 0, 0, 0, 1 };
	double median;

	if (count > TREND_POINTS_MAX) {
		x += count - TREND_POINTS_MAX;
		y += count - TREND_POINTS_MAX;
		count = TREND_POINTS_MAX;
	}
	if (count < TREND_POINTS_MIN || !(x[count - 1] > x[0]))
		return trend;
	median = median_of(y, count);
	trend.count = count;
	trend.slope = theil_sen(x, y, count);
	trend.share = median > 0 ? trend.slope * (x[count - 1] - x[0]) / median : 0;
	trend.p = p_of(kendall_s(x, y, count), variance_of_s(x, y, count));
	return trend;
}

bool trend_is_drift(struct trend trend, size_t series)
{
	return trend.count && trend.p < 0.01 / (double)(series ? series : 1) &&
	       fabs(trend.share) > 0.03;
}
