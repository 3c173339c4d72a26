/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of RFC 4648, part 10, and what a strict reader refuses. */
#include "base/base64.h"

#include <stdlib.h>

#include "tap.h"

static const struct {
	const char *plain, *text;
} vectors[] = { { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
	{ "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" } };

static bool reads(const char *text, const char *want)
{
	struct str got = STR_INIT;
	struct error err = { "" };
	bool same;

	str_add(&got, "before");
	if (base64_read(text, strlen(text), &got, &err) != 0)
		same = !want && strcmp(got.data, "before") == 0 && err.text[0];
	else
		same = want && strcmp(got.data + 6, want) == 0;
	str_release(&got);
	return same;
}

int main(void)
{
	static const char *const refused[] = { "Z", "Zg=", "Zg===", "Zg==Zg==", "=",
		"====", "Zm9v=", "Zm9vYg=", "Zm 9", "Zm9v\n", "Zh==", "Zm9=", "a+b_", "Zm9vYg==x",
		"Zm9v\x80" };
	size_t i;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		struct str text = STR_INIT;

		base64_add(&text, vectors[i].plain, strlen(vectors[i].plain));
		tap_text(text.data ? text.data : "", vectors[i].text, "written");
		tap_ok(reads(vectors[i].text, vectors[i].plain), "read: %s", vectors[i].text);
		str_release(&text);
	}
	tap_ok(reads("Zm9vYg", "foob"), "without padding");
	tap_ok(reads("-_-_", "\xfb\xff\xbf"), "the URL-safe alphabet");
	tap_ok(reads("+/+/", "\xfb\xff\xbf"), "stands for the same");
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		tap_ok(reads(refused[i], NULL), "refused: form %zu", i);
	return tap_done();
}
