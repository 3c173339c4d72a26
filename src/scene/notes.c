/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/notes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utf8proc.h>

#include "base/str.h"
#include "base/text.h"

static const struct {
	const char *id, *text;
} texts[] = {
	{ "collision",
		"the same name where case or the form of Unicode does not count: not portable" },
	{ "name-not-utf8", "not UTF-8: kept as the bytes that were stored" },
	{ "backslash-in-name", "a backslash that is a character here and a separator on Windows" },
	{ "two-names", "stored under two names; its Unicode path counts" },
	{ "git-lfs-pointer", "a git-lfs pointer: the real file was not fetched" },
	{ "html-page", "an HTML or XML page under the name of a media file" },
};

const char *note_text(const char *id)
{
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(texts[i].id, id) == 0)
			return texts[i].text;
	return id;
}

struct list {
	struct manifest_note *notes;
	size_t count;
};

static struct manifest_note *add_note(struct list *list, const char *id)
{
	struct manifest_note *note;

	if (list->count == NOTES_MAX)
		return NULL;
	list->notes = xrealloc(list->notes, (list->count + 1) * sizeof(*list->notes));
	note = &list->notes[list->count++];
	memset(note, 0, sizeof(*note));
	note->id = id;
	return note;
}

static void add_path(struct manifest_note *note, const char *path, size_t len)
{
	if (note && note->count < NOTE_PATHS_MAX)
		note->paths[note->count] = xstrndup(path, len);
	if (note)
		note->count++;
}

/* --- collisions --- */

/* A path or the path of a folder above one: the first `len` bytes. */
struct folded {
	char *key;
	const char *path;
	size_t len;
};

struct folds {
	struct folded *list;
	size_t count, capacity;
};

static bool is_ascii(const char *text, size_t len)
{
	while (len--)
		if ((unsigned char)text[len] >= 128)
			return false;
	return true;
}

char *note_fold(const char *path, size_t len)
{
	static const utf8proc_option_t how = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD;
	utf8proc_uint8_t *folded = NULL;
	char *key;
	size_t i;

	if (!is_ascii(path, len) && utf8proc_map((const utf8proc_uint8_t *)path,
					    (utf8proc_ssize_t)len, &folded, how) >= 0)
		return (char *)folded;
	key = xstrndup(path, len);
	for (i = 0; i < len; i++)
		if ((unsigned char)key[i] < 128)
			key[i] = (char)tolower((unsigned char)key[i]);
	return key;
}

static void add_fold(struct folds *folds, const char *path, size_t len)
{
	if (folds->count == folds->capacity) {
		folds->capacity = folds->capacity ? 2 * folds->capacity : 64;
		folds->list = xrealloc(folds->list, folds->capacity * sizeof(*folds->list));
	}
	folds->list[folds->count++] = (struct folded){ note_fold(path, len), path, len };
}

/* The path and each folder above it that the path before it in the list was not below. */
static void add_folds(struct folds *folds, const char *path, const char *before)
{
	const char *slash = path;
	size_t len;

	while ((slash = strchr(slash, '/'))) {
		len = (size_t)(slash - path);
		if (strncmp(before, path, len) != 0 || (before[len] != '/' && before[len]))
			add_fold(folds, path, len);
		slash++;
	}
	add_fold(folds, path, strlen(path));
}

static int by_key(const void *a, const void *b)
{
	const struct folded *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	if (order)
		return order;
	order = strncmp(x->path, y->path, x->len < y->len ? x->len : y->len);
	return order ? order : x->len < y->len ? -1 : x->len > y->len;
}

static bool is_same_path(const struct folded *a, const struct folded *b)
{
	return a->len == b->len && memcmp(a->path, b->path, a->len) == 0;
}

/* Paths of one key, from the first on: how many entries of the list, and a note when they differ.
 */
static size_t note_group(struct list *list, const struct folded *first, size_t left)
{
	struct manifest_note *note = NULL;
	const struct folded *last = first;
	size_t i;

	for (i = 1; i < left && strcmp(first[i].key, first->key) == 0; i++) {
		if (is_same_path(&first[i], last))
			continue;
		if (!note) {
			note = add_note(list, "collision");
			add_path(note, first->path, first->len);
		}
		last = &first[i];
		add_path(note, last->path, last->len);
	}
	return i;
}

static void note_collisions(
	struct list *list, const struct manifest_entry *entries, size_t entry_count)
{
	struct folds folds = { 0 };
	size_t i;

	for (i = 0; i < entry_count; i++)
		add_folds(&folds, entries[i].path, i ? entries[i - 1].path : "");
	if (folds.count)
		qsort(folds.list, folds.count, sizeof(*folds.list), by_key);
	for (i = 0; i < folds.count;)
		i += note_group(list, &folds.list[i], folds.count - i);
	for (i = 0; i < folds.count; i++)
		free(folds.list[i].key);
	free(folds.list);
}

/* --- single entries --- */

static const char *if_not_utf8(const struct manifest_entry *entry)
{
	return text_is_utf8(entry->path, strlen(entry->path)) ? NULL : "name-not-utf8";
}

static const char *if_backslash(const struct manifest_entry *entry)
{
	return strchr(entry->path, '\\') ? "backslash-in-name" : NULL;
}

static const char *if_two_names(const struct manifest_entry *entry)
{
	return entry->stored_name ? "two-names" : NULL;
}

static const char *if_pointer(const struct manifest_entry *entry)
{
	return entry->content == CONTENT_LFS_POINTER ? "git-lfs-pointer" : NULL;
}

static bool is_media(const char *path)
{
	static const char *const endings[] = { "png", "jpg", "jpeg", "exr", "hdr", "tif", "tiff",
		"tga", "bmp", "webp", "dds", "vdb", "abc", "usd", "usdc", "mp4", "mov", "mkv",
		"wav", "ogg", "flac", "mp3", "ttf", "otf" };
	const char *dot = strrchr(path, '.');
	size_t i;

	for (i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strcasecmp(dot + 1, endings[i]) == 0)
			return true;
	return false;
}

static const char *if_html(const struct manifest_entry *entry)
{
	return entry->content == CONTENT_HTML && is_media(entry->path) ? "html-page" : NULL;
}

static const char *(*const checks[])(const struct manifest_entry *) = { if_not_utf8, if_backslash,
	if_two_names, if_pointer, if_html };

static void note_entries(struct list *list, const struct manifest_entry *entries, size_t count,
	const char *(*check)(const struct manifest_entry *))
{
	struct manifest_note *note = NULL;
	const char *id;
	size_t i;

	for (i = 0; i < count; i++) {
		id = check(&entries[i]);
		if (id && !note)
			note = add_note(list, id);
		if (id)
			add_path(note, entries[i].path, strlen(entries[i].path));
	}
}

struct manifest_note *notes_of(
	const struct manifest_entry *entries, size_t entry_count, size_t *count)
{
	struct list list = { NULL, 0 };
	size_t i;

	for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		note_entries(&list, entries, entry_count, checks[i]);
	note_collisions(&list, entries, entry_count);
	*count = list.count;
	return list.notes;
}

void notes_free(struct manifest_note *notes, size_t count)
{
	size_t i, j;

	for (i = 0; i < count; i++)
		for (j = 0; j < NOTE_PATHS_MAX; j++)
			free(notes[i].paths[j]);
	free(notes);
}
