/* SPDX-License-Identifier: Apache-2.0 */
/* The key-value cache: for each layer and each token of context a key and a value of each key-value
 * head. Architectures that keep something else (compressed latents, states of a recurrence, shared
 * or cross-attention layers) are unknown here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/parts.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

enum { CONFIG_MAX = 4 << 20, SIZE_MAX_SANE = 1 << 24 };

static const char *missing(
	const struct cache_numbers *n, const char *layers_name, const char *heads_name)
{
	if (!n->layers)
		return layers_name;
	if (!n->kv_heads && !n->kv_heads_sum)
		return heads_name;
	if (!n->key_length)
		return "the length of a key";
	return n->value_length ? NULL : "the length of a value";
}

/* A head's share of the embedding, when it is whole. */
static uint64_t head_length(const struct cache_numbers *n)
{
	return n->heads && n->embedding % n->heads == 0 ? n->embedding / n->heads : 0;
}

static bool too_large(const struct cache_numbers *n)
{
	return n->layers > SIZE_MAX_SANE || n->kv_heads > SIZE_MAX_SANE ||
	       n->kv_heads_sum > SIZE_MAX_SANE || n->key_length > SIZE_MAX_SANE ||
	       n->value_length > SIZE_MAX_SANE;
}

void cache_fill(const struct cache_numbers *numbers, const char *layers_name,
	const char *heads_name, struct artifact_cache *cache)
{
	struct cache_numbers n = *numbers;
	const char *lacking;

	n.key_length = n.key_length ? n.key_length : head_length(&n);
	n.value_length = n.value_length ? n.value_length : head_length(&n);
	if (n.other) {
		snprintf(cache->why, sizeof(cache->why),
			"%s: %.100s tells of a cache other than keys and values of each layer",
			cache->from, n.other);
		return;
	}
	lacking = missing(&n, layers_name, heads_name);
	if (lacking || too_large(&n)) {
		snprintf(cache->why, sizeof(cache->why), "%s %s %s", cache->from,
			lacking ? "does not tell" : "gives impossible sizes",
			lacking ? lacking : "of layers or heads");
		return;
	}
	cache->layers = n.layers;
	cache->kv_heads = n.kv_heads;
	cache->kv_heads_sum = n.kv_heads_sum ? n.kv_heads_sum : n.layers * n.kv_heads;
	cache->key_length = n.key_length;
	cache->value_length = n.value_length;
	cache->is_upper_bound = n.window != 0;
	if (!multiply(cache->kv_heads_sum, n.key_length + n.value_length,
		    &cache->elements_per_token.value))
		str_copy(cache->why, sizeof(cache->why), "its sizes are more than 64 bits hold");
	else
		cache->elements_per_token.known = true;
}

/* --- config.json ---------------------------------------------------------------------------- */

static uint64_t size_of(const json_t *config, const char *key)
{
	json_int_t value = json_integer_of(config, key, 0);

	return value > 0 ? (uint64_t)value : 0;
}

/* Keys with which a configuration tells of another kind of cache. */
static const char *other_cache(const json_t *config)
{
	static const char *const keys[] = { "kv_lora_rank", "num_kv_shared_layers", "state_size",
		"ssm_state_size", "mamba_d_state", "linear_num_value_heads",
		"full_attention_interval", "attention_layers_idx", "cross_attention_layers",
		"attn_layer_period" };
	const json_t *layers = json_object_get(config, "layer_types");
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const json_t *value = json_object_get(config, keys[i]);

		if (value && !json_is_null(value) &&
			!(json_is_integer(value) && !json_integer_value(value)))
			return keys[i];
	}
	for (i = 0; i < json_array_size(layers); i++) {
		const char *type = json_string_value(json_array_get(layers, i));

		if (!type || (strcmp(type, "full_attention") != 0 &&
				     strcmp(type, "sliding_attention") != 0))
			return "layer_types";
	}
	if (json_is_true(json_object_get(config, "is_encoder_decoder")))
		return "is_encoder_decoder";
	return json_is_true(json_object_get(config, "multi_query")) ? "multi_query" : NULL;
}

static void read_config(const json_t *config, struct artifact_cache *cache)
{
	const json_t *text = json_object_get(config, "text_config");
	struct cache_numbers numbers;

	/* Models of text and pictures keep the text part's sizes apart. */
	if (json_is_object(text) && !json_object_get(config, "num_hidden_layers"))
		config = text;
	memset(&numbers, 0, sizeof(numbers));
	numbers.layers = size_of(config, "num_hidden_layers");
	numbers.embedding = size_of(config, "hidden_size");
	numbers.heads = size_of(config, "num_attention_heads");
	numbers.kv_heads = size_of(config, "num_key_value_heads");
	if (!json_object_get(config, "num_key_value_heads"))
		numbers.kv_heads = numbers.heads;
	numbers.key_length = numbers.value_length = size_of(config, "head_dim");
	if (!json_is_false(json_object_get(config, "use_sliding_window")))
		numbers.window = size_of(config, "sliding_window");
	numbers.other = other_cache(config);
	cache_fill(&numbers, "num_hidden_layers", "num_attention_heads", cache);
}

void cache_from_config(const char *path, struct artifact_cache *cache)
{
	char *file = xasprintf("%.*sconfig.json", (int)(path_base(path) - path), path);
	json_t *config = NULL;
	struct error err;

	str_copy(cache->from, sizeof(cache->from), "config.json beside it");
	if (!file_exists(file))
		str_copy(cache->why, sizeof(cache->why),
			"a safetensors header does not tell layers and heads, and no config.json "
			"lies beside it");
	else if (!(config = json_read(file, CONFIG_MAX, &err)))
		snprintf(cache->why, sizeof(cache->why), "config.json beside it cannot be read");
	else
		read_config(config, cache);
	json_decref(config);
	free(file);
}
