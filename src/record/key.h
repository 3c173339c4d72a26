/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 keys (RFC 8032) as OpenSSL has them: the private one in PEM of PKCS#8 (RFC 8410), the
 * public one in PEM of SubjectPublicKeyInfo. No key is ever printed, put into a record or taken
 * from a command line. */
#ifndef RECORD_KEY_H
#define RECORD_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { KEY_SIGNATURE_BYTES = 64 };

struct key;

/* Makes a key pair: `path` with mode 0600 and `path`.pub with mode 0644, both synced. Nothing that
 * is there is replaced or followed, a symbolic link neither; after a failure neither file is there.
 * The key's name goes to `id`. */
int key_make(const char *path, char id[65], struct error *err);

/* Reads the private key. Refused, with how to mend it: a file that others than its owner may touch,
 * an encrypted key, a public key, another algorithm, text after the key. NULL with an error that
 * names the file. */
struct key *key_read_private(const char *path, struct error *err);

/* The same for the public key; that others may read it does not matter. */
struct key *key_read_public(const char *path, struct error *err);

/* SHA-256 of the DER form of its SubjectPublicKeyInfo in hex: `openssl pkey -pubin -in FILE.pub
 * -outform DER | sha256sum` says the same. Borrowed. */
const char *key_id(const struct key *key);

/* -1 when libcrypto cannot sign. */
int key_sign(const struct key *key, const void *bytes, size_t len,
	unsigned char signature[KEY_SIGNATURE_BYTES], struct error *err);

/* Is it this key's signature of these bytes? */
bool key_verifies(const struct key *key, const void *bytes, size_t len,
	const unsigned char *signature, size_t signature_len);

void key_free(struct key *key);

#endif
