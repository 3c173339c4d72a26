/* SPDX-License-Identifier: Apache-2.0 */
#include "report/show.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* Ranges of three-byte characters that a reader cannot see. */
static const struct hidden {
	unsigned first, last;
} hidden[] = {
	{ 0x200b, 0x200f }, /* zero width, marks of direction */
	{ 0x2028, 0x202e }, /* separators, embeddings, overrides */
	{ 0x2060, 0x206f }, /* joiners, isolates */
	{ 0xfeff, 0xfeff }, /* byte order mark */
};

static unsigned three_byte_character(const unsigned char *p)
{
	if ((p[0] & 0xf0) != 0xe0 || (p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80)
		return 0;
	return (p[0] & 0x0fU) << 12 | (p[1] & 0x3fU) << 6 | (p[2] & 0x3fU);
}

static bool is_hidden(unsigned character)
{
	size_t i;

	for (i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (character >= hidden[i].first && character <= hidden[i].last)
			return true;
	return false;
}

/* The text ends with NUL, so a character cut off by it is not mistaken for a whole one. */
static void add_visible(struct str *to, const char *text, size_t len)
{
	size_t at = 0, done = 0;

	while (at < len) {
		unsigned character = three_byte_character((const unsigned char *)text + at);

		if (!is_hidden(character)) {
			at++;
			continue;
		}
		text_add_printable(to, text + done, at - done);
		str_addf(to, "\\u%04x", character);
		at += 3;
		done = at;
	}
	if (done < len)
		text_add_printable(to, text + done, len - done);
}

void show_add(struct str *to, const char *text, size_t max)
{
	size_t len = strlen(text), shown = len;

	if (max && len > max) {
		shown = max;
		while (shown && ((unsigned char)text[shown] & 0xc0) == 0x80)
			shown--;
	}
	add_visible(to, text, shown);
	if (shown < len)
		str_addf(to, " [... %zu more bytes in the record]", len - shown);
}

char *show_text(const char *text)
{
	struct str s = STR_INIT;

	show_add(&s, text, SHOW_MAX);
	return str_detach(&s);
}

static bool is_plain_word(const char *word)
{
	const char *c;

	for (c = word; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_@%+=:,./-", *c))
			return false;
	return *word != '\0';
}

void show_add_shell_word(struct str *to, const char *word)
{
	const char *c;

	if (is_plain_word(word)) {
		str_add(to, word);
		return;
	}
	str_add(to, "'");
	for (c = word; *c; c++) {
		if (*c == '\'')
			str_add(to, "'\\''");
		else
			str_add_bytes(to, c, 1);
	}
	str_add(to, "'");
}
