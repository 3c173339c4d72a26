/* SPDX-License-Identifier: Apache-2.0 */
/* What an accepted frame costs, from what a record observed and the prices that an operator
 * declares (docs/cost.md). A failed frame costs its time and yields nothing. What is not known
 * stays unknown, with why; nothing is taken from a data sheet. */
#ifndef REPORT_COST_H
#define REPORT_COST_H

#include <jansson.h>

#include "base/error.h"
#include "base/str.h"

/* The declared numbers; a NAN is not declared. */
enum cost_price {
	COST_NODE_HOUR, /* money an hour for the node, whatever it does */
	COST_KWH, /* money a kilowatt hour */
	COST_GCD_WATTS, /* of one GCD that renders, when it was not measured */
	COST_NODE_WATTS, /* of all GCDs that render at once, when it was not measured */
	COST_CPU_WATTS, /* of the node while its CPUs render */
	COST_PUE, /* energy of the site over that of its machines; 1 when not declared */
	COST_PRICES
};

extern const double cost_price_max; /* no number may be larger */

struct cost_prices {
	char *currency; /* "" not declared */
	double numbers[COST_PRICES];
	json_t *claims; /* [{text, source}]: printed and never used */
};

/* As on the command line and in a price file: "node_per_hour". Static. */
const char *cost_price_name(enum cost_price price);

/* Nothing is declared. */
void cost_prices_init(struct cost_prices *prices);
void cost_prices_release(struct cost_prices *prices);

/* Adds what a file declares ("oamqual-prices/1"); an unknown member, another type or a number that
 * is negative or not finite is an error, and `prices` is unchanged. */
int cost_prices_read(struct cost_prices *prices, const char *path, struct error *err);

/* A new reference, "oamqual-cost/1": {schema, prices, claims, records: [{record, node, source,
 * blender, scenes: [{scene, ..., rows: [{device, frames, accepted, wall_seconds,
 * accepted_frames_per_hour, watts, cost_per_hour, cost_per_accepted_frame}]}]}], comparison}. Each
 * of the last four is a fact. `records` are whole, `names` where they lie; one or two. */
json_t *cost_json(const json_t *const *records, const char *const *names, size_t count,
	const struct cost_prices *prices);

/* Appends the document as tables. */
void cost_text_add(const json_t *cost, struct str *to);

#endif
