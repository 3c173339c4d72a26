/* SPDX-License-Identifier: Apache-2.0 */
/* An inference artifact: what the headers of safetensors and GGUF files say about the weights. Only
 * headers are read.
 *
 * safetensors: 8 bytes little-endian header length, a JSON object tensor -> {dtype, shape,
 * data_offsets}, the data. Several files are tied together by an index,
 * `model.safetensors.index.json`: {metadata, weight_map: tensor -> file}. GGUF 2 and 3: "GGUF",
 * version, counts, metadata key/values, tensor infos, padding, the data. Several files carry
 * split.count and are named NAME-00001-of-00003.gguf.
 *
 * Everything in them is hostile: counts, lengths and offsets are checked against limits and against
 * the file's size before they are used, and every sum and product for overflow. */
#ifndef ARTIFACT_ARTIFACT_H
#define ARTIFACT_ARTIFACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/known.h"

enum {
	ARTIFACT_TYPES = 48,
	ARTIFACT_HEADER_MAX = 32 << 20, /* a safetensors header */
	ARTIFACT_TENSORS_MAX = 1 << 20,
	ARTIFACT_KEYS_MAX = 1 << 16, /* metadata keys of a GGUF file */
	ARTIFACT_STRING_MAX = 16 << 20, /* one GGUF string: chat templates and merges are long */
	ARTIFACT_ELEMENTS_MAX =
		1 << 24, /* metadata array elements that have to be walked, in one file */
	ARTIFACT_NESTING_MAX = 4, /* arrays in arrays */
	ARTIFACT_FILES_MAX = 4096
};

enum artifact_format { ARTIFACT_SAFETENSORS, ARTIFACT_GGUF };

/* How a type stores its elements: `block` of them in `bits`. */
struct artifact_layout {
	const char *name; /* "BF16", "Q4_K" */
	uint32_t code; /* GGUF's number */
	uint32_t block;
	uint32_t bits;
};

/* The tensors of one type. */
struct artifact_type {
	const struct artifact_layout *layout;
	uint64_t tensors, elements, bytes;
};

struct artifact_file {
	char *path;
	uint64_t bytes;
	char sha256[65]; /* "" until artifact_digest() */
};

/* What a token of context adds to the key-value cache. */
struct artifact_cache {
	struct known_u64 elements_per_token; /* keys and values of all layers */
	uint64_t layers;
	uint64_t kv_heads; /* of each layer; 0 when they differ */
	uint64_t kv_heads_sum; /* over the layers */
	uint64_t key_length, value_length; /* of one head */
	bool is_upper_bound; /* a sliding window may keep less */
	char from[80]; /* "the file's metadata", "config.json" */
	char why[240]; /* of unknown */
};

struct artifact {
	enum artifact_format format;
	uint32_t version; /* of GGUF, else 0 */
	char architecture[64]; /* of GGUF; "" unknown */
	struct artifact_file *files;
	size_t file_count;
	struct artifact_type types[ARTIFACT_TYPES]; /* in the order of their first tensor */
	size_t type_count;
	uint64_t tensors, elements, weight_bytes;
	struct artifact_cache cache;
	char note[300]; /* a disagreement that does not change the sizes; "" none */
};

/* Reads a .safetensors file, an index of several, a .gguf file (and its other parts), or a folder
 * that holds one of the first two under its usual name. -1 when it is none of these or contradicts
 * itself, *out untouched. */
int artifact_read(const char *path, struct artifact *out, struct error *err);

void artifact_release(struct artifact *artifact);

/* SHA-256 of every file, all bytes. */
int artifact_digest(struct artifact *artifact, struct error *err);

/* "safetensors", "GGUF". Static. */
const char *artifact_format_name(enum artifact_format format);

#endif
