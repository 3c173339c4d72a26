/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/artifact.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "artifact/fit.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

#include "tap.h"

static char place[] = "/tmp/oamqual-artifact-XXXXXX";

/* --- writing files --------------------------------------------------------------------------- */

static void put_le(struct str *s, uint64_t value, int bytes)
{
	while (bytes--) {
		unsigned char byte = (unsigned char)value;

		str_add_bytes(s, &byte, 1);
		value >>= 8;
	}
}

static void put_text(struct str *s, const char *text)
{
	put_le(s, strlen(text), 8);
	str_add(s, text);
}

static void put_zeros(struct str *s, size_t count)
{
	while (count--)
		str_add_bytes(s, "", 1);
}

static char *save(const char *name, struct str *bytes)
{
	char *path = path_join(place, name);

	file_write(path, bytes->data ? bytes->data : "", bytes->len, NULL);
	str_release(bytes);
	return path;
}

static char *save_text(const char *name, const char *text)
{
	struct str s = STR_INIT;

	str_add(&s, text);
	return save(name, &s);
}

/* A safetensors file of this header and so many bytes of data. */
static char *save_safetensors(const char *name, const char *header, size_t data)
{
	struct str s = STR_INIT;

	put_le(&s, strlen(header), 8);
	str_add(&s, header);
	put_zeros(&s, data);
	return save(name, &s);
}

/* --- safetensors ----------------------------------------------------------------------------- */

struct header {
	const char *text;
	size_t data;
	long long weights; /* -1: refused */
	const char *reason; /* part of the message */
};

static const struct header headers[] = {
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}}", 24, 24, "" },
	{ "{\"a\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[0,2]}}   ", 2, 2, "" },
	{ "{\"__metadata__\":{\"format\":\"pt\"},\"b\":{\"dtype\":\"I8\",\"shape\":[3],\"data_"
	  "offsets\":[4,7]},"
	  "\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}}",
		7, 7, "" },
	{ "{\"a\":{\"dtype\":\"F4\",\"shape\":[6],\"data_offsets\":[0,3]}}", 3, 3, "" },
	{ "{\"a\":{\"dtype\":\"F6_E3M2\",\"shape\":[4],\"data_offsets\":[0,3]}}", 3, 3, "" },
	{ "{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[1],\"data_offsets\":[0,1]},"
	  "\"z\":{\"dtype\":\"F32\",\"shape\":[0,9],\"data_offsets\":[1,1]}}",
		1, 1, "" },
	{ "{\"a\":{\"dtype\":\"F4\",\"shape\":[5],\"data_offsets\":[0,3]}}", 3, -1, "whole bytes" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, -1,
		"another size" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 4, -1,
		"behind the file" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 8, -1,
		"the file at 8" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8, -1,
		"no tensor uses" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
	  "\"b\":{\"dtype\":\"F16\",\"shape\":[3],\"data_offsets\":[2,8]}}",
		8, -1, "overlap at byte 2" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
	  "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
		4, -1, "overlap at byte 0" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4, -1,
		"no usable data_offsets" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, -1,
		"at least 0" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}}", 4, -1,
		"at least 0" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]}}", 4,
		-1, "64 bits" },
	{ "{\"a\":{\"dtype\":\"F64\",\"shape\":[4611686018427387904],\"data_offsets\":[0,4]}}", 4,
		-1, "whole bytes" },
	{ "{\"a\":{\"dtype\":\"F31\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, -1, "not known" },
	{ "{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, -1, "no dtype" },
	{ "{\"a\":7}", 4, -1, "no dtype" },
	{ "{\"__metadata__\":{\"a\":7}}", 0, -1, "other than text" },
	{ "{}", 0, -1, "no weights" },
	{ "[1]", 0, -1, "does not begin with '{'" },
	{ "{\"a\":", 0, -1, "not a JSON object" },
	{ "{\"a\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]},"
	  "\"a\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
		1, -1, "duplicate" },
};

static void test_header(const struct header *header)
{
	char *path = save_safetensors("x.safetensors", header->text, header->data);
	struct error err = { "" };
	struct artifact artifact;

	memset(&artifact, 0x5a, sizeof(artifact));
	if (artifact_read(path, &artifact, &err) == 0) {
		tap_number((long long)artifact.weight_bytes, header->weights, header->text);
		artifact_release(&artifact);
	} else {
		if (!tap_ok(header->weights < 0 && strstr(err.text, header->reason) &&
				    strstr(err.text, path) == err.text,
			    "refused: %s", header->text))
			printf("# %s\n", err.text);
		tap_ok(artifact.file_count == (size_t)0x5a5a5a5a5a5a5a5a,
			"and the output is untouched");
	}
	free(path);
}

static void refuses(char *path_taken, const char *reason, const char *what)
{
	struct error err = { "" };
	struct artifact artifact;
	int rc = artifact_read(path_taken, &artifact, &err);

	if (!tap_ok(rc == -1 && strstr(err.text, reason), "refused: %s", what))
		printf("# %d: %s\n", rc, err.text);
	if (rc == 0)
		artifact_release(&artifact);
	free(path_taken);
}

static void test_lengths(void)
{
	struct str s = STR_INIT;

	put_le(&s, UINT64_MAX, 8);
	str_add(&s, "{}");
	refuses(save("x.safetensors", &s), "18446744073709551615 bytes is announced",
		"a header of 2^64 - 1 bytes");
	put_le(&s, 100, 8);
	str_add(&s, "{}");
	refuses(save("x.safetensors", &s), "100 bytes is announced in a file of 10",
		"a header longer than the file");
	str_add(&s, "short");
	refuses(save("x.safetensors", &s), "too short", "a file of 5 bytes");
	refuses(save_text("x.safetensors", ""), "too short", "an empty file");
	refuses(xstrdup(place), "holds neither", "a folder without weights");
	refuses(path_join(place, "absent"), "No such file", "a file that is not there");
	refuses(xstrdup("/dev/zero"), "not a regular file", "a device");
}

static void test_header_limit(void)
{
	char *path = path_join(place, "x.safetensors");
	struct str s = STR_INIT;

	put_le(&s, (32u << 20) + 1, 8);
	str_add(&s, "{");
	free(save("x.safetensors", &s));
	tap_ok(truncate(path, 40 << 20) == 0, "a sparse file of 40 MiB");
	refuses(path, "is more than is read", "a header over the limit");
}

#define HALF "{\"a\":{\"dtype\":\"F16\",\"shape\":[4],\"data_offsets\":[0,8]}}"
#define OTHER "{\"b\":{\"dtype\":\"I8\",\"shape\":[5],\"data_offsets\":[0,5]}}"
#define INDEX "model.safetensors.index.json"

static void test_index(void)
{
	struct artifact artifact;
	struct error err = { "" };
	char *index;

	free(save_safetensors("one.safetensors", HALF, 8));
	free(save_safetensors("two.safetensors", OTHER, 5));
	index = save_text(INDEX,
		"{\"metadata\":{\"total_size\":13},\"weight_map\":{\"a\":\"one.safetensors\","
		"\"b\":\"two.safetensors\"}}");
	tap_ok(artifact_read(place, &artifact, &err) == 0, "the folder of an index: %s", err.text);
	tap_number((long long)artifact.weight_bytes, 13, "the files' tensors together");
	tap_number((long long)artifact.file_count, 2, "of two files");
	tap_text(artifact.note, "", "total_size agrees");
	artifact_release(&artifact);
	free(index);
	index = save_text(INDEX,
		"{\"metadata\":{\"total_size\":99},\"weight_map\":{\"a\":\"one.safetensors\","
		"\"b\":\"two.safetensors\"}}");
	tap_ok(artifact_read(index, &artifact, &err) == 0 && strstr(artifact.note, "99") &&
			strstr(artifact.note, "13"),
		"a total_size that disagrees is told with both numbers");
	artifact_release(&artifact);
	free(index);
}

static void test_bad_index(void)
{
	refuses(save_text(INDEX,
			"{\"weight_map\":{\"a\":\"one.safetensors\",\"c\":\"one.safetensors\"}}"),
		"names 2 tensors and its files hold 1", "a tensor that no file has");
	refuses(save_text(INDEX, "{\"weight_map\":{\"c\":\"one.safetensors\"}}"),
		"not in the index", "a tensor that the index does not name");
	refuses(save_text(INDEX,
			"{\"weight_map\":{\"a\":\"two.safetensors\",\"b\":\"two.safetensors\"}}"),
		"names 2 tensors", "a tensor in the wrong file");
	refuses(save_text(INDEX, "{\"weight_map\":{\"a\":\"three.safetensors\"}}"), "No such file",
		"a missing file");
	refuses(save_text(INDEX, "{\"weight_map\":{\"a\":\"../one.safetensors\"}}"),
		"not a plain name", "a path upwards");
	refuses(save_text(INDEX, "{\"weight_map\":{\"a\":\"/etc/passwd\"}}"), "not a plain name",
		"an absolute path");
	refuses(save_text(INDEX, "{\"weight_map\":{\"a\":7}}"), "not a plain name",
		"a number for a file");
	refuses(save_text(INDEX, "{\"weight_map\":{}}"), "no weight_map", "an empty map");
	refuses(save_text(INDEX, "{\"weight_map\": 1234567}"), "no weight_map", "no map");
	refuses(save_text(INDEX, "{\"weight_map\": {"), "not valid JSON", "a broken index");
}

/* --- config.json ----------------------------------------------------------------------------- */

struct config {
	const char *text;
	long long per_token; /* -1 unknown */
	const char *what;
};

static const struct config configs[] = {
	{ "{\"num_hidden_layers\":32,\"num_attention_heads\":32,\"num_key_value_heads\":8,\"hidden_"
	  "size\":4096}",
		65536, "2 x 32 x 8 x 128" },
	{ "{\"num_hidden_layers\":2,\"num_attention_heads\":4,\"hidden_size\":64}", 256,
		"every head has its own: 2 x 2 x 4 x 16" },
	{ "{\"num_hidden_layers\":2,\"num_attention_heads\":4,\"num_key_value_heads\":1,\"head_"
	  "dim\":80,\"hidden_size\":64}",
		320, "head_dim is said: 2 x 2 x 1 x 80" },
	{ "{\"text_config\":{\"num_hidden_layers\":1,\"num_attention_heads\":1,\"head_dim\":8}}",
		16, "a text part" },
	{ "{\"num_hidden_layers\":2,\"num_attention_heads\":3,\"hidden_size\":64}", -1,
		"heads that do not divide the size" },
	{ "{\"num_attention_heads\":4,\"hidden_size\":64}", -1, "no layers" },
	{ "{\"num_hidden_layers\":2,\"num_attention_heads\":4,\"num_key_value_heads\":null,"
	  "\"hidden_size\":64}",
		-1, "null is not said" },
	{ "{\"num_hidden_layers\":-2,\"num_attention_heads\":4,\"hidden_size\":64}", -1,
		"a negative number" },
	{ "{\"num_hidden_layers\":9223372036854775807,\"num_attention_heads\":4,\"hidden_size\":"
	  "64}",
		-1, "an impossible number" },
	{ "{\"num_hidden_layers\":2,\"num_attention_heads\":4,\"hidden_size\":64,\"kv_lora_rank\":"
	  "512}",
		-1, "compressed latents are another cache" },
	{ "{\"num_hidden_layers\":2,\"num_attention_heads\":4,\"hidden_size\":64,\"layer_types\":["
	  "\"linear_attention\"]}",
		-1, "so are linear layers" },
	{ "{\"num_hidden_layers\":2,\"num_attention_heads\":4,\"hidden_size\":64,\"is_encoder_"
	  "decoder\":true}",
		-1, "and an encoder with a decoder" },
	{ "[]", -1, "no object" },
	{ "{", -1, "no JSON" },
};

static void test_configs(void)
{
	char *path = save_safetensors("model.safetensors", HALF, 8),
	     *config = path_join(place, "config.json");
	struct artifact artifact;
	struct error err;
	size_t i;

	for (i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		struct artifact_cache *cache = &artifact.cache;

		free(save_text("config.json", configs[i].text));
		if (artifact_read(path, &artifact, &err) != 0) {
			tap_ok(false, "%s", configs[i].what);
			continue;
		}
		tap_number(cache->elements_per_token.known
				   ? (long long)cache->elements_per_token.value
				   : -1,
			configs[i].per_token, configs[i].what);
		tap_ok(cache->elements_per_token.known || cache->why[0], "unknown has why");
		artifact_release(&artifact);
	}
	unlink(config);
	tap_ok(artifact_read(path, &artifact, &err) == 0 &&
			!artifact.cache.elements_per_token.known &&
			strstr(artifact.cache.why, "no config.json"),
		"without config.json the cache is unknown, with why");
	artifact_release(&artifact);
	free(path);
	free(config);
}

/* --- GGUF ------------------------------------------------------------------------------------ */

enum { U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 };

static void put_head(struct str *s, uint32_t version, uint64_t tensors, uint64_t keys)
{
	str_add(s, "GGUF");
	put_le(s, version, 4);
	put_le(s, tensors, 8);
	put_le(s, keys, 8);
}

static void put_number(struct str *s, const char *key, uint32_t type, uint64_t value, int bytes)
{
	put_text(s, key);
	put_le(s, type, 4);
	put_le(s, value, bytes);
}

static void put_architecture(struct str *s, const char *name)
{
	put_text(s, "general.architecture");
	put_le(s, STRING, 4);
	put_text(s, name);
}

static void put_tensor(
	struct str *s, const char *name, uint64_t x, uint64_t y, uint32_t type, uint64_t offset)
{
	put_text(s, name);
	put_le(s, 2, 4);
	put_le(s, x, 8);
	put_le(s, y, 8);
	put_le(s, type, 4);
	put_le(s, offset, 8);
}

static void pad(struct str *s, size_t alignment)
{
	while (s->len % alignment)
		str_add_bytes(s, "", 1);
}

/* Sizes by type, as the format's reference gives them: elements of a block and its bytes. */
static const struct {
	uint32_t code;
	uint32_t block, bytes;
} blocks[] = { { 0, 1, 4 }, { 1, 1, 2 }, { 2, 32, 18 }, { 3, 32, 20 }, { 6, 32, 22 }, { 7, 32, 24 },
	{ 8, 32, 34 }, { 10, 256, 84 }, { 11, 256, 110 }, { 12, 256, 144 }, { 13, 256, 176 },
	{ 14, 256, 210 }, { 15, 256, 292 }, { 16, 256, 66 }, { 17, 256, 74 }, { 18, 256, 98 },
	{ 19, 256, 50 }, { 20, 32, 18 }, { 21, 256, 110 }, { 22, 256, 82 }, { 23, 256, 136 },
	{ 24, 1, 1 }, { 25, 1, 2 }, { 26, 1, 4 }, { 27, 1, 8 }, { 28, 1, 8 }, { 29, 256, 56 },
	{ 30, 1, 2 }, { 34, 256, 54 }, { 35, 256, 66 }, { 39, 32, 17 } };

static void test_types(void)
{
	struct artifact artifact;
	struct error err;
	size_t i;

	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		struct str s = STR_INIT;
		char *path, what[60];
		long long got = -1;

		put_head(&s, 3, 1, 0);
		put_tensor(&s, "w", 512, 3, blocks[i].code, 0);
		pad(&s, 32);
		put_zeros(&s, 512 * 3 / blocks[i].block * blocks[i].bytes);
		path = save("x.gguf", &s);
		if (artifact_read(path, &artifact, &err) == 0) {
			got = (long long)artifact.weight_bytes;
			artifact_release(&artifact);
		}
		snprintf(what, sizeof(what), "type %u", (unsigned)blocks[i].code);
		tap_number(got, 512 * 3 / blocks[i].block * blocks[i].bytes, what);
		free(path);
	}
}

/* A model of 2 tensors; `more` keys stand in `extra`. */
static char *save_model(const char *architecture, uint64_t more, const struct str *extra)
{
	struct str s = STR_INIT;

	put_head(&s, 3, 2, more + 1);
	put_architecture(&s, architecture);
	if (extra->len)
		str_add_bytes(&s, extra->data, extra->len);
	put_tensor(&s, "a", 256, 2, 12, 0); /* Q4_K: 288 bytes */
	put_tensor(&s, "b", 10, 1, 0, 288); /* F32: 40 bytes; 288 is a multiple of 32 */
	pad(&s, 32);
	put_zeros(&s, 288 + 40);
	return save("x.gguf", &s);
}

static long long per_token(
	const char *architecture, uint64_t more, struct str *extra_taken, bool *bound)
{
	char *path = save_model(architecture, more, extra_taken);
	struct artifact artifact;
	long long got = -2;
	struct error err;

	if (artifact_read(path, &artifact, &err) == 0) {
		got = artifact.cache.elements_per_token.known
			      ? (long long)artifact.cache.elements_per_token.value
			      : -1;
		*bound = artifact.cache.is_upper_bound;
		if (artifact.weight_bytes != 328 || artifact.tensors != 2)
			got = -3;
		artifact_release(&artifact);
	} else {
		printf("# %s\n", err.text);
	}
	str_release(extra_taken);
	free(path);
	return got;
}

static void put_llama(struct str *s)
{
	put_number(s, "llama.block_count", U32, 32, 4);
	put_number(s, "llama.embedding_length", U64, 4096, 8);
	put_number(s, "llama.attention.head_count", U16, 32, 2);
}

static void put_heads_array(struct str *s, uint32_t type, int bytes, uint64_t count)
{
	uint64_t i;

	put_text(s, "llama.attention.head_count_kv");
	put_le(s, ARRAY, 4);
	put_le(s, type, 4);
	put_le(s, count, 8);
	for (i = 0; i < count; i++)
		put_le(s, i % 2 ? 8 : 4, bytes);
}

static void test_cache(void)
{
	struct str s = STR_INIT;
	bool bound = false;

	put_llama(&s);
	put_number(&s, "llama.attention.head_count_kv", U32, 8, 4);
	tap_number(per_token("llama", 4, &s, &bound), 65536, "2 x 32 layers x 8 kv heads x 128");
	tap_ok(!bound, "exactly");
	put_llama(&s);
	tap_number(per_token("llama", 3, &s, &bound), 262144,
		"without head_count_kv every head counts");
	put_llama(&s);
	put_heads_array(&s, I32, 4, 32);
	tap_number(per_token("llama", 4, &s, &bound), 49152,
		"kv heads of each layer: (16 x 4 + 16 x 8) x 256");
	put_llama(&s);
	put_heads_array(&s, U8, 1, 31);
	tap_number(per_token("llama", 4, &s, &bound), -1,
		"an array of another length than the layers");
	put_llama(&s);
	put_number(&s, "llama.attention.key_length", U32, 192, 4);
	put_number(&s, "llama.attention.value_length", U32, 128, 4);
	tap_number(per_token("llama", 5, &s, &bound), 32 * 32 * 320,
		"keys and values of different length");
	put_llama(&s);
	put_number(&s, "llama.attention.sliding_window", U32, 1024, 4);
	tap_number(per_token("llama", 4, &s, &bound), 262144, "a sliding window");
	tap_ok(bound, "makes it an upper bound");
	put_llama(&s);
	put_number(&s, "llama.attention.kv_lora_rank", U32, 512, 4);
	tap_number(per_token("llama", 4, &s, &bound), -1, "compressed latents are another cache");
	put_llama(&s);
	tap_number(per_token("qwen2", 3, &s, &bound), -1,
		"another architecture's numbers do not count");
	put_number(&s, "llama.block_count", F32, 0x42000000, 4);
	tap_number(per_token("llama", 1, &s, &bound), -1, "a number of layers that is no integer");
	put_llama(&s);
	put_number(&s, "general.alignment", U32, 32, 4);
	tap_number(per_token("llama", 4, &s, &bound), 262144, "an alignment that is said");
}

/* Metadata of every kind is passed over, nested arrays too. */
static void test_metadata(void)
{
	struct str s = STR_INIT;
	bool bound;
	int i;

	put_number(&s, "x.a", U8, 1, 1);
	put_number(&s, "x.b", BOOL, 1, 1);
	put_number(&s, "x.c", F64, 1, 8);
	put_text(&s, "x.d");
	put_le(&s, ARRAY, 4);
	put_le(&s, STRING, 4);
	put_le(&s, 2, 8);
	put_text(&s, "one");
	put_text(&s, "");
	put_text(&s, "x.e");
	put_le(&s, ARRAY, 4);
	put_le(&s, ARRAY, 4);
	put_le(&s, 2, 8);
	for (i = 0; i < 2; i++) {
		put_le(&s, I16, 4);
		put_le(&s, 3, 8);
		put_zeros(&s, 6);
	}
	tap_number(per_token("llama", 5, &s, &bound), -1, "all kinds of metadata are passed over");
}

static void put_start(struct str *s, uint64_t tensors, uint64_t keys)
{
	put_head(s, 3, tensors, keys);
}

static void test_bad_metadata(void)
{
	struct str s = STR_INIT;
	int i;

	put_start(&s, 0, 1);
	put_le(&s, UINT64_MAX, 8);
	refuses(save("x.gguf", &s), "18446744073709551615", "a key of 2^64 - 1 bytes");
	put_start(&s, 0, 1);
	put_text(&s, "k");
	put_le(&s, 13, 4);
	refuses(save("x.gguf", &s), "unknown type 13", "an unknown type");
	put_start(&s, 0, 1);
	put_text(&s, "k");
	put_le(&s, ARRAY, 4);
	put_le(&s, U64, 4);
	put_le(&s, UINT64_MAX / 4, 8);
	refuses(save("x.gguf", &s), "64 bits", "an array whose bytes overflow");
	put_start(&s, 0, 1);
	put_text(&s, "k");
	put_le(&s, ARRAY, 4);
	put_le(&s, STRING, 4);
	put_le(&s, 1u << 25, 8);
	refuses(save("x.gguf", &s), "more than 16777216 elements", "an array of too many texts");
	put_start(&s, 0, 1);
	put_text(&s, "k");
	for (i = 0; i < 100; i++) {
		put_le(&s, ARRAY, 4);
		if (i)
			put_le(&s, 1, 8);
	}
	refuses(save("x.gguf", &s), "nested deeper", "arrays in arrays in arrays");
	put_start(&s, 0, 2);
	put_number(&s, "llama.block_count", U32, 1, 4);
	put_number(&s, "llama.block_count", U32, 2, 4);
	refuses(save("x.gguf", &s), "given twice", "a number given twice");
	put_start(&s, 0, 1);
	put_number(&s, "llama.block_count", I32, 0xffffffff, 4);
	refuses(save("x.gguf", &s), "negative", "a negative number of layers");
}

static void test_bad_heads(void)
{
	struct str s = STR_INIT;

	put_head(&s, 1, 0, 0);
	refuses(save("x.gguf", &s), "version 1", "version 1");
	put_head(&s, 0x03000000, 0, 0);
	refuses(save("x.gguf", &s), "big-endian", "a big-endian file");
	put_head(&s, 3, UINT64_MAX, 0);
	refuses(save("x.gguf", &s), "18446744073709551615 tensors", "2^64 - 1 tensors");
	put_head(&s, 3, 0, 1 << 20);
	refuses(save("x.gguf", &s), "1048576 keys", "too many keys");
	put_head(&s, 3, 1000, 0);
	refuses(save("x.gguf", &s), "the file ends before",
		"more tensors than the file can describe");
	put_head(&s, 3, 0, 0);
	refuses(save("x.gguf", &s), "no weights", "no tensors");
	str_add(&s, "GGUF");
	put_le(&s, 3, 4);
	put_zeros(&s, 2);
	refuses(save("x.gguf", &s), "inside its header", "ten bytes");
}

static void bad_tensor(uint64_t x, uint64_t y, uint32_t type, uint64_t offset, size_t data,
	const char *reason, const char *what)
{
	struct str s = STR_INIT;

	put_start(&s, 1, 0);
	put_tensor(&s, "w", x, y, type, offset);
	pad(&s, 32);
	put_zeros(&s, data);
	refuses(save("x.gguf", &s), reason, what);
}

static void test_bad_tensors(void)
{
	struct str s = STR_INIT;

	bad_tensor(100, 1, 12, 0, 999, "whole blocks", "a row that is no whole block");
	bad_tensor(128, 2, 12, 0, 999, "whole blocks", "nor are two halves");
	bad_tensor(32, 1, 4, 0, 999, "type 4 is not known", "a type that was removed");
	bad_tensor(32, 1, 9, 0, 999, "type 9 is not known", "a type that is never stored");
	bad_tensor(UINT32_MAX, UINT64_MAX, 0, 0, 9, "64 bits", "a shape that overflows");
	bad_tensor(UINT64_MAX / 2, 1, 0, 0, 9, "whole blocks", "bytes that overflow");
	bad_tensor(1, 1, 0, UINT64_MAX - 31, 9, "cut off", "an offset far behind the file");
	bad_tensor(8, 1, 0, UINT64_MAX - 31, 9, "64 bits", "an end that overflows");
	bad_tensor(1, 1, 0, 33, 999, "alignment", "an offset off the alignment");
	bad_tensor(256, 1, 0, 0, 1023, "cut off", "a byte too few");
	put_start(&s, 1, 0);
	put_text(&s, "w");
	put_le(&s, 5, 4);
	put_zeros(&s, 99);
	refuses(save("x.gguf", &s), "more than 4 dimensions", "five dimensions");
	put_start(&s, 2, 0);
	put_tensor(&s, "a", 16, 1, 0, 0);
	put_tensor(&s, "b", 16, 1, 0, 32);
	pad(&s, 32);
	put_zeros(&s, 96);
	refuses(save("x.gguf", &s), "overlap at byte 32", "tensors that overlap");
	put_start(&s, 1, 1);
	put_number(&s, "general.alignment", U32, 7, 4);
	put_tensor(&s, "a", 16, 1, 0, 0);
	put_zeros(&s, 96);
	refuses(save("x.gguf", &s), "alignment of 7", "an alignment of 7");
}

/* --- several GGUF files ---------------------------------------------------------------------- */

static char *save_part(const char *name, uint64_t number, uint64_t count, uint64_t all)
{
	struct str s = STR_INIT;

	put_start(&s, 1, 3);
	put_number(&s, "split.no", U16, number, 2);
	put_number(&s, "split.count", U16, count, 2);
	put_number(&s, "split.tensors.count", I32, all, 4);
	put_tensor(&s, "w", 10 * (number + 1), 1, 0, 0);
	pad(&s, 32);
	put_zeros(&s, 40 * (size_t)(number + 1));
	return save(name, &s);
}

static void test_parts(void)
{
	char *first = save_part("m-00001-of-00002.gguf", 0, 2, 2),
	     *second = save_part("m-00002-of-00002.gguf", 1, 2, 2);
	struct error err = { "" };
	struct artifact artifact;

	tap_ok(artifact_read(second, &artifact, &err) == 0, "any part finds the others: %s",
		err.text);
	tap_number((long long)artifact.weight_bytes, 120, "40 and 80 bytes");
	tap_number((long long)artifact.file_count, 2, "of two files");
	artifact_release(&artifact);
	free(first);
	free(second);
	refuses(save_part("m-00002-of-00002.gguf", 0, 2, 2), "says that it is part 1 of 2",
		"a part that says to be another");
	free(save_part("m-00002-of-00002.gguf", 1, 2, 2));
	refuses(save_part("m-00001-of-00002.gguf", 0, 2, 3), "announces 3",
		"a tensor that no part has");
	refuses(save_part("alone.gguf", 0, 2, 2), "does not tell the others",
		"a part under another name");
	refuses(save_part("n-00001-of-00002.gguf", 0, 2, 2), "No such file", "a missing part");
	refuses(save_part("n-00001-of-60000.gguf", 0, 60000, 2), "one of 60000 parts",
		"too many parts");
}

/* --- fit ------------------------------------------------------------------------------------- */

static struct fit judge(
	uint64_t weights, uint64_t context, struct gpu *gpus, size_t count, uint64_t margin)
{
	struct fit_request request = {
		.context = { context != 0, context }, .kv_half_bits = 32, .margin_bytes = margin
	};
	struct artifact *artifact = xcalloc(1, sizeof(*artifact));
	struct node node;
	struct fit fit;

	memset(&node, 0, sizeof(node));
	node.gpus = gpus;
	node.gpu_count = count;
	artifact->weight_bytes = weights;
	artifact->cache.elements_per_token = known_u64(65536);
	if (fit_judge(artifact, &request, &node, &fit, NULL) != 0)
		memset(&fit, 0, sizeof(fit));
	free(artifact);
	return fit;
}

struct capacity {
	struct known_u64 free, hip_total, vram;
	const char *basis;
	uint64_t bytes;
	const char *what;
};

#define NO                                                                                         \
	{                                                                                          \
		false, 0                                                                           \
	}
#define SOME(n)                                                                                    \
	{                                                                                          \
		true, n                                                                            \
	}

static const struct capacity capacities[] = {
	{ SOME(900), SOME(1000), SOME(1000), "free", 900, "free is what counts" },
	{ NO, SOME(1000), SOME(999), "total", 1000, "then HIP's total" },
	{ NO, NO, SOME(999), "total", 999, "then KFD's" },
	{ NO, NO, NO, "published", 64000000000, "then the published size" },
	{ SOME(UINT64_MAX), SOME(1000), NO, "total", 1000, "all bits set is not a size" },
	{ SOME(UINT32_MAX), SOME(1000), NO, "total", 1000, "nor in 32 bits" },
	{ SOME(1001), SOME(1000), NO, "total", 1000, "more free than there is is not believed" },
	{ SOME(UINT64_MAX), SOME(UINT64_MAX), SOME(UINT64_MAX), "published", 64000000000,
		"nor is a total of all bits" },
	{ SOME(0), SOME(0), NO, "published", 64000000000, "a total of 0 is unknown" },
	{ SOME(0), SOME(1000), NO, "free", 0, "nothing free is nothing free" },
};

static void test_capacity(void)
{
	size_t i;

	for (i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++) {
		const struct capacity *c = &capacities[i];
		struct gpu gpu;
		struct fit fit;

		memset(&gpu, 0, sizeof(gpu));
		gpu.pci_device_id = known_u64(0x7408);
		gpu.hip_free = c->free;
		gpu.hip_total = c->hip_total;
		gpu.vram_total = c->vram;
		fit = judge(1, 0, &gpu, 1, 0);
		tap_text(fit_basis_name(fit.domains[0].basis), c->basis, c->what);
		tap_number((long long)fit.domains[0].capacity, (long long)c->bytes, c->what);
		fit_release(&fit);
	}
}

static void test_fit(void)
{
	struct gpu gpus[2];
	struct fit fit;

	memset(gpus, 0, sizeof(gpus));
	gpus[0].vram_total = gpus[1].vram_total = known_u64(1000);
	fit = judge(1000, 0, gpus, 2, 0);
	tap_ok(fit.fits == KNOWN_YES && fit.yes == 2, "to the last byte");
	fit_release(&fit);
	fit = judge(1001, 0, gpus, 2, 0);
	tap_ok(fit.fits == KNOWN_NO && fit.no == 2,
		"one byte too many, though two domains would hold it together");
	fit_release(&fit);
	fit = judge(1000, 0, gpus, 2, 1);
	tap_ok(fit.fits == KNOWN_NO, "a margin counts");
	fit_release(&fit);
	gpus[1].vram_total = (struct known_u64){ false, 0 };
	fit = judge(1001, 0, gpus, 2, 0);
	tap_ok(fit.fits == KNOWN_UNKNOWN && fit.domains[1].why[0],
		"a domain of unknown size may hold it");
	fit_release(&fit);
	fit = judge(1, 0, gpus, 0, 0);
	tap_ok(fit.fits == KNOWN_UNKNOWN, "no domain, no answer");
	fit_release(&fit);
	gpus[0].vram_total = known_u64(131073);
	fit = judge(1, 1, gpus, 1, 0);
	tap_ok(fit.fits == KNOWN_YES && fit.cache_bytes.value == 131072 && fit.needed == 131073,
		"a token of 65536 elements of 16 bits");
	fit_release(&fit);
	fit = judge(2, 1, gpus, 1, 0);
	tap_ok(fit.fits == KNOWN_NO, "the cache counts");
	fit_release(&fit);
	fit = judge(1, UINT64_MAX / 2, gpus, 1, 0);
	tap_ok(!fit.domains, "a cache of more than 64 bits is refused");
	fit = judge(UINT64_MAX, 1, gpus, 1, 0);
	tap_ok(!fit.domains, "so is a sum");
	fit = judge(UINT64_MAX, 0, gpus, 1, UINT64_MAX);
	tap_ok(fit.fits == KNOWN_NO, "a margin that overflows fits nothing");
	fit_release(&fit);
}

static enum known fits(struct artifact_cache cache, uint64_t weights, uint64_t context,
	unsigned half_bits, unsigned permille)
{
	struct fit_request request = { .context = known_u64(context),
		.kv_half_bits = half_bits,
		.margin_permille = permille };
	struct artifact *artifact = xcalloc(1, sizeof(*artifact));
	enum known answer = KNOWN_NO;
	struct node node;
	struct gpu gpu;
	struct fit fit;

	memset(&node, 0, sizeof(node));
	memset(&gpu, 0, sizeof(gpu));
	gpu.vram_total = known_u64(1000);
	node.gpus = &gpu;
	node.gpu_count = 1;
	artifact->weight_bytes = weights;
	artifact->cache = cache;
	if (fit_judge(artifact, &request, &node, &fit, NULL) == 0)
		answer = fit.fits;
	fit_release(&fit);
	free(artifact);
	return answer;
}

static void test_unknown_cache(void)
{
	struct artifact_cache unknown = { .why = "not told" };
	struct artifact_cache bound = { .elements_per_token = { true, 1 }, .is_upper_bound = true };
	struct artifact_cache one = { .elements_per_token = { true, 1 } };

	tap_ok(fits(unknown, 10, 5, 32, 0) == KNOWN_UNKNOWN,
		"an unknown cache decides nothing for");
	tap_ok(fits(unknown, 1001, 5, 32, 0) == KNOWN_NO, "weights that do not fit decide against");
	tap_ok(fits(unknown, 1000, 0, 32, 0) == KNOWN_YES, "a context of 0 has no cache");
	tap_ok(fits(bound, 500, 250, 32, 0) == KNOWN_YES, "an upper bound that fits");
	tap_ok(fits(bound, 500, 251, 32, 0) == KNOWN_UNKNOWN,
		"one that does not fit decides nothing");
	tap_ok(fits(one, 500, 251, 32, 0) == KNOWN_NO, "an exact one does");
	tap_ok(fits(one, 992, 16, 8, 0) == KNOWN_YES, "16 elements of 4 bits are 8 bytes");
	tap_ok(fits(one, 993, 16, 8, 0) == KNOWN_NO, "and no less");
	tap_ok(fits(one, 966, 32, 17, 0) == KNOWN_YES && fits(one, 967, 32, 17, 0) == KNOWN_NO,
		"32 elements of 8.5 bits are 34 bytes");
	tap_ok(fits(one, 900, 0, 32, 100) == KNOWN_YES && fits(one, 901, 0, 32, 100) == KNOWN_NO,
		"a margin of a tenth");
}

int main(void)
{
	size_t i;

	if (!mkdtemp(place))
		return 3;
	for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		test_header(&headers[i]);
	test_lengths();
	test_header_limit();
	test_index();
	test_bad_index();
	test_configs();
	test_types();
	test_cache();
	test_metadata();
	test_bad_metadata();
	test_bad_heads();
	test_bad_tensors();
	test_parts();
	test_capacity();
	test_fit();
	test_unknown_cache();
	folder_remove(place, NULL);
	return tap_done();
}
