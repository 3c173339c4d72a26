/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/ply.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"

enum {
	ELEMENTS_MAX = 16,
	PROPERTIES_MAX = 64,
	WORDS_MAX = 5,
	WORD_SIZE = 64,
	LINE_MAX_BYTES = 4096
};

enum form { FORM_NONE, FORM_ASCII, FORM_LITTLE, FORM_BIG };
enum kind {
	KIND_CHAR,
	KIND_UCHAR,
	KIND_SHORT,
	KIND_USHORT,
	KIND_INT,
	KIND_UINT,
	KIND_FLOAT,
	KIND_DOUBLE
};
enum role { ROLE_NONE, ROLE_X, ROLE_Y, ROLE_Z, ROLE_CORNERS };

struct property {
	enum kind kind, count_kind;
	bool is_list;
	enum role role;
};

struct element {
	char name[WORD_SIZE];
	unsigned long long count;
	struct property properties[PROPERTIES_MAX];
	size_t property_count;
};

struct reader {
	const char *at, *end;
	enum form form;
	struct element elements[ELEMENTS_MAX];
	size_t element_count;
	const struct element *vertices, *faces;
	struct ply ply;
	size_t triangle_capacity;
};

/* --- header --- */

static const struct {
	const char *names[2];
	enum kind kind;
	size_t size;
} kinds[] = {
	{ { "char", "int8" }, KIND_CHAR, 1 },
	{ { "uchar", "uint8" }, KIND_UCHAR, 1 },
	{ { "short", "int16" }, KIND_SHORT, 2 },
	{ { "ushort", "uint16" }, KIND_USHORT, 2 },
	{ { "int", "int32" }, KIND_INT, 4 },
	{ { "uint", "uint32" }, KIND_UINT, 4 },
	{ { "float", "float32" }, KIND_FLOAT, 4 },
	{ { "double", "float64" }, KIND_DOUBLE, 8 },
};
enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

static const struct {
	const char *element, *property;
	enum role role;
	bool is_list;
} roles[] = {
	{ "vertex", "x", ROLE_X, false },
	{ "vertex", "y", ROLE_Y, false },
	{ "vertex", "z", ROLE_Z, false },
	{ "face", "vertex_indices", ROLE_CORNERS, true },
	{ "face", "vertex_index", ROLE_CORNERS, true },
};

struct words {
	char word[WORDS_MAX][WORD_SIZE];
	size_t count;
};

/* The next line of the header in words, of a longer line the first; a word that is too long ends
 * early and so equals none. */
static int next_line(struct reader *r, struct words *words, struct error *err)
{
	const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
	const char *at = r->at;

	memset(words, 0, sizeof(*words));
	if (!newline)
		return error_set(err, "ends within its header");
	if (newline - at > LINE_MAX_BYTES)
		return error_set(
			err, "a line of its header is longer than %d bytes", LINE_MAX_BYTES);
	while (at < newline && words->count < WORDS_MAX) {
		const char *from;

		while (at < newline && strchr(" \t\r", *at) && *at)
			at++;
		from = at;
		while (at < newline && (!strchr(" \t\r", *at) || !*at))
			at++;
		if (at - from >= WORD_SIZE)
			return error_set(
				err, "a word of its header is longer than %d bytes", WORD_SIZE - 1);
		if (at > from)
			memcpy(words->word[words->count++], from, (size_t)(at - from));
	}
	r->at = newline + 1;
	return 0;
}

static int kind_of(const char *name, enum kind *kind, struct error *err)
{
	size_t i;
	char *shown;

	for (i = 0; i < KIND_COUNT; i++)
		if (strcmp(name, kinds[i].names[0]) == 0 || strcmp(name, kinds[i].names[1]) == 0) {
			*kind = kinds[i].kind;
			return 0;
		}
	shown = text_printable(name, strlen(name));
	error_set(err, "its header has a property of unknown type '%s'", shown);
	free(shown);
	return -1;
}

static enum role role_of(const char *element, const char *property, bool is_list)
{
	size_t i;

	for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (strcmp(roles[i].element, element) == 0 &&
			strcmp(roles[i].property, property) == 0 && roles[i].is_list == is_list)
			return roles[i].role;
	return ROLE_NONE;
}

static int read_format(struct reader *r, const struct words *w, struct error *err)
{
	static const char *const names[] = { [FORM_ASCII] = "ascii",
		[FORM_LITTLE] = "binary_little_endian",
		[FORM_BIG] = "binary_big_endian" };
	int i;

	if (r->form != FORM_NONE || w->count != 3 || strcmp(w->word[2], "1.0") != 0)
		return error_set(err, "its header has not one format of version 1.0");
	for (i = FORM_ASCII; i <= FORM_BIG; i++)
		if (strcmp(w->word[1], names[i]) == 0)
			r->form = (enum form)i;
	return r->form ? 0
		       : error_set(err, "its format is none of ascii, binary_little_endian and "
					"binary_big_endian");
}

static int read_element(struct reader *r, const struct words *w, struct error *err)
{
	struct element *element = &r->elements[r->element_count];

	if (r->element_count == ELEMENTS_MAX)
		return error_set(err, "its header has more than %d elements", ELEMENTS_MAX);
	if (w->count != 3 || !text_u64(w->word[2], 10, &element->count))
		return error_set(err, "element %zu of its header is not 'element NAME COUNT'",
			r->element_count);
	strcpy(element->name, w->word[1]);
	r->element_count++;
	return 0;
}

static int read_property(struct reader *r, const struct words *w, struct error *err)
{
	struct element *element = r->element_count ? &r->elements[r->element_count - 1] : NULL;
	bool is_list = w->count > 1 && strcmp(w->word[1], "list") == 0;
	struct property *property;

	if (!element || w->count != (is_list ? 5u : 3u))
		return error_set(err, "its header has a property without type, name or element");
	if (element->property_count == PROPERTIES_MAX)
		return error_set(err, "its header has an element of more than %d properties",
			PROPERTIES_MAX);
	property = &element->properties[element->property_count];
	property->is_list = is_list;
	if (kind_of(w->word[is_list ? 3 : 1], &property->kind, err) != 0 ||
		(is_list && kind_of(w->word[2], &property->count_kind, err) != 0))
		return -1;
	property->role = role_of(element->name, w->word[is_list ? 4 : 2], is_list);
	if ((is_list && property->count_kind >= KIND_FLOAT) ||
		(property->role == ROLE_CORNERS && property->kind >= KIND_FLOAT))
		return error_set(err, "its header counts or numbers something by fractions");
	element->property_count++;
	return 0;
}

static int skip_line(struct reader *r, const struct words *w, struct error *err)
{
	(void)r;
	(void)w;
	(void)err;
	return 0;
}

static const struct {
	const char *word;
	int (*read)(struct reader *r, const struct words *w, struct error *err);
} lines[] = { { "format", read_format }, { "element", read_element }, { "property", read_property },
	{ "comment", skip_line }, { "obj_info", skip_line } };

static int read_line(struct reader *r, const struct words *w, struct error *err)
{
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (strcmp(w->word[0], lines[i].word) == 0)
			return lines[i].read(r, w, err);
	return error_set(err, "its header has a line that is not of PLY");
}

/* The element of that name that has each role from `first` to `last` once. */
static const struct element *find_element(
	const struct reader *r, const char *name, enum role first, enum role last)
{
	const struct element *found = NULL;
	size_t i, k;

	for (i = 0; i < r->element_count; i++)
		if (strcmp(r->elements[i].name, name) == 0) {
			unsigned seen = 0, count = 0;

			for (k = 0; k < r->elements[i].property_count; k++) {
				seen |= 1u << r->elements[i].properties[k].role;
				count += r->elements[i].properties[k].role != ROLE_NONE;
			}
			if (found || (seen | 1) != (2u << last) - (1u << first) + 1 ||
				count != last - first + 1u)
				return NULL;
			found = &r->elements[i];
		}
	return found;
}

static int read_header(struct reader *r, struct error *err)
{
	struct words words;

	if (next_line(r, &words, err) != 0 || strcmp(words.word[0], "ply") != 0)
		return error_set(err, "is not a PLY file: its first line is not 'ply'");
	for (;;) {
		if (next_line(r, &words, err) != 0)
			return -1;
		if (strcmp(words.word[0], "end_header") == 0)
			break;
		if (read_line(r, &words, err) != 0)
			return -1;
	}
	if (r->form == FORM_NONE)
		return error_set(err, "its header names no format");
	r->vertices = find_element(r, "vertex", ROLE_X, ROLE_Z);
	r->faces = find_element(r, "face", ROLE_CORNERS, ROLE_CORNERS);
	if (!r->vertices)
		return error_set(err, "its header has not one element 'vertex' with x, y and z");
	if (!r->faces)
		return error_set(
			err, "its header has not one element 'face' with a list vertex_indices");
	return 0;
}

/* --- values --- */

static uint64_t integer_at(const struct reader *r, size_t size)
{
	const unsigned char *bytes = (const unsigned char *)r->at;
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < size; i++)
		value = value << 8 | bytes[r->form == FORM_BIG ? i : size - 1 - i];
	return value;
}

static double value_of(uint64_t bits, enum kind kind)
{
	uint32_t low = (uint32_t)bits;
	double wide;
	float narrow;

	if (kind == KIND_DOUBLE) {
		memcpy(&wide, &bits, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, &low, sizeof(narrow));
	switch (kind) {
	case KIND_CHAR:
		return (int8_t)bits;
	case KIND_SHORT:
		return (int16_t)bits;
	case KIND_INT:
		return (int32_t)bits;
	case KIND_FLOAT:
		return narrow;
	default:
		return (double)bits;
	}
}

static bool take_word(struct reader *r, double *value)
{
	char word[WORD_SIZE];
	size_t len = 0;

	while (r->at < r->end && *r->at && strchr(" \t\r\n", *r->at))
		r->at++;
	while (r->at < r->end && !(*r->at && strchr(" \t\r\n", *r->at)) && len < sizeof(word) - 1)
		word[len++] = *r->at++;
	word[len] = 0;
	return len && strlen(word) == len && text_double(word, value);
}

/* False when the bytes are at their end or, of ASCII, what stands there is no number. */
static bool take(struct reader *r, enum kind kind, double *value)
{
	size_t size = kinds[kind].size;

	if (r->form == FORM_ASCII)
		return take_word(r, value);
	if ((size_t)(r->end - r->at) < size)
		return false;
	*value = value_of(integer_at(r, size), kind);
	r->at += size;
	return true;
}

/* --- rows --- */

static int add_triangle(struct reader *r, const uint32_t corners[3], struct error *err)
{
	struct ply *ply = &r->ply;

	if (ply->triangle_count == PLY_TRIANGLES_MAX)
		return error_set(err, "has more than %d triangles", PLY_TRIANGLES_MAX);
	if (ply->triangle_count == r->triangle_capacity) {
		r->triangle_capacity = r->triangle_capacity ? 2 * r->triangle_capacity : 64;
		ply->corners =
			xrealloc(ply->corners, 3 * r->triangle_capacity * sizeof(*ply->corners));
	}
	memcpy(&ply->corners[3 * ply->triangle_count++], corners, 3 * sizeof(*corners));
	return 0;
}

static int cut_short(const struct reader *r, const struct element *element, unsigned long long row,
	struct error *err)
{
	char *name = text_printable(element->name, strlen(element->name));

	if (r->form == FORM_ASCII && r->at < r->end)
		error_set(err, "%s %llu of %llu: not a number", name, row, element->count);
	else
		error_set(err, "ends within %s %llu of %llu", name, row, element->count);
	free(name);
	return -1;
}

/* One corner of a face: the first stays, a third and each later one closes a triangle. */
static int add_corner(struct reader *r, unsigned long long row, unsigned long long number,
	double value, uint32_t fan[3], struct error *err)
{
	if (!(value >= 0 && value < (double)r->vertices->count && floor(value) == value))
		return error_set(err,
			"face %llu of %llu: its corner %llu is %.10g, not one of %llu vertices",
			row, r->faces->count, number, value, r->vertices->count);
	if (number > 2)
		fan[1] = fan[2];
	fan[number < 2 ? number : 2] = (uint32_t)value;
	return number < 2 ? 0 : add_triangle(r, fan, err);
}

static int read_list(struct reader *r, const struct element *element,
	const struct property *property, unsigned long long row, struct error *err)
{
	bool is_face = property->role == ROLE_CORNERS;
	uint32_t fan[3] = { 0, 0, 0 };
	unsigned long long i;
	double count, value;

	if (!take(r, property->count_kind, &count))
		return cut_short(r, element, row, err);
	if (!(count >= (is_face ? 3 : 0) && count <= 4294967295.0 && floor(count) == count))
		return error_set(err, "row %llu of an element: a list of %.10g%s", row, count,
			is_face ? ", and a face has 3 corners or more" : "");
	for (i = 0; i < (unsigned long long)count; i++) {
		if (!take(r, property->kind, &value))
			return cut_short(r, element, row, err);
		if (is_face && add_corner(r, row, i, value, fan, err) != 0)
			return -1;
	}
	return 0;
}

static int read_row(
	struct reader *r, const struct element *element, unsigned long long row, struct error *err)
{
	size_t i;

	for (i = 0; i < element->property_count; i++) {
		const struct property *property = &element->properties[i];
		double value;

		if (property->is_list) {
			if (read_list(r, element, property, row, err) != 0)
				return -1;
			continue;
		}
		if (!take(r, property->kind, &value))
			return cut_short(r, element, row, err);
		if (property->role == ROLE_NONE)
			continue;
		if (!isfinite(value) || fabs(value) > 3.4e38)
			return error_set(err, "vertex %llu of %llu: %c is not finite", row,
				element->count, "xyz"[property->role - ROLE_X]);
		r->ply.places[3 * row + (property->role - ROLE_X)] = (float)value;
	}
	return 0;
}

/* Of a row at least: a list may be empty, an ASCII value has a byte and one between it and the
 * next. */
static unsigned long long least_bytes(const struct reader *r, const struct element *element)
{
	unsigned long long bytes = 0;
	size_t i;

	if (r->form == FORM_ASCII)
		return 2 * element->property_count;
	for (i = 0; i < element->property_count; i++)
		bytes += kinds[element->properties[i].is_list ? element->properties[i].count_kind
							      : element->properties[i].kind]
				 .size;
	return bytes;
}

/* So that no count makes us allocate, or go round in circles, for rows that cannot be there. */
static int check_room(const struct reader *r, const struct element *element, struct error *err)
{
	unsigned long long left = (unsigned long long)(r->end - r->at) + 1,
			   least = least_bytes(r, element);
	char *name;

	if (!element->count ||
		(least && element->count <= left / least && element->count < UINT32_MAX))
		return 0;
	name = text_printable(element->name, strlen(element->name));
	error_set(err,
		"its header says %llu rows of %s, %llu bytes are left for them: "
		"cut short?",
		element->count, name, left - 1);
	free(name);
	return -1;
}

static int read_rows(struct reader *r, struct error *err)
{
	size_t i;

	for (i = 0; i < r->element_count; i++) {
		const struct element *element = &r->elements[i];
		unsigned long long row;

		if (check_room(r, element, err) != 0)
			return -1;
		if (element == r->vertices) {
			r->ply.vertex_count = (size_t)element->count;
			r->ply.places =
				xcalloc(r->ply.vertex_count + 1, 3 * sizeof(*r->ply.places));
		}
		for (row = 0; row < element->count; row++)
			if (read_row(r, element, row, err) != 0)
				return -1;
	}
	return 0;
}

static int check_end(struct reader *r, struct error *err)
{
	while (r->form == FORM_ASCII && r->at < r->end && *r->at && strchr(" \t\r\n", *r->at))
		r->at++;
	if (r->at < r->end)
		return error_set(err, "%zu bytes follow its last row", (size_t)(r->end - r->at));
	return r->ply.triangle_count ? 0
				     : error_set(err, "has no faces: there is nothing to render");
}

int ply_parse(const char *bytes, size_t len, struct ply *out, struct error *err)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	int rc = -1;

	r->at = bytes;
	r->end = bytes + len;
	if (read_header(r, err) == 0 && read_rows(r, err) == 0 && check_end(r, err) == 0) {
		*out = r->ply;
		rc = 0;
	} else {
		ply_release(&r->ply);
	}
	free(r);
	return rc;
}

void ply_release(struct ply *ply)
{
	free(ply->places);
	free(ply->corners);
	memset(ply, 0, sizeof(*ply));
}
