/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/blend_needs.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "scene/blend_dna.h"

/* Names of fields as files of any version have them; Blender's later names for them stand in memory
 * only. */
static const struct kind {
	char code[5];
	const char *type, *kind;
	const char *path[2], *packed[2];
} kinds[] = {
	{ "IM\0\0", "Image", "image", { "name", "filepath" }, { "packedfiles", "packedfile" } },
	{ "LI\0\0", "Library", "library", { "name", "filepath" }, { "packedfile" } },
	{ "VF\0\0", "VFont", "font", { "name", "filepath" }, { "packedfile" } },
	{ "SO\0\0", "bSound", "sound", { "name", "filepath" }, { "packedfile" } },
	{ "CF\0\0", "CacheFile", "cache", { "filepath" }, { 0 } },
	{ "VO\0\0", "Volume", "volume", { "filepath" }, { "packedfile" } },
	{ "MC\0\0", "MovieClip", "movie clip", { "name", "filepath" }, { 0 } },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* Image.source of pictures that no file holds: made by Blender, or a render result. */
enum { SOURCE_GENERATED = 4, SOURCE_VIEWER = 5 };

struct reading {
	const struct blend_dna *dna;
	const struct blend_block *block;
	const unsigned char *data;
	bool little_endian;
};

static const struct kind *kind_of(const char code[4])
{
	size_t i;

	for (i = 0; i < KINDS; i++)
		if (memcmp(kinds[i].code, code, 4) == 0)
			return &kinds[i];
	return NULL;
}

bool blend_needs_code(const char code[4])
{
	return kind_of(code) != NULL;
}

/* The first of the fields that the struct has, whole within what was kept; NULL when none. */
static const unsigned char *find(
	const struct reading *reading, const char *type, const char *const fields[2], size_t *size)
{
	size_t offset, i;

	for (i = 0; i < 2 && fields[i]; i++)
		if (blend_dna_field(reading->dna, type, fields[i], &offset, size))
			return offset <= reading->block->len &&
					       *size <= reading->block->len - offset
				       ? reading->data + offset
				       : NULL;
	return NULL;
}

static char *text_at(const unsigned char *at, size_t size)
{
	return xstrndup((const char *)at, strnlen((const char *)at, size));
}

static bool is_set(const unsigned char *at, size_t size)
{
	while (size--)
		if (at[size])
			return true;
	return false;
}

static bool is_packed(const struct reading *reading, const struct kind *kind)
{
	size_t size, i;

	for (i = 0; i < 2; i++) {
		const char *const one[2] = { kind->packed[i], NULL };
		const unsigned char *at = find(reading, kind->type, one, &size);

		if (at && is_set(at, size))
			return true;
	}
	return false;
}

static bool has_no_file(const struct reading *reading, const struct kind *kind)
{
	static const char *const source[2] = { "source", NULL };
	size_t size;
	const unsigned char *at =
		kind == &kinds[0] ? find(reading, kind->type, source, &size) : NULL;
	uint64_t value = at && size == 2 ? blend_number(at, 2, reading->little_endian) : 0;

	return value == SOURCE_GENERATED || value == SOURCE_VIEWER;
}

/* The name of the datablock; its first two letters are its kind. */
static char *name_of(const struct reading *reading)
{
	static const char *const name[2] = { "name", NULL };
	size_t size;
	const unsigned char *at = find(reading, "ID", name, &size);

	return at && size > 2 ? text_at(at + 2, size - 2) : xstrdup("");
}

/* False when the struct is not what the code says or has no path. */
static bool read_one(const struct reading *reading, struct blend_needs *needs)
{
	const struct kind *kind = kind_of(reading->block->code);
	const char *type = blend_dna_struct(reading->dna, reading->block->struct_number);
	const unsigned char *path;
	struct blend_need *need;
	size_t size;

	if (!type || strcmp(type, kind->type) != 0)
		return false;
	path = find(reading, kind->type, kind->path, &size);
	if (!path)
		return false;
	/* "<builtin>" is the font that Blender brings along. */
	if (!size || !path[0] || path[0] == '<' || has_no_file(reading, kind))
		return true;
	need = &needs->list[needs->count++];
	need->kind = kind->kind;
	need->name = name_of(reading);
	need->stored = text_at(path, size);
	need->packed = is_packed(reading, kind);
	return true;
}

bool blend_needs_read(const struct blend_dna *dna, const struct blend_block *blocks, size_t count,
	const unsigned char *kept, bool little_endian, struct blend_needs *out)
{
	struct blend_needs needs = { .list = xcalloc(count, sizeof(*needs.list)) };
	size_t i;

	for (i = 0; i < count; i++) {
		struct reading reading = { dna, &blocks[i], kept + blocks[i].at, little_endian };

		if (!read_one(&reading, &needs)) {
			blend_needs_release(&needs);
			return false;
		}
	}
	*out = needs;
	return true;
}

void blend_needs_release(struct blend_needs *needs)
{
	size_t i;

	for (i = 0; i < needs->count; i++) {
		free(needs->list[i].name);
		free(needs->list[i].stored);
	}
	free(needs->list);
	memset(needs, 0, sizeof(*needs));
}

void blend_needs_copy(const struct blend_needs *from, struct blend_needs *to)
{
	size_t i;

	*to = *from;
	to->list = xcalloc(from->count, sizeof(*to->list));
	for (i = 0; i < from->count; i++) {
		to->list[i] = from->list[i];
		to->list[i].name = xstrdup(from->list[i].name);
		to->list[i].stored = xstrdup(from->list[i].stored);
	}
}
