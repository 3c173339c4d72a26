/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of the element types: safetensors' dtypes and GGUF's type numbers with their quantization
 * blocks. */
#include <stdlib.h>
#include <string.h>

#include "artifact/parts.h"
#include "base/str.h"

/* The formats of the MX family (F4, F6_*, F8_E8M0) are packed. */
static const struct artifact_layout dtypes[] = {
	{ "BOOL", 0, 1, 8 },
	{ "F4", 0, 1, 4 },
	{ "F6_E2M3", 0, 1, 6 },
	{ "F6_E3M2", 0, 1, 6 },
	{ "U8", 0, 1, 8 },
	{ "I8", 0, 1, 8 },
	{ "F8_E5M2", 0, 1, 8 },
	{ "F8_E4M3", 0, 1, 8 },
	{ "F8_E8M0", 0, 1, 8 },
	{ "F8_E4M3FNUZ", 0, 1, 8 },
	{ "F8_E5M2FNUZ", 0, 1, 8 },
	{ "I16", 0, 1, 16 },
	{ "U16", 0, 1, 16 },
	{ "F16", 0, 1, 16 },
	{ "BF16", 0, 1, 16 },
	{ "I32", 0, 1, 32 },
	{ "U32", 0, 1, 32 },
	{ "F32", 0, 1, 32 },
	{ "C64", 0, 1, 64 },
	{ "F64", 0, 1, 64 },
	{ "I64", 0, 1, 64 },
	{ "U64", 0, 1, 64 },
};

/* Q8_1 (9) is an intermediate that is never stored, and its size is told differently in different
 * places: left out. So are the numbers whose support was removed from the format: 4, 5, 31 to 33
 * and 36 to 38. */
static const struct artifact_layout codes[] = {
	{ "F32", 0, 1, 32 },
	{ "F16", 1, 1, 16 },
	{ "Q4_0", 2, 32, 18 * 8 },
	{ "Q4_1", 3, 32, 20 * 8 },
	{ "Q5_0", 6, 32, 22 * 8 },
	{ "Q5_1", 7, 32, 24 * 8 },
	{ "Q8_0", 8, 32, 34 * 8 },
	{ "Q2_K", 10, 256, 84 * 8 },
	{ "Q3_K", 11, 256, 110 * 8 },
	{ "Q4_K", 12, 256, 144 * 8 },
	{ "Q5_K", 13, 256, 176 * 8 },
	{ "Q6_K", 14, 256, 210 * 8 },
	{ "Q8_K", 15, 256, 292 * 8 },
	{ "IQ2_XXS", 16, 256, 66 * 8 },
	{ "IQ2_XS", 17, 256, 74 * 8 },
	{ "IQ3_XXS", 18, 256, 98 * 8 },
	{ "IQ1_S", 19, 256, 50 * 8 },
	{ "IQ4_NL", 20, 32, 18 * 8 },
	{ "IQ3_S", 21, 256, 110 * 8 },
	{ "IQ2_S", 22, 256, 82 * 8 },
	{ "IQ4_XS", 23, 256, 136 * 8 },
	{ "I8", 24, 1, 8 },
	{ "I16", 25, 1, 16 },
	{ "I32", 26, 1, 32 },
	{ "I64", 27, 1, 64 },
	{ "F64", 28, 1, 64 },
	{ "IQ1_M", 29, 256, 56 * 8 },
	{ "BF16", 30, 1, 16 },
	{ "TQ1_0", 34, 256, 54 * 8 },
	{ "TQ2_0", 35, 256, 66 * 8 },
	{ "MXFP4", 39, 32, 17 * 8 },
};

const struct artifact_layout *layout_of_dtype(const char *dtype)
{
	size_t i;

	for (i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++)
		if (strcmp(dtypes[i].name, dtype) == 0)
			return &dtypes[i];
	return NULL;
}

const struct artifact_layout *layout_of_code(uint32_t code)
{
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code == code)
			return &codes[i];
	return NULL;
}

bool multiply(uint64_t a, uint64_t b, uint64_t *product)
{
	if (a && b > UINT64_MAX / a)
		return false;
	*product = a * b;
	return true;
}

bool add(uint64_t a, uint64_t b, uint64_t *sum)
{
	if (b > UINT64_MAX - a)
		return false;
	*sum = a + b;
	return true;
}

bool layout_bytes(const struct artifact_layout *layout, uint64_t elements, uint64_t *bytes)
{
	uint64_t bits;

	if (elements % layout->block || !multiply(elements / layout->block, layout->bits, &bits) ||
		bits % 8)
		return false;
	*bytes = bits / 8;
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

int extents_check(const char *path, struct extent *extents, size_t count, struct error *err)
{
	uint64_t end = 0;
	size_t i;

	if (count)
		qsort(extents, count, sizeof(*extents), by_place);
	for (i = 0; i < count; i++) {
		if (extents[i].begin < end && extents[i].begin < extents[i].end)
			return error_set(err, "%s: two tensors overlap at byte %llu of the data",
				path, (unsigned long long)extents[i].begin);
		if (extents[i].end > end)
			end = extents[i].end;
	}
	return 0;
}

int artifact_count(struct artifact *artifact, const struct artifact_layout *layout,
	uint64_t elements, uint64_t bytes, struct error *err)
{
	struct artifact_type *type = NULL;
	uint64_t all_elements, all_bytes;
	size_t i;

	if (!add(artifact->elements, elements, &all_elements) ||
		!add(artifact->weight_bytes, bytes, &all_bytes))
		return error_set(err, "the sizes of its tensors add up to more than 64 bits hold");
	for (i = 0; i < artifact->type_count; i++)
		if (artifact->types[i].layout == layout)
			type = &artifact->types[i];
	if (!type) {
		type = &artifact->types[artifact->type_count++];
		type->layout = layout;
	}
	artifact->tensors++;
	artifact->elements = all_elements;
	artifact->weight_bytes = all_bytes;
	type->tensors++;
	type->elements += elements;
	type->bytes += bytes;
	return 0;
}

void artifact_add_file(struct artifact *artifact, const char *path, uint64_t bytes)
{
	artifact->files =
		xrealloc(artifact->files, (artifact->file_count + 1) * sizeof(*artifact->files));
	memset(&artifact->files[artifact->file_count], 0, sizeof(*artifact->files));
	artifact->files[artifact->file_count].path = xstrdup(path);
	artifact->files[artifact->file_count++].bytes = bytes;
}

_Static_assert(sizeof(dtypes) / sizeof(dtypes[0]) <= ARTIFACT_TYPES, "each dtype has a row");
_Static_assert(sizeof(codes) / sizeof(codes[0]) <= ARTIFACT_TYPES, "each GGUF type has a row");
