/* SPDX-License-Identifier: Apache-2.0 */
#include "node/rows.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* No sign, blank or prefix. */
static bool decimal(const char *text, size_t len, uint64_t *value)
{
	uint64_t read = 0;
	size_t i;

	if (!len)
		return false;
	for (i = 0; i < len; i++) {
		unsigned int digit = (unsigned int)(unsigned char)text[i] - '0';

		if (digit > 9 || read > (UINT64_MAX - digit) / 10)
			return false;
		read = read * 10 + digit;
	}
	*value = read;
	return true;
}

struct parsed {
	const struct row *rows;
	char *base;
	uint64_t seen, spoilt; /* bits by row */
};

static void enter_line(struct parsed *parsed, const char *line, size_t len)
{
	const char *space = memchr(line, ' ', len);
	size_t key_len = space ? (size_t)(space - line) : len, i;
	struct known_u64 value = { false, 0 }, *field;

	for (i = 0; parsed->rows[i].key; i++)
		if (strlen(parsed->rows[i].key) == key_len &&
			memcmp(parsed->rows[i].key, line, key_len) == 0)
			break;
	if (!parsed->rows[i].key)
		return;
	field = (struct known_u64 *)(void *)(parsed->base + parsed->rows[i].offset);
	value.known = space && decimal(space + 1, len - key_len - 1, &value.value);
	if (!value.known || ((parsed->seen >> i & 1) && field->value != value.value))
		parsed->spoilt |= (uint64_t)1 << i;
	parsed->seen |= (uint64_t)1 << i;
	*field = parsed->spoilt >> i & 1 ? (struct known_u64){ false, 0 } : value;
}

void rows_parse(const struct row *rows, void *base, const char *text, size_t len)
{
	struct parsed parsed = { rows, base, 0, 0 };
	size_t at = 0;

	while (at < len) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t line = end ? (size_t)(end - text) - at : len - at;

		enter_line(&parsed, text + at, line);
		at += line + 1;
	}
}
