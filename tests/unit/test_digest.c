/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/str.h"
#include "tap.h"

/* From FIPS 180-2, appendix B, and the digest of no bytes. */
static const struct {
	const char *text;
	size_t times;
	const char *hex;
} vectors[] = {
	{ "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ "a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
};

static void test_vector(size_t i)
{
	struct digest *digest = digest_new();
	char hex[65], from_file[65];
	struct error err = { "" };
	uint64_t size = 0;
	FILE *file = fopen("vector", "wb");
	size_t n;

	for (n = 0; n < vectors[i].times; n++) {
		digest_add(digest, vectors[i].text, strlen(vectors[i].text));
		fputs(vectors[i].text, file);
	}
	fclose(file);
	digest_finish(digest, hex);
	tap_text(hex, vectors[i].hex, "a vector of FIPS 180-2");
	tap_number(digest_file("vector", from_file, &size, &err), 0, "the same as a file");
	tap_text(from_file, vectors[i].hex, "has the same digest");
	tap_number(size, (long long)(strlen(vectors[i].text) * vectors[i].times), "and its size");
	tap_number(digest_file("vector", from_file, NULL, &err), 0, "without asking for the size");
}

int main(void)
{
	char hex[65] = "untouched";
	struct error err = { "" };
	uint64_t size = 77;
	size_t i;

	tap_place();
	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		test_vector(i);
	tap_number(digest_file("missing", hex, &size, &err), -1, "a missing file");
	tap_text(err.text, "missing: No such file or directory", "is named with the reason");
	tap_text(hex, "untouched", "leaves the digest as it was");
	tap_number(size, 77, "and the size");
	tap_number(digest_file(".", hex, &size, &err), -1, "a folder has no digest");
	mkfifo("pipe", 0600);
	alarm(20);
	tap_number(
		digest_file("pipe", hex, &size, &err), -1, "a pipe has none and is not waited for");
	tap_text(err.text, "pipe: Operation not supported", "and that is said");
	alarm(0);
	tap_number(digest_file("missing", hex, &size, NULL), -1, "no error buffer is fine");
	digest_free(NULL);
	digest_free(digest_new());
	return tap_done();
}
