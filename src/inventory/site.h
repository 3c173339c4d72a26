/* SPDX-License-Identifier: Apache-2.0 */
/* What inventories are compared with: the GPU domains of one node, the modules they are of, and how
 * a scheduler is to name them. */
#ifndef INVENTORY_SITE_H
#define INVENTORY_SITE_H

#include "node/finding.h"
#include "node/module.h"
#include "node/node.h"

struct site_domain {
	const struct gpu *gpu; /* of the node */
	size_t module; /* index into site->modules.items */
	char *file; /* "/dev/dri/renderD128"; NULL when its minor is unknown */
};

struct site {
	const struct node *node; /* borrowed */
	char *host; /* the name that inventories are searched for */
	char *type; /* what a scheduler may call the GPUs: "mi250x", else "gfx90a"; "" unknown */
	const char *mode; /* "SPX", "CPX" ... of partitioned cards; "" when nothing is partitioned.
			     Static. */
	struct module_list modules;
	struct finding_list findings; /* of the grouping */
	struct site_domain *domains; /* in KFD order */
	size_t count;
	bool undetermined; /* which domains share a module is not known of all */
	struct known_u64 domain_bytes; /* of the smallest domain */
	struct known_u64 module_bytes; /* of the largest module of two and more domains */
	struct known_u64 core_count; /* of the host, from its sysfs */
	bool threads_adjacent; /* the threads of a core have neighbouring numbers */
};

/* `host` NULL: the node's name. `type` NULL: from the catalogue. `device_folder` takes the place of
 * "/dev/dri". -1 when the node does not tell how many GPUs it has: no KFD topology and no answer of
 * HIP, or a view that hides some. The caller releases. */
int site_make(const struct node *node, const char *host, const char *type,
	const char *device_folder, struct site *out, struct error *err);

void site_release(struct site *site);

/* The domain at that address, or of that device file; -1 when there is none. */
long site_find_bdf(const struct site *site, const char *bdf);
long site_find_file(const struct site *site, const char *file);

/* "0000:c1:00.0+0000:c6:00.0": the name of a module that has no other; "0000:0c:00" of a
 * partitioned card; "undetermined". The caller frees. */
char *site_module_name(const struct site *site, size_t module);

/* "64 GiB" of a domain: rounded to whole GiB, "unknown memory" when unknown. */
void site_memory_text(struct known_u64 bytes, char text[32]);

#endif
