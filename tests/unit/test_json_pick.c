/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of parts of a JSON text against jansson: it takes and refuses the same, and what it
 * keeps is the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_pick.h"
#include "base/str.h"
#include "tap.h"

static const struct json_pick below[] = { { "b", NULL }, { "c\n", NULL }, { NULL, NULL } };
static const struct json_pick leaf[] = { { "b", NULL }, { NULL, NULL } };
static const struct json_pick none[] = { { NULL, NULL } };
static const struct json_pick rows[] = { { "a", below }, { "x", NULL }, { "y", leaf }, { "", none },
	{ NULL, NULL } };

/* What `rows` leave of a value that jansson made. */
static json_t *pruned(json_t *value, const struct json_pick *row)
{
	json_t *kept, *item;
	const char *key;
	size_t i;

	if (!row || (!json_is_array(value) && !json_is_object(value)))
		return json_incref(value);
	if (json_is_array(value)) {
		kept = json_array();
		json_array_foreach (value, i, item)
			json_array_append_new(kept, pruned(item, row));
		return kept;
	}
	kept = json_object();
	json_object_foreach (value, key, item) {
		const struct json_pick *at = row;

		while (at->key && strcmp(at->key, key) != 0)
			at++;
		if (at->key)
			json_object_set_new(kept, key, pruned(item, at->below));
	}
	return kept;
}

/* Do both agree about these bytes? They lie in memory of just their size. */
static bool agree(const char *bytes, size_t len, bool *taken)
{
	json_t *theirs = json_loadb(bytes, len, JSON_REJECT_DUPLICATES, NULL), *part;
	char *alone = xmalloc(len ? len : 1);
	struct error err = { "" };
	json_t *all, *some;
	bool same;

	memcpy(alone, bytes, len);
	all = json_pick("t", alone, len, NULL, &err);
	some = json_pick("t", alone, len, rows, &err);
	part = theirs ? pruned(theirs, rows) : NULL;
	same = theirs ? all && some && json_equal(all, theirs) && json_equal(some, part)
		      : !all && !some && strncmp(err.text, "t:", 2) == 0;
	*taken = theirs != NULL;
	json_decref(theirs);
	json_decref(part);
	json_decref(all);
	json_decref(some);
	free(alone);
	return same;
}

static const char *const texts[] = {
	"{\"a\": {\"b\": [1, 2.5, -0, 1e3], \"c\\n\": null, \"d\": {}}, \"x\": [true, false], "
	"\"y\": 3}",
	"[{\"a\": [{\"b\": 1, \"z\": 2}, {\"c\\u000a\": 3}, 7]}, 5, \"x\"]",
	"{\"x\": \"\\ud83d\\ude00 \\u00e9 \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 "
	"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}",
	"{\"x\": \"\\ud83d\"}",
	"{\"x\": \"\\ude00\"}",
	"{\"x\": \"\\ud83d\\u0041\"}",
	"{\"x\": \"\\u0000\"}",
	"{\"\\u0000\": 1}",
	"{\"a\": 1, \"\\u0061\": 2}",
	"{\"y\": {\"q\": 1, \"r\": 2, \"q\": 3}}",
	"{\"long-key-of-17-ab\": 1, \"long-key-of-17-ac\": 2}",
	"{\"x\": 01}",
	"{\"x\": -}",
	"{\"x\": 1.}",
	"{\"x\": .5}",
	"{\"x\": 1e}",
	"{\"x\": 1e+5}",
	"{\"y\": 1e400}",
	"{\"y\": 9223372036854775807}",
	"{\"y\": 9223372036854775808}",
	"{\"y\": -9223372036854775808}",
	"{\"y\": 1e-400}",
	"{\"y\": -1e999}",
	"{\"y\": 0.0e99999}",
	"[]",
	"{}",
	"[ ]",
	"{ }",
	"",
	" ",
	"1",
	"\"x\"",
	"null",
	"[1,]",
	"{\"a\":1,}",
	"[1 2]",
	"{\"a\" 1}",
	"{a: 1}",
	"[1]x",
	"[1] \n\t\r ",
	"[1]\f",
	"[tru]",
	"[nullx]",
	"[\"\x01\"]",
	"[\"\x7f\"]",
	"[\"\xff\"]",
	"[\"\xc0\xaf\"]",
	"[\"\xed\xa0\x80\"]",
	"[\"\xf4\x90\x80\x80\"]",
	"[\"\xe2\x82",
	"\xef\xbb\xbf[]",
	"[\"\\x\"]",
	"[\"\\",
	"[\"\\u12",
	"[\"",
	"[",
	"{\"a\"",
	"{\"a\":",
	"{\"a\":1",
	"[1}",
	"{\"x\":[1,[2,[3]],{\"k\":[]}]}",
	"{\"y\": [{\"b\": 1, \"z\": {\"b\": 9}}, {\"z\": [{\"b\": 5}], \"b\": 1}, {\"b\": 2}, {}, "
	"{\"c\": 1}, 3, {\"b\": 2},"
	" {\"b\" : 2 }, [{\"b\": 2}, {\"b\": 2}], {\"\\u0062\": 2}, {\"b\": [1]}, {\"b\": [1]}, "
	"{\"b\": null}]}",
	"{\"\": [{\"b\": 1}, {}, 2, {\"c\": {}}]}",
	"{\"y\": [{\"b\": 1}, {\"b\": 1, \"b\": 1}]}",
	"[1.0000000000000002, 123456789012345678, 0.1, -12e-3]",
};

static void check_texts(void)
{
	bool taken;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		tap_ok(agree(texts[i], strlen(texts[i]), &taken), "text %zu: as jansson", i);
}

static void nest(struct str *to, int levels, const char *inner)
{
	int i;

	for (i = 0; i < levels; i++)
		str_add(to, "[");
	str_add(to, inner);
	for (i = 0; i < levels; i++)
		str_add(to, "]");
}

static void check_depth(void)
{
	static const struct {
		int levels;
		const char *inner;
		bool taken;
	} rows_of_depth[] = { { 2048, "", true }, { 2049, "", false }, { 2047, "1", true },
		{ 2048, "1", false } };
	size_t i;

	for (i = 0; i < sizeof(rows_of_depth) / sizeof(rows_of_depth[0]); i++) {
		struct str text = STR_INIT;
		bool taken;

		nest(&text, rows_of_depth[i].levels, rows_of_depth[i].inner);
		tap_ok(agree(text.data, text.len, &taken) && taken == rows_of_depth[i].taken,
			"%d levels", rows_of_depth[i].levels);
		str_release(&text);
	}
}

/* Objects of many keys are looked through by sorting. */
static void check_many_keys(void)
{
	struct str text = STR_INIT;
	bool taken;
	int i;

	str_add(&text, "{\"y\": {");
	for (i = 0; i < 3000; i++)
		str_addf(&text, "\"key %d\": %d, ", i * 7919 % 3001, i);
	str_truncate(&text, text.len - 2);
	str_add(&text, "}}");
	tap_ok(agree(text.data, text.len, &taken) && taken, "3000 keys");
	str_truncate(&text, text.len - 2);
	str_add(&text, ", \"key 1500\": 0}}");
	tap_ok(agree(text.data, text.len, &taken) && !taken, "one of them twice");
	str_release(&text);
}

static uint64_t state = 20261130;

static unsigned draw(unsigned below_this)
{
	state = state * 6364136223846793005U + 1442695040888963407U;
	return (unsigned)(state >> 33) % below_this;
}

static void random_value(struct str *to, int depth)
{
	static const char *const scalars[] = { "0", "-1", "12345678901234567", "1.5e10", "-0.25",
		"true", "false", "null", "\"\"", "\"a long text of more than sixteen bytes\"",
		"\"\\u20ac\"", "\"\xc3\xa9\xc3\xa9\"", "\"\\\\\"" };
	static const char *const keys[] = { "a", "b", "c\\n", "x", "y", "\\u0061b",
		"a key that is long", "" };
	static const char *const gaps[] = { "", " ", "\n", "\n                      ", "\t",
		"\r\n" };
	unsigned kind = draw(depth > 5 ? 1 : 4), count, first, i;

	str_add(to, gaps[draw(6)]);
	if (kind < 2 && depth) {
		str_add(to, scalars[draw(sizeof(scalars) / sizeof(scalars[0]))]);
	} else {
		count = draw(6);
		first = draw(8);
		str_add(to, kind & 1 ? "[" : "{");
		for (i = 0; i < count; i++) {
			str_add(to, i ? "," : "");
			if (!(kind & 1))
				str_addf(to, "\"%s\"%s:", keys[(first + i) % 8], gaps[draw(6)]);
			random_value(to, depth + 1);
		}
		str_add(to, kind & 1 ? "]" : "}");
	}
	str_add(to, gaps[draw(6)]);
}

static void check_random(void)
{
	static const char bytes[] = "\"\\{}[]:,0e.-+ u\x80\xe2\n";
	size_t taken_count = 0, wrong = 0;
	int i;

	for (i = 0; i < 4000; i++) {
		struct str text = STR_INIT;
		unsigned edits = i % 2 ? draw(3) : 0;
		bool taken;

		random_value(&text, 0);
		while (edits--)
			text.data[draw((unsigned)text.len)] = bytes[draw(sizeof(bytes) - 1)];
		wrong += !agree(text.data, i % 5 ? text.len : draw((unsigned)text.len + 1), &taken);
		taken_count += taken;
		str_release(&text);
	}
	tap_number(wrong, 0, "4000 random texts, half of them damaged: as jansson");
	tap_ok(taken_count > 1500 && taken_count < 3500, "%zu of them are JSON", taken_count);
}

static void check_error(void)
{
	struct error err = { "" };

	tap_ok(!json_pick("file", NULL, 0, NULL, &err), "nothing at all is refused");
	tap_ok(!json_pick("file", "{\n\"x\":\n 01}", 11, NULL, &err), "refused");
	tap_text(err.text, "file:3: not valid JSON: a number that begins with 0",
		"with name, line and reason");
}

int main(void)
{
	check_texts();
	check_depth();
	check_many_keys();
	check_random();
	check_error();
	return tap_done();
}
