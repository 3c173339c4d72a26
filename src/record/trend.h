/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a series rises or falls, robustly: the Theil-Sen slope (median of the slopes of all
 * pairs; Sen 1968) and Mann's test of its sign (Kendall's S, variance corrected for ties,
 * continuity correction, normal approximation; Mann 1945, Kendall 1975). Outliers and the shape of
 * the noise do not matter; that the points are independent does. */
#ifndef RECORD_TREND_H
#define RECORD_TREND_H

#include <stdbool.h>
#include <stddef.h>

enum { TREND_POINTS_MIN = 10, TREND_POINTS_MAX = 1000 };

struct trend {
	size_t count; /* points used: the last TREND_POINTS_MAX */
	double slope; /* of y by x */
	double share; /* slope times the span of x, as a share of the median of y */
	double p; /* two-sided: the chance of such an S without a trend */
};

/* Of points in rising order of x. count 0 when there are fewer than TREND_POINTS_MIN, or all x are
 * the same. */
struct trend trend_of(const double *x, const double *y, size_t count);

/* Is it drift, when `series` series were looked at? p below 0.01 / series, and more than 3 % over
 * the whole span: so that one history in a hundred without drift has a false alarm, however many
 * series it has. */
bool trend_is_drift(struct trend trend, size_t series);

#endif
