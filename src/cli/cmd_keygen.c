/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/commands.h"
#include "record/key.h"
#include "record/record.h"

static const struct option_row rows[] = { { NULL, 0, NULL, NULL } };

/* What lies in a record's folder is sent away with it. */
static int check_place(const char *path, struct error *err)
{
	char *folder = record_folder(path), *record = path_join(folder, "record.json");
	int rc = file_exists(record)
			 ? error_set(err, "%s: a key does not belong into a record's folder", path)
			 : 0;

	free(record);
	free(folder);
	return rc;
}

static int run_keygen(const struct options *options)
{
	const char *path = options_operand(options, 0);
	struct error err;
	char id[65], *shown;

	if (check_place(path, &err) != 0 || key_make(path, id, &err) != 0)
		return cli_fail(&err);
	shown = text_printable(path, strlen(path));
	printf("%s: the private key, mode 0600; whoever has it can sign in your name\n"
	       "%s.pub: the public key; give it to those who check, by another way than the "
	       "records\n"
	       "id: %s\n",
		shown, shown, id);
	free(shown);
	return STATUS_ACCEPTED;
}

const struct command command_keygen = {
	.name = "keygen",
	.operands = "FILE",
	.operands_min = 1,
	.operands_max = 1,
	.summary = "make a key pair to sign records with",
	.about = "Makes an Ed25519 key: FILE, PEM of PKCS#8, mode 0600, without a passphrase, and "
		 "FILE.pub. What is\n"
		 "there is never replaced or followed. Other programs read both: 'openssl pkey "
		 "-pubin "
		 "-in FILE.pub\n"
		 "-text'.\n",
	.rows = rows,
	.run = run_keygen,
};
