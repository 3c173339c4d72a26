/* SPDX-License-Identifier: Apache-2.0 */
/* Do the weights, the key-value cache of a stated context and a stated margin fit one memory
 * domain? A statement about capacity, never about support. Domains are never added up. */
#ifndef ARTIFACT_FIT_H
#define ARTIFACT_FIT_H

#include <jansson.h>

#include "artifact/artifact.h"
#include "node/node.h"

struct fit_request {
	struct known_u64
		context; /* tokens of one sequence; unknown: the weights alone are asked about */
	unsigned kv_half_bits; /* of a cache element, in half bits: 32 is 16 bits, 17 is the 8.5
				  bits of Q8_0 */
	uint64_t margin_bytes; /* to be left free; */
	unsigned margin_permille; /* and this share of the domain */
};

/* What is known of one domain's capacity. */
enum fit_basis { FIT_NO_BASIS, FIT_FREE, FIT_TOTAL, FIT_PUBLISHED };

struct fit_domain {
	const struct gpu *gpu; /* borrowed from the node */
	enum fit_basis basis;
	uint64_t capacity; /* bytes, by the basis */
	uint64_t margin;
	enum known fits;
	char from[240]; /* who says the capacity, or why it is unknown */
	char why[240]; /* of the answer */
};

struct fit {
	struct known_u64 cache_bytes; /* unknown with why; 0 when no context was stated */
	char cache_why[300];
	uint64_t needed; /* weights and, when it is known, the cache */
	struct fit_domain *domains;
	size_t domain_count;
	size_t yes, no;
	enum known fits; /* some domain holds it; no: none does */
};

/* Free only by fit_release(). -1 when the sum does not fit 64 bits. */
int fit_judge(const struct artifact *artifact, const struct fit_request *request,
	const struct node *node, struct fit *out, struct error *err);

void fit_release(struct fit *fit);

/* "free", "total", "published", "unknown"; the first two are observed or simulated, as the node is.
 * Static. */
const char *fit_basis_name(enum fit_basis basis);

/* What is said with every answer. */
extern const char fit_statement[], fit_splitting[], fit_buffers[];

/* A new reference. */
json_t *fit_json(const struct artifact *artifact, const struct fit_request *request,
	const struct fit *fit, const struct node *node);

#endif
