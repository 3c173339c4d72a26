/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/commands.h"
#include "record/files.h"
#include "record/key.h"
#include "record/record.h"
#include "record/seal.h"

static const struct option_row rows[] = {
	{ "key", 'k', "FILE",
		"the private key, of 'oamqual keygen' or 'openssl genpkey -algorithm ed25519'" },
	{ "output", 'o', "FILE", "the envelope (default: record.json.dsse beside the record)" },
	{ NULL, 0, NULL, NULL },
};

/* The path below the record's folder of what lies there, links resolved; NULL when it lies
 * elsewhere or its folder is not there. The caller frees. */
static char *path_in_record(const char *record, const char *path)
{
	char *folder = record_folder(record), *beside = record_folder(path), *below = NULL;
	char *outer = realpath(folder, NULL), *inner = realpath(beside, NULL);

	if (outer && inner && str_starts(inner, outer)) {
		const char *rest = inner + strlen(outer);

		if (!rest[0])
			below = xstrdup(path_base(path));
		else if (rest[0] == '/')
			below = path_join(rest + 1, path_base(path));
	}
	free(outer);
	free(inner);
	free(beside);
	free(folder);
	return below;
}

/* What lies in the folder is part of the evidence: the key must not, and an envelope only under a
 * name that says what it is. */
static int check_places(
	const char *record, const char *key, const char *envelope, struct error *err)
{
	char *key_at = path_in_record(record, key), *at = path_in_record(record, envelope);
	char *found = record_path(record);
	int rc = 0;

	if (!file_exists(found))
		rc = error_set(err, "%s: there is no record", found);
	else if (seal_check_name(record, err) != 0)
		rc = -1;
	else if (key_at)
		rc = error_set(err, "%s: a key does not belong into a record's folder", key);
	else if (at && !files_is_envelope(at))
		rc = error_set(err,
			"%s: in the record's folder an envelope is called record.json.dsse or "
			"record.json.WHO.dsse",
			envelope);
	free(key_at);
	free(at);
	free(found);
	return rc;
}

static int print_refusal(const json_t *problems)
{
	const json_t *problem;
	struct error err;
	size_t i;

	json_array_foreach (problems, i, problem)
		fprintf(stderr, "%s\n", json_string_value(problem));
	error_set(&err, "not signed: the evidence is not what was recorded");
	cli_fail(&err);
	return STATUS_NOT_ACCEPTED;
}

static void print_signed(const struct seal *seal, const struct key *key, const char *envelope)
{
	char *shown = text_printable(envelope, strlen(envelope));

	printf("%s: signed by key %s\n"
	       "covers record.json and all beside it: %zu files, %llu bytes; %zu signature%s\n",
		shown, key_id(key), seal->files, (unsigned long long)seal->bytes, seal->signatures,
		seal->signatures == 1 ? "" : "s");
	free(shown);
}

static int sign(const char *record, const char *key_path, const char *envelope)
{
	struct error err;
	struct seal seal;
	struct key *key;
	int status = STATUS_ACCEPTED;

	if (check_places(record, key_path, envelope, &err) != 0)
		return cli_fail(&err);
	key = key_read_private(key_path, &err);
	if (!key)
		return cli_fail(&err);
	if (seal_sign(record, key, envelope, &seal, &err) != 0) {
		key_free(key);
		return cli_fail(&err);
	}
	if (json_array_size(seal.problems))
		status = print_refusal(seal.problems);
	else
		print_signed(&seal, key, envelope);
	seal_release(&seal);
	key_free(key);
	return status;
}

static int run_sign(const struct options *options)
{
	const char *record = options_operand(options, 0);
	const char *key = options_text(options, "key"), *output = options_text(options, "output");
	struct error err;
	char *beside;
	int status;

	if (!key) {
		error_set(&err, "--key FILE is missing: 'oamqual keygen FILE' makes one");
		return cli_usage(options, &err);
	}
	beside = seal_path(record);
	status = sign(record, key, output ? output : beside);
	free(beside);
	return status;
}

const struct command command_sign = {
	.name = "sign",
	.operands = "RECORD",
	.operands_min = 1,
	.operands_max = 1,
	.summary = "sign a record and all its files",
	.about =
		"Writes a DSSE envelope with an in-toto Statement that names record.json and every "
		"file of its\n"
		"folder by SHA-256, and an Ed25519 signature. RECORD is record.json or the folder "
		"it "
		"lies in. A\n"
		"record that contradicts itself or whose files changed is not signed (exit status "
		"1). Signing what\n"
		"another has signed adds a signature; an envelope that covers something else is "
		"left "
		"alone.\n"
		"The key must be readable by its owner only. 'oamqual verify RECORD --key "
		"FILE.pub' "
		"checks it.\n",
	.rows = rows,
	.run = run_sign,
};
