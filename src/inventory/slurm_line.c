/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/slurm_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

enum { MOST_PAIRS = 256 };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

/* --- where a line ends ------------------------------------------------------------------------ */

/* The settings of one physical line, without its comment: a `#` that no backslash precedes begins
 * one. */
static size_t comment_start(const char *text, size_t from, size_t end)
{
	size_t at;

	for (at = from; at < end; at++)
		if (text[at] == '#' && (at == from || text[at - 1] != '\\'))
			return at;
	return end;
}

static bool is_continued(const char *text, size_t from, size_t end)
{
	while (end > from && (text[end - 1] == '\r' || text[end - 1] == ' '))
		end--;
	return end > from && text[end - 1] == '\\';
}

/* Finds the joined line: its span, and the end of its settings. */
static void find_line(const struct str *text, struct slurm_cursor *cursor, struct slurm_line *line)
{
	bool more = true;

	line->span.from = cursor->at;
	line->line = cursor->lines + 1;
	while (more) {
		const char *newline = memchr(text->data + cursor->at, '\n', text->len - cursor->at);
		size_t end = newline ? (size_t)(newline - text->data) : text->len;
		size_t comment = comment_start(text->data, cursor->at, end);

		more = comment == end && newline && is_continued(text->data, cursor->at, end);
		line->end = comment;
		line->span.len = end - line->span.from;
		cursor->at = newline ? end + 1 : end;
		cursor->lines++;
		more = more && cursor->at < text->len;
	}
	while (line->end > line->span.from &&
		(is_blank(text->data[line->end - 1]) ||
			(text->data[line->end - 1] == '\\' && line->end < text->len &&
				is_blank(text->data[line->end]))))
		line->end--;
}

/* --- settings --------------------------------------------------------------------------------- */

static size_t skip_blanks(const char *text, size_t at, size_t end)
{
	while (at < end && (is_blank(text[at]) ||
				   (text[at] == '\\' && at + 1 < end && is_blank(text[at + 1]))))
		at++;
	return at;
}

/* A backslash that joins the next line ends a word too. */
static size_t word_end(const char *text, size_t at, size_t end)
{
	while (at < end && !is_blank(text[at]) &&
		!(text[at] == '\\' && at + 1 < end && is_blank(text[at + 1])))
		at++;
	return at;
}

static void add_pair(struct slurm_line *line, const char *text, size_t key, size_t key_len,
	struct inventory_span value)
{
	struct slurm_pair *pair;
	bool quoted = value.len >= 2 && text[value.from] == '"';

	if (line->count >= MOST_PAIRS)
		return;
	line->pairs = xrealloc(line->pairs, (line->count + 1) * sizeof(*line->pairs));
	pair = &line->pairs[line->count++];
	pair->key = xstrndup(text + key, key_len);
	pair->span = value;
	pair->value = quoted ? xstrndup(text + value.from + 1, value.len - 2)
			     : xstrndup(text + value.from, value.len);
}

/* `Key = value`, `Key="two words"`. Returns where it ends, or `at` when no setting stands there. */
static size_t read_pair(struct slurm_line *line, const char *text, size_t at, size_t end)
{
	size_t key = at, key_len, start;

	while (at < end && (isalnum((unsigned char)text[at]) || strchr("_./", text[at]) != NULL) &&
		text[at])
		at++;
	key_len = at - key;
	at = skip_blanks(text, at, end);
	if (at < end && strchr("-+*", text[at]) && text[at] && at + 1 < end && text[at + 1] == '=')
		at++;
	if (!key_len || at >= end || text[at] != '=')
		return key;
	start = at = skip_blanks(text, at + 1, end);
	if (at < end && text[at] == '"') {
		const char *close = memchr(text + at + 1, '"', end - at - 1);

		at = close ? (size_t)(close - text) + 1 : end;
		if (!close)
			return key;
	} else {
		at = word_end(text, at, end);
	}
	add_pair(line, text, key, key_len, (struct inventory_span){ start, at - start });
	return at;
}

static void read_pairs(struct slurm_line *line, const char *text)
{
	size_t at = skip_blanks(text, line->span.from, line->end);

	while (at < line->end) {
		size_t next = read_pair(line, text, at, line->end);

		if (next == at) {
			next = word_end(text, at, line->end);
			if (!line->junk)
				line->junk = text_printable(text + at, next - at);
		}
		at = skip_blanks(text, next, line->end);
	}
}

bool slurm_line_next(const struct str *text, struct slurm_cursor *cursor, struct slurm_line *out)
{
	memset(out, 0, sizeof(*out));
	if (cursor->at >= text->len)
		return false;
	find_line(text, cursor, out);
	read_pairs(out, text->data);
	return true;
}

void slurm_line_release(struct slurm_line *line)
{
	size_t i;

	for (i = 0; i < line->count; i++) {
		free(line->pairs[i].key);
		free(line->pairs[i].value);
	}
	free(line->pairs);
	free(line->junk);
	memset(line, 0, sizeof(*line));
}

const struct slurm_pair *slurm_line_find(const struct slurm_line *line, const char *key)
{
	size_t i;

	for (i = line->count; i-- > 0;)
		if (strcasecmp(line->pairs[i].key, key) == 0)
			return &line->pairs[i];
	return NULL;
}

const char *slurm_line_value(const struct slurm_line *line, const char *key)
{
	const struct slurm_pair *pair = slurm_line_find(line, key);

	return pair ? pair->value : "";
}

/* --- gpu:mi250x:4(S:0-1),nic:2 ---------------------------------------------------------------- */

/* One element: up to a comma outside parentheses. Returns its length. */
static size_t element_length(const char *at)
{
	size_t len;
	int depth = 0;

	for (len = 0; at[len] && (depth > 0 || at[len] != ','); len++)
		depth += (at[len] == '(') - (at[len] == ')');
	return len;
}

static bool is_gpu(const char *at, size_t len)
{
	return len >= 3 && strncasecmp(at, "gpu", 3) == 0 &&
	       (len == 3 || at[3] == ':' || at[3] == '(');
}

/* "8", "2K": a number and one of Slurm's suffixes. */
static bool read_count(const char *text, uint64_t *count)
{
	static const char suffixes[] = "kmgtp";
	size_t digits = strspn(text, "0123456789"), i;
	unsigned long long value;
	char *number;
	bool good;

	if (!digits || digits > 18 || (text[digits] && text[digits + 1]))
		return false;
	number = xstrndup(text, digits);
	good = text_u64(number, 10, &value);
	free(number);
	if (text[digits]) {
		const char *suffix = strchr(suffixes, tolower((unsigned char)text[digits]));

		if (!suffix)
			return false;
		for (i = 0; i <= (size_t)(suffix - suffixes) && value < UINT64_MAX >> 10; i++)
			value <<= 10;
	}
	*count = value;
	return good;
}

/* The parts after "gpu": [:type][:no_consume][:count]. */
static void read_element(const char *at, size_t len, uint64_t *total, char **type)
{
	char *copy = xstrndup(at, len), *part, *rest = copy + 3;
	uint64_t count = 1;

	copy[strcspn(copy, "(")] = '\0';
	rest = strlen(copy) > 4 ? copy + 4 : NULL;
	while (rest) {
		part = rest;
		rest = strchr(part, ':');
		if (rest)
			*rest++ = '\0';
		/* "gpu:8:4" is four of a type that is called 8. */
		if (strcasecmp(part, "no_consume") == 0 || (!rest && read_count(part, &count)))
			continue;
		if (!(*type)[0] && part[0]) {
			free(*type);
			*type = xstrdup(part);
		}
	}
	*total = *total > UINT64_MAX - count ? UINT64_MAX : *total + count;
	free(copy);
}

bool slurm_gres_gpus(const char *gres, uint64_t *count, char **type)
{
	bool found = false;

	*count = 0;
	*type = xstrdup("");
	while (*gres) {
		size_t len = element_length(gres);

		if (is_gpu(gres, len)) {
			found = true;
			read_element(gres, len, count, type);
		}
		gres += len + (gres[len] == ',');
	}
	return found;
}

char *slurm_gres_others(const char *gres)
{
	struct str others = STR_INIT;

	while (*gres) {
		size_t len = element_length(gres);

		if (len && !is_gpu(gres, len)) {
			str_add(&others, others.len ? "," : "");
			str_add_bytes(&others, gres, len);
		}
		gres += len + (gres[len] == ',');
	}
	return str_detach(&others);
}
