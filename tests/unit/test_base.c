/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "tap.h"

static void write_plain(const char *path, const void *bytes, size_t len)
{
	FILE *file = fopen(path, "wb");

	fwrite(bytes, 1, len, file);
	fclose(file);
}

static void test_error(void)
{
	struct error err;

	tap_number(error_set(&err, "%s: bad", "x"), -1, "setting an error is -1");
	tap_text(err.text, "x: bad", "its text is the format's");
	errno = ENOENT;
	error_errno(&err, "open %s", "y");
	tap_text(err.text, "open y: No such file or directory", "errno's message is appended");
	error_prefix(&err, "scene %d", 3);
	tap_text(err.text, "scene 3: open y: No such file or directory", "a prefix goes before it");
	tap_number(error_set(NULL, "x"), -1, "a caller that wants no text passes NULL");
}

static void test_printable(void)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *want;
	} rows[] = {
		{ "plain", 5, "plain" },
		{ "caf\xc3\xa9", 5, "caf\xc3\xa9" },
		{ "a\0b", 3, "a\\x00b" },
		{ "\x1b[31m", 5, "\\x1b[31m" },
		{ "\xe9", 1, "\\xe9" },
		{ "\xc3(", 2, "\\xc3(" },
		{ "\xed\xa0\x80", 3, "\\xed\\xa0\\x80" }, /* a lone surrogate */
		{ "\xc0\xaf", 2, "\\xc0\\xaf" }, /* an overlong slash */
		{ "\xef\xbf\xbe", 3, "\\xef\\xbf\\xbe" }, /* U+FFFE is no XML character */
		{ "\xc2\x9b", 2, "\\xc2\\x9b" }, /* a C1 control starts terminal sequences */
		{ "\xf0\x9f\x8e\xac", 4, "\xf0\x9f\x8e\xac" },
		{ "\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80" }, /* beyond U+10FFFF */
		{ "\n\t\x7f", 3, "\\x0a\\x09\\x7f" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *shown = text_printable(rows[i].bytes, rows[i].len);

		tap_text(shown, rows[i].want, "hostile bytes are shown, text is kept");
		tap_ok(text_is_utf8(shown, strlen(shown)), "and the result is UTF-8");
		free(shown);
	}
}

static void test_numbers(void)
{
	unsigned long long value = 7;
	double real = 7;

	tap_ok(text_u64("18446744073709551615", 10, &value) && value == UINT64_MAX,
		"the largest 64-bit number is exact");
	tap_ok(!text_u64("18446744073709551616", 10, &value), "one more is refused");
	tap_ok(!text_u64("-1", 10, &value), "a sign is refused");
	tap_ok(!text_u64("12x", 10, &value), "a tail is refused");
	tap_ok(!text_u64("", 10, &value), "nothing is refused");
	tap_ok(text_u64("67c63ac3c3c637f9", 16, &value) && value == 0x67c63ac3c3c637f9ULL,
		"hex is read");
	tap_ok(!text_double("nan", &real) && !text_double("inf", &real) &&
			!text_double("1,5", &real),
		"NaN, infinity and a decimal comma are no numbers");
	tap_ok(!text_double("0x10", &real) && !text_double("+1", &real) && !text_double("", &real),
		"hexadecimal is none");
	tap_ok(text_double("-1.5e3", &real) && real == -1500, "an exponent is");
}

/* What a killed writer leaves goes, what only looks like it stays. */
/* What is no file keeps its place, also for root. A pipe stands for a device: to try it on one
 * would cost this machine the device if it failed. */
static void test_places(const char *place)
{
	char *pipe = path_join(place, "pipe"), *to_pipe = path_join(place, "to-pipe"),
	     *output = path_join(place, "output"), *other = path_join(place, "other");
	struct stat info;
	struct error err;

	tap_ok(mkfifo(pipe, 0600) == 0 && symlink("pipe", to_pipe) == 0 &&
			symlink("/proc/self/fd/1", output) == 0 && symlink("file", other) == 0,
		"a pipe and links");
	tap_ok(file_write(pipe, "x", 1, &err) == -1 && strstr(err.text, "not a file"),
		"a pipe is not replaced by a file");
	tap_ok(lstat(pipe, &info) == 0 && S_ISFIFO(info.st_mode), "and stays one");
	tap_number(file_write(to_pipe, "x", 1, &err), -1, "nor is a link to one");
	tap_number(file_write(output, "x", 1, &err), -1, "nor what /dev/stdout is");
	tap_ok(lstat(output, &info) == 0 && S_ISLNK(info.st_mode), "which stays a link");
	tap_number(file_write(other, "x", 1, &err), 0, "another link is replaced");
	tap_ok(lstat(other, &info) == 0 && S_ISREG(info.st_mode), "by the file itself");
	free(other);
	free(output);
	free(to_pipe);
	free(pipe);
}

static void test_temporaries(const char *place)
{
	static const char *const names[] = { "record.json.tmp-aB3xYz", "a.tmp-", "b.tmp-toolong",
		"tmp-aB3xYz" };
	struct error err = { "" };
	size_t i;

	for (i = 0; i < 4; i++) {
		char *path = path_join(place, names[i]);

		file_write(path, "x", 1, &err);
		free(path);
	}
	tap_number(folder_remove_temporaries(place, &err), 0, "temporaries are removed");
	for (i = 0; i < 4; i++) {
		char *path = path_join(place, names[i]);

		tap_ok(file_exists(path) == (i > 0), "%s %s", names[i], i ? "stays" : "is gone");
		unlink(path);
		free(path);
	}
}

static void test_files(void)
{
	char place[] = "/tmp/oamqual-base-XXXXXX";
	struct str text = STR_INIT;
	struct error err;
	char *path, *below;
	int root;

	tap_ok(mkdtemp(place) != NULL, "a folder to work in");
	path = path_join(place, "file");
	tap_number(file_write(path, "one", 3, &err), 0, "a file is written");
	tap_number(file_write(path, "two!", 4, &err), 0, "and replaced");
	tap_number(file_read(path, 100, &text, &err), 0, "and read");
	tap_text(text.data, "two!", "with its new content");
	tap_number(file_read(path, 3, &text, &err), -1, "a file over the limit is refused");
	tap_text(text.data, "two!", "and what was there is kept");
	str_release(&text);
	tap_number(file_read(path, 3, &text, &err), -1, "refused again");
	tap_ok(!text.data && !text.capacity, "and nothing is left where nothing was");

	test_temporaries(place);
	test_places(place);
	root = open(place, O_RDONLY | O_DIRECTORY);
	below = path_join(place, "out");
	tap_number(symlink("/etc/passwd", below), 0, "a link that leaves the root");
	tap_number(
		file_read_in(root, "out", 100000, &text, &err), -1, "leads nowhere below the root");
	tap_number(file_read_in(root, "../../etc/passwd", 100000, &text, &err), -1,
		"nor does a path with ..");
	tap_number(file_read_in(root, "/file", 100, &text, &err), 0,
		"an absolute path begins at the root given");
	str_release(&text);
	close(root);
	free(below);

	below = path_join(path, "below");
	tap_number(folder_make(below, &err), -1, "no folder can be made below a file");
	tap_number(file_write(below, "x", 1, &err), -1, "and no file");
	free(below);
	tap_number(folder_remove(place, &err), 0, "a folder is removed with all in it");
	tap_ok(!file_exists(place), "and is gone");
	tap_number(folder_remove(place, &err), 0, "removing what is absent is fine");
	free(path);
}

static void test_digest(void)
{
	char hex[65] = "untouched";
	uint64_t size = 0;
	struct error err;

	/* FIPS 180-4's example. */
	struct digest *digest = digest_new();
	digest_add(digest, "ab", 2);
	digest_add(digest, "c", 1);
	digest_finish(digest, hex);
	tap_text(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"SHA-256 of abc");
	write_plain("abc", "abc", 3);
	memset(hex, 0, sizeof(hex));
	tap_number(digest_file("abc", hex, &size, &err), 0, "a file is hashed");
	tap_text(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"to the same digest");
	tap_number(size, 3, "with its size");
	tap_number(digest_file("absent", hex, &size, &err), -1, "an absent file is an error");
	tap_ok(hex[0] == 'b', "that leaves the digest as it was");
}

static void test_json(void)
{
	struct known_u64 large = known_u64(0xdeadbeefdeadbeefULL), none = { 0 };
	struct error err;
	json_t *fact = fact_u64(large, "observed", "kfd", "");

	tap_text(json_text(fact, "value", ""), "16045690984833335023",
		"a 64-bit identity stays exact, as text");
	json_decref(fact);
	fact = fact_u64(none, "observed", "kfd", "no file");
	tap_ok(json_is_null(json_object_get(fact, "value")), "unknown is null");
	tap_text(json_text(fact, "class", ""), "unknown", "says so");
	tap_text(json_text(fact, "why", ""), "no file", "and why");
	json_decref(fact);
	write_plain("twice.json", "{\"a\": 1, \"a\": 2}", 16);
	tap_ok(!json_read("twice.json", 1000, &err), "a key that stands twice is refused");
	tap_ok(strstr(err.text, "twice.json:1:") != NULL, "with file and line");
	write_plain("cut.json", "{\"a\": [1, 2", 11);
	tap_ok(!json_read("cut.json", 1000, &err), "a cut document is refused");
	write_plain("long.json", "[1,2,3,4,5,6,7,8]", 17);
	tap_ok(!json_read("long.json", 10, &err), "one over the limit is refused");
}

/* A person may name a pipe that is written to while it is read; somebody may have put one that
 * nobody writes to where a file was. The alarm ends a test that waits. */
static void test_pipes(void)
{
	char folder[] = "/tmp/oamqual-base-XXXXXX", path[64];
	struct str text = STR_INIT;
	struct error err = { "" };
	char *name = path_join(mkdtemp(folder), "pipe");
	int ends[2], root = open(folder, O_RDONLY | O_DIRECTORY);

	mkfifo(name, 0600);
	alarm(20);
	tap_number(file_read(name, 100, &text, &err), 0, "a pipe that nobody writes to is empty");
	tap_number(file_read_in(root, "pipe", 100, &text, &err), 0, "also below a root");
	tap_number(text.len, 0, "and gives nothing");
	if (pipe(ends) != 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	if (fork() == 0) {
		nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
		_exit(write(ends[1], "late", 4) != 4);
	}
	close(ends[1]);
	tap_number(file_read(path, 100, &text, &err), 0, "one that is written to later is read");
	tap_text(text.data, "late", "to its end");
	alarm(0);
	wait(NULL);
	close(ends[0]);
	close(root);
	str_release(&text);
	free(name);
	folder_remove(folder, NULL);
}

int main(void)
{
	tap_place();
	test_error();
	test_pipes();
	test_printable();
	test_numbers();
	test_files();
	test_digest();
	test_json();
	return tap_done();
}
