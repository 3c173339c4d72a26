/* SPDX-License-Identifier: Apache-2.0 */
/* A DSSE envelope (Dead Simple Signing Envelope 1.0, github.com/secure-systems-lab/dsse:
 * envelope.md, protocol.md): bytes, their type and signatures of both. What is signed is
 *
 *   "DSSEv1" SP len(type) SP type SP len(body) SP body      (lengths in decimal)
 *
 * so that nothing need be put into a canonical form, and nothing is parsed before its signature is
 * known to be good. */
#ifndef RECORD_ENVELOPE_H
#define RECORD_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"
#include "record/key.h"

enum { ENVELOPE_SIGNATURES = 64 };

struct envelope_signature {
	char *keyid; /* a hint that nobody vouches for; NULL when it has none */
	struct str bytes;
};

/* The contents are the caller's to release; a zeroed one is empty. */
struct envelope {
	char *type;
	struct str body;
	struct envelope_signature signatures[ENVELOPE_SIGNATURES];
	size_t signature_count;
	struct str unsigned_members; /* ", "-separated names of members that DSSE does not know: no
					signature covers them */
};

/* Reads an envelope of at most 64 MiB. Refused, naming file and reason, with *envelope untouched:
 * what is not one JSON value, duplicate keys, text after it, a member that is missing or of another
 * type, base64 that is not (also cut short), no signature or more than ENVELOPE_SIGNATURES. Members
 * that DSSE does not know are ignored, as it asks, and named. */
int envelope_read(const char *path, struct envelope *envelope, struct error *err);

/* The same of bytes in memory; errors begin with `name`. */
int envelope_parse(const char *bytes, size_t len, const char *name, struct envelope *envelope,
	struct error *err);

/* A new one without a signature. */
void envelope_init(struct envelope *envelope, const char *type, const char *body, size_t len);

/* Adds the key's signature, unless a good one of it is there. */
int envelope_sign(struct envelope *envelope, const struct key *key, struct error *err);

/* How many of the signatures are this key's over type and body. */
size_t envelope_count(const struct envelope *envelope, const struct key *key);

/* Writes it whole or not at all. */
int envelope_write(const char *path, const struct envelope *envelope, struct error *err);

void envelope_release(struct envelope *envelope);

#endif
