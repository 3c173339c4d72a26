/* SPDX-License-Identifier: Apache-2.0 */
#include "record/find.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

enum { DEPTH_MAX = 12 };

static int no_dots(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void note(json_t *unreadable, const char *path, const char *why)
{
	json_array_append_new(unreadable, json_pack("{s:o, s:o}", "path", json_printable_text(path),
						  "why", json_printable_text(why)));
}

static bool holds_record(const char *folder)
{
	char *path = path_join(folder, "record.json");
	struct stat info;
	bool is_there = lstat(path, &info) == 0;

	free(path);
	return is_there;
}

/* A name that JSON cannot hold is named and left. */
static void add_path(json_t *paths, json_t *unreadable, const char *path)
{
	json_t *text = json_string(path);

	if (text)
		json_array_append_new(paths, text);
	else
		note(unreadable, path, "its name is not UTF-8");
}

static void walk(const char *folder, int depth, json_t *paths, json_t *unreadable)
{
	struct dirent **entries;
	int count, i;

	if (holds_record(folder)) {
		add_path(paths, unreadable, folder);
		return;
	}
	count = depth < DEPTH_MAX ? scandir(folder, &entries, no_dots, by_name) : -1;
	if (count < 0)
		note(unreadable, folder, depth < DEPTH_MAX ? strerror(errno) : "too deep");
	for (i = 0; i < count; i++) {
		char *below = path_join(folder, entries[i]->d_name);
		struct stat info;

		if (lstat(below, &info) == 0 && S_ISDIR(info.st_mode))
			walk(below, depth + 1, paths, unreadable);
		free(below);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

int find_records(const char *path, json_t *paths, json_t *unreadable, struct error *err)
{
	struct stat info;

	if (stat(path, &info) != 0)
		return error_errno(err, "%s", path);
	if (S_ISDIR(info.st_mode))
		walk(path, 0, paths, unreadable);
	else
		add_path(paths, unreadable, path);
	return 0;
}
