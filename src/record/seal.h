/* SPDX-License-Identifier: Apache-2.0 */
/* A record and all its files under a signature: made, and checked. */
#ifndef RECORD_SEAL_H
#define RECORD_SEAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "record/key.h"

/* Where the envelope of this record (or its folder) lies when nothing else is said: beside it,
 * "record.json.dsse". The caller frees. */
char *seal_path(const char *record);

/* -1 with an error when the record has a name under which none is signed or checked: a copy under
 * another name would be held against a folder that has the record twice. */
int seal_check_name(const char *record, struct error *err);

/* What a check found. The texts are the caller's to release. */
struct seal {
	json_t *problems; /* array of texts, empty when all is well */
	size_t files, signatures, by_key;
	uint64_t bytes;
	char *unsigned_members; /* of the envelope, which the signature does not cover; "" when none
				 */
};

/* Signs the record and everything in its folder; an envelope that is there already and covers the
 * same gets one more signature. What makes the record unfit to be signed goes to *problems (a new
 * reference): 0 and an empty array when it was signed, 0 and texts when it was refused and nothing
 * was written; -1 with an error when something could not be read or written. *seal has the numbers
 * then (no texts). */
int seal_sign(const char *record, const struct key *key, const char *envelope, struct seal *seal,
	struct error *err);

/* Checks the envelope's signature by this key, its statement, each file that it names, that there
 * is no other, and the record against itself. -1 with an error when something cannot be read;
 * otherwise problems tell. */
int seal_check(const char *record, const struct key *key, const char *envelope, struct seal *seal,
	struct error *err);

void seal_release(struct seal *seal);

#endif
