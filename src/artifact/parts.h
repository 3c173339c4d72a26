/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of this folder share. */
#ifndef ARTIFACT_PARTS_H
#define ARTIFACT_PARTS_H

#include <jansson.h>

#include "artifact/artifact.h"

/* A regular file and a position in it; errors name the path. */
struct input {
	const char *path; /* borrowed */
	int fd;
	uint64_t size, at;
	uint64_t held_at; /* where the held bytes stand in the file */
	size_t held;
	unsigned char bytes[65536];
};

/* Opens a regular file. 0, or -1. Closed by input_close(). */
int input_open(struct input *input, const char *path, struct error *err);
void input_close(struct input *input);

/* The next `len` bytes; -1 when the file ends before. */
int input_bytes(struct input *input, void *to, size_t len, struct error *err);
int input_u32(struct input *input, uint32_t *value, struct error *err);
int input_u64(struct input *input, uint64_t *value, struct error *err);
int input_skip(struct input *input, uint64_t len, struct error *err);

/* a * b, a + b; false when it does not fit 64 bits. */
bool multiply(uint64_t a, uint64_t b, uint64_t *product);
bool add(uint64_t a, uint64_t b, uint64_t *sum);

/* Bytes of so many elements; false when they do not fill whole blocks and bytes, or overflow. */
bool layout_bytes(const struct artifact_layout *layout, uint64_t elements, uint64_t *bytes);

/* By dtype of safetensors, by number of GGUF; NULL when unknown here. */
const struct artifact_layout *layout_of_dtype(const char *dtype);
const struct artifact_layout *layout_of_code(uint32_t code);

/* Where a tensor's bytes lie in the data. */
struct extent {
	uint64_t begin, end;
};

/* Sorts, and fails when two overlap. */
int extents_check(const char *path, struct extent *extents, size_t count, struct error *err);

/* Counts a tensor. -1 on overflow. */
int artifact_count(struct artifact *artifact, const struct artifact_layout *layout,
	uint64_t elements, uint64_t bytes, struct error *err);

/* Enters a file that was read. */
void artifact_add_file(struct artifact *artifact, const char *path, uint64_t bytes);

/* Reads one safetensors file into the artifact. `map` NULL, or an index's weight_map: then the file
 * must hold exactly the tensors that the map places in `name`; their number is added to *mapped. */
int safetensors_read(const char *path, const char *name, const json_t *map, size_t *mapped,
	struct artifact *artifact, struct error *err);

/* Reads an index and all its files. */
int safetensors_read_index(const char *path, struct artifact *artifact, struct error *err);

/* Reads a GGUF file and the other parts when it says that it is one of several. */
int gguf_read(const char *path, struct artifact *artifact, struct error *err);

/* The numbers from which the cache follows; 0 is "not said". */
struct cache_numbers {
	uint64_t layers, embedding, heads, kv_heads, kv_heads_sum, key_length, value_length, window;
	const char *other; /* a key that tells of another kind of cache; NULL none */
};

/* Fills `cache` from them; what is not said makes it unknown with why. `names` say what the numbers
 * are called there: layers, heads. */
void cache_fill(const struct cache_numbers *numbers, const char *layers_name,
	const char *heads_name, struct artifact_cache *cache);

/* From config.json in the folder of `path`, which is what safetensors files leave it to. */
void cache_from_config(const char *path, struct artifact_cache *cache);

#endif
