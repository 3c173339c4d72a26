/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/gguf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"

enum {
	NAME_MAX_BYTES = 1024, /* of a tensor; the format says 64 */
	DIMENSIONS_MAX = 4,
	ALIGNMENT = 32,
	ALIGNMENT_MAX = 1 << 20
};

/* --- tensors ------------------------------------------------------------------------------ */

static int refuse(struct gguf *gguf, const char *name, const char *why, struct error *err)
{
	char *shown = text_printable(name, strlen(name) < 100 ? strlen(name) : 100);

	error_set(err, "%s: tensor '%s': %s", gguf->input.path, shown, why);
	free(shown);
	return -1;
}

struct tensor {
	char name[NAME_MAX_BYTES + 1];
	uint64_t row; /* the first dimension, in which blocks lie */
	uint64_t elements, offset;
	uint32_t code;
};

static int read_dimensions(struct gguf *gguf, struct tensor *tensor, struct error *err)
{
	uint32_t dimensions, i;

	if (input_u32(&gguf->input, &dimensions, err) != 0)
		return -1;
	if (dimensions > DIMENSIONS_MAX)
		return refuse(gguf, tensor->name, "more than 4 dimensions", err);
	tensor->elements = tensor->row = 1;
	for (i = 0; i < dimensions; i++) {
		uint64_t dimension;

		if (input_u64(&gguf->input, &dimension, err) != 0)
			return -1;
		if (i == 0)
			tensor->row = dimension;
		if (!multiply(tensor->elements, dimension, &tensor->elements))
			return refuse(gguf, tensor->name,
				"its shape has more elements than 64 bits hold", err);
	}
	return 0;
}

static int read_tensor(struct gguf *gguf, uint64_t alignment, struct artifact *artifact,
	struct extent *extent, struct error *err)
{
	const struct artifact_layout *layout;
	struct tensor tensor;
	uint64_t bytes;
	char why[100];

	tensor.name[0] = '\0';
	if (gguf_read_string(gguf, tensor.name, sizeof(tensor.name), NAME_MAX_BYTES, err) != 0 ||
		read_dimensions(gguf, &tensor, err) != 0 ||
		input_u32(&gguf->input, &tensor.code, err) != 0 ||
		input_u64(&gguf->input, &tensor.offset, err) != 0)
		return -1;
	layout = layout_of_code(tensor.code);
	if (!layout) {
		snprintf(why, sizeof(why), "the size of its type %lu is not known to this version",
			(unsigned long)tensor.code);
		return refuse(gguf, tensor.name, why, err);
	}
	if (tensor.row % layout->block || !layout_bytes(layout, tensor.elements, &bytes))
		return refuse(
			gguf, tensor.name, "its rows do not fill whole blocks of its type", err);
	if (tensor.offset % alignment)
		return refuse(
			gguf, tensor.name, "its offset is not a multiple of the alignment", err);
	extent->begin = tensor.offset;
	if (!add(tensor.offset, bytes, &extent->end))
		return refuse(gguf, tensor.name, "it ends behind what 64 bits hold", err);
	return artifact_count(artifact, layout, tensor.elements, bytes, err);
}

static int check_data(
	struct gguf *gguf, uint64_t alignment, struct extent *extents, struct error *err)
{
	uint64_t start = (gguf->input.at + alignment - 1) / alignment * alignment, end = 0, i;

	if (extents_check(gguf->input.path, extents, (size_t)gguf->tensor_count, err) != 0)
		return -1;
	for (i = 0; i < gguf->tensor_count; i++)
		if (extents[i].end > end)
			end = extents[i].end;
	if (end && (start > gguf->input.size || end > gguf->input.size - start))
		return error_set(err,
			"%s: its tensors need %llu bytes behind byte %llu and the file has %llu: "
			"it is cut off",
			gguf->input.path, (unsigned long long)end, (unsigned long long)start,
			(unsigned long long)gguf->input.size);
	return 0;
}

static int read_tensors(struct gguf *gguf, struct artifact *artifact, struct error *err)
{
	uint64_t alignment = gguf_number(gguf, "general.alignment", ALIGNMENT), i;
	struct extent *extents;
	int rc = 0;

	if (!alignment || alignment % 8 || alignment > ALIGNMENT_MAX)
		return error_set(err, "%s: an alignment of %llu bytes", gguf->input.path,
			(unsigned long long)alignment);
	/* A tensor's description takes at least 24 bytes: no more memory than the file has. */
	if (gguf->tensor_count > (gguf->input.size - gguf->input.at) / 24)
		return error_set(err, "%s: %llu tensors are announced and the file ends before",
			gguf->input.path, (unsigned long long)gguf->tensor_count);
	extents = xcalloc((size_t)gguf->tensor_count, sizeof(*extents));
	for (i = 0; rc == 0 && i < gguf->tensor_count; i++)
		rc = read_tensor(gguf, alignment, artifact, &extents[i], err);
	if (rc == 0)
		rc = check_data(gguf, alignment, extents, err);
	free(extents);
	return rc;
}

/* --- cache -------------------------------------------------------------------------------- */

static const struct gguf_value *of_architecture(struct gguf *gguf, const char *suffix)
{
	char key[128];

	if (!gguf->architecture[0])
		return NULL;
	snprintf(key, sizeof(key), "%s%s", gguf->architecture, suffix);
	return gguf_find(gguf, key);
}

static uint64_t value_of(struct gguf *gguf, const char *suffix)
{
	const struct gguf_value *kept = of_architecture(gguf, suffix);

	return kept && !kept->is_array ? kept->value : 0;
}

/* head_count_kv may be one number or one a layer; without it every head has keys and values of its
 * own, as the format says. */
static void read_cache(struct gguf *gguf, struct artifact_cache *cache)
{
	const struct gguf_value *kv = of_architecture(gguf, ".attention.head_count_kv");
	struct cache_numbers numbers;

	memset(&numbers, 0, sizeof(numbers));
	numbers.layers = value_of(gguf, ".block_count");
	numbers.embedding = value_of(gguf, ".embedding_length");
	numbers.heads = value_of(gguf, ".attention.head_count");
	numbers.key_length = value_of(gguf, ".attention.key_length");
	numbers.value_length = value_of(gguf, ".attention.value_length");
	numbers.window = value_of(gguf, ".attention.sliding_window");
	numbers.other = gguf->other[0] ? gguf->other : NULL;
	if (kv && kv->is_array && kv->count == numbers.layers)
		numbers.kv_heads_sum = kv->sum;
	else if (kv && !kv->is_array)
		numbers.kv_heads = kv->value;
	else if (!kv)
		numbers.kv_heads = numbers.heads;
	str_copy(cache->from, sizeof(cache->from), "the file's metadata");
	cache_fill(&numbers, "block_count", "attention.head_count", cache);
}

/* --- files -------------------------------------------------------------------------------- */

struct split {
	uint64_t count, number, tensors;
};

static int read_file(const char *path, bool is_first, struct artifact *artifact,
	struct split *split, struct error *err)
{
	struct gguf *gguf = xcalloc(1, sizeof(*gguf));
	int rc = -1;

	if (input_open(&gguf->input, path, err) == 0) {
		if (gguf_read_head(gguf, err) == 0 && gguf_read_metadata(gguf, err) == 0)
			rc = read_tensors(gguf, artifact, err);
		split->count = gguf_number(gguf, "split.count", 0);
		split->number = gguf_number(gguf, "split.no", 0);
		split->tensors = gguf_number(gguf, "split.tensors.count", 0);
		if (rc == 0)
			artifact_add_file(artifact, path, gguf->input.size);
		if (rc == 0 && is_first) {
			artifact->version = gguf->version;
			str_copy(artifact->architecture, sizeof(artifact->architecture),
				gguf->architecture);
			read_cache(gguf, &artifact->cache);
		}
		input_close(&gguf->input);
	}
	free(gguf);
	return rc;
}

/* Length of what stands before "-00001-of-00003.gguf"; 0 when the name does not end so. */
static size_t split_stem(const char *path, uint64_t count)
{
	static const char digits[] = "0123456789";
	char end[32];
	size_t len = strlen(path), tail = (size_t)snprintf(end, sizeof(end), "-of-%05llu.gguf",
					   (unsigned long long)count);
	const char *number;

	if (len <= tail + 6 || !str_ends(path, end))
		return 0;
	number = path + len - tail - 6;
	return number[0] == '-' && strspn(number + 1, digits) == 5 ? (size_t)(number - path) : 0;
}

static int read_part(const char *path, size_t stem, uint64_t number, uint64_t count,
	struct artifact *artifact, uint64_t *tensors, struct error *err)
{
	char *part = xasprintf("%.*s-%05llu-of-%05llu.gguf", (int)stem, path,
		(unsigned long long)number + 1, (unsigned long long)count);
	struct split split;
	int rc = read_file(part, number == 0, artifact, &split, err);

	if (rc == 0 && (split.count != count || split.number != number))
		rc = error_set(err, "%s: says that it is part %llu of %llu", part,
			(unsigned long long)split.number + 1, (unsigned long long)split.count);
	if (rc == 0 && number == 0)
		*tensors = split.tensors;
	free(part);
	return rc;
}

static int read_parts(
	const char *path, uint64_t count, struct artifact *artifact, struct error *err)
{
	size_t stem = split_stem(path, count);
	uint64_t number, tensors = 0;

	if (count > ARTIFACT_FILES_MAX)
		return error_set(err, "%s: says that it is one of %llu parts", path,
			(unsigned long long)count);
	if (!stem)
		return error_set(err,
			"%s: is one of %llu parts, and its name does not tell the others", path,
			(unsigned long long)count);
	for (number = 0; number < count; number++)
		if (read_part(path, stem, number, count, artifact, &tensors, err) != 0)
			return -1;
	if (tensors && tensors != artifact->tensors)
		return error_set(err,
			"%s: the parts hold %llu tensors and the first announces %llu", path,
			(unsigned long long)artifact->tensors, (unsigned long long)tensors);
	return 0;
}

int gguf_read(const char *path, struct artifact *artifact, struct error *err)
{
	struct split split;
	struct artifact first;

	memset(&first, 0, sizeof(first));
	if (read_file(path, true, &first, &split, err) != 0) {
		artifact_release(&first);
		return -1;
	}
	if (split.count < 2) {
		*artifact = first;
		artifact->format = ARTIFACT_GGUF;
		return 0;
	}
	artifact_release(&first);
	artifact->format = ARTIFACT_GGUF;
	return read_parts(path, split.count, artifact, err);
}
