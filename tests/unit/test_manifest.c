/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line does not reach: limits, changes while reading, the choice of the .blend,
 * unpacking. */
#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "scene/manifest.h"
#include "tap.h"

struct part {
	const char *path;
	char type; /* as in the manifest, and 'h' */
	const char *rest; /* content or target */
};

static const char blend_text[] = "BLENDER-v304 and so on ENDB....................";

static void add_part(struct archive *archive, const struct part *part)
{
	struct archive_entry *entry = archive_entry_new();
	size_t len = part->type == 'f' ? strlen(part->rest) : 0;

	archive_entry_set_pathname(entry, part->path);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, (la_int64_t)len);
	archive_entry_set_filetype(entry, part->type == 'l'   ? AE_IFLNK
					  : part->type == 'd' ? AE_IFDIR
							      : AE_IFREG);
	if (part->type == 'l')
		archive_entry_set_symlink(entry, part->rest);
	if (part->type == 'h')
		archive_entry_set_hardlink(entry, part->rest);
	archive_write_header(archive, entry);
	archive_write_data(archive, part->rest, len);
	archive_entry_free(entry);
}

/* Writes parts up to one without a path, by libarchive's writer. */
static void make_archive(const char *path, int format, const struct part *parts)
{
	struct archive *archive = archive_write_new();

	archive_write_set_format(archive, format);
	archive_write_open_filename(archive, path);
	for (; parts->path; parts++)
		add_part(archive, parts);
	archive_write_close(archive);
	archive_write_free(archive);
}

static const struct part scene[] = {
	{ "shots/scene.blend", 'f', blend_text },
	{ "tex/a.png", 'f', "not really a picture" },
	{ "tex/deep/b", 'f', "" },
	{ "link", 'l', "tex/deep/../a.png" },
	{ "into", 'l', "tex" },
	{ "hard.png", 'h', "tex/a.png" },
	{ "bare", 'd', "" },
	{ NULL, 0, NULL },
};

static char *text_of(const char *path)
{
	struct str s = STR_INIT;

	if (file_read(path, 100000, &s, NULL) != 0)
		return xstrdup("(unreadable)");
	return str_detach(&s);
}

static void tap_file(const char *path, const char *want)
{
	char *got = text_of(path);

	tap_text(got, want, path);
	free(got);
}

static void test_unpack(const char *path, int format)
{
	struct manifest manifest;
	struct error err = { "" };
	struct stat info;
	char target[100] = "";

	make_archive(path, format, scene);
	tap_ok(manifest_read(path, true, NULL, &manifest, &err) == 0, "%s is read: %s", path,
		err.text);
	folder_remove("out", NULL);
	folder_make("out", NULL);
	tap_ok(scene_unpack(&manifest, "out", &err) == 0, "and unpacked: %s", err.text);
	tap_file("out/shots/scene.blend", blend_text);
	tap_file("out/tex/a.png", "not really a picture");
	tap_file("out/tex/deep/b", "");
	tap_file("out/link", "not really a picture");
	tap_file("out/into/a.png", "not really a picture");
	tap_file("out/hard.png", "not really a picture");
	tap_ok(lstat("out/link", &info) == 0 && S_ISLNK(info.st_mode), "a link stays a link");
	tap_ok(readlink("out/link", target, sizeof(target) - 1) > 0, "with its target");
	tap_text(target, "tex/deep/../a.png", "as it was");
	tap_ok(stat("out/bare", &info) == 0 && S_ISDIR(info.st_mode), "an empty folder is made");
	tap_ok(scene_unpack(&manifest, "out", &err) == -1 &&
			strstr(err.text, "not an empty folder"),
		"what is not empty is not unpacked into");
	tap_file("out/tex/a.png", "not really a picture");
	manifest_release(&manifest);
}

/* The unpacked folder and the archive have one tree digest, since a hard link counts as a file. */
static void test_round_trip(void)
{
	struct manifest archive, folder;
	struct error err = { "" };

	make_archive("round.tar", ARCHIVE_FORMAT_TAR_USTAR, scene);
	folder_remove("out", NULL);
	folder_make("out", NULL);
	tap_ok(manifest_read("round.tar", true, NULL, &archive, &err) == 0 &&
			scene_unpack(&archive, "out", &err) == 0 &&
			manifest_read("out", true, NULL, &folder, &err) == 0,
		"there and back: %s", err.text);
	tap_text(folder.tree_sha256, archive.tree_sha256, "the same tree digest");
	folder_remove("again", NULL);
	folder_make("again", NULL);
	tap_ok(scene_unpack(&folder, "again", &err) == 0, "a folder unpacks as well: %s", err.text);
	tap_file("again/into/a.png", "not really a picture");
	manifest_release(&archive);
	manifest_release(&folder);
}

/* All of one size, so that only what is inside can give the swap away. */
static void make_padded(const char *path, const struct part *parts)
{
	make_archive(path, ARCHIVE_FORMAT_TAR_USTAR, parts);
	if (truncate(path, 20480) != 0)
		tap_ok(false, "truncate");
}

/* The archive is swapped for another one between fingerprint and unpacking. */
static void test_swapped(const char *title, const struct part *parts, const char *reason)
{
	struct manifest manifest;
	struct error err = { "" };

	make_padded("swap.tar", scene);
	manifest_read("swap.tar", true, NULL, &manifest, &err);
	make_padded("swap.tar", parts);
	folder_remove("out", NULL);
	folder_make("out", NULL);
	tap_ok(scene_unpack(&manifest, "out", &err) == -1 && strstr(err.text, reason) &&
			str_starts(err.text, "swap.tar: "),
		"%s: %s", title, err.text);
	tap_ok(folder_is_empty("out"), "nothing is left behind");
	manifest_release(&manifest);
}

static void test_swaps(void)
{
	static const struct part content[] = { { "shots/scene.blend", 'f', blend_text },
		{ "tex/a.png", 'f', "not really a PICTURE" }, { "tex/deep/b", 'f', "" },
		{ "link", 'l', "tex/deep/../a.png" }, { "into", 'l', "tex" },
		{ "hard.png", 'h', "tex/a.png" }, { "bare", 'd', "" }, { NULL, 0, NULL } };
	static const struct part escape[] = { { "tex", 'l', "/tmp" }, { "tex/a.png", 'f', "x" },
		{ NULL, 0, NULL } };
	static const struct part through[] = { { "into", 'l', "tex" }, { "into/a.png", 'f', "x" },
		{ NULL, 0, NULL } };
	static const struct part target[] = { { "into", 'l', "shots" }, { NULL, 0, NULL } };
	static const struct part less[] = { { "shots/scene.blend", 'f', blend_text },
		{ NULL, 0, NULL } };
	static const struct part grown[] = {
		{ "tex/a.png", 'f', "not really a picture, but longer" }, { NULL, 0, NULL }
	};
	static const struct part twice[] = { { "tex/a.png", 'f', "not really a picture" },
		{ "tex/a.png", 'f', "not really a picture" }, { NULL, 0, NULL } };

	test_swapped("other bytes", content, "tex/a.png: changed since");
	test_swapped("an absolute link", escape, "absolute path");
	test_swapped("a file through a link", through, "into/a.png: changed since");
	test_swapped("another link target", target, "into: changed since");
	test_swapped("a file less", less, "gone since");
	test_swapped("a longer file", grown, "tex/a.png: changed since");
	test_swapped("a file twice", twice, "cannot write");
}

static void refuse(
	const char *path, const struct manifest_limits *limits, bool want_blend, const char *reason)
{
	struct manifest manifest, before;
	struct error err = { "" };

	memset(&manifest, 0x5a, sizeof(manifest));
	before = manifest;
	tap_ok(manifest_read(path, want_blend, limits, &manifest, &err) == -1 &&
			strstr(err.text, reason),
		"%s: %s", reason, err.text);
	tap_ok(memcmp(&manifest, &before, sizeof(manifest)) == 0, "the output is as it was");
	tap_ok(manifest_read(path, want_blend, limits, &manifest, NULL) == -1,
		"no error buffer is fine");
}

static void test_limits(void)
{
	const struct part nothing[] = { { "a.png", 'f', "x" }, { NULL, 0, NULL } };
	struct manifest_limits limits = { .content_bytes = 60, .entries = 100 };
	struct manifest manifest;
	struct error err = { "" };
	uint64_t whole = strlen(blend_text) + strlen(scene[1].rest);

	make_archive("limit.tar", ARCHIVE_FORMAT_TAR_USTAR, scene);
	make_archive("limit.zip", ARCHIVE_FORMAT_ZIP, scene);
	refuse("limit.tar", &limits, true, "over the limit of 60 bytes of content");
	refuse("limit.zip", &limits, true, "over the limit of 60 bytes of content");
	limits.content_bytes = whole;
	tap_ok(manifest_read("limit.tar", true, &limits, &manifest, &err) == 0,
		"exactly the limit is fine: %s", err.text);
	manifest_release(&manifest);
	limits.content_bytes = whole - 1;
	refuse("limit.tar", &limits, true, "over the limit");
	limits.content_bytes = whole;
	limits.entries = 6;
	refuse("limit.tar", &limits, true, "over the limit of 6 entries");
	refuse("limit.zip", &limits, true, "6 entries");
	limits.entries = 7;
	tap_ok(manifest_read("limit.tar", true, &limits, &manifest, &err) == 0,
		"exactly as many entries are fine: %s", err.text);
	manifest_release(&manifest);
	make_archive("bare.tar", ARCHIVE_FORMAT_TAR_USTAR, nothing);
	refuse("bare.tar", NULL, true, "bare.tar: no .blend inside");
	refuse("nowhere/x.tar", NULL, true, "nowhere/x.tar: cannot open: No such file");
	tap_ok(manifest_read("bare.tar", false, NULL, &manifest, &err) == 0,
		"without a .blend when none is wanted");
	manifest_release(&manifest);
}

static atomic_bool touching;

static void *touch(void *path)
{
	struct timespec times[2] = { { 0, UTIME_OMIT }, { 1000, 0 } };
	struct timespec pause = { 0, 200000 };

	while (atomic_load(&touching)) {
		times[1].tv_sec++;
		utimensat(AT_FDCWD, path, times, 0);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

/* A file whose time moves all along is a file that somebody writes to. */
static void test_changing(const char *source, char *touched)
{
	pthread_t thread;

	atomic_store(&touching, true);
	pthread_create(&thread, NULL, touch, touched);
	refuse(source, NULL, false, "changed while it was read");
	atomic_store(&touching, false);
	pthread_join(thread, NULL);
}

static void test_changes(void)
{
	static char archive[] = "big.tar", file[] = "bigfolder/file";
	char *big = xmalloc((16 << 20) + 1);
	struct part parts[] = { { "file", 'f', big }, { NULL, 0, NULL } };

	memset(big, 'x', 16 << 20);
	big[16 << 20] = '\0';
	make_archive("big.tar", ARCHIVE_FORMAT_TAR_USTAR, parts);
	folder_make("bigfolder", NULL);
	file_write("bigfolder/file", big, 16 << 20, NULL);
	free(big);
	test_changing("big.tar", archive);
	test_changing("bigfolder", file);
	unlink("big.tar");
	folder_remove("bigfolder", NULL);
}

/* Memory does not grow with the content: 300 MB of zeros in a tar of holes, read in an address
 * space that grows by little. Sanitizers keep their own memory, so the peak resident size is what
 * counts. */
static void test_memory(void)
{
	struct manifest manifest;
	struct error err = { "" };
	struct rusage before, after;
	int fd;

	folder_make("sparse", NULL);
	fd = open("sparse/hole", O_CREAT | O_WRONLY, 0644);
	tap_ok(fd >= 0 && ftruncate(fd, 300 << 20) == 0, "a large file");
	close(fd);
	getrusage(RUSAGE_SELF, &before);
	tap_ok(manifest_read("sparse", false, NULL, &manifest, &err) == 0, "is read: %s", err.text);
	getrusage(RUSAGE_SELF, &after);
	tap_text(manifest.entries[0].sha256,
		"17a88af83717f68b8bd97873ffcf022c8aed703416fe9b08e0fa9e3287692bf0",
		"its digest is that of sha256sum");
	tap_ok(after.ru_maxrss - before.ru_maxrss < 64 << 10, "with %ld KiB more memory",
		after.ru_maxrss - before.ru_maxrss);
	manifest_release(&manifest);
	folder_remove("sparse", NULL);
}

static void choose(
	const char *title, const struct part *parts, const char *wanted, const char *want)
{
	struct manifest manifest;
	struct error err = { "" };
	const struct manifest_entry *found;

	make_archive("choice.tar", ARCHIVE_FORMAT_TAR_USTAR, parts);
	manifest_read("choice.tar", false, NULL, &manifest, &err);
	found = manifest_blend(&manifest, wanted, &err);
	if (found)
		tap_text(found->path, want, title);
	else
		tap_ok(strstr(err.text, want) != NULL, "%s: %s", title, err.text);
	manifest_release(&manifest);
}

static void test_choice(void)
{
	static const struct part two[] = { { "b.blend", 'f', blend_text },
		{ "a.blend", 'f', blend_text }, { NULL, 0, NULL } };
	static const struct part named[] = { { "a.blend", 'f', blend_text },
		{ "scene.blend", 'f', blend_text }, { "x/scene.blend", 'f', blend_text },
		{ NULL, 0, NULL } };
	static const struct part top[] = { { "lib/a.blend", 'f', blend_text },
		{ "lib/b.blend", 'f', blend_text }, { "shot.BLEND", 'f', blend_text },
		{ NULL, 0, NULL } };

	choose("the only one", scene, NULL, "shots/scene.blend");
	choose("none of that name", scene, "scene.blend", "there are 1: shots/scene.blend");
	choose("two, none special", two, NULL, "There are 2: a.blend, b.blend");
	choose("two, one asked for", two, "b.blend", "b.blend");
	choose("scene.blend of the top", named, NULL, "scene.blend");
	choose("the only one of the top", top, NULL, "shot.BLEND");
	choose("none", &scene[1], NULL, "no .blend inside");
}

int main(void)
{
	tap_place();
	manifest_release(NULL);
	test_unpack("scene.tar", ARCHIVE_FORMAT_TAR_USTAR);
	test_unpack("scene.pax", ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE);
	test_round_trip();
	test_swaps();
	test_limits();
	test_choice();
	test_changes();
	test_memory();
	return tap_done();
}
