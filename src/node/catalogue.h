/* SPDX-License-Identifier: Apache-2.0 */
/* What is published, claimed or planned about Instinct parts, systems and ROCm releases: never observed. Each value keeps
 * its class and source; unknown stays unknown and is never borrowed from a sibling product. */
#ifndef NODE_CATALOGUE_H
#define NODE_CATALOGUE_H

#include <jansson.h>

#include "base/known.h"
#include "node/finding.h"
#include "node/node.h"

/* spec, launch, claim, plan, ranked, reported; unknown has a why. */
struct catalogue_value {
	const char *key;   /* "domain-memory" */
	const char *value; /* NULL unknown */
	const char *class; /* "spec"; NULL when unknown */
	const char *source;
	const char *why; /* of unknown */
};

struct catalogue_entry {
	const char *name; /* "MI250X" */
	const char *kind; /* "part", "system", "rocm" */
	const char *gfx_target;      /* or NULL */
	const uint64_t *device_ids;  /* PCI device ids seen, 0-terminated; or NULL */
	uint64_t domain_bytes;       /* published memory of one domain; 0 unknown */
	int dies;                    /* separately enumerated domains a module has; 0 unknown */
	const struct catalogue_value *values; /* ends with a NULL key */
};

/* All entries; ends with a NULL name. */
extern const struct catalogue_entry catalogue[];

/* By name, case-insensitively, with or without "AMD Instinct ". NULL when there is none. */
const struct catalogue_entry *catalogue_find(const char *name);

/* The parts that a device may be: by PCI device id and gfx target. Up to `most` into out[], their number returned. More than one
 * means that the variant cannot be told (MI250 or MI250X). */
size_t catalogue_match(const struct gpu *gpu, const struct catalogue_entry **out, size_t most);

/* Adds findings: driver and user space more than two releases apart, a variant that cannot be told, published against observed
 * memory. */
void catalogue_findings(const struct node *node, struct finding_list *findings);

/* New references. */
json_t *catalogue_entry_json(const struct catalogue_entry *entry);

/* {"variants": [...], "domain_bytes": fact of class "published" or unknown}: to stand beside what was observed of a GPU. */
json_t *catalogue_published_json(const struct gpu *gpu);

#endif
