/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements that were taken more than once, and whether two sets of them differ by more than
 * their noise. */
#ifndef RECORD_SPREAD_H
#define RECORD_SPREAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { SPREAD_REPEATS = 3 }; /* from so many on a set tells its own noise */

struct spread {
	double low, median, high;
	size_t count; /* 0: nothing was measured, and the rest is 0 */
};

/* Of the finite numbers at `values`, whose order it changes. */
struct spread spread_of(double *values, size_t count);

/* Of the numbers in a JSON array; what is no finite number is passed over. */
struct spread spread_of_json(const json_t *numbers);

/* -1, 0 or 1: is b below, about at, or above a? With SPREAD_REPEATS or more on both sides they
 * differ when the medians are more than 5 % apart and the gap between the two sets is at least as
 * wide as the wider of them; with fewer, when the medians are more than 25 % apart. In both cases
 * by more than `least`, in the unit of the values. 0 when one is empty. */
int spread_compare(struct spread a, struct spread b, double least);

/* The rule in words. Static. */
const char *spread_rule(void);

#endif
