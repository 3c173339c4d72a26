/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_pick.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/str.h"

enum { DEPTH_MAX = 2048, PAIRWISE_MAX = 48, NUMBER_MAX = 64, KEYS_AT_FIRST = 96 };

/* A key of an object that is still open. */
struct key {
	uint64_t hash;
	const char *text;
	size_t len;
	char *owned; /* of a key with escapes: its decoded form, which `text` points to */
};

struct reader {
	const char *start, *at, *end;
	const char *why; /* the first that went wrong; NULL so far */
	int depth;
	struct key few[KEYS_AT_FIRST];
	struct key *keys; /* of all open objects, the innermost last; `few` as long as they fit */
	size_t key_count, key_capacity;
	const char *watched; /* a key of an object at `watched_depth` that is passed over */
	int watched_depth;
	const char *seen; /* its value as it stands there; NULL when it has none */
	size_t seen_len;
};

/* A string as it stands between its quotes. */
struct span {
	const char *text;
	size_t len;
	bool escaped;
};

static const struct json_pick nothing[] = { { NULL, NULL } };

static bool refuse(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return false;
}

/* --- runs of bytes --- */

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Printable ASCII that needs no second look within a string. */
static bool is_plain(char c)
{
	return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

#ifdef __SSE2__
static const char *pass_space(const char *at, const char *end)
{
	const __m128i space = _mm_set1_epi8(' '), feed = _mm_set1_epi8('\n');

	/* Indented text: a line feed and blanks. The rest is for the loop below. */
	while (end - at >= 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(x, space), _mm_cmpeq_epi8(x, feed));
		unsigned other = ~(unsigned)_mm_movemask_epi8(hit) & 0xffffU;

		if (other) {
			at += __builtin_ctz(other);
			break;
		}
		at += 16;
	}
	return at;
}

static const char *pass_plain(const char *at, const char *end)
{
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
	const __m128i first = _mm_set1_epi8(0x20);

	while (end - at >= 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i stop = _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, slash));
		/* Signed: what is not ASCII is below zero. */
		unsigned mask =
			(unsigned)_mm_movemask_epi8(_mm_or_si128(stop, _mm_cmplt_epi8(x, first)));

		if (mask)
			return at + __builtin_ctz(mask);
		at += 16;
	}
	return at;
}
#else
static const char *pass_space(const char *at, const char *end)
{
	(void)end;
	return at;
}

static const char *pass_plain(const char *at, const char *end)
{
	(void)end;
	return at;
}
#endif

static bool pass_gap(struct reader *r)
{
	r->at = pass_space(r->at, r->end);
	while (r->at < r->end && is_space(*r->at))
		r->at++;
	return r->at < r->end || refuse(r, "it ends too early");
}

/* To the next byte that is no white space; true when there is one. Most gaps are none or one blank.
 */
static inline bool next(struct reader *r)
{
	if (r->end - r->at > 1) {
		if (*r->at > ' ')
			return true;
		if (*r->at == ' ' && r->at[1] > ' ') {
			r->at++;
			return true;
		}
	}
	return pass_gap(r);
}

/* --- strings --- */

/* The bytes of one UTF-8 sequence that is not ASCII, 0 when it is none (Unicode 15, table 3-7). */
static size_t sequence_length(const unsigned char *p, size_t left)
{
	static const struct {
		unsigned char first, last, low, high;
		size_t len;
	} rows[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};
	size_t i, j;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (p[0] < rows[i].first || p[0] > rows[i].last)
			continue;
		if (left < rows[i].len || p[1] < rows[i].low || p[1] > rows[i].high)
			return 0;
		for (j = 2; j < rows[i].len; j++)
			if ((p[j] & 0xc0) != 0x80)
				return 0;
		return rows[i].len;
	}
	return 0;
}

/* The four hex digits at p, or -1. */
static int hex4(const char *p, const char *end)
{
	int value = 0, i;

	if (end - p < 4)
		return -1;
	for (i = 0; i < 4; i++) {
		char c = p[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (digit < 0)
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

/* The character of the \u at p and, of a pair, the one after it; 0 when that is none. NUL is none:
 * jansson's strings have no place for it. *len: the bytes taken. */
static unsigned unicode_escape(const char *p, const char *end, size_t *len)
{
	int high = hex4(p + 2, end), low;

	*len = 6;
	if (high <= 0 || (high >= 0xdc00 && high <= 0xdfff))
		return 0;
	if (high < 0xd800 || high > 0xdbff)
		return (unsigned)high;
	if (end - p < 12 || p[6] != '\\' || p[7] != 'u')
		return 0;
	low = hex4(p + 8, end);
	*len = 12;
	if (low < 0xdc00 || low > 0xdfff)
		return 0;
	return 0x10000U + ((unsigned)(high - 0xd800) << 10) + (unsigned)(low - 0xdc00);
}

static bool escape(struct reader *r)
{
	size_t len = 2;

	if (r->end - r->at < 2)
		return refuse(r, "a string has no end");
	if (r->at[1] == 'u') {
		if (!unicode_escape(r->at, r->end, &len))
			return refuse(r, "an escape of a character that there is not, or of NUL");
	} else if (!memchr("\"\\/bfnrt", r->at[1], 8)) {
		return refuse(r, "an escape that JSON does not have");
	}
	r->at += len;
	return true;
}

/* At the opening quote; ends behind the closing one. */
static bool string(struct reader *r, struct span *span)
{
	span->text = ++r->at;
	span->escaped = false;
	for (;;) {
		r->at = pass_plain(r->at, r->end);
		while (r->at < r->end && is_plain(*r->at))
			r->at++;
		if (r->at == r->end)
			return refuse(r, "a string has no end");
		if (*r->at == '"')
			break;
		if (*r->at == '\\') {
			span->escaped = true;
			if (!escape(r))
				return false;
		} else if ((unsigned char)*r->at < 0x20) {
			return refuse(r, "a control byte in a string");
		} else {
			size_t len = sequence_length(
				(const unsigned char *)r->at, (size_t)(r->end - r->at));

			if (!len)
				return refuse(r, "a byte that is not UTF-8");
			r->at += len;
		}
	}
	span->len = (size_t)(r->at++ - span->text);
	return true;
}

static char *put_utf8(char *to, unsigned c)
{
	int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };

	*to++ = (char)(lead[more] | c >> 6 * more);
	while (more--)
		*to++ = (char)(0x80 | (c >> 6 * more & 0x3f));
	return to;
}

/* What a checked string means, never longer than it stands there. The caller frees. */
static char *decode(const struct span *span, size_t *len)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	char *text = xmalloc(span->len + 1), *to = text;
	const char *p = span->text, *end = p + span->len;

	while (p < end) {
		size_t taken = 2;

		if (*p != '\\') {
			*to++ = *p++;
			continue;
		}
		if (p[1] == 'u')
			to = put_utf8(to, unicode_escape(p, end, &taken));
		else
			*to++ = values[strchr(names, p[1]) - names];
		p += taken;
	}
	*to = '\0';
	*len = (size_t)(to - text);
	return text;
}

static json_t *string_value(const struct span *span)
{
	size_t len;
	char *text;
	json_t *value;

	if (!span->escaped)
		return json_stringn_nocheck(span->text, span->len);
	text = decode(span, &len);
	value = json_stringn_nocheck(text, len);
	free(text);
	return value;
}

/* --- numbers and words --- */

static bool digits(struct reader *r)
{
	const char *from = r->at;

	while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
		r->at++;
	return r->at > from || refuse(r, "a number without digits");
}

/* Only what could be out of range or is asked for needs to be converted. */
static bool convert(struct reader *r, const char *from, bool real, json_t **out)
{
	size_t len = (size_t)(r->at - from);
	char room[NUMBER_MAX], *text = room;
	bool sound;

	if (len >= sizeof(room))
		text = xmalloc(len + 1);
	memcpy(text, from, len);
	text[len] = '\0';
	errno = 0;
	if (real) {
		double value = strtod(text, NULL);

		sound = !isinf(value);
		if (sound && out)
			*out = json_real(value);
	} else {
		long long value = strtoll(text, NULL, 10);

		sound = errno == 0;
		if (sound && out)
			*out = json_integer(value);
	}
	if (text != room)
		free(text);
	return sound || refuse(r, "a number out of range");
}

static bool number(struct reader *r, json_t **out)
{
	const char *from = r->at, *first;
	bool real = false, exponent = false;

	if (*r->at == '-')
		r->at++;
	first = r->at;
	if (!digits(r))
		return false;
	if (*first == '0' && r->at - first > 1)
		return refuse(r, "a number that begins with 0");
	if (r->at < r->end && *r->at == '.') {
		real = true;
		r->at++;
		if (!digits(r))
			return false;
	}
	if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
		real = exponent = true;
		r->at++;
		if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
			r->at++;
		if (!digits(r))
			return false;
	}
	/* 18 digits fit an integer, 300 a double. */
	if (!out && !exponent && r->at - from <= (real ? 300 : 18))
		return true;
	return convert(r, from, real, out);
}

static bool word(struct reader *r, json_t **out)
{
	static const struct {
		const char *text;
		size_t len;
		json_t *(*make)(void);
	} words[] = { { "true", 4, json_true }, { "false", 5, json_false },
		{ "null", 4, json_null } };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if ((size_t)(r->end - r->at) < words[i].len ||
			memcmp(r->at, words[i].text, words[i].len) != 0)
			continue;
		r->at += words[i].len;
		if (out)
			*out = words[i].make();
		return true;
	}
	return refuse(r, "neither a value nor an end where one must be");
}

/* --- keys: none twice in an object --- */

static uint64_t load8(const char *p, size_t len)
{
	uint64_t value = 0;

	memcpy(&value, p, len < 8 ? len : 8);
	return value;
}

/* Equal keys have equal hashes; others may. */
static uint64_t key_hash(const char *text, size_t len)
{
	uint64_t head = load8(text, len), tail = len > 8 ? load8(text + len - 8, 8) : 0;

	return head * 0x9e3779b97f4a7c15U ^ tail * 0xc2b2ae3d27d4eb4fU ^ len;
}

static void more_keys(struct reader *r)
{
	struct key *old = r->keys == r->few ? NULL : r->keys;

	r->key_capacity *= 2;
	r->keys = xrealloc(old, r->key_capacity * sizeof(*r->keys));
	if (!old)
		memcpy(r->keys, r->few, sizeof(r->few));
}

static const struct key *add_key(struct reader *r, const struct span *span)
{
	struct key *key;

	if (r->key_count == r->key_capacity)
		more_keys(r);
	key = &r->keys[r->key_count++];
	key->text = span->text;
	key->len = span->len;
	key->owned = NULL;
	if (span->escaped)
		key->text = key->owned = decode(span, &key->len);
	key->hash = key_hash(key->text, key->len);
	return key;
}

static void drop_keys(struct reader *r, size_t from)
{
	while (r->key_count > from)
		free(r->keys[--r->key_count].owned);
}

static int key_order(const void *left, const void *right)
{
	const struct key *a = left, *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->text, b->text, a->len);
}

/* Many keys are sorted, so that no object makes this slow. */
static bool has_twice(struct key *keys, size_t count)
{
	size_t i, j;

	if (count <= PAIRWISE_MAX) {
		for (i = 1; i < count; i++)
			for (j = 0; j < i; j++)
				if (keys[i].hash == keys[j].hash &&
					key_order(&keys[i], &keys[j]) == 0)
					return true;
		return false;
	}
	qsort(keys, count, sizeof(*keys), key_order);
	for (i = 1; i < count; i++)
		if (key_order(&keys[i - 1], &keys[i]) == 0)
			return true;
	return false;
}

/* --- values --- */

static bool value(struct reader *r, const struct json_pick *rows, json_t **out);

/* The row that asks for this key; NULL when none does. */
static const struct json_pick *row_of(const struct json_pick *rows, const struct key *key)
{
	for (; rows->key; rows++)
		if (strlen(rows->key) == key->len && memcmp(rows->key, key->text, key->len) == 0)
			return rows;
	return NULL;
}

/* Behind a key of the object that is watched. */
static bool watch(struct reader *r, const struct key *key)
{
	bool is_it = r->watched && strlen(r->watched) == key->len &&
		     memcmp(r->watched, key->text, key->len) == 0;
	const char *from;

	if (!next(r))
		return false;
	from = r->at;
	if (!value(r, nothing, NULL))
		return false;
	if (is_it) {
		r->seen = from;
		r->seen_len = (size_t)(r->at - from);
	}
	return true;
}

/* Behind the key. `rows` NULL: every member is kept. */
static bool member(
	struct reader *r, const struct json_pick *rows, const struct key *key, json_t *object)
{
	const struct json_pick *row = rows && object ? row_of(rows, key) : NULL;
	const struct json_pick *below = row ? row->below : rows ? nothing : NULL;
	json_t *made = NULL;
	const char *text = key->text; /* more keys may move `key` itself */
	size_t len = key->len;

	if (!object && r->depth == r->watched_depth)
		return watch(r, key);
	if (!object || (rows && !row))
		return value(r, nothing, NULL);
	if (!value(r, below, &made))
		return false;
	json_object_setn_new_nocheck(object, text, len, made);
	return true;
}

static bool members(struct reader *r, const struct json_pick *rows, json_t *object)
{
	size_t first = r->key_count;
	struct span span;

	for (;;) {
		if (!next(r))
			return false;
		if (*r->at != '"')
			return refuse(r, "no key where one must be");
		if (!string(r, &span))
			return false;
		if (!next(r) || *r->at++ != ':')
			return refuse(r, "no colon behind a key");
		if (!member(r, rows, add_key(r, &span), object) || !next(r))
			return false;
		if (*r->at != ',')
			break;
		r->at++;
	}
	if (*r->at != '}')
		return refuse(r, "neither a comma nor the end of an object");
	if (has_twice(r->keys + first, r->key_count - first))
		return refuse(r, "a key stands twice in an object");
	r->at++;
	drop_keys(r, first);
	return true;
}

/* The last item of an array, for those that look the same. */
struct last {
	json_t *item; /* borrowed from the array; NULL none */
	const char *seen;
	size_t seen_len;
};

static bool has_one_leaf(const struct json_pick *rows)
{
	return rows && (!rows[0].key || (!rows[0].below && !rows[1].key));
}

static bool looks_like(const struct reader *r, const struct last *last)
{
	if (!last->item || !r->seen || !last->seen)
		return last->item && !r->seen && !last->seen;
	return r->seen_len == last->seen_len && memcmp(r->seen, last->seen, r->seen_len) == 0;
}

/* An object of which at most one member is kept. Long lists of such are mostly the same few, so the
 * object is passed over first and made only when it does not look like the one before it. */
static bool like_item(
	struct reader *r, const struct json_pick *rows, struct last *last, json_t **out)
{
	const char *from = r->at;
	bool sound;

	r->watched = rows[0].key;
	r->watched_depth = r->depth + 1;
	r->seen = NULL;
	sound = value(r, nothing, NULL);
	r->watched_depth = -1;
	if (!sound)
		return false;
	if (looks_like(r, last)) {
		*out = json_incref(last->item);
		return true;
	}
	last->seen = r->seen;
	last->seen_len = r->seen_len;
	r->at = from;
	if (!value(r, rows, out))
		return false;
	last->item = *out;
	return true;
}

static bool items(struct reader *r, const struct json_pick *rows, json_t *array)
{
	struct last last = { NULL, NULL, 0 };
	bool like = array && has_one_leaf(rows), sound;

	for (;;) {
		json_t *made = NULL;

		if (!next(r))
			return false;
		sound = like && *r->at == '{' ? like_item(r, rows, &last, &made)
					      : value(r, rows, array ? &made : NULL);
		if (!sound)
			return false;
		if (array)
			json_array_append_new(array, made);
		if (!next(r))
			return false;
		if (*r->at != ',')
			break;
		r->at++;
	}
	if (*r->at != ']')
		return refuse(r, "neither a comma nor the end of an array");
	r->at++;
	return true;
}

/* At the opening bracket. */
static bool container(struct reader *r, const struct json_pick *rows, json_t **out)
{
	bool object = *r->at == '{', sound;
	json_t *made = !out ? NULL : object ? json_object() : json_array();

	r->at++;
	if (!next(r)) {
		sound = false;
	} else if (*r->at == (object ? '}' : ']')) {
		r->at++;
		sound = true;
	} else {
		sound = object ? members(r, rows, made) : items(r, rows, made);
	}
	if (out && sound)
		*out = made;
	else
		json_decref(made);
	return sound;
}

static bool scalar(struct reader *r, json_t **out)
{
	struct span span;

	if (*r->at == '-' || (*r->at >= '0' && *r->at <= '9'))
		return number(r, out);
	if (*r->at != '"')
		return word(r, out);
	if (!string(r, &span))
		return false;
	if (out)
		*out = string_value(&span);
	return true;
}

static bool value(struct reader *r, const struct json_pick *rows, json_t **out)
{
	bool sound;

	if (++r->depth > DEPTH_MAX)
		return refuse(r, "too many levels");
	if (!next(r))
		return false;
	sound = *r->at == '{' || *r->at == '[' ? container(r, rows, out) : scalar(r, out);
	r->depth--;
	return sound;
}

static bool document(struct reader *r, const struct json_pick *rows, json_t **out)
{
	if (!next(r))
		return false;
	if (*r->at != '{' && *r->at != '[')
		return refuse(r, "neither an object nor an array");
	if (!value(r, rows, out))
		return false;
	while (r->at < r->end && is_space(*r->at))
		r->at++;
	return r->at == r->end || refuse(r, "text behind its end");
}

static int line_of(const struct reader *r)
{
	const char *p = r->start;
	int line = 1;

	while ((p = memchr(p, '\n', (size_t)(r->at - p)))) {
		line++;
		p++;
	}
	return line;
}

json_t *json_pick(const char *name, const char *bytes, size_t len, const struct json_pick *rows,
	struct error *err)
{
	struct reader r;
	json_t *made = NULL;

	r.start = r.at = len ? bytes : ""; /* of nothing, `bytes` may be NULL */
	r.end = r.start + len;
	r.why = NULL;
	r.depth = 0;
	r.watched = r.seen = NULL;
	r.watched_depth = -1;
	r.keys = r.few;
	r.key_count = 0;
	r.key_capacity = KEYS_AT_FIRST;

	if (!document(&r, rows, &made)) {
		error_set(err, "%s:%d: not valid JSON: %s", name, line_of(&r),
			r.why ? r.why : "unknown");
		json_decref(made);
		made = NULL;
	}
	drop_keys(&r, 0);
	if (r.keys != r.few)
		free(r.keys);
	return made;
}
