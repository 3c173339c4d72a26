/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/parts.h"
#include "base/str.h"
#include "node/catalogue.h"

const char fit_statement[] = "fits is a capacity statement, never a support statement";
const char fit_splitting[] = "splitting it over several domains is a distributed case of its own, "
			     "with a rank for each domain; "
			     "no sum of domains is formed";
const char fit_buffers[] = "working buffers depend on engine, batch and kernels: not included";

const char *fit_basis_name(enum fit_basis basis)
{
	static const char *const names[] = { "unknown", "free", "total", "published" };

	return names[basis];
}

/* --- what is needed ------------------------------------------------------------------------- */

/* elements * half bits / 16, rounded up. */
static bool cache_size(uint64_t per_token, uint64_t context, unsigned half_bits, uint64_t *bytes)
{
	uint64_t elements, half;

	if (!multiply(per_token, context, &elements) || !multiply(elements, half_bits, &half) ||
		!add(half, 15, &half))
		return false;
	*bytes = half / 16;
	return true;
}

static int judge_needed(const struct artifact *artifact, const struct fit_request *request,
	struct fit *fit, struct error *err)
{
	const struct artifact_cache *cache = &artifact->cache;

	if (!request->context.known) {
		str_copy(
			fit->cache_why, sizeof(fit->cache_why), "not asked: no context was stated");
	} else if (!cache->elements_per_token.known && request->context.value) {
		str_copy(fit->cache_why, sizeof(fit->cache_why), cache->why);
	} else {
		fit->cache_bytes.known = true;
		if (request->context.value &&
			!cache_size(cache->elements_per_token.value, request->context.value,
				request->kv_half_bits, &fit->cache_bytes.value))
			return error_set(err,
				"a cache for %llu tokens has more bytes than 64 bits hold",
				(unsigned long long)request->context.value);
	}
	if (!add(artifact->weight_bytes, fit->cache_bytes.value, &fit->needed))
		return error_set(err, "weights and cache have more bytes than 64 bits hold");
	return 0;
}

/* --- what there is -------------------------------------------------------------------------- */

/* Interfaces that do not know say so with all bits set: that is no size. */
static bool is_size(struct known_u64 bytes)
{
	return bytes.known && bytes.value != UINT64_MAX && bytes.value != UINT32_MAX;
}

static void find_capacity(const struct node *node, struct fit_domain *domain)
{
	const struct gpu *gpu = domain->gpu;
	bool by_hip = is_size(gpu->hip_total) && gpu->hip_total.value;
	struct known_u64 total = by_hip ? gpu->hip_total : gpu->vram_total, published;
	bool has_total = is_size(total) && total.value;

	if (is_size(gpu->hip_free) && has_total && gpu->hip_free.value <= total.value) {
		domain->basis = FIT_FREE;
		domain->capacity = gpu->hip_free.value;
		str_copy(domain->from, sizeof(domain->from), "HIP, free");
		return;
	}
	if (has_total) {
		domain->basis = FIT_TOTAL;
		domain->capacity = total.value;
		snprintf(domain->from, sizeof(domain->from), "%s; what is free is %s",
			by_hip ? "HIP, total" : "KFD, total",
			is_size(gpu->hip_free) ? "told as more than the total, and not believed"
					       : "unknown");
		return;
	}
	published = catalogue_domain(node, gpu, domain->from, sizeof(domain->from));
	if (published.known) {
		domain->basis = FIT_PUBLISHED;
		domain->capacity = published.value;
	}
}

/* The share is rounded up: a margin is never smaller than what was asked for. */
static bool margin_of(const struct fit_request *request, uint64_t capacity, uint64_t *margin)
{
	uint64_t share = capacity / 1000 * request->margin_permille +
			 (capacity % 1000 * request->margin_permille + 999) / 1000;

	return add(share, request->margin_bytes, margin);
}

static void judge_domain(const struct artifact *artifact, const struct fit_request *request,
	const struct node *node, const struct fit *fit, struct fit_domain *domain)
{
	bool lacks_cache = request->context.known && !fit->cache_bytes.known;
	uint64_t whole, least;

	find_capacity(node, domain);
	if (!domain->basis) {
		snprintf(domain->why, sizeof(domain->why), "the domain's size is unknown");
		return;
	}
	if (!margin_of(request, domain->capacity, &domain->margin) ||
		!add(fit->needed, domain->margin, &whole))
		whole = UINT64_MAX;
	/* A cache that may be smaller decides nothing against. */
	least = artifact->cache.is_upper_bound ? artifact->weight_bytes : fit->needed;
	if (!add(least, domain->margin, &least))
		least = UINT64_MAX;
	if (least > domain->capacity) {
		domain->fits = KNOWN_NO;
		snprintf(domain->why, sizeof(domain->why), "%llu bytes too many",
			(unsigned long long)(least - domain->capacity));
	} else if (lacks_cache) {
		snprintf(domain->why, sizeof(domain->why), "the key-value cache is unknown");
	} else if (whole > domain->capacity) {
		snprintf(domain->why, sizeof(domain->why),
			"a full cache does not fit, and a sliding window may keep less");
	} else {
		domain->fits = KNOWN_YES;
		snprintf(domain->why, sizeof(domain->why), "%llu bytes left%s",
			(unsigned long long)(domain->capacity - whole),
			domain->margin ? " beside the margin" : "");
	}
}

int fit_judge(const struct artifact *artifact, const struct fit_request *request,
	const struct node *node, struct fit *out, struct error *err)
{
	struct fit fit;
	size_t i;

	memset(&fit, 0, sizeof(fit));
	if (judge_needed(artifact, request, &fit, err) != 0)
		return -1;
	fit.domain_count = node->gpu_count;
	fit.domains = xcalloc(node->gpu_count, sizeof(*fit.domains));
	for (i = 0; i < node->gpu_count; i++) {
		fit.domains[i].gpu = &node->gpus[i];
		judge_domain(artifact, request, node, &fit, &fit.domains[i]);
		fit.yes += fit.domains[i].fits == KNOWN_YES;
		fit.no += fit.domains[i].fits == KNOWN_NO;
	}
	if (fit.yes)
		fit.fits = KNOWN_YES;
	else if (fit.no && fit.no == fit.domain_count)
		fit.fits = KNOWN_NO;
	*out = fit;
	return 0;
}

void fit_release(struct fit *fit)
{
	if (!fit)
		return;
	free(fit->domains);
	memset(fit, 0, sizeof(*fit));
}
