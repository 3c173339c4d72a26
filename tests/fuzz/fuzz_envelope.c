/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an envelope of a signature: refused with a reason, or read, and then written anew it
 * reads the same, no signature of it is of a key that was just made, and what it says was signed is
 * a statement or refused with a reason. */
#include <assert.h>
#include <jansson.h>
#include <stdint.h>
#include <string.h>

#include "record/envelope.h"
#include "record/key.h"
#include "record/statement.h"
#include "tests/fuzz/fuzz.h"

static struct key *key;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char *path = path_join(fuzz_kept_place(), "key"), id[65];
	struct error err;

	(void)argc;
	(void)argv;
	if (key_make(path, id, &err) != 0)
		abort();
	key = key_read_private(path, &err);
	free(path);
	if (!key)
		abort();
	return 0;
}

static void check_written(const struct envelope *envelope)
{
	char *path = path_join(fuzz_kept_place(), "again");
	struct envelope again;
	struct error err;
	size_t i;

	if (envelope_write(path, envelope, &err) != 0 || envelope_read(path, &again, &err) != 0)
		abort();
	assert(strcmp(again.type, envelope->type) == 0);
	assert(again.body.len == envelope->body.len &&
		memcmp(again.body.len ? again.body.data : "",
			envelope->body.len ? envelope->body.data : "", again.body.len) == 0);
	assert(again.signature_count == envelope->signature_count);
	for (i = 0; i < again.signature_count; i++)
		assert(again.signatures[i].bytes.len == envelope->signatures[i].bytes.len);
	envelope_release(&again);
	free(path);
}

static void check_statement(const struct envelope *envelope)
{
	struct error err = { "" };
	json_t *subjects = statement_subjects(envelope->body.data, envelope->body.len, &err);

	assert(subjects ? json_array_size(subjects) > 0 : err.text[0] != '\0');
	json_decref(subjects);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct envelope envelope;
	struct error err = { "" };
	bool is_read = envelope_parse((const char *)data, size, "input", &envelope, &err) == 0;

	fuzz_count(is_read);
	if (!is_read) {
		assert(strncmp(err.text, "input:", 6) == 0);
		return 0;
	}
	assert(envelope.signature_count > 0);
	assert(envelope_count(&envelope, key) == 0);
	check_statement(&envelope);
	check_written(&envelope);
	envelope_release(&envelope);
	return 0;
}
