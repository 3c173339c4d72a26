/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digest.h"

#include <assert.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/plain.h"
#include "base/str.h"
#include "base/text.h"

enum { READ_BYTES = 256 * 1024 };

struct digest {
	EVP_MD_CTX *context;
};

/* libcrypto fails here only without memory or without SHA-256: neither can be gone on from. */
static void must(int ok)
{
	if (ok != 1)
		abort();
}

struct digest *digest_new(void)
{
	struct digest *digest = xmalloc(sizeof(*digest));

	digest->context = EVP_MD_CTX_new();
	must(digest->context != NULL);
	must(EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL));
	return digest;
}

void digest_add(struct digest *digest, const void *bytes, size_t len)
{
	must(EVP_DigestUpdate(digest->context, bytes, len));
}

void digest_add_number(struct digest *digest, uint64_t value)
{
	unsigned char bytes[8];
	int i;

	for (i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(value >> (56 - 8 * i));
	digest_add(digest, bytes, sizeof(bytes));
}

static unsigned int nibble(char digit)
{
	return (unsigned int)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

void digest_add_hex(struct digest *digest, const char *hex)
{
	unsigned char raw[32];
	size_t i;

	for (i = 0; i < sizeof(raw); i++)
		raw[i] = (unsigned char)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
	digest_add(digest, raw, sizeof(raw));
}

void digest_finish(struct digest *digest, char hex[65])
{
	unsigned char raw[32];
	unsigned int len = sizeof(raw);

	must(EVP_DigestFinal_ex(digest->context, raw, &len));
	text_hex(raw, sizeof(raw), hex);
	digest_free(digest);
}

void digest_free(struct digest *digest)
{
	if (!digest)
		return;
	EVP_MD_CTX_free(digest->context);
	free(digest);
}

int digest_file(const char *path, char hex[65], uint64_t *size, struct error *err)
{
	int fd = plain_open(path);
	struct digest *digest;
	unsigned char *chunk;
	uint64_t total = 0;
	ssize_t got;

	if (fd < 0)
		return error_errno(err, "%s", path);
	chunk = xmalloc(READ_BYTES);
	digest = digest_new();
	while ((got = read(fd, chunk, READ_BYTES)) > 0 || (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		digest_add(digest, chunk, (size_t)got);
		total += (uint64_t)got;
	}
	if (got < 0) {
		error_errno(err, "%s", path);
		digest_free(digest);
	} else {
		digest_finish(digest, hex);
		if (size)
			*size = total;
	}
	free(chunk);
	close(fd);
	return got < 0 ? -1 : 0;
}
