/* SPDX-License-Identifier: Apache-2.0 */
#include "record/statement.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

void statement_amount(const json_t *found, size_t *files, uint64_t *bytes)
{
	const json_t *file;
	size_t i;

	*files = 0;
	*bytes = 0;
	json_array_foreach (found, i, file) {
		json_int_t size = json_integer_of(file, "bytes", -1);

		*files += size >= 0;
		*bytes += size >= 0 ? (uint64_t)size : 0;
	}
}

static json_t *subject(const json_t *file)
{
	return json_pack("{s:s, s:{s:s}}", "name", json_text(file, "path", ""), "digest", "sha256",
		json_text(file, "sha256", ""));
}

/* record.json first: it is what the rest is evidence for. */
static int add_subjects(json_t *subjects, const json_t *found, struct error *err)
{
	const json_t *file;
	size_t i;

	json_array_foreach (found, i, file) {
		const char *path = json_text(file, "path", ""),
			   *kind = json_text(file, "kind", NULL);

		if (kind)
			return error_set(err, "%s: a %s cannot be signed", path, kind);
		if (strchr(path, '\\'))
			return error_set(err, "%s: a file of such a name cannot be signed", path);
		if (strcmp(path, "record.json") == 0)
			json_array_insert_new(subjects, 0, subject(file));
		else
			json_array_append_new(subjects, subject(file));
	}
	return 0;
}

/* What the reader wants to know at once; each is in the record too. */
static json_t *predicate(const json_t *record, const json_t *found)
{
	const json_t *run = json_object_get(record, "run");
	size_t files;
	uint64_t bytes;

	statement_amount(found, &files, &bytes);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I}", "schema", "oamqual-evidence/1",
		"node", json_text(json_object_get(record, "node"), "name", "unknown"), "source",
		json_text(record, "source", "unknown"), "started",
		json_text(run, "started", "unknown"), "ended", json_text(run, "ended", "unknown"),
		"files", (json_int_t)files, "bytes", (json_int_t)bytes);
}

int statement_make(const json_t *record, const json_t *found, struct str *to, struct error *err)
{
	json_t *subjects = json_array(), *statement;
	char *text;

	if (add_subjects(subjects, found, err) != 0) {
		json_decref(subjects);
		return -1;
	}
	statement = json_pack("{s:s, s:o, s:s, s:o}", "_type", STATEMENT_TYPE, "subject", subjects,
		"predicateType", STATEMENT_PREDICATE_TYPE, "predicate", predicate(record, found));
	text = json_dumps(statement, JSON_COMPACT);
	json_decref(statement);
	if (!text)
		return error_set(err, "the statement has no JSON form");
	str_add(to, text);
	free(text);
	return 0;
}

/* --- reading --- */

static int expect_text(
	const json_t *statement, const char *key, const char *wanted, struct error *err)
{
	const char *text = json_text(statement, key, "");

	if (strcmp(text, wanted) == 0)
		return 0;
	return error_set(err,
		"what was signed is no statement about a record: \"%s\" is \"%s\", not \"%s\"", key,
		text, wanted);
}

static bool is_sha256(const char *text)
{
	return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static int add_read(json_t *subjects, const json_t *item, struct error *err)
{
	const char *name = json_text(item, "name", "");
	const char *sha256 = json_text(json_object_get(item, "digest"), "sha256", "");

	if (!name[0] || !is_sha256(sha256))
		return error_set(
			err, "the signed statement has a subject without a name or a SHA-256");
	json_array_append_new(subjects, json_pack("{s:s, s:s}", "path", name, "sha256", sha256));
	return 0;
}

static json_t *read_subjects(const json_t *statement, struct error *err)
{
	const json_t *given = json_object_get(statement, "subject"), *item;
	json_t *subjects;
	size_t i;

	if (expect_text(statement, "_type", STATEMENT_TYPE, err) != 0 ||
		expect_text(statement, "predicateType", STATEMENT_PREDICATE_TYPE, err) != 0)
		return NULL;
	if (!json_array_size(given)) {
		error_set(err, "the signed statement names no file");
		return NULL;
	}
	subjects = json_array();
	json_array_foreach (given, i, item)
		if (add_read(subjects, item, err) != 0) {
			json_decref(subjects);
			return NULL;
		}
	return subjects;
}

json_t *statement_subjects(const char *bytes, size_t len, struct error *err)
{
	json_error_t reason;
	json_t *statement = json_loadb(bytes ? bytes : "", len, JSON_REJECT_DUPLICATES, &reason),
	       *subjects;

	if (!statement) {
		char *shown = text_printable(reason.text, strlen(reason.text));

		error_set(err, "what was signed is not valid JSON: %s", shown);
		free(shown);
		return NULL;
	}
	subjects = read_subjects(statement, err);
	json_decref(statement);
	return subjects;
}
