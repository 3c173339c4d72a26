/* SPDX-License-Identifier: Apache-2.0 */
/* What the judges of the formats share. */
#ifndef INVENTORY_JUDGE_PARTS_H
#define INVENTORY_JUDGE_PARTS_H

#include <stdarg.h>

#include "inventory/judge.h"

/* One inventory on the bench, among all that were given. */
struct bench {
	const struct site *site;
	const struct inventory *inventory;
	struct judged *judged;
	struct finding_list *findings;
	const struct inventory *all;
	const struct judged *all_judged;
	size_t all_count;
};

/* Adds a finding about a line (0: about the whole file). */
void bench_add(struct bench *bench, size_t line, const char *code, enum finding_weight weight,
	const char *remedy, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* A number of GPUs against that of the node, and the memory of one against a domain's. `what` goes
 * on after the amount. */
void bench_count(struct bench *bench, size_t line, uint64_t listed, const char *remedy);
void bench_memory(struct bench *bench, size_t line, struct known_u64 listed, const char *what);

void judge_slurm_conf(struct bench *bench);
void judge_gres_conf(struct bench *bench);
void judge_scontrol(struct bench *bench);

/* What only both of Slurm's files together show. */
void judge_slurm_pair(const struct site *site, const struct inventory *inventories,
	struct judged *judged, size_t count, struct finding_list *findings);

#endif
