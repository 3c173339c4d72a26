/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/hostlist.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

struct walk {
	bool (*each)(const char *name, void *context);
	void *context;
	long called, most;
	bool stopped;
	char name[HOSTLIST_NAME];
};

enum { MOST_BRACKETS = 8, MOST_DIGITS = 18 };

/* "01" of "01-04]": at least one digit, few enough not to overflow. */
static bool read_number(const char **at, const char *end, uint64_t *value, int *width)
{
	const char *p = *at;

	*value = 0;
	while (p < end && *p >= '0' && *p <= '9' && p - *at <= MOST_DIGITS)
		*value = *value * 10 + (uint64_t)(*p++ - '0');
	*width = (int)(p - *at);
	if (!*width || *width > MOST_DIGITS)
		return false;
	*at = p;
	return true;
}

static bool add_name(struct walk *walk, size_t len, const char *from, size_t more)
{
	if (len + more >= sizeof(walk->name))
		return false;
	memcpy(walk->name + len, from, more);
	walk->name[len + more] = '\0';
	return true;
}

static bool expand(struct walk *walk, size_t len, const char *at, const char *end, int brackets);

/* One range of a bracket, then what follows the bracket for each of its numbers. */
static bool expand_range(struct walk *walk, size_t len, const char **at, const char *close,
	const char *end, int brackets)
{
	uint64_t low, high, value;
	int width, ignored;
	char digits[24];

	if (!read_number(at, close, &low, &width))
		return false;
	high = low;
	if (*at < close && **at == '-') {
		(*at)++;
		if (!read_number(at, close, &high, &ignored) || high < low)
			return false;
	}
	for (value = low; value <= high && !walk->stopped; value++) {
		int got = snprintf(
			digits, sizeof(digits), "%0*llu", width, (unsigned long long)value);

		if (!add_name(walk, len, digits, (size_t)got) ||
			!expand(walk, len + (size_t)got, close + 1, end, brackets + 1))
			return false;
	}
	return true;
}

/* walk->name[0..len) is done; [at, end) is the rest of one name of the list. */
static bool expand(struct walk *walk, size_t len, const char *at, const char *end, int brackets)
{
	const char *open = memchr(at, '[', (size_t)(end - at));
	const char *close;

	if (!open) {
		if (memchr(at, ']', (size_t)(end - at)) ||
			!add_name(walk, len, at, (size_t)(end - at)))
			return false;
		if (walk->called >= walk->most)
			return false;
		walk->called++;
		walk->stopped = !walk->each(walk->name, walk->context);
		return true;
	}
	close = memchr(open, ']', (size_t)(end - open));
	if (!close || brackets >= MOST_BRACKETS || !add_name(walk, len, at, (size_t)(open - at)))
		return false;
	len += (size_t)(open - at);
	for (at = open + 1; !walk->stopped; at++) {
		if (!expand_range(walk, len, &at, close, end, brackets))
			return false;
		if (at == close)
			return true;
		if (*at != ',')
			return walk->stopped;
	}
	return true;
}

/* The end of one name: a comma outside brackets, or the end. */
static const char *name_end(const char *at)
{
	bool inside = false;

	for (; *at && (inside || *at != ','); at++)
		inside = *at == '[' || (inside && *at != ']');
	return at;
}

long hostlist_each(
	const char *list, long most, bool (*each)(const char *name, void *context), void *context)
{
	struct walk walk = { .each = each, .context = context, .most = most };
	const char *at = list;

	while (*at && !walk.stopped) {
		const char *end = name_end(at);

		if (end > at && !expand(&walk, 0, at, end, 0))
			return -1;
		at = *end ? end + 1 : end;
	}
	return walk.called;
}

bool hostlist_same(const char *name, const char *other)
{
	size_t len = strcspn(name, "."), other_len = strcspn(other, ".");

	if (name[len] && other[other_len])
		return strcmp(name, other) == 0;
	return len == other_len && memcmp(name, other, len) == 0;
}

struct search {
	const char *name;
	bool found;
};

static bool compare(const char *name, void *context)
{
	struct search *search = context;

	search->found = hostlist_same(name, search->name);
	return !search->found;
}

bool hostlist_holds(const char *list, const char *name)
{
	struct search search = { .name = name };

	return hostlist_each(list, HOSTLIST_MOST, compare, &search) >= 0 && search.found;
}

static bool go_on(const char *name, void *context)
{
	(void)name;
	(void)context;
	return true;
}

long hostlist_count(const char *list)
{
	return hostlist_each(list, HOSTLIST_MOST, go_on, NULL);
}

struct names {
	char **items;
	size_t count;
};

static bool keep(const char *name, void *context)
{
	struct names *names = context;

	names->items = xrealloc(names->items, (names->count + 1) * sizeof(*names->items));
	names->items[names->count++] = xstrdup(name);
	return true;
}

long hostlist_expand(const char *list, long most, char ***out)
{
	struct names names = { NULL, 0 };
	long count = hostlist_each(list, most, keep, &names);

	if (count >= 0) {
		*out = names.items;
		return count;
	}
	while (names.count)
		free(names.items[--names.count]);
	free(names.items);
	return -1;
}
