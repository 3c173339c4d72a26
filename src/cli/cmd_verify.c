/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "record/key.h"
#include "record/record.h"
#include "record/seal.h"
#include "report/show.h"

static const struct option_row rows[] = {
	{ "key", 'k', "FILE",
		"the signer's public key: the signature is checked too, and must be there" },
	{ "envelope", 'e', "FILE", "the signature (default: record.json.dsse beside the record)" },
	{ "json", 0, NULL, "print the findings as JSON" },
	{ NULL, 0, NULL, NULL },
};

/* What was found, with a signature or without. */
struct finding {
	json_t *problems; /* stolen */
	char *signature; /* one sentence; the caller's to free */
	const char *good, *bad; /* the last line */
	json_t *covered; /* stolen; null without a signature */
};

static void print_problems(const json_t *problems)
{
	const json_t *problem;
	size_t i;

	json_array_foreach (problems, i, problem) {
		char *shown = show_text(json_string_value(problem));

		printf("%s\n", shown);
		free(shown);
	}
}

/* Drops what it was given. */
static int answer(const struct options *options, struct finding *finding)
{
	size_t count = json_array_size(finding->problems);

	if (options_flag(options, "json")) {
		json_t *json = json_pack("{s:b, s:O, s:o, s:O}", "intact", count == 0, "problems",
			finding->problems, "signature", json_printable_text(finding->signature),
			"covered", finding->covered);

		json_print(json, stdout);
		json_decref(json);
	} else {
		print_problems(finding->problems);
		printf("%s\n%s\n", finding->signature, count ? finding->bad : finding->good);
	}
	json_decref(finding->problems);
	json_decref(finding->covered);
	free(finding->signature);
	return count ? STATUS_NOT_ACCEPTED : STATUS_ACCEPTED;
}

/* --- without a key --- */

static int check_unsigned(const struct options *options, const char *record, const char *envelope)
{
	struct error err;
	struct finding finding = {
		.problems = record_check_files(record, &err),
		.good = "intact: every file has its recorded digest",
		.bad = "NOT INTACT: the evidence is not what was recorded",
	};

	if (!finding.problems)
		return cli_fail(&err);
	finding.covered = json_null();
	finding.signature = file_exists(envelope)
				    ? xstrdup("There is a signature: not checked without the "
					      "signer's public key (--key FILE.pub).")
				    : xstrdup("Not signed: digests show damage, not forgery.");
	return answer(options, &finding);
}

/* --- with one --- */

/* Self-consistent or not, what was to be signed is not. */
static int answer_missing(const struct options *options, const char *record, const char *envelope)
{
	struct error err;
	struct finding finding = { .problems = record_check_files(record, &err),
		.bad = "NOT VERIFIED: there is no signature to check" };
	bool intact;

	if (!finding.problems)
		return cli_fail(&err);
	intact = json_array_size(finding.problems) == 0;
	finding.covered = json_null();
	finding.signature =
		xstrdup(intact ? "Not signed. The record agrees with itself and its files, which "
				 "anyone can "
				 "bring about."
			       : "Not signed, and the record does not agree with its files.");
	error_set(&err, "%s: is not there", envelope);
	json_array_append_new(finding.problems, json_printable_text(err.text));
	return answer(options, &finding);
}

static char *signature_text(const struct seal *seal, const struct key *key)
{
	struct str text = STR_INIT;

	if (!seal->by_key)
		str_addf(&text, "%zu signature%s, none good by key %s.", seal->signatures,
			seal->signatures == 1 ? "" : "s", key_id(key));
	else
		str_addf(&text, "Signed by key %s (%zu of %zu signature%s).", key_id(key),
			seal->by_key, seal->signatures, seal->signatures == 1 ? "" : "s");
	if (seal->by_key && !json_array_size(seal->problems))
		str_addf(&text, "\nCovers record.json and all beside it: %zu files, %llu bytes.",
			seal->files, (unsigned long long)seal->bytes);
	if (seal->unsigned_members[0])
		str_addf(&text, "\nThe envelope also has, and no signature covers: %s.",
			seal->unsigned_members);
	return str_detach(&text);
}

static int answer_sealed(const struct options *options, struct seal *seal, const struct key *key)
{
	bool good = json_array_size(seal->problems) == 0;
	struct finding finding = {
		.problems = json_incref(seal->problems),
		.signature = signature_text(seal, key),
		.good = "VERIFIED: the key's owner signed exactly these bytes. That says who "
			"vouches "
			"for them, not that the node told the truth.",
		.bad = seal->by_key ? "NOT VERIFIED: this is not what was signed"
				    : "NOT VERIFIED: not signed by this key",
		.covered = good ? json_pack("{s:I, s:I, s:s, s:I, s:I}", "files",
					  (json_int_t)seal->files, "bytes", (json_int_t)seal->bytes,
					  "key", key_id(key), "signatures",
					  (json_int_t)seal->signatures, "by_key",
					  (json_int_t)seal->by_key)
				: json_null(),
	};

	seal_release(seal);
	return answer(options, &finding);
}

static int check_signed(const struct options *options, const char *record, const char *envelope)
{
	struct error err;
	struct seal seal;
	struct key *key = key_read_public(options_text(options, "key"), &err);
	int status;

	if (!key)
		return cli_fail(&err);
	if (!file_exists(envelope))
		status = answer_missing(options, record, envelope);
	else if (seal_check(record, key, envelope, &seal, &err) != 0)
		status = cli_fail(&err);
	else
		status = answer_sealed(options, &seal, key);
	key_free(key);
	return status;
}

static int run_verify(const struct options *options)
{
	const char *record = options_operand(options, 0);
	const char *given = options_text(options, "envelope");
	char *beside = seal_path(record);
	struct error err;
	int status;

	if (given && !options_text(options, "key")) {
		error_set(&err, "--envelope needs --key FILE.pub to check it with");
		status = cli_usage(options, &err);
	} else if (options_text(options, "key")) {
		status = check_signed(options, record, given ? given : beside);
	} else {
		status = check_unsigned(options, record, beside);
	}
	free(beside);
	return status;
}

const struct command command_verify = {
	.name = "verify",
	.operands = "RECORD",
	.operands_min = 1,
	.operands_max = 1,
	.summary =
		"check that the evidence beside a record is what was recorded, and who signed it",
	.about = "Hashes every file that the record names and reports what changed, is missing or "
		 "was\n"
		 "added. RECORD is record.json or the folder it lies in.\n\n"
		 "With --key FILE.pub the signature of 'oamqual sign' is checked too, without any "
		 "network: it covers\n"
		 "record.json and every file beside it, reports as well. Exit status 1 also when "
		 "there is no signature\n"
		 "or it is another key's; 3 when the envelope or the key cannot be read.\n",
	.rows = rows,
	.run = run_verify,
};
