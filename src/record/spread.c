/* SPDX-License-Identifier: Apache-2.0 */
#include "record/spread.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct spread spread_of(double *values, size_t count)
{
	struct spread spread = { .count = count };

	if (!count)
		return spread;
	qsort(values, count, sizeof(*values), by_value);
	spread.low = values[0];
	spread.high = values[count - 1];
	spread.median =
		count % 2 ? values[count / 2] : values[count / 2 - 1] / 2 + values[count / 2] / 2;
	return spread;
}

struct spread spread_of_json(const json_t *numbers)
{
	double *values = xcalloc(json_array_size(numbers) + 1, sizeof(*values));
	struct spread spread;
	const json_t *number;
	size_t i, count = 0;

	json_array_foreach (numbers, i, number)
		if (json_is_number(number) && isfinite(json_number_value(number)))
			values[count++] = json_number_value(number);
	spread = spread_of(values, count);
	free(values);
	return spread;
}

static bool is_apart(struct spread below, struct spread above)
{
	double wider = fmax(below.high - below.low, above.high - above.low);

	return above.low - below.high >= wider && above.low > below.high;
}

int spread_compare(struct spread a, struct spread b, double least)
{
	bool repeated = a.count >= SPREAD_REPEATS && b.count >= SPREAD_REPEATS;
	double apart = fabs(b.median - a.median), share = repeated ? 0.05 : 0.25;

	if (!a.count || !b.count || !(apart > least) ||
		!(apart > share * fmin(fabs(a.median), fabs(b.median))))
		return 0;
	if (repeated && !is_apart(a, b) && !is_apart(b, a))
		return 0;
	return b.median > a.median ? 1 : -1;
}

const char *spread_rule(void)
{
	return "measured three times or more on both sides: medians more than 5 % apart, and "
	       "between the "
	       "two sets a gap at least as wide as the wider of them; fewer times: more than 25 % "
	       "apart";
}
