/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "scene/manifest.h"
#include "scene/need_place.h"
#include "scene/notes.h"

static void print_name(const char *before, const char *name, const char *after)
{
	char *shown = text_printable(name, strlen(name));

	printf("%s%s%s", before, shown, after);
	free(shown);
}

static void print_need(const struct manifest *manifest, const struct manifest_entry *from,
	const struct blend_need *need)
{
	static const char *const answers[] = { "not known to be in the archive",
		"not in the archive", "in the archive" };
	struct need_place place;

	need_place_find(manifest, from, need, &place);
	printf("  needs %s ", need->kind);
	print_name("", need->stored, ": ");
	printf("%s", need->packed ? "packed in the .blend" : answers[place.in_archive]);
	if (place.issue)
		printf(" (%s)", need_issue_text(place.issue));
	putchar('\n');
	need_place_release(&place);
}

static void print_needs(const struct manifest *manifest, const struct manifest_entry *from)
{
	size_t i;

	if (from->needs.why[0])
		printf("  needs: unknown, %s\n", from->needs.why);
	for (i = 0; i < from->needs.count; i++)
		print_need(manifest, from, &from->needs.list[i]);
}

static void print_blend(const struct manifest_entry *entry)
{
	const struct blend_header *blend = &entry->blend;
	char version[32];

	blend_version_text(blend, version);
	printf("  Blender %s, %d-bit, %s-endian, %s", version, 8 * blend->pointer_bytes,
		blend->little_endian ? "little" : "big", blend_outer_name(blend->outer));
	if (blend->outer != BLEND_PLAIN)
		printf(", inside %s", entry->inner_sha256);
	putchar('\n');
}

static void print_entry(const struct manifest *manifest, const struct manifest_entry *entry)
{
	char none[65];

	memset(none, '-', 64);
	none[64] = '\0';
	printf("%c %12llu %s ", entry->type, (unsigned long long)entry->size,
		entry->type == 'd' ? none : entry->sha256);
	print_name("", entry->path, "");
	if (entry->link_target)
		print_name(" -> ", entry->link_target, "");
	putchar('\n');
	if (!entry->is_blend)
		return;
	print_blend(entry);
	print_needs(manifest, entry);
}

static void print_note(const struct manifest_note *note)
{
	size_t i;

	printf("note %s: %s:", note->id, note_text(note->id));
	for (i = 0; i < note->count && i < NOTE_PATHS_MAX; i++)
		print_name(i ? ", " : " ", note->paths[i], "");
	if (note->count > NOTE_PATHS_MAX)
		printf(" and %zu more", note->count - NOTE_PATHS_MAX);
	putchar('\n');
}

static void print_manifest(const struct manifest *manifest)
{
	size_t i;

	print_name("", manifest->source, "\n");
	printf("container %s, compression %s\n", manifest->container, manifest->filter);
	if (manifest->file_sha256[0])
		printf("file %s %llu bytes\n", manifest->file_sha256,
			(unsigned long long)manifest->file_size);
	printf("tree %s\n", manifest->tree_sha256);
	for (i = 0; i < manifest->entry_count; i++)
		print_entry(manifest, &manifest->entries[i]);
	for (i = 0; i < manifest->note_count; i++)
		print_note(&manifest->notes[i]);
}

/* One archive at a time: the others are listed although one cannot be read. */
static int fingerprint(const char *path, bool is_first, json_t *list)
{
	struct manifest manifest;
	struct error err;

	if (manifest_read(path, false, NULL, &manifest, &err) != 0)
		return cli_fail(&err);
	if (list) {
		json_array_append_new(list, manifest_json(&manifest));
	} else {
		if (!is_first)
			putchar('\n');
		print_manifest(&manifest);
	}
	manifest_release(&manifest);
	return STATUS_ACCEPTED;
}

static void print_list(const json_t *list, size_t asked)
{
	if (asked > 1)
		json_print(list, stdout);
	else if (json_array_size(list))
		json_print(json_array_get(list, 0), stdout);
}

static int run(const struct options *options)
{
	size_t count = options_operand_count(options), i;
	json_t *list = options_flag(options, "json") ? json_array() : NULL;
	int status = STATUS_ACCEPTED;

	for (i = 0; i < count; i++) {
		int one = fingerprint(options_operand(options, i), i == 0, list);

		status = one > status ? one : status;
	}
	if (list)
		print_list(list, count);
	json_decref(list);
	return status;
}

static const struct option_row rows[] = {
	{ "json", 0, NULL, "print the manifest as JSON: one object, or an array for several" },
	{ 0 },
};

const struct command command_fingerprint = {
	.name = "fingerprint",
	.operands = "ARCHIVE...",
	.operands_min = 1,
	.operands_max = (size_t)-1,
	.summary = "the digest manifest of scene archives",
	.about =
		"ARCHIVE is a tar (plain, gzip, bzip2, xz, zstd, lz4), a zip, a 7z, a .blend file\n"
		"(plain, gzip, zstd) or a folder. For each: the SHA-256 of the file, the tree "
		"digest, which is\n"
		"the same for the same files in any container, and a line an entry: type (f file, "
		"l link,\n"
		"d folder), size, SHA-256, path. A byte that cannot be shown stands as \\xHH.\n\n"
		"Nothing is fingerprinted that could not be unpacked safely or is not whole: paths "
		"and links\n"
		"that leave the archive, devices, encrypted entries, duplicates, truncated or "
		"changing files.\n",
	.rows = rows,
	.run = run,
};
