/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/plain.h"
#include "base/str.h"
#include "base/text.h"

#define JSON_STYLE (JSON_INDENT(2) | JSON_ENCODE_ANY)

static json_t *parse(const char *path, const struct str *text, struct error *err)
{
	json_error_t reason;
	json_t *value = json_loadb(text->data, text->len, JSON_REJECT_DUPLICATES, &reason);

	if (!value) {
		char *shown = text_printable(reason.text, strlen(reason.text));

		error_set(err, "%s:%d: not valid JSON: %s", path, reason.line, shown);
		free(shown);
	}
	return value;
}

typedef int read_fn(const char *path, size_t limit, struct str *to, struct error *err);

static json_t *read_by(read_fn *read, const char *path, size_t limit, struct error *err)
{
	struct str text = STR_INIT;
	json_t *value = read(path, limit, &text, err) == 0 ? parse(path, &text, err) : NULL;

	str_release(&text);
	return value;
}

json_t *json_read(const char *path, size_t limit, struct error *err)
{
	return read_by(file_read, path, limit, err);
}

json_t *json_read_plain(const char *path, size_t limit, struct error *err)
{
	return read_by(plain_read, path, limit, err);
}

int json_write(const char *path, const json_t *value, struct error *err)
{
	char *text = json_dumps(value, JSON_STYLE);
	struct str line = STR_INIT;
	int rc;

	if (!text)
		return error_set(err, "cannot write %s: the value has no JSON form", path);
	str_add(&line, text);
	str_add(&line, "\n");
	rc = file_write(path, line.data, line.len, err);
	str_release(&line);
	free(text);
	return rc;
}

void json_print(const json_t *value, FILE *to)
{
	json_dumpf(value, to, JSON_STYLE);
	fputc('\n', to);
}

json_t *fact_json(json_t *value_stolen, const char *class, const char *from)
{
	return json_pack("{s:o, s:s, s:s}", "value", value_stolen, "class", class, "from", from);
}

json_t *fact_text(const char *value, const char *class, const char *from)
{
	return fact_json(json_printable_text(value), class, from);
}

json_t *fact_integer(json_int_t value, const char *class, const char *from)
{
	return fact_json(json_integer(value), class, from);
}

json_t *fact_unknown(const char *why)
{
	return json_pack(
		"{s:n, s:s, s:o}", "value", "class", "unknown", "why", json_printable_text(why));
}

json_t *fact_u64(struct known_u64 value, const char *class, const char *from, const char *why)
{
	char text[24];

	if (!value.known)
		return fact_unknown(why);
	if (value.value <= INT64_MAX)
		return fact_integer((json_int_t)value.value, class, from);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value.value);
	return fact_text(text, class, from);
}

json_t *json_printable(const char *bytes, size_t len)
{
	char *shown = text_printable(bytes, len);
	json_t *value = json_string(shown);

	free(shown);
	return value;
}

json_t *json_printable_text(const char *text)
{
	return json_printable(text, strlen(text));
}

const char *json_text(const json_t *object, const char *key, const char *otherwise)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : otherwise;
}

json_int_t json_integer_of(const json_t *object, const char *key, json_int_t otherwise)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

double json_real_of(const json_t *object, const char *key, double otherwise)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : otherwise;
}

const char *json_fact_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(json_object_get(object, key), "value"));
}
