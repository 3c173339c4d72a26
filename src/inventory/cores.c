/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/cores.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { MOST_CORES = 1 << 20, MOST_MARKS = 1 << 22 };

static bool read_number(const char **at, uint64_t *value)
{
	const char *p = *at;

	*value = 0;
	while (*p >= '0' && *p <= '9' && *value < MOST_CORES)
		*value = *value * 10 + (uint64_t)(*p++ - '0');
	if (p == *at || *value >= MOST_CORES)
		return false;
	*at = p;
	return true;
}

/* The next "a" or "a-b" of the list. False at its end; *at is then at the NUL unless it is
 * malformed. */
static bool next_range(const char **at, uint64_t *low, uint64_t *high)
{
	const char *p = *at;

	if (!read_number(&p, low))
		return false;
	*high = *low;
	if (*p == '-') {
		p++;
		if (!read_number(&p, high) || *high < *low)
			return false;
	}
	if (*p && *p != ',')
		return false;
	*at = *p ? p + 1 : p;
	return true;
}

struct known_u64 cores_highest(const char *list)
{
	struct known_u64 highest = { false, 0 };
	uint64_t low, high;

	while (next_range(&list, &low, &high))
		if (!highest.known || high > highest.value)
			highest = known_u64(high);
	if (*list)
		highest.known = false;
	return highest;
}

char *cores_from_threads(const char *list, uint64_t cores, bool adjacent)
{
	struct str text = STR_INIT;
	struct known_u64 highest = cores_highest(list);
	uint64_t low, high, i, marks = 0;
	bool *used;

	if (!highest.known || !cores || cores > MOST_CORES || highest.value / 2 >= cores)
		return NULL;
	used = xcalloc(cores + 1, sizeof(*used));
	while (next_range(&list, &low, &high))
		for (i = low; i <= high && marks < MOST_MARKS; i++, marks++)
			used[adjacent ? i / 2 : i % cores] = true;
	for (i = 0; i < cores; i++) {
		if (!used[i])
			continue;
		for (low = i; i + 1 < cores && used[i + 1]; i++)
			;
		str_addf(&text, i > low ? "%s%llu-%llu" : "%s%llu", text.len ? "," : "",
			(unsigned long long)low, (unsigned long long)i);
	}
	free(used);
	return str_detach(&text);
}
