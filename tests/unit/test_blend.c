/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/str.h"
#include "scene/blend.h"
#include "scene/blend_read.h"
#include "tap.h"

struct good {
	const char *bytes;
	int major, minor, pointer_bytes;
	bool little_endian;
	int header_bytes, format_version;
	const char *version;
};

static const struct good goods[] = {
	{ "BLENDER_V236", 2, 36, 4, false, 12, 0, "2.36" },
	{ "BLENDER_v279", 2, 79, 4, true, 12, 0, "2.79" },
	{ "BLENDER-v290", 2, 90, 8, true, 12, 0, "2.90" },
	{ "BLENDER-v304", 3, 4, 8, true, 12, 0, "3.4" },
	{ "BLENDER-v405REND", 4, 5, 8, true, 12, 0, "4.5" },
	{ "BLENDER-V402", 4, 2, 8, false, 12, 0, "4.2" },
	{ "BLENDER17-01v0500", 5, 0, 8, true, 17, 1, "5.0" },
	{ "BLENDER17-01v0502REND", 5, 2, 8, true, 17, 1, "5.2" },
	{ "BLENDER17-02v1003", 10, 3, 8, true, 17, 2, "10.3" },
};

static const struct {
	const char *bytes;
	const char *reason;
} bads[] = {
	{ "", "not a .blend file: empty" },
	{ "B", "truncated .blend: ends after 1 bytes" },
	{ "BLENDER", "truncated .blend: ends after 7 bytes" },
	{ "BLENDER-v30", "truncated .blend: ends after 11 bytes" },
	{ "BLENDER17-01v050", "truncated .blend: ends after 16 bytes" },
	{ "BLENDER-v3x4", "form that is not known" },
	{ "BLENDER-x304", "form that is not known" },
	{ "BLENDER=v304", "form that is not known" },
	{ "BLENDER18-01v0500", "form that is not known" },
	{ "BLENDER17_01v0500", "form that is not known" },
	{ "BLENDER17-01V0500", "form that is not known" },
	{ "blender-v304", "not a .blend file: of no known kind (starts 626c656e6465722d76333034)" },
	{ "<!DOCTYPE html><html>", "not a .blend file: an HTML" },
	{ " \r\n<HTML lang=en>", "not a .blend file: an HTML" },
	{ "\xef\xbb\xbf<html>", "not a .blend file: an HTML" },
	{ "version https://git-lfs.github.com/spec/v1\noid",
		"not a .blend file: a git-lfs pointer" },
	{ "\x1f\x8b\x08zipped", "not a .blend file: gzip data" },
	{ "\x89PNG\r\n", "a PNG picture (starts 89504e470d0a)" },
};

static void test_good(const struct good *good)
{
	struct blend_header header = { .outer = BLEND_ZSTD };
	struct error err = { "" };
	char version[32];
	int rc = blend_header_read(
		(const unsigned char *)good->bytes, strlen(good->bytes), &header, &err);

	tap_ok(rc == 0 && !err.text[0], "%s is read", good->bytes);
	tap_ok(header.version_major == good->major && header.version_minor == good->minor,
		"%s: version %d %d", good->bytes, good->major, good->minor);
	tap_ok(header.pointer_bytes == good->pointer_bytes &&
			header.little_endian == good->little_endian &&
			header.header_bytes == good->header_bytes &&
			header.format_version == good->format_version &&
			header.outer == BLEND_PLAIN,
		"%s: form", good->bytes);
	blend_version_text(&header, version);
	tap_text(version, good->version, "the version as Blender writes it");
}

static void test_bad(const char *bytes, const char *reason)
{
	struct blend_header header, before;
	struct error err = { "" };

	memset(&header, 0x5a, sizeof(header));
	before = header;
	tap_ok(blend_header_read((const unsigned char *)bytes, strlen(bytes), &header, &err) ==
				-1 &&
			strstr(err.text, reason),
		"refused: %s", reason);
	if (!strstr(err.text, reason))
		printf("#  got: %s\n", err.text);
	tap_ok(memcmp(&header, &before, sizeof(header)) == 0, "the output is as it was");
	tap_ok(blend_header_read((const unsigned char *)bytes, strlen(bytes), &header, NULL) == -1,
		"no error buffer is fine");
}

static void test_outer(void)
{
	static const unsigned char zstd[] = { 0x28, 0xb5, 0x2f, 0xfd, 0 };

	tap_number(blend_outer_of((const unsigned char *)"\x1f\x8b", 2), BLEND_GZIP, "gzip");
	tap_number(blend_outer_of(zstd, 5), BLEND_ZSTD, "zstd");
	tap_number(blend_outer_of(zstd, 3), BLEND_PLAIN, "three bytes are not zstd yet");
	tap_number(blend_outer_of((const unsigned char *)"BLENDER", 7), BLEND_PLAIN, "plain");
	tap_number(blend_outer_of(zstd, 0), BLEND_PLAIN, "nothing");
	tap_text(blend_outer_name(BLEND_PLAIN), "plain", "name of plain");
	tap_text(blend_outer_name(BLEND_GZIP), "gzip", "name of gzip");
	tap_text(blend_outer_name(BLEND_ZSTD), "zstd", "name of zstd");
}

/* A .blend in memory, handed out in blocks of `step`, with a failure after `fail_at` bytes (0:
 * never). */
struct memory {
	const unsigned char *bytes;
	size_t len, at, step, fail_at;
};

static ssize_t next_block(void *context, const void **block, struct error *err)
{
	struct memory *memory = context;
	size_t len = memory->len - memory->at;

	/* It fails once and is at its end then, as libarchive is. */
	if (memory->fail_at && memory->at >= memory->fail_at) {
		memory->fail_at = 0;
		memory->at = memory->len;
		return error_set(err, "the disk is on fire");
	}
	len = len < memory->step ? len : memory->step;
	*block = memory->bytes + memory->at;
	memory->at += len;
	return (ssize_t)len;
}

static void test_stream(void)
{
	static const size_t steps[] = { 1, 3, 31, 33, 100, 100000 };
	unsigned char bytes[4096];
	struct blend_header header;
	struct blend_needs needs;
	struct memory memory = { bytes, sizeof(bytes), 0, 7, 0 };
	struct error err = { "" };
	char inner[65] = "x";
	size_t i;

	memset(bytes, 7, sizeof(bytes));
	memcpy(bytes, "BLENDER-v304", 12);
	memcpy(bytes + sizeof(bytes) - 24, "ENDB", 4);
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		memory.at = 0;
		memory.step = steps[i];
		tap_ok(blend_read(next_block, &memory, 1 << 20, &header, inner, &needs, &err) ==
					0 &&
				memory.at == sizeof(bytes) && header.version_minor == 4 &&
				!inner[0],
			"read whole in blocks of %zu", steps[i]);
		tap_ok(needs.why[0] && !needs.count, "what it needs is unknown: %s", needs.why);
		blend_needs_release(&needs);
		memory.at = 0;
		memory.len = sizeof(bytes) - 1;
		tap_ok(blend_read(next_block, &memory, 1 << 20, &header, inner, &needs, &err) ==
					-1 &&
				strstr(err.text, "truncated"),
			"one byte short is truncated, in blocks of %zu", steps[i]);
		memory.len = sizeof(bytes);
	}
	memory.at = 0;
	tap_ok(blend_read(next_block, &memory, 4095, &header, inner, &needs, &err) == -1 &&
			strstr(err.text, "limit of 4095"),
		"more than the limit is refused");
	memory = (struct memory){ bytes, sizeof(bytes), 0, 64, 128 };
	tap_ok(blend_read(next_block, &memory, 1 << 20, &header, inner, &needs, &err) == -1,
		"a failing source fails it");
	tap_text(err.text, "the disk is on fire", "with the source's own reason");
	memory = (struct memory){ bytes, 0, 0, 64, 0 };
	tap_ok(blend_read(next_block, &memory, 1 << 20, &header, inner, &needs, &err) == -1,
		"nothing");
	tap_text(err.text, "not a .blend file: empty", "is empty");
}

/* A gzip .blend whose container fails right behind the last byte, as on a wrong checksum there. The
 * bytes are those of `gzip -n` on the 36 bytes "BLENDER-v304" "ENDB" and 20 times '.'. */
static void test_late_failure(void)
{
	static const unsigned char gzip[] = { 0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x03, 0x73, 0xf2, 0x71, 0xf5, 0x73, 0x71, 0x0d, 0xd2, 0x2d, 0x33, 0x36, 0x30, 0x01,
		0xb2, 0x9c, 0xf4, 0xb0, 0x00, 0x00, 0x17, 0xc9, 0xb4, 0xe9, 0x24, 0x00, 0x00,
		0x00 };
	struct memory memory = { gzip, sizeof(gzip), 0, sizeof(gzip), 0 };
	struct blend_header header;
	struct blend_needs needs;
	struct error err = { "" };
	char inner[65] = "";

	tap_ok(blend_read(next_block, &memory, 1 << 20, &header, inner, &needs, &err) == 0,
		"a gzip .blend is read: %s", err.text);
	tap_ok(strstr(needs.why, "DNA1") != NULL, "without DNA1 nobody knows what it needs");
	blend_needs_release(&needs);
	tap_text(inner, "1743d583a9ea7b48c1115f4cadc2ecbb02eb0862ea9aa289d411ddcaa1891b4a",
		"its inner digest is sha256sum's");
	memory.at = 0;
	memory.fail_at = sizeof(gzip);
	tap_ok(blend_read(next_block, &memory, 1 << 20, &header, inner, &needs, &err) == -1,
		"a failure behind the compressed data is a failure");
	tap_text(err.text, "the disk is on fire", "with its reason");
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(goods) / sizeof(goods[0]); i++)
		test_good(&goods[i]);
	for (i = 0; i < sizeof(bads) / sizeof(bads[0]); i++)
		test_bad(bads[i].bytes, bads[i].reason);
	test_outer();
	test_stream();
	test_late_failure();
	return tap_done();
}
