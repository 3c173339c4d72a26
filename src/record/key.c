/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memmem */
#include "record/key.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/plain.h"
#include "base/str.h"

enum { KEY_FILE_BYTES = 16384 }; /* a PEM of Ed25519 has some 120 */

struct key {
	EVP_PKEY *pkey;
	char id[65];
};

static int set_id(struct key *key, const char *path, struct error *err)
{
	unsigned char *der = NULL;
	int len = i2d_PUBKEY(key->pkey, &der);
	struct digest *digest;

	if (len <= 0)
		return error_set(err, "%s: libcrypto cannot write its public key", path);
	digest = digest_new();
	digest_add(digest, der, (size_t)len);
	digest_finish(digest, key->id);
	OPENSSL_free(der);
	return 0;
}

/* Takes the libcrypto key over, whatever comes of it. */
static struct key *key_new(EVP_PKEY *pkey, const char *path, struct error *err)
{
	struct key *key = xcalloc(1, sizeof(*key));

	key->pkey = pkey;
	if (EVP_PKEY_base_id(pkey) != EVP_PKEY_ED25519)
		error_set(err, "%s: not an Ed25519 key: make one with 'oamqual keygen'", path);
	else if (set_id(key, path, err) == 0)
		return key;
	key_free(key);
	return NULL;
}

void key_free(struct key *key)
{
	if (!key)
		return;
	EVP_PKEY_free(key->pkey);
	free(key);
}

const char *key_id(const struct key *key)
{
	return key->id;
}

/* --- making --- */

static int put(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t wrote = write(fd, bytes, len);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return -1;
		bytes += wrote;
		len -= (size_t)wrote;
	}
	return fsync(fd);
}

/* O_EXCL takes no link and no file that is there. */
static int write_new(const char *path, mode_t mode, BIO *pem, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), rc = 0;
	char *bytes;
	long len = BIO_get_mem_data(pem, &bytes);

	if (fd < 0 && errno == EEXIST)
		return error_set(err, "%s: is there already, and a key is never replaced", path);
	if (fd < 0)
		return error_errno(err, "cannot write %s", path);
	if (fchmod(fd, mode) != 0 || put(fd, bytes, (size_t)len) != 0)
		rc = error_errno(err, "cannot write %s", path);
	if (close(fd) != 0 && rc == 0)
		rc = error_errno(err, "cannot write %s", path);
	if (rc != 0)
		unlink(path);
	return rc;
}

static int write_pair(const struct key *key, const char *path, struct error *err)
{
	char *public = xasprintf("%s.pub", path);
	BIO *secret = BIO_new(BIO_s_secmem()), *open_part = BIO_new(BIO_s_mem());
	int rc = -1;

	if (!secret || !open_part ||
		PEM_write_bio_PKCS8PrivateKey(secret, key->pkey, NULL, NULL, 0, NULL, NULL) != 1 ||
		PEM_write_bio_PUBKEY(open_part, key->pkey) != 1)
		error_set(err, "%s: libcrypto cannot write the key", path);
	else if (write_new(path, 0600, secret, err) == 0) {
		rc = write_new(public, 0644, open_part, err);
		if (rc != 0)
			unlink(path);
	}
	BIO_free(secret);
	BIO_free(open_part);
	free(public);
	return rc;
}

int key_make(const char *path, char id[65], struct error *err)
{
	EVP_PKEY *pkey = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	struct key *key;
	int rc;

	if (!pkey)
		return error_set(err, "%s: libcrypto cannot make an Ed25519 key", path);
	key = key_new(pkey, path, err);
	if (!key)
		return -1;
	rc = write_pair(key, path, err);
	if (rc == 0)
		str_copy(id, 65, key->id);
	key_free(key);
	return rc;
}

/* --- reading --- */

static int check_mode(int fd, const char *path, struct error *err)
{
	struct stat info;

	if (fstat(fd, &info) != 0)
		return error_errno(err, "%s", path);
	if (info.st_mode & (S_IRWXG | S_IRWXO))
		return error_set(err,
			"%s: its mode is %03o, so others than its owner may read or change it: "
			"chmod 600 "
			"%s, and make a new key if somebody could have read it",
			path, (unsigned)(info.st_mode & 0777), path);
	if (info.st_uid != geteuid() && info.st_uid != 0)
		return error_set(err, "%s: belongs to another user", path);
	return 0;
}

/* The file's bytes into memory that is wiped when it is freed; NULL with an error. */
static BIO *read_pem(const char *path, bool is_private, struct error *err)
{
	int fd = plain_open(path);
	char bytes[KEY_FILE_BYTES];
	BIO *pem = NULL;
	size_t len = 0;
	ssize_t got;

	if (fd < 0 && errno == ENOTSUP) /* plain_open: a folder, a pipe, a device */
		error_set(err, "%s: not a regular file, and a key is one", path);
	else if (fd < 0)
		error_errno(err, "%s", path);
	if (fd < 0)
		return NULL;
	if (is_private && check_mode(fd, path, err) != 0)
		goto out;
	while (len < sizeof(bytes) && ((got = read(fd, bytes + len, sizeof(bytes) - len)) > 0 ||
					      (got < 0 && errno == EINTR)))
		len += got > 0 ? (size_t)got : 0;
	if (len == sizeof(bytes))
		error_set(err, "%s: too large for a key", path);
	else {
		pem = BIO_new(BIO_s_secmem());
		if (pem && BIO_write(pem, bytes, (int)len) != (int)len) {
			BIO_free(pem);
			pem = NULL;
		}
		if (!pem)
			error_set(err, "%s: libcrypto cannot take the key", path);
	}
	OPENSSL_cleanse(bytes, sizeof(bytes));
out:
	close(fd);
	return pem;
}

/* What libcrypto would ask at the terminal: nothing is asked. */
static int no_passphrase(char *buffer, int size, int writing, void *asked)
{
	(void)buffer;
	(void)size;
	(void)writing;
	*(bool *)asked = true;
	return -1;
}

static bool holds(BIO *pem, const char *words)
{
	char *bytes;
	long len = BIO_get_mem_data(pem, &bytes);

	return len > 0 && memmem(bytes, (size_t)len, words, strlen(words)) != NULL;
}

static bool only_space_is_left(BIO *pem)
{
	char *bytes;
	long len = BIO_get_mem_data(pem, &bytes), i;

	for (i = 0; i < len; i++)
		if (!strchr(" \t\r\n", bytes[i]) || !bytes[i])
			return false;
	return true;
}

static struct key *read_key(const char *path, bool is_private, struct error *err)
{
	BIO *pem = read_pem(path, is_private, err);
	bool asked = false, is_other;
	EVP_PKEY *pkey;
	bool trailing;

	if (!pem)
		return NULL;
	is_other = is_private ? holds(pem, "-----BEGIN PUBLIC KEY-----")
			      : holds(pem, "PRIVATE KEY-----");
	pkey = is_other	    ? NULL
	       : is_private ? PEM_read_bio_PrivateKey(pem, NULL, no_passphrase, &asked)
			    : PEM_read_bio_PUBKEY(pem, NULL, no_passphrase, &asked);
	trailing = pkey && !only_space_is_left(pem);
	BIO_free(pem);
	if (pkey && !trailing)
		return key_new(pkey, path, err);
	EVP_PKEY_free(pkey);
	if (trailing)
		error_set(err, "%s: there is more in it than one key", path);
	else if (is_other && is_private)
		error_set(err, "%s: a public key signs nothing: give the private one", path);
	else if (is_other)
		error_set(err, "%s: a private key: to check, only FILE.pub is needed", path);
	else if (asked)
		error_set(err, "%s: encrypted, and nothing asks for a passphrase here", path);
	else
		error_set(err, "%s: not a %s key in PEM", path, is_private ? "private" : "public");
	return NULL;
}

struct key *key_read_private(const char *path, struct error *err)
{
	return read_key(path, true, err);
}

struct key *key_read_public(const char *path, struct error *err)
{
	return read_key(path, false, err);
}

/* --- using --- */

int key_sign(const struct key *key, const void *bytes, size_t len,
	unsigned char signature[KEY_SIGNATURE_BYTES], struct error *err)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	size_t made = KEY_SIGNATURE_BYTES;
	bool ok = context && EVP_DigestSignInit(context, NULL, NULL, NULL, key->pkey) == 1 &&
		  EVP_DigestSign(context, signature, &made, bytes, len) == 1 &&
		  made == KEY_SIGNATURE_BYTES;

	EVP_MD_CTX_free(context);
	return ok ? 0 : error_set(err, "libcrypto cannot sign with this key");
}

bool key_verifies(const struct key *key, const void *bytes, size_t len,
	const unsigned char *signature, size_t signature_len)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool ok = context && signature_len == KEY_SIGNATURE_BYTES &&
		  EVP_DigestVerifyInit(context, NULL, NULL, NULL, key->pkey) == 1 &&
		  EVP_DigestVerify(context, signature, signature_len, bytes, len) == 1;

	EVP_MD_CTX_free(context);
	return ok;
}
