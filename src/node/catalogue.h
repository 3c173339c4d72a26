/* SPDX-License-Identifier: Apache-2.0 */
/* What is published, claimed or planned about Instinct parts, systems and ROCm releases: never
 * observed. Each value keeps its class and source; unknown stays unknown and is never borrowed from
 * a sibling product. */
#ifndef NODE_CATALOGUE_H
#define NODE_CATALOGUE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/known.h"
#include "node/finding.h"
#include "node/node.h"

/* spec, launch, claim, plan, ranked, reported; unknown has a why. */
struct catalogue_value {
	const char *key; /* "domain-memory"; once in an entry */
	const char *value; /* NULL unknown */
	const char *class; /* "spec"; NULL when unknown */
	const char *source;
	const char *why; /* of unknown */
};

struct catalogue_entry {
	const char *name; /* "MI250X", "Frontier", "ROCm 6.3.0" */
	const char *kind; /* "part", "system", "rocm" */
	const char *gfx_target; /* or NULL */
	const uint64_t *device_ids; /* PCI device ids seen, 0-terminated; or NULL */
	uint64_t
		domain_bytes; /* published memory of one domain, GB read as 10^9 bytes; 0 unknown */
	int dies; /* separately enumerated domains a module has; 0 unknown */
	bool domain_is_whole_gpu; /* domain_bytes holds only while the GPU is not partitioned */
	int whole_gpu_xcc; /* num_xcc of the unpartitioned GPU; 0 unknown */
	int64_t hip_version; /* of a ROCm release, as HIP encodes it: 60342131 is 6.3.42131; 0 */
	const struct catalogue_value *values; /* ends with a NULL key */
};

/* A ROCm release series, oldest first, and the version that its amdgpu kernel module reports. */
struct catalogue_series {
	const char *name; /* "6.3" */
	const char *module; /* "6.10.5" */
};

/* All entries; ends with a NULL name. */
extern const struct catalogue_entry catalogue[];

/* Ends with a NULL name. */
extern const struct catalogue_series catalogue_series[];

/* What follows from an entry of this kind and is printed with it; ends with NULL. */
const char *const *catalogue_rules(const char *kind);

/* By name, case-insensitively, with or without "AMD Instinct ", "Instinct " or "ROCm ". NULL when
 * there is none. */
const struct catalogue_entry *catalogue_find(const char *name);

/* The parts that a device may be: by PCI device id and gfx target, and among these by the runtime's
 * marketing name. Up to `most` into out[]; their number, which may be larger, returned. More than
 * one means that the variant cannot be told (MI250 or MI250X). */
size_t catalogue_match(const struct gpu *gpu, const struct catalogue_entry **out, size_t most);

/* Published bytes of this device's domain: known only when all parts that it may be agree, and, for
 * a part that can be partitioned, when the node says that it is not. `text` gets who says so, or
 * why it is unknown. */
struct known_u64 catalogue_domain(
	const struct node *node, const struct gpu *gpu, char *text, size_t size);

/* ROCm's user space (by the HIP version) beside its kernel driver (by the amdgpu module's version).
 */
struct catalogue_driver {
	char user[24]; /* "6.3.0"; "" unknown */
	char user_text[200]; /* where from, or why unknown */
	char driver[8]; /* "6.1"; "" unknown */
	char driver_text[200];
	int distance; /* releases apart; -1 unknown */
};

void catalogue_driver_read(const struct node *node, struct catalogue_driver *out);

/* Adds findings: driver and user space more than two releases apart, a variant that cannot be told,
 * a name that contradicts the device id, observed memory that the published value does not explain.
 */
void catalogue_findings(const struct node *node, struct finding_list *findings);

/* New references. */
json_t *catalogue_entry_json(const struct catalogue_entry *entry);

/* {"variants": [...], "variant", "domain_memory", "domain_bytes": facts of class "published" or
 * unknown, "units"}: to stand beside what was observed of a GPU. */
json_t *catalogue_published_json(const struct node *node, const struct gpu *gpu);

/* {"user_space", "driver", "releases_apart": facts, "rule"}. */
json_t *catalogue_driver_json(const struct node *node);

#endif
