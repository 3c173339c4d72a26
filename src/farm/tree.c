/* SPDX-License-Identifier: Apache-2.0 */
#include "farm/tree.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/str.h"

enum { DEPTH_MOST = 64, FILES_MOST = 1000000 };

/* Paths below the root. */
struct paths {
	char **items;
	size_t count, room;
};

static void add_path(struct paths *paths, char *path)
{
	if (paths->count == paths->room) {
		paths->room = paths->room ? 2 * paths->room : 256;
		paths->items = xrealloc(paths->items, paths->room * sizeof(*paths->items));
	}
	paths->items[paths->count++] = path;
}

static void release_paths(struct paths *paths)
{
	size_t i;

	for (i = 0; i < paths->count; i++)
		free(paths->items[i]);
	free(paths->items);
}

static int list_folder(
	const char *root, const char *below, int depth, struct paths *paths, struct error *err);

static int list_entry(
	const char *root, char *below, int depth, struct paths *paths, struct error *err)
{
	char *path = path_join(root, below);
	struct stat info;
	int rc = -1;

	if (lstat(path, &info) != 0)
		error_errno(err, "%s", path);
	else if (S_ISDIR(info.st_mode))
		rc = list_folder(root, below, depth + 1, paths, err);
	else if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode))
		error_set(err, "%s: neither a file nor a folder nor a link", path);
	else if (paths->count >= FILES_MOST)
		error_set(err, "%s: holds more than %d files", root, FILES_MOST);
	else
		rc = 1;
	if (rc == 1)
		add_path(paths, xstrdup(below));
	free(path);
	return rc < 0 ? -1 : 0;
}

static int list_folder(
	const char *root, const char *below, int depth, struct paths *paths, struct error *err)
{
	char *path = path_join(root, below);
	DIR *folder = opendir(path);
	struct dirent *entry;
	int rc = 0;

	if (!folder)
		rc = error_errno(err, "%s", path);
	else if (depth > DEPTH_MOST)
		rc = error_set(err, "%s: folders within folders, more than %d", path, DEPTH_MOST);
	while (rc == 0 && (entry = readdir(folder))) {
		char *name;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		name = below[0] ? path_join(below, entry->d_name) : xstrdup(entry->d_name);
		rc = list_entry(root, name, depth, paths, err);
		free(name);
	}
	if (folder)
		closedir(folder);
	free(path);
	return rc;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int digest_link(const char *path, char hex[65], struct error *err)
{
	char target[PATH_MAX];
	ssize_t len = readlink(path, target, sizeof(target));
	struct digest *digest;

	if (len < 0)
		return error_errno(err, "%s", path);
	digest = digest_new();
	digest_add(digest, target, (size_t)len);
	digest_finish(digest, hex);
	return 0;
}

static int add_file(struct digest *digest, const char *root, const char *below,
	struct tree_digest *out, struct error *err)
{
	char *path = path_join(root, below), hex[65];
	uint64_t size = 0;
	struct stat info;
	bool link = lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
	int rc = link ? digest_link(path, hex, err) : digest_file(path, hex, &size, err);

	if (rc == 0) {
		digest_add(digest, link ? "l" : "f", 1);
		digest_add_number(digest, strlen(below));
		digest_add(digest, below, strlen(below));
		digest_add_hex(digest, hex);
		out->bytes += size;
		out->files++;
	}
	free(path);
	return rc;
}

static int digest_folder(const char *path, struct tree_digest *out, struct error *err)
{
	static const char schema[] = "oamqual-folder/1\n";
	struct paths paths = { NULL, 0, 0 };
	struct digest *digest = digest_new();
	int rc = list_folder(path, "", 0, &paths, err);
	size_t i;

	digest_add(digest, schema, sizeof(schema) - 1);
	if (rc == 0 && paths.count)
		qsort(paths.items, paths.count, sizeof(*paths.items), compare_paths);
	for (i = 0; rc == 0 && i < paths.count; i++)
		rc = add_file(digest, path, paths.items[i], out, err);
	if (rc == 0)
		digest_finish(digest, out->sha256);
	else
		digest_free(digest);
	release_paths(&paths);
	return rc;
}

int tree_digest(const char *path, struct tree_digest *out, struct error *err)
{
	struct tree_digest found;
	struct stat info;
	int rc;

	memset(&found, 0, sizeof(found));
	if (stat(path, &info) != 0)
		return error_errno(err, "%s", path);
	found.is_folder = S_ISDIR(info.st_mode);
	if (found.is_folder) {
		rc = digest_folder(path, &found, err);
	} else {
		found.files = 1;
		rc = digest_file(path, found.sha256, &found.bytes, err);
	}
	if (rc == 0)
		*out = found;
	return rc;
}
