/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "scene/label.h"
#include "scene/manifest.h"
#include "scene/need_place.h"
#include "scene/notes.h"

enum { CHOICES_SHOWN = 5 };

/* The name as text, and beside it in hex when the text cannot be turned back into its bytes. */
static void set_name(json_t *object, const char *key, const char *name)
{
	size_t len = strlen(name);
	char *hex, *hex_key;

	json_object_set_new(object, key, json_printable(name, len));
	if (text_is_utf8(name, len))
		return;
	hex = xmalloc(2 * len + 1);
	text_hex((const unsigned char *)name, len, hex);
	hex_key = xasprintf("%s_hex", key);
	json_object_set_new(object, hex_key, json_string(hex));
	free(hex_key);
	free(hex);
}

static json_t *need_json(const struct manifest *manifest, const struct manifest_entry *from,
	const struct blend_need *need)
{
	json_t *object = json_object();
	struct need_place place;

	need_place_find(manifest, from, need, &place);
	json_object_set_new(object, "kind", json_string(need->kind));
	set_name(object, "name", need->name);
	set_name(object, "stored", need->stored);
	json_object_set_new(object, "packed", json_boolean(need->packed));
	json_object_set_new(object, "in_archive", json_string(known_name(place.in_archive)));
	if (place.path)
		set_name(object, "path", place.path);
	if (place.issue) {
		json_object_set_new(object, "issue", json_string(place.issue));
		json_object_set_new(
			object, "issue_text", json_string(need_issue_text(place.issue)));
	}
	need_place_release(&place);
	return object;
}

/* What the .blend says it needs; null with a why when that could not be read. */
static void set_needs(
	json_t *object, const struct manifest *manifest, const struct manifest_entry *entry)
{
	json_t *list;
	size_t i;

	if (entry->needs.why[0]) {
		json_object_set_new(object, "dependencies", json_null());
		json_object_set_new(object, "dependencies_why", json_string(entry->needs.why));
		return;
	}
	list = json_array();
	for (i = 0; i < entry->needs.count; i++)
		json_array_append_new(list, need_json(manifest, entry, &entry->needs.list[i]));
	json_object_set_new(object, "dependencies", list);
}

static json_t *blend_json(const struct manifest_entry *entry)
{
	const struct blend_header *blend = &entry->blend;
	char version[32];

	blend_version_text(blend, version);
	return json_pack("{s:s, s:i, s:i, s:i, s:s, s:i, s:i, s:s, s:s}", "version", version,
		"version_major", blend->version_major, "version_minor", blend->version_minor,
		"pointer_bytes", blend->pointer_bytes, "endianness",
		blend->little_endian ? "little" : "big", "header_bytes", blend->header_bytes,
		"format_version", blend->format_version, "outer", blend_outer_name(blend->outer),
		"inner_sha256", entry->inner_sha256);
}

static json_t *entry_json(const struct manifest *manifest, const struct manifest_entry *entry)
{
	static const char *const names[] = { "file", "link", "folder" };
	json_t *object = json_object();

	set_name(object, "path", entry->path);
	json_object_set_new(object, "type",
		json_string(names[entry->type == 'f'   ? 0
				  : entry->type == 'l' ? 1
						       : 2]));
	if (entry->type == 'd')
		return object;
	json_object_set_new(object, "size", json_integer((json_int_t)entry->size));
	json_object_set_new(object, "sha256", json_string(entry->sha256));
	if (entry->stored_name)
		set_name(object, "stored_name", entry->stored_name);
	if (entry->link_target)
		set_name(object, "target", entry->link_target);
	if (entry->is_blend) {
		json_t *blend = blend_json(entry);

		set_needs(blend, manifest, entry);
		json_object_set_new(object, "blend", blend);
	}
	return object;
}

static void set_file(json_t *object, const struct manifest *manifest)
{
	if (manifest->file_sha256[0]) {
		json_object_set_new(
			object, "file_size", json_integer((json_int_t)manifest->file_size));
		json_object_set_new(object, "file_sha256", json_string(manifest->file_sha256));
		return;
	}
	json_object_set_new(object, "file_size", json_null());
	json_object_set_new(object, "file_sha256", json_null());
	json_object_set_new(object, "file_why", json_string("a folder has no bytes of its own"));
}

static json_t *note_json(const struct manifest_note *note)
{
	json_t *paths = json_array();
	size_t i;

	for (i = 0; i < note->count && i < NOTE_PATHS_MAX; i++)
		json_array_append_new(
			paths, json_printable(note->paths[i], strlen(note->paths[i])));
	return json_pack("{s:s, s:s, s:I, s:o}", "id", note->id, "text", note_text(note->id),
		"count", (json_int_t)note->count, "paths", paths);
}

json_t *manifest_json(const struct manifest *manifest)
{
	json_t *object = json_object(), *entries = json_array(), *notes = json_array();
	json_int_t content = 0;
	size_t i;

	for (i = 0; i < manifest->entry_count; i++) {
		json_array_append_new(entries, entry_json(manifest, &manifest->entries[i]));
		content += (json_int_t)manifest->entries[i].size;
	}
	json_object_set_new(object, "schema", json_string("oamqual-manifest/1"));
	set_name(object, "source", manifest->source);
	json_object_set_new(object, "container", json_string(manifest->container));
	json_object_set_new(object, "filter", json_string(manifest->filter));
	set_file(object, manifest);
	json_object_set_new(object, "tree_sha256", json_string(manifest->tree_sha256));
	json_object_set_new(object, "content_size", json_integer(content));
	json_object_set_new(object, "entries", entries);
	for (i = 0; i < manifest->note_count; i++)
		json_array_append_new(notes, note_json(&manifest->notes[i]));
	json_object_set_new(object, "notes", notes);
	return object;
}

/* --- which .blend? --- */

static bool any_blend(const struct manifest_entry *entry)
{
	(void)entry;
	return true;
}

static bool is_scene_blend(const struct manifest_entry *entry)
{
	return strcmp(entry->path, "scene.blend") == 0;
}

static bool is_at_top(const struct manifest_entry *entry)
{
	return !strchr(entry->path, '/');
}

static const struct manifest_entry *only(
	const struct manifest *manifest, bool (*fits)(const struct manifest_entry *entry))
{
	const struct manifest_entry *found = NULL;
	size_t i;

	for (i = 0; i < manifest->entry_count; i++) {
		const struct manifest_entry *entry = &manifest->entries[i];

		if (!entry->is_blend || !fits(entry))
			continue;
		if (found)
			return NULL;
		found = entry;
	}
	return found;
}

static const struct manifest_entry *named(const struct manifest *manifest, const char *wanted)
{
	size_t i;

	for (i = 0; i < manifest->entry_count; i++)
		if (manifest->entries[i].is_blend && strcmp(manifest->entries[i].path, wanted) == 0)
			return &manifest->entries[i];
	return NULL;
}

static void say_choices(const struct manifest *manifest, const char *wanted, struct error *err)
{
	char *source = label_new(manifest->source);
	struct str list = STR_INIT;
	size_t count = 0, i;

	for (i = 0; i < manifest->entry_count; i++) {
		char *label;

		if (!manifest->entries[i].is_blend || count++ >= CHOICES_SHOWN)
			continue;
		label = label_new(manifest->entries[i].path);
		str_addf(&list, "%s%s", count > 1 ? ", " : "", label);
		free(label);
	}
	if (!count)
		error_set(err, "%s: no .blend inside", source);
	else if (wanted)
		error_set(err, "%s: no .blend of the name asked for; there are %zu: %s", source,
			count, list.data);
	else
		error_set(err, "%s: which .blend? There are %zu: %s%s", source, count, list.data,
			count > CHOICES_SHOWN ? " ..." : "");
	str_release(&list);
	free(source);
}

const struct manifest_entry *manifest_blend(
	const struct manifest *manifest, const char *wanted, struct error *err)
{
	static bool (*const rules[])(
		const struct manifest_entry *) = { any_blend, is_scene_blend, is_at_top };
	const struct manifest_entry *found = wanted ? named(manifest, wanted) : NULL;
	size_t i;

	for (i = 0; !wanted && !found && i < sizeof(rules) / sizeof(rules[0]); i++)
		found = only(manifest, rules[i]);
	if (!found)
		say_choices(manifest, wanted, err);
	return found;
}
