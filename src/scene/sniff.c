/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/sniff.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

enum { HEX_SHOWN = 16 };

struct kind {
	const char *magic;
	size_t len;
	const char *name;
};

#define MAGIC(text, name)                                                                          \
	{                                                                                          \
		text, sizeof(text) - 1, name                                                       \
	}

/* The pointer stands first. */
static const struct kind kinds[] = {
	MAGIC("version https://git-lfs", "a git-lfs pointer (the real file was not fetched)"),
	MAGIC("BLENDER", "a .blend file"),
	MAGIC("PK\003\004", "a zip archive"),
	MAGIC("PK\005\006", "an empty zip archive"),
	MAGIC("7z\274\257\047\034", "a 7z archive"),
	MAGIC("Rar!\032\007", "a RAR archive, which is not read here"),
	MAGIC("\037\213", "gzip data"),
	MAGIC("\050\265\057\375", "zstd data"),
	MAGIC("BZh", "bzip2 data"),
	MAGIC("\3757zXZ\000", "xz data"),
	MAGIC("\004\"M\030", "lz4 data"),
	MAGIC("\211PNG", "a PNG picture"),
	MAGIC("\377\330\377", "a JPEG picture"),
	MAGIC("v/1\001", "an OpenEXR picture"),
	MAGIC("%PDF", "a PDF document"),
	MAGIC("\177ELF", "an ELF program"),
	MAGIC("{", "JSON or other text in braces"),
};

/* Names of markup as a saved web page begins with them, white space and a byte order mark before
 * it. */
bool sniff_is_html(const unsigned char *bytes, size_t len)
{
	static const char *const starts[] = { "<!doctype html", "<html", "<head", "<body", "<!--",
		"<?xml" };
	size_t at = len >= 3 && memcmp(bytes, "\357\273\277", 3) == 0 ? 3 : 0;
	size_t i;

	while (at < len && strchr(" \t\r\n", bytes[at]) && bytes[at])
		at++;
	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		size_t need = strlen(starts[i]);

		if (len - at >= need && strncasecmp((const char *)bytes + at, starts[i], need) == 0)
			return true;
	}
	return false;
}

bool sniff_is_lfs_pointer(const unsigned char *bytes, size_t len)
{
	return len >= kinds[0].len && memcmp(bytes, kinds[0].magic, kinds[0].len) == 0;
}

static bool all_zero(const unsigned char *bytes, size_t len)
{
	return !bytes[0] && memcmp(bytes, bytes + 1, len - 1) == 0;
}

void sniff_describe(const unsigned char *bytes, size_t len, char text[SNIFF_TEXT_BYTES])
{
	char hex[2 * HEX_SHOWN + 1];
	size_t i;

	if (!len) {
		snprintf(text, SNIFF_TEXT_BYTES, "empty");
		return;
	}
	text_hex(bytes, len < HEX_SHOWN ? len : HEX_SHOWN, hex);
	if (sniff_is_html(bytes, len)) {
		snprintf(text, SNIFF_TEXT_BYTES, "an HTML or XML page (starts %s)", hex);
		return;
	}
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (len >= kinds[i].len && memcmp(bytes, kinds[i].magic, kinds[i].len) == 0) {
			snprintf(text, SNIFF_TEXT_BYTES, "%s (starts %s)", kinds[i].name, hex);
			return;
		}
	}
	snprintf(text, SNIFF_TEXT_BYTES, "%s (starts %s)",
		all_zero(bytes, len) ? "only zero bytes" : "of no known kind", hex);
}
