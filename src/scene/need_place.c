/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/need_place.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "scene/entry_list.h"

static const struct {
	const char *issue, *text;
} issues[] = {
	{ "absolute", "an absolute path: not there on another machine" },
	{ "windows-drive", "a path with a drive letter: nowhere on Linux" },
	{ "network", "a network path (UNC): nowhere on Linux" },
	{ "maybe-network",
		"beside the .blend by Blender's rule, or a network path (UNC) with slashes" },
	{ "working-folder", "relative to the folder in which Blender is started" },
	{ "outside", "leads out of the archive" },
	{ "backslashes", "has backslashes, which Blender turns into slashes" },
	{ "case", "there only in other case" },
};

const char *need_issue_text(const char *issue)
{
	size_t i;

	for (i = 0; i < sizeof(issues) / sizeof(issues[0]); i++)
		if (strcmp(issues[i].issue, issue) == 0)
			return issues[i].text;
	return issue;
}

/* Why a path is none that the archive could answer for; NULL when it is one. */
static const char *elsewhere(const char *stored)
{
	if (stored[0] == '\\' && stored[1] == '\\')
		return "network";
	if (str_starts(stored, "//"))
		return NULL;
	if (isalpha((unsigned char)stored[0]) && stored[1] == ':')
		return "windows-drive";
	return stored[0] == '/' || stored[0] == '\\' ? "absolute" : "working-folder";
}

static void add_part(struct str *to, const char *part, size_t len)
{
	if (to->len)
		str_add(to, "/");
	str_add_bytes(to, part, len);
}

/* Drops the last part; false when there is none. */
static bool go_up(struct str *place)
{
	size_t len = place->len;

	if (!len)
		return false;
	while (len && place->data[len - 1] != '/')
		len--;
	str_truncate(place, len ? len - 1 : 0);
	return true;
}

/* Goes along `path` from the place, backslashes as slashes. False when that leads out of the top.
 */
static bool go(struct str *place, const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/\\");

		if (len == 2 && memcmp(path, "..", 2) == 0) {
			if (!go_up(place))
				return false;
		} else if (len && !(len == 1 && path[0] == '.')) {
			add_part(place, path, len);
		}
		path += len + (path[len] != '\0');
	}
	return true;
}

/* "//server/share/file": three parts at least. */
static bool looks_like_network(const char *stored)
{
	size_t parts = 0;

	stored += 2;
	while (*stored) {
		size_t len = strcspn(stored, "/");

		if (!len || strncmp(stored, "..", len) == 0)
			return false;
		parts++;
		stored += len + (stored[len] != '\0');
	}
	return parts >= 3;
}

const char *need_path_issue(const char *stored, bool found)
{
	const char *issue = elsewhere(stored);

	if (issue)
		return issue;
	if (!found && looks_like_network(stored))
		return "maybe-network";
	return strchr(stored, '\\') ? "backslashes" : NULL;
}

static const struct manifest_entry *find_in_any_case(
	const struct manifest *manifest, const char *path)
{
	size_t i;

	for (i = 0; i < manifest->entry_count; i++)
		if (manifest->entries[i].type != 'd' &&
			strcasecmp(manifest->entries[i].path, path) == 0)
			return &manifest->entries[i];
	return NULL;
}

/* Some tile of "name.<UDIM>.png". */
static bool has_tile(const struct manifest *manifest, const char *path)
{
	const char *open = strrchr(path, '<'), *close = open ? strchr(open, '>') : NULL;
	size_t before = open ? (size_t)(open - path) : 0, i;

	for (i = 0; close && i < manifest->entry_count; i++) {
		const struct manifest_entry *entry = &manifest->entries[i];
		size_t len = strlen(entry->path), after = strlen(close + 1);

		if (entry->type != 'd' && len > before + after &&
			memcmp(entry->path, path, before) == 0 &&
			strcmp(entry->path + len - after, close + 1) == 0 &&
			!memchr(entry->path + before, '/', len - before - after))
			return true;
	}
	return false;
}

static bool is_there(const struct manifest *manifest, const char *path)
{
	return entry_list_reaches(manifest->entries, manifest->entry_count, path) ||
	       has_tile(manifest, path);
}

/* Of a path that begins with "//". */
static void look(const struct manifest *manifest, const char *stored, struct need_place *out)
{
	bool found = is_there(manifest, out->path);

	out->in_archive = found ? KNOWN_YES : KNOWN_NO;
	out->issue = need_path_issue(stored, found);
	if (!found && find_in_any_case(manifest, out->path))
		out->issue = "case";
	else if (out->issue && strcmp(out->issue, "maybe-network") == 0)
		out->in_archive = KNOWN_UNKNOWN;
}

void need_place_find(const struct manifest *manifest, const struct manifest_entry *from,
	const struct blend_need *need, struct need_place *out)
{
	const char *slash = strrchr(from->path, '/');
	struct str place = STR_INIT;

	memset(out, 0, sizeof(*out));
	out->issue = elsewhere(need->stored);
	if (out->issue) {
		out->in_archive =
			strcmp(out->issue, "working-folder") == 0 ? KNOWN_UNKNOWN : KNOWN_NO;
		return;
	}
	if (slash)
		str_add_bytes(&place, from->path, (size_t)(slash - from->path));
	if (go(&place, need->stored + 2) && place.len) {
		out->path = str_detach(&place);
		look(manifest, need->stored, out);
		return;
	}
	str_release(&place);
	out->in_archive = KNOWN_NO;
	out->issue = "outside";
}

void need_place_release(struct need_place *place)
{
	free(place->path);
	memset(place, 0, sizeof(*place));
}
