/* SPDX-License-Identifier: Apache-2.0 */
#include "record/seal.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "record/envelope.h"
#include "record/files.h"
#include "record/record.h"
#include "record/statement.h"

char *seal_path(const char *record)
{
	char *file = record_path(record), *path = xasprintf("%s.dsse", file);

	free(file);
	return path;
}

void seal_release(struct seal *seal)
{
	json_decref(seal->problems);
	free(seal->unsigned_members);
	memset(seal, 0, sizeof(*seal));
}

/* The record and the content of its folder. */
struct evidence {
	json_t *record, *found;
};

static void evidence_release(struct evidence *evidence)
{
	json_decref(evidence->record);
	json_decref(evidence->found);
}

int seal_check_name(const char *path, struct error *err)
{
	char *file = record_path(path);
	int rc = strcmp(path_base(file), "record.json") == 0
			 ? 0
			 : error_set(err, "%s: a signed record is called record.json", file);

	free(file);
	return rc;
}

static int evidence_read(const char *path, struct evidence *evidence, struct error *err)
{
	char *folder;

	if (seal_check_name(path, err) != 0)
		return -1;
	evidence->record = record_read(path, err);
	if (!evidence->record)
		return -1;
	folder = record_folder(path);
	evidence->found = files_list(folder, err);
	free(folder);
	if (evidence->found)
		return 0;
	json_decref(evidence->record);
	return -1;
}

/* --- signing --- */

/* A new envelope, or the one that is there when it covers the same bytes. */
static int envelope_for(
	const char *path, const struct str *statement, struct envelope *envelope, struct error *err)
{
	if (file_is_absent(path)) {
		envelope_init(envelope, STATEMENT_PAYLOAD_TYPE, statement->data, statement->len);
		return 0;
	}
	if (envelope_read(path, envelope, err) != 0)
		return -1;
	if (strcmp(envelope->type, STATEMENT_PAYLOAD_TYPE) == 0 &&
		envelope->body.len == statement->len &&
		memcmp(envelope->body.data, statement->data, statement->len) == 0)
		return 0;
	envelope_release(envelope);
	return error_set(err,
		"%s: is there and covers something else than this evidence: remove it, or name "
		"another with --output",
		path);
}

static int sign_evidence(const struct evidence *evidence, const struct key *key, const char *path,
	struct seal *seal, struct error *err)
{
	struct str statement = STR_INIT;
	struct envelope envelope;
	int rc = statement_make(evidence->record, evidence->found, &statement, err);

	if (rc == 0)
		rc = envelope_for(path, &statement, &envelope, err);
	str_release(&statement);
	if (rc != 0)
		return -1;
	rc = envelope_sign(&envelope, key, err);
	if (rc == 0)
		rc = envelope_write(path, &envelope, err);
	seal->signatures = envelope.signature_count;
	seal->by_key = envelope_count(&envelope, key);
	envelope_release(&envelope);
	return rc;
}

int seal_sign(const char *record, const struct key *key, const char *envelope, struct seal *seal,
	struct error *err)
{
	struct seal made = { .problems = json_array() };
	struct evidence evidence;
	int rc;

	if (evidence_read(record, &evidence, err) != 0) {
		seal_release(&made);
		return -1;
	}
	record_check_found(evidence.record, evidence.found, made.problems);
	statement_amount(evidence.found, &made.files, &made.bytes);
	rc = json_array_size(made.problems) ? 0
					    : sign_evidence(&evidence, key, envelope, &made, err);
	evidence_release(&evidence);
	if (rc == 0)
		*seal = made;
	else
		seal_release(&made);
	return rc;
}

/* --- checking --- */

static void add_problem(struct seal *seal, const char *text)
{
	json_array_append_new(seal->problems, json_printable_text(text));
}

/* Nothing of the statement is looked at before its signature is known to be this key's. */
static void check_signed(
	const struct envelope *envelope, const struct evidence *evidence, struct seal *seal)
{
	struct error err;
	json_t *subjects;

	if (!seal->by_key) {
		add_problem(seal,
			"the envelope has no good signature of this key: it is another's, or "
			"what was signed was changed");
		return;
	}
	if (strcmp(envelope->type, STATEMENT_PAYLOAD_TYPE) != 0) {
		error_set(&err, "what was signed is of type \"%s\", not \"%s\"", envelope->type,
			STATEMENT_PAYLOAD_TYPE);
		add_problem(seal, err.text);
		return;
	}
	subjects = statement_subjects(envelope->body.data, envelope->body.len, &err);
	if (subjects)
		files_compare(subjects, evidence->found, "signed", NULL, seal->problems);
	else
		add_problem(seal, err.text);
	json_decref(subjects);
}

int seal_check(const char *record, const struct key *key, const char *path, struct seal *seal,
	struct error *err)
{
	struct evidence evidence;
	struct envelope envelope;

	if (evidence_read(record, &evidence, err) != 0)
		return -1;
	if (envelope_read(path, &envelope, err) != 0) {
		evidence_release(&evidence);
		return -1;
	}
	memset(seal, 0, sizeof(*seal));
	seal->problems = json_array();
	seal->signatures = envelope.signature_count;
	seal->by_key = envelope_count(&envelope, key);
	seal->unsigned_members = str_detach(&envelope.unsigned_members);
	statement_amount(evidence.found, &seal->files, &seal->bytes);
	check_signed(&envelope, &evidence, seal);
	record_check_found(evidence.record, evidence.found, seal->problems);
	envelope_release(&envelope);
	evidence_release(&evidence);
	return 0;
}
