/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/gguf.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"

enum { KEY_MAX = 65535 }; /* of the format */

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

/* --- values --------------------------------------------------------------------------------- */

int gguf_read_string(struct gguf *gguf, char *to, size_t size, uint64_t limit, struct error *err)
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
		return gguf_read_string(gguf, NULL, 0, ARTIFACT_STRING_MAX, err);
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

struct gguf_value *gguf_find(struct gguf *gguf, const char *key)
{
	size_t i;

	for (i = 0; i < gguf->kept_count; i++)
		if (strcmp(gguf->kept[i].key, key) == 0)
			return &gguf->kept[i];
	return NULL;
}

static int keep_number(struct gguf *gguf, struct gguf_value *kept, uint32_t type, struct error *err)
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

static int keep_array(struct gguf *gguf, struct gguf_value *kept, struct error *err)
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
	struct gguf_value kept;
	int rc;

	if (gguf_find(gguf, key))
		return error_set(err, "%s: %s is given twice", gguf->input.path, key);
	if (gguf->kept_count == GGUF_VALUES_MAX)
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

	if (gguf_read_string(gguf, key, sizeof(key), KEY_MAX, err) != 0 ||
		input_u32(&gguf->input, &type, err) != 0 || check_type(gguf, type, err) != 0)
		return -1;
	if (!is_plain(key))
		return skip_value(gguf, type, 0, err);
	if (strcmp(key, "general.architecture") == 0 && type == TYPE_STRING) {
		if (gguf->architecture[0])
			return error_set(
				err, "%s: general.architecture is given twice", gguf->input.path);
		if (gguf_read_string(gguf, gguf->architecture, sizeof(gguf->architecture),
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

/* --- all of it ------------------------------------------------------------------------------ */

int gguf_read_head(struct gguf *gguf, struct error *err)
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

int gguf_read_metadata(struct gguf *gguf, struct error *err)
{
	uint64_t i;

	for (i = 0; i < gguf->key_count; i++)
		if (read_pair(gguf, err) != 0)
			return -1;
	return 0;
}

uint64_t gguf_number(struct gguf *gguf, const char *key, uint64_t otherwise)
{
	const struct gguf_value *kept = gguf_find(gguf, key);

	return kept && !kept->is_array ? kept->value : otherwise;
}
