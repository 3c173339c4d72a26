/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/parts.h"
#include "base/str.h"
#include "base/text.h"

enum {
	KEY_MAX = 65535, /* of the format */
	NAME_MAX_BYTES = 1024, /* of a tensor; the format says 64 */
	DIMENSIONS_MAX = 4,
	ALIGNMENT = 32,
	ALIGNMENT_MAX = 1 << 20,
	KEPT_MAX = 64
};

enum value_type {
	TYPE_U8,
	TYPE_I8,
	TYPE_U16,
	TYPE_I16,
	TYPE_U32,
	TYPE_I32,
	TYPE_F32,
	TYPE_BOOL,
	TYPE_STRING,
	TYPE_ARRAY,
	TYPE_U64,
	TYPE_I64,
	TYPE_F64,
	TYPE_COUNT
};

static const struct {
	unsigned char bytes;
	bool is_integer, is_signed;
} types[TYPE_COUNT] = {
	[TYPE_U8] = { 1, true, false },
	[TYPE_I8] = { 1, true, true },
	[TYPE_U16] = { 2, true, false },
	[TYPE_I16] = { 2, true, true },
	[TYPE_U32] = { 4, true, false },
	[TYPE_I32] = { 4, true, true },
	[TYPE_F32] = { 4, false, false },
	[TYPE_BOOL] = { 1, false, false },
	[TYPE_U64] = { 8, true, false },
	[TYPE_I64] = { 8, true, true },
	[TYPE_F64] = { 8, false, false },
};

/* Keys whose numbers are kept, behind "<architecture>." where they begin with a dot. */
static const char *const wanted[] = { "general.alignment", "split.count", "split.no",
	"split.tensors.count", ".block_count", ".embedding_length", ".attention.head_count",
	".attention.head_count_kv", ".attention.key_length", ".attention.value_length",
	".attention.sliding_window" };

/* Keys that tell of a cache other than keys and values of each layer and head. */
static const char *const others[] = { ".attention.kv_lora_rank", ".attention.shared_kv_layers",
	".full_attention_interval", ".decoder_block_count", ".wkv.head_size", ".ssm.state_size",
	".ssm.conv_kernel" };

/* A number, or an array of numbers, of the metadata. */
struct kept {
	char key[128];
	uint64_t value; /* or the largest of the array */
	uint64_t sum, count;
	bool is_array;
};

struct gguf {
	struct input input;
	uint32_t version;
	uint64_t tensor_count, key_count;
	char architecture[64];
	struct kept kept[KEPT_MAX];
	size_t kept_count;
	char other[128];
	uint64_t walked; /* array elements */
};

/* --- metadata ------------------------------------------------------------------------------- */

static int read_string(struct gguf *gguf, char *to, size_t size, uint64_t limit, struct error *err)
{
	struct input *input = &gguf->input;
	uint64_t len;

	if (input_u64(input, &len, err) != 0)
		return -1;
	if (len > limit || len > input->size - input->at)
		return error_set(err,
			"%s: a text of %llu bytes is announced at byte %llu; more than %llu is not "
			"read",
			input->path, (unsigned long long)len, (unsigned long long)input->at,
			(unsigned long long)(limit < input->size - input->at
						     ? limit
						     : input->size - input->at));
	if (!size || len >= size) {
		if (size)
			to[0] = '\0';
		return input_skip(input, len, err);
	}
	if (input_bytes(input, to, (size_t)len, err) != 0)
		return -1;
	to[len] = '\0';
	if (memchr(to, '\0', (size_t)len))
		to[0] = '\0';
	return 0;
}

/* An integer of 1 to 8 bytes; a negative one is none of the sizes that are looked for. */
static int read_integer(
	struct gguf *gguf, uint32_t type, uint64_t *value, bool *negative, struct error *err)
{
	unsigned char bytes[8] = { 0 };
	int i;

	if (input_bytes(&gguf->input, bytes, types[type].bytes, err) != 0)
		return -1;
	*value = 0;
	for (i = types[type].bytes; i-- > 0;)
		*value = *value << 8 | bytes[i];
	*negative = types[type].is_signed && bytes[types[type].bytes - 1] & 0x80;
	return 0;
}

static int check_type(struct gguf *gguf, uint32_t type, struct error *err)
{
	if (type < TYPE_COUNT)
		return 0;
	return error_set(err, "%s: metadata of the unknown type %lu before byte %llu",
		gguf->input.path, (unsigned long)type, (unsigned long long)gguf->input.at);
}

static int read_array_head(struct gguf *gguf, uint32_t *type, uint64_t *count, struct error *err)
{
	if (input_u32(&gguf->input, type, err) != 0 || check_type(gguf, *type, err) != 0)
		return -1;
	return input_u64(&gguf->input, count, err);
}

static int skip_array(struct gguf *gguf, int depth, struct error *err);

static int skip_value(struct gguf *gguf, uint32_t type, int depth, struct error *err)
{
	if (type == TYPE_STRING)
		return read_string(gguf, NULL, 0, ARTIFACT_STRING_MAX, err);
	if (type == TYPE_ARRAY)
		return skip_array(gguf, depth + 1, err);
	return input_skip(&gguf->input, types[type].bytes, err);
}

static int count_walked(struct gguf *gguf, uint64_t count, struct error *err)
{
	if (count > ARTIFACT_ELEMENTS_MAX - gguf->walked)
		return error_set(err, "%s: arrays of more than %d elements in its metadata",
			gguf->input.path, ARTIFACT_ELEMENTS_MAX);
	gguf->walked += count;
	return 0;
}

static int skip_elements(
	struct gguf *gguf, uint32_t type, uint64_t count, int depth, struct error *err)
{
	uint64_t i, bytes;

	if (depth >= ARTIFACT_NESTING_MAX)
		return error_set(err, "%s: arrays nested deeper than %d", gguf->input.path,
			ARTIFACT_NESTING_MAX);
	if (types[type].bytes) {
		if (!multiply(count, types[type].bytes, &bytes))
			return error_set(err, "%s: an array of more bytes than 64 bits hold",
				gguf->input.path);
		return input_skip(&gguf->input, bytes, err);
	}
	if (count_walked(gguf, count, err) != 0)
		return -1;
	for (i = 0; i < count; i++)
		if (skip_value(gguf, type, depth, err) != 0)
			return -1;
	return 0;
}

static int skip_array(struct gguf *gguf, int depth, struct error *err)
{
	uint64_t count;
	uint32_t type;

	return read_array_head(gguf, &type, &count, err) == 0
		       ? skip_elements(gguf, type, count, depth, err)
		       : -1;
}

static struct kept *find_kept(struct gguf *gguf, const char *key)
{
	size_t i;

	for (i = 0; i < gguf->kept_count; i++)
		if (strcmp(gguf->kept[i].key, key) == 0)
			return &gguf->kept[i];
	return NULL;
}

static int keep_number(struct gguf *gguf, struct kept *kept, uint32_t type, struct error *err)
{
	uint64_t value;
	bool negative;

	if (read_integer(gguf, type, &value, &negative, err) != 0)
		return -1;
	if (negative || !add(kept->sum, value, &kept->sum))
		return error_set(
			err, "%s: %s is negative or too large", gguf->input.path, kept->key);
	if (value > kept->value)
		kept->value = value;
	kept->count++;
	return 0;
}

static int keep_array(struct gguf *gguf, struct kept *kept, struct error *err)
{
	uint64_t count, i;
	uint32_t type;

	if (read_array_head(gguf, &type, &count, err) != 0)
		return -1;
	if (!types[type].is_integer)
		return skip_elements(gguf, type, count, 0, err);
	if (count_walked(gguf, count, err) != 0)
		return -1;
	kept->is_array = true;
	for (i = 0; i < count; i++)
		if (keep_number(gguf, kept, type, err) != 0)
			return -1;
	return 0;
}

/* A number that decides a size must not be said twice. Something other than a number says nothing.
 */
static int keep_value(struct gguf *gguf, const char *key, uint32_t type, struct error *err)
{
	struct kept kept;
	int rc;

	if (find_kept(gguf, key))
		return error_set(err, "%s: %s is given twice", gguf->input.path, key);
	if (gguf->kept_count == KEPT_MAX)
		return error_set(err, "%s: too many keys like %s", gguf->input.path, key);
	if (type != TYPE_ARRAY && !types[type].is_integer)
		return skip_value(gguf, type, 0, err);
	memset(&kept, 0, sizeof(kept));
	str_copy(kept.key, sizeof(kept.key), key);
	rc = type == TYPE_ARRAY ? keep_array(gguf, &kept, err)
				: keep_number(gguf, &kept, type, err);
	if (rc == 0 && kept.count)
		gguf->kept[gguf->kept_count++] = kept;
	return rc;
}

static bool is_listed(const char *key, const char *const *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (list[i][0] == '.' ? str_ends(key, list[i]) : strcmp(key, list[i]) == 0)
			return true;
	return false;
}

static bool is_plain(const char *text)
{
	return text[0] &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
		       strlen(text);
}

static int read_pair(struct gguf *gguf, struct error *err)
{
	char key[128];
	uint32_t type;

	if (read_string(gguf, key, sizeof(key), KEY_MAX, err) != 0 ||
		input_u32(&gguf->input, &type, err) != 0 || check_type(gguf, type, err) != 0)
		return -1;
	if (!is_plain(key))
		return skip_value(gguf, type, 0, err);
	if (strcmp(key, "general.architecture") == 0 && type == TYPE_STRING) {
		if (gguf->architecture[0])
			return error_set(
				err, "%s: general.architecture is given twice", gguf->input.path);
		if (read_string(gguf, gguf->architecture, sizeof(gguf->architecture),
			    ARTIFACT_STRING_MAX, err) != 0)
			return -1;
		if (!is_plain(gguf->architecture))
			gguf->architecture[0] = '\0';
		return 0;
	}
	if (is_listed(key, wanted, sizeof(wanted) / sizeof(wanted[0])))
		return keep_value(gguf, key, type, err);
	if (is_listed(key, others, sizeof(others) / sizeof(others[0])))
		str_copy(gguf->other, sizeof(gguf->other), key);
	return skip_value(gguf, type, 0, err);
}

/* --- header --------------------------------------------------------------------------------- */

static int read_head(struct gguf *gguf, struct error *err)
{
	struct input *input = &gguf->input;
	char magic[4];

	if (input_bytes(input, magic, 4, err) != 0 || input_u32(input, &gguf->version, err) != 0)
		return -1;
	if (memcmp(magic, "GGUF", 4) != 0)
		return error_set(err, "%s: does not begin with GGUF", input->path);
	if (gguf->version == 0x02000000 || gguf->version == 0x03000000)
		return error_set(err, "%s: a big-endian GGUF file, which is not read", input->path);
	if (gguf->version != 2 && gguf->version != 3)
		return error_set(err, "%s: GGUF version %lu; 2 and 3 are read", input->path,
			(unsigned long)gguf->version);
	if (input_u64(input, &gguf->tensor_count, err) != 0 ||
		input_u64(input, &gguf->key_count, err) != 0)
		return -1;
	if (gguf->tensor_count > ARTIFACT_TENSORS_MAX || gguf->key_count > ARTIFACT_KEYS_MAX)
		return error_set(err,
			"%s: %llu tensors and %llu keys are announced; up to %d and %d are read",
			input->path, (unsigned long long)gguf->tensor_count,
			(unsigned long long)gguf->key_count, ARTIFACT_TENSORS_MAX,
			ARTIFACT_KEYS_MAX);
	return 0;
}

static int read_metadata(struct gguf *gguf, struct error *err)
{
	uint64_t i;

	for (i = 0; i < gguf->key_count; i++)
		if (read_pair(gguf, err) != 0)
			return -1;
	return 0;
}

/* The number of a key that is not an array; `otherwise` when it is not said. */
static uint64_t number_of(struct gguf *gguf, const char *key, uint64_t otherwise)
{
	const struct kept *kept = find_kept(gguf, key);

	return kept && !kept->is_array ? kept->value : otherwise;
}

/* --- tensors -------------------------------------------------------------------------------- */

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
	if (read_string(gguf, tensor.name, sizeof(tensor.name), NAME_MAX_BYTES, err) != 0 ||
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
	uint64_t alignment = number_of(gguf, "general.alignment", ALIGNMENT), i;
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

/* --- cache ---------------------------------------------------------------------------------- */

static const struct kept *of_architecture(struct gguf *gguf, const char *suffix)
{
	char key[128];

	if (!gguf->architecture[0])
		return NULL;
	snprintf(key, sizeof(key), "%s%s", gguf->architecture, suffix);
	return find_kept(gguf, key);
}

static uint64_t value_of(struct gguf *gguf, const char *suffix)
{
	const struct kept *kept = of_architecture(gguf, suffix);

	return kept && !kept->is_array ? kept->value : 0;
}

/* head_count_kv may be one number or one a layer; without it every head has keys and values of its
 * own, as the format says. */
static void read_cache(struct gguf *gguf, struct artifact_cache *cache)
{
	const struct kept *kv = of_architecture(gguf, ".attention.head_count_kv");
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

/* --- files ---------------------------------------------------------------------------------- */

struct split {
	uint64_t count, number, tensors;
};

static int read_file(const char *path, bool is_first, struct artifact *artifact,
	struct split *split, struct error *err)
{
	struct gguf *gguf = xcalloc(1, sizeof(*gguf));
	int rc = -1;

	if (input_open(&gguf->input, path, err) == 0) {
		if (read_head(gguf, err) == 0 && read_metadata(gguf, err) == 0)
			rc = read_tensors(gguf, artifact, err);
		split->count = number_of(gguf, "split.count", 0);
		split->number = number_of(gguf, "split.no", 0);
		split->tensors = number_of(gguf, "split.tensors.count", 0);
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
