/* SPDX-License-Identifier: Apache-2.0 */
/* The head and the metadata of a GGUF file: what its keys say that the tensors and the cache follow
 * from. */
#ifndef ARTIFACT_GGUF_H
#define ARTIFACT_GGUF_H

#include "artifact/parts.h"

enum { GGUF_VALUES_MAX = 64 };

/* A number, or an array of numbers, of the metadata. */
struct gguf_value {
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
	struct gguf_value kept[GGUF_VALUES_MAX];
	size_t kept_count;
	char other[128];
	uint64_t walked; /* array elements */
};

/* Reads the head, then the keys; the input is then at the first tensor's entry. */
int gguf_read_head(struct gguf *gguf, struct error *err);
int gguf_read_metadata(struct gguf *gguf, struct error *err);

/* A string of the format; one longer than `size` - 1 is cut, one longer than `limit` refused. */
int gguf_read_string(struct gguf *gguf, char *to, size_t size, uint64_t limit, struct error *err);

/* NULL when the file does not say it. */
struct gguf_value *gguf_find(struct gguf *gguf, const char *key);

/* The number of a key that is not an array; `otherwise` when it is not said. */
uint64_t gguf_number(struct gguf *gguf, const char *key, uint64_t otherwise);

#endif
