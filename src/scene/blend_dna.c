/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/blend_dna.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { STRUCT_HEAD = 4, FIELD_BYTES = 4 };

struct blend_dna {
	const unsigned char *bytes;
	size_t len, at;
	bool little_endian;
	size_t pointer_bytes;
	const char **names, **types;
	size_t name_count, type_count, struct_count;
	const unsigned char *type_sizes;
	const unsigned char **structs; /* each whole within `bytes` */
};

uint64_t blend_number(const unsigned char *at, int bytes, bool little_endian)
{
	uint64_t value = 0;
	int i;

	for (i = 0; i < bytes; i++)
		value = value << 8 | at[little_endian ? bytes - 1 - i : i];
	return value;
}

static size_t get(const struct blend_dna *dna, const unsigned char *at, int bytes)
{
	return (size_t)blend_number(at, bytes, dna->little_endian);
}

/* Steps over a section's four letters, at the next multiple of 4. */
static bool enter(struct blend_dna *dna, const char *letters)
{
	dna->at = (dna->at + 3) & ~(size_t)3;
	if (dna->at > dna->len || dna->len - dna->at < 4 ||
		memcmp(dna->bytes + dna->at, letters, 4) != 0)
		return false;
	dna->at += 4;
	return true;
}

/* The count at the head of a section; what is counted takes at least `each` bytes, so that a false
 * count cannot ask for more memory than the file is long. */
static bool read_count(struct blend_dna *dna, size_t each, size_t *count)
{
	if (dna->len - dna->at < 4)
		return false;
	*count = get(dna, dna->bytes + dna->at, 4);
	dna->at += 4;
	return *count <= (dna->len - dna->at) / each;
}

static bool read_texts(
	struct blend_dna *dna, const char *letters, const char ***texts, size_t *count)
{
	size_t i;

	if (!enter(dna, letters) || !read_count(dna, 1, count))
		return false;
	*texts = xcalloc(*count, sizeof(**texts));
	for (i = 0; i < *count; i++) {
		const char *text = (const char *)dna->bytes + dna->at;
		const char *end = memchr(text, 0, dna->len - dna->at);

		if (!end)
			return false;
		(*texts)[i] = text;
		dna->at += (size_t)(end - text) + 1;
	}
	return true;
}

static bool read_type_sizes(struct blend_dna *dna)
{
	if (!enter(dna, "TLEN") || dna->type_count > (dna->len - dna->at) / 2)
		return false;
	dna->type_sizes = dna->bytes + dna->at;
	dna->at += 2 * dna->type_count;
	return true;
}

static bool read_struct(struct blend_dna *dna, size_t number)
{
	const unsigned char *at = dna->bytes + dna->at;
	size_t left = dna->len - dna->at, fields, i;

	if (left < STRUCT_HEAD || get(dna, at, 2) >= dna->type_count)
		return false;
	fields = get(dna, at + 2, 2);
	if (fields > (left - STRUCT_HEAD) / FIELD_BYTES)
		return false;
	for (i = 0; i < fields; i++) {
		const unsigned char *field = at + STRUCT_HEAD + FIELD_BYTES * i;

		if (get(dna, field, 2) >= dna->type_count ||
			get(dna, field + 2, 2) >= dna->name_count)
			return false;
	}
	dna->structs[number] = at;
	dna->at += STRUCT_HEAD + FIELD_BYTES * fields;
	return true;
}

static bool read_structs(struct blend_dna *dna)
{
	size_t i;

	if (!enter(dna, "STRC") || !read_count(dna, STRUCT_HEAD, &dna->struct_count))
		return false;
	dna->structs = xcalloc(dna->struct_count, sizeof(*dna->structs));
	for (i = 0; i < dna->struct_count; i++)
		if (!read_struct(dna, i))
			return false;
	return true;
}

struct blend_dna *blend_dna_read(const unsigned char *bytes, size_t len, bool little_endian,
	int pointer_bytes, struct error *err)
{
	struct blend_dna *dna = xcalloc(1, sizeof(*dna));

	dna->bytes = bytes;
	dna->len = len;
	dna->little_endian = little_endian;
	dna->pointer_bytes = (size_t)pointer_bytes;
	if (enter(dna, "SDNA") && read_texts(dna, "NAME", &dna->names, &dna->name_count) &&
		read_texts(dna, "TYPE", &dna->types, &dna->type_count) && read_type_sizes(dna) &&
		read_structs(dna))
		return dna;
	blend_dna_free(dna);
	error_set(err, "the description of its structs (DNA1) is damaged");
	return NULL;
}

const char *blend_dna_struct(const struct blend_dna *dna, uint64_t number)
{
	return number < dna->struct_count ? dna->types[get(dna, dna->structs[number], 2)] : NULL;
}

/* Does "*name[4]" name the field "name"? */
static bool is_named(const char *declared, const char *field)
{
	size_t len = strlen(field);

	declared += strspn(declared, "*(");
	return strncmp(declared, field, len) == 0 &&
	       (!declared[len] || declared[len] == '[' || declared[len] == ')');
}

/* The product of the sizes in brackets; 0 when that is no sensible number. */
static size_t array_count(const char *declared)
{
	size_t count = 1;

	while ((declared = strchr(declared, '['))) {
		unsigned long size = strtoul(declared + 1, NULL, 10);

		if (size > 1u << 20 || count > 1u << 20)
			return 0;
		count *= size;
		declared++;
	}
	return count;
}

static size_t field_size(const struct blend_dna *dna, const unsigned char *field)
{
	const char *declared = dna->names[get(dna, field + 2, 2)];
	size_t one = declared[0] == '*' || declared[0] == '('
			     ? dna->pointer_bytes
			     : get(dna, dna->type_sizes + 2 * get(dna, field, 2), 2);

	return one * array_count(declared);
}

static const unsigned char *find_struct(const struct blend_dna *dna, const char *type)
{
	size_t i;

	for (i = 0; i < dna->struct_count; i++)
		if (strcmp(blend_dna_struct(dna, i), type) == 0)
			return dna->structs[i];
	return NULL;
}

bool blend_dna_field(const struct blend_dna *dna, const char *type, const char *field,
	size_t *offset, size_t *size)
{
	const unsigned char *found = find_struct(dna, type);
	size_t count = found ? get(dna, found + 2, 2) : 0, at = 0, i;

	for (i = 0; i < count; i++) {
		const unsigned char *one = found + STRUCT_HEAD + FIELD_BYTES * i;

		if (is_named(dna->names[get(dna, one + 2, 2)], field)) {
			*offset = at;
			*size = field_size(dna, one);
			return true;
		}
		at += field_size(dna, one);
	}
	return false;
}

void blend_dna_free(struct blend_dna *dna)
{
	if (!dna)
		return;
	free(dna->names);
	free(dna->types);
	free(dna->structs);
	free(dna);
}
