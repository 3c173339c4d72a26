/* SPDX-License-Identifier: Apache-2.0 */
#include "record/files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "record/record.h"

/* --- walking --- */

bool files_is_envelope(const char *relative)
{
	return str_starts(relative, "record.json.") && str_ends(relative, ".dsse") &&
	       !strchr(relative, '/');
}

/* Made of the record, or the record itself: what `files` in it cannot name. */
static bool is_left_out(const char *relative)
{
	return strcmp(relative, "record.json") == 0 || str_starts(relative, "report.") ||
	       files_is_envelope(relative);
}

static int add_file(json_t *files, const char *path, const char *relative, struct error *err)
{
	char hex[65];
	uint64_t size;

	if (digest_file(path, hex, &size, err) != 0)
		return -1;
	json_array_append_new(
		files, json_pack("{s:o, s:I, s:s}", "path", json_printable_text(relative), "bytes",
			       (json_int_t)size, "sha256", hex));
	return 0;
}

static void add_other(json_t *files, const char *relative, mode_t mode)
{
	const char *kind = S_ISLNK(mode)    ? "symbolic link"
			   : S_ISFIFO(mode) ? "pipe"
			   : S_ISSOCK(mode) ? "socket"
					    : "device";

	json_array_append_new(files,
		json_pack("{s:o, s:s}", "path", json_printable_text(relative), "kind", kind));
}

/* Links of a replayed node to the stand-in runtime and to the compiler (node/replay.c): their files
 * are no evidence and are not sent along. */
static bool is_stand_in(const char *relative, mode_t mode)
{
	return S_ISLNK(mode) && (str_starts(relative, "node/sim/lib/") ||
					strcmp(relative, "node/sim/bin/hipcc") == 0);
}

/* With `all`: the record, its reports and what is no file too. */
static int add_folder(
	json_t *files, const char *folder, const char *relative, bool all, struct error *err);

static int add_entry(
	json_t *files, const char *folder, const char *relative, bool all, struct error *err)
{
	char *path = path_join(folder, relative);
	struct stat info;
	int rc = 0;

	if (lstat(path, &info) != 0)
		rc = error_errno(err, "%s", path);
	else if (S_ISDIR(info.st_mode))
		rc = add_folder(files, folder, relative, all, err);
	else if (all ? files_is_envelope(relative) : is_left_out(relative))
		rc = 0;
	else if (S_ISREG(info.st_mode))
		rc = add_file(files, path, relative, err);
	else if (all && !is_stand_in(relative, info.st_mode))
		add_other(files, relative, info.st_mode);
	free(path);
	return rc;
}

static int no_dots(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_folder(
	json_t *files, const char *folder, const char *relative, bool all, struct error *err)
{
	char *path = path_join(folder, relative);
	struct dirent **entries;
	int count = scandir(path, &entries, no_dots, by_name), i, rc = 0;

	if (count < 0)
		rc = error_errno(err, "%s", path);
	for (i = 0; i < count; i++) {
		char *below = relative[0] ? path_join(relative, entries[i]->d_name)
					  : xstrdup(entries[i]->d_name);

		if (rc == 0)
			rc = add_entry(files, folder, below, all, err);
		free(below);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	free(path);
	return rc;
}

static json_t *list(const char *folder, bool all, struct error *err)
{
	json_t *files = json_array();

	if (add_folder(files, folder, "", all, err) == 0)
		return files;
	json_decref(files);
	return NULL;
}

json_t *files_list(const char *folder, struct error *err)
{
	return list(folder, true, err);
}

json_t *record_files(const char *folder, struct error *err)
{
	return list(folder, false, err);
}

/* --- comparing --- */

static bool stays_inside(const char *relative)
{
	return relative[0] && relative[0] != '/' && strcmp(relative, "..") != 0 &&
	       !str_starts(relative, "../") && !strstr(relative, "/../") &&
	       !str_ends(relative, "/..");
}

static void add_problem(json_t *problems, const char *path, const char *what, const char *more)
{
	char *text = xasprintf("%s: %s%s", path, what, more);

	json_array_append_new(problems, json_printable_text(text));
	free(text);
}

/* An object from path to entry: the arrays may be long. */
static json_t *by_path(const json_t *files)
{
	json_t *map = json_object();
	json_t *file;
	size_t i;

	json_array_foreach (files, i, file)
		json_object_set(map, json_text(file, "path", ""), file);
	return map;
}

static const char *digest_of(const json_t *file)
{
	return json_text(file, "sha256", "");
}

static void check_wanted(
	const json_t *file, const json_t *found, const char *where, json_t *problems)
{
	const char *path = json_text(file, "path", "");
	const json_t *there = json_object_get(found, path);
	const char *kind = json_text(there, "kind", NULL);
	const char *was = strcmp(where, "signed") == 0 ? "signed" : "recorded";

	if (!stays_inside(path))
		add_problem(problems, path, "leaves the record's folder", "");
	else if (!there)
		add_problem(problems, path, "is missing", "");
	else if (kind)
		add_problem(problems, path, "not a file any more but a ", kind);
	else if (strcmp(digest_of(there), digest_of(file)) != 0)
		add_problem(problems, path, "its content is not what was ", was);
}

void files_compare(const json_t *wanted, const json_t *found, const char *where,
	files_left_out_fn *may_be_there, json_t *problems)
{
	json_t *wanted_map = by_path(wanted), *found_map = by_path(found);
	const json_t *file;
	size_t i;

	json_array_foreach (wanted, i, file) {
		const char *path = json_text(file, "path", "");

		if (json_object_get(wanted_map, path) != file)
			add_problem(problems, path, "named twice", "");
		else
			check_wanted(file, found_map, where, problems);
	}
	json_array_foreach (found, i, file) {
		const char *path = json_text(file, "path", "");

		if (!json_object_get(wanted_map, path) && !(may_be_there && may_be_there(path)))
			add_problem(problems, path, "not ", where);
	}
	json_decref(wanted_map);
	json_decref(found_map);
}

/* --- a record and its files --- */

static char *folder_of_file(const char *file)
{
	const char *base = path_base(file);

	if (base == file)
		return xstrdup(".");
	return xstrndup(file, base - file > 1 ? (size_t)(base - file) - 1 : 1);
}

char *record_folder(const char *path)
{
	return folder_exists(path) ? xstrdup(path) : folder_of_file(path);
}

void record_check_found(const json_t *record, const json_t *found, json_t *problems)
{
	const json_t *recorded = json_object_get(record, "files");
	const char *contradiction = record_contradiction(record);

	if (contradiction)
		json_array_append_new(problems,
			json_sprintf("record.json contradicts itself: %s", contradiction));
	if (json_array_size(json_object_get(record, "attempts")) && !json_array_size(recorded))
		json_array_append_new(problems, json_string("record.json names no evidence"));
	files_compare(recorded, found, "in the record", is_left_out, problems);
}

/* `files` cannot name the record itself. A link in its place shows what lies elsewhere and does not
 * go along with the folder. */
static void check_is_file(const json_t *found, json_t *problems)
{
	const json_t *file;
	size_t i;

	json_array_foreach (found, i, file)
		if (strcmp(json_text(file, "path", ""), "record.json") == 0 &&
			json_text(file, "kind", NULL))
			add_problem(problems, "record.json", "not a file but a ",
				json_text(file, "kind", ""));
}

json_t *record_check_files(const char *path, struct error *err)
{
	json_t *record = record_read(path, err), *problems = NULL, *found;
	char *folder;

	if (!record)
		return NULL;
	folder = record_folder(path);
	found = files_list(folder, err);
	if (found) {
		problems = json_array();
		check_is_file(found, problems);
		record_check_found(record, found, problems);
	}
	json_decref(found);
	json_decref(record);
	free(folder);
	return problems;
}
