/* SPDX-License-Identifier: Apache-2.0 */
/* Inventories against a node: what disagrees, with both numbers. */
#ifndef INVENTORY_JUDGE_H
#define INVENTORY_JUDGE_H

#include "inventory/inventory.h"
#include "inventory/site.h"

/* What an inventory says of the host as a whole. */
struct declared {
	struct known_u64 count; /* GPUs that it offers */
	struct known_u64 memory; /* bytes of the largest one */
};

/* A judged inventory. `inventory` is borrowed. */
struct judged {
	const struct inventory *inventory;
	struct declared declared;
	size_t wrong; /* findings of weight warning and fault about it */
	bool *is_of; /* by item: it speaks of the host */
	struct known_u64 cores; /* of the host, as far as its cores were judged */
	bool *cores_wrong; /* by item of gres.conf: Cores= names threads */
};

/* Judges the inventories of one node together: gres.conf and slurm.conf have to agree. judged[] has
 * one for each, in their order, all to be released. -1 when an inventory names several hosts and
 * none is the node; judged[] is then empty. */
int judge(const struct site *site, const struct inventory *inventories, size_t count,
	struct judged *judged, struct finding_list *findings, struct error *err);

void judged_release(struct judged *judged);

/* The values of AutoDetect= that Slurm knows, for people. Static. */
const char *judge_autodetect_values(void);

/* Does Slurm look for AMD's GPUs with that value of AutoDetect, where it was built with ROCm SMI?
 */
bool judge_autodetect_finds_amd(const char *value);

/* Memory that a tag of OpenCue's names ("vram128g"): bytes; *digits is where its number stands in
 * it. Unknown when it names none. */
struct known_u64 judge_tag_memory(const char *tag, size_t *digits);

#endif
