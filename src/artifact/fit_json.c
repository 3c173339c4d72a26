/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/fit.h"
#include "base/json.h"

static json_t *types_json(const struct artifact *artifact)
{
	json_t *types = json_array();
	size_t i;

	for (i = 0; i < artifact->type_count; i++) {
		const struct artifact_type *type = &artifact->types[i];

		json_array_append_new(types,
			json_pack("{s:s, s:I, s:I, s:I, s:i, s:i}", "type", type->layout->name,
				"tensors", (json_int_t)type->tensors, "elements",
				(json_int_t)type->elements, "bytes", (json_int_t)type->bytes,
				"block_elements", (int)type->layout->block, "block_bits",
				(int)type->layout->bits));
	}
	return types;
}

static json_t *files_json(const struct artifact *artifact)
{
	json_t *files = json_array();
	size_t i;

	for (i = 0; i < artifact->file_count; i++) {
		const struct artifact_file *file = &artifact->files[i];

		json_array_append_new(
			files, json_pack("{s:o, s:I, s:o}", "path", json_printable_text(file->path),
				       "bytes", (json_int_t)file->bytes, "sha256",
				       file->sha256[0] ? json_string(file->sha256)
						       : fact_unknown("not asked for (--digest)")));
	}
	return files;
}

static json_t *artifact_json(const struct artifact *artifact)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o}", "format",
		artifact_format_name(artifact->format), "version",
		artifact->version ? json_integer((json_int_t)artifact->version) : json_null(),
		"architecture",
		artifact->architecture[0]
			? fact_text(artifact->architecture, "declared", artifact->cache.from)
			: fact_unknown("the header does not tell it"),
		"files", files_json(artifact), "types", types_json(artifact), "tensors",
		(json_int_t)artifact->tensors, "elements", (json_int_t)artifact->elements,
		"weight_bytes", (json_int_t)artifact->weight_bytes, "note",
		artifact->note[0] ? json_printable_text(artifact->note) : json_null());
}

static json_t *cache_json(
	const struct artifact *artifact, const struct fit_request *request, const struct fit *fit)
{
	const struct artifact_cache *cache = &artifact->cache;
	json_t *json = json_object();

	json_object_set_new(json, "context",
		fact_u64(request->context, "declared", "--context", "no context was stated"));
	json_object_set_new(json, "bits", json_real(request->kv_half_bits / 2.0));
	json_object_set_new(json, "elements_per_token",
		fact_u64(cache->elements_per_token, "declared", cache->from,
			cache->why[0] ? cache->why : "not told"));
	if (cache->elements_per_token.known) {
		json_object_set_new(json, "layers", json_integer((json_int_t)cache->layers));
		json_object_set_new(json, "kv_heads_of_all_layers",
			json_integer((json_int_t)cache->kv_heads_sum));
		json_object_set_new(
			json, "key_length", json_integer((json_int_t)cache->key_length));
		json_object_set_new(
			json, "value_length", json_integer((json_int_t)cache->value_length));
		json_object_set_new(json, "is_upper_bound", json_boolean(cache->is_upper_bound));
	}
	json_object_set_new(json, "bytes",
		fact_u64(fit->cache_bytes, "declared", cache->from,
			fit->cache_why[0] ? fit->cache_why : "not told"));
	return json;
}

static json_t *domain_json(const struct fit_domain *domain, const struct node *node)
{
	struct known_u64 capacity = { domain->basis != FIT_NO_BASIS, domain->capacity };
	const char *class = domain->basis == FIT_PUBLISHED ? "published" : node_class(node);

	return json_pack("{s:o, s:s, s:o, s:o, s:s, s:o}", "bdf",
		domain->gpu->bdf[0] ? json_printable_text(domain->gpu->bdf) : json_null(), "basis",
		fit_basis_name(domain->basis), "capacity_bytes",
		fact_u64(
			capacity, class, domain->from, domain->from[0] ? domain->from : "not told"),
		"margin_bytes", json_integer((json_int_t)domain->margin), "fits",
		known_name(domain->fits), "why", json_printable_text(domain->why));
}

json_t *fit_json(const struct artifact *artifact, const struct fit_request *request,
	const struct fit *fit, const struct node *node)
{
	json_t *domains = json_array();
	size_t i;

	for (i = 0; i < fit->domain_count; i++)
		json_array_append_new(domains, domain_json(&fit->domains[i], node));
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:I, s:o, s:s, s:I, s:s, s:s}", "schema",
		"oamqual-fit/1", "source", node->simulated ? "simulated" : "live", "artifact",
		artifact_json(artifact), "cache", cache_json(artifact, request, fit),
		"working_buffers", fact_unknown(fit_buffers), "needed_bytes",
		(json_int_t)fit->needed, "domains", domains, "fits_one_domain",
		known_name(fit->fits), "domains_that_hold_it", (json_int_t)fit->yes, "splitting",
		fit_splitting, "statement", fit_statement);
}
