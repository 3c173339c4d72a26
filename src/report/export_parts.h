/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the exports. */
#ifndef REPORT_EXPORT_PARTS_H
#define REPORT_EXPORT_PARTS_H

#include "report/export.h"

typedef int export_add_fn(const struct farm_report *farm, const struct export_options *options,
	struct str *to, struct error *err);

export_add_fn export_slurm_add, export_kubernetes_add, export_opencue_add, export_flamenco_add,
	export_openjd_add, export_prometheus_add, export_csv_add;

/* May this GCD be offered? Its node's run was whole and it is a render worker. */
bool export_offers(const struct farm_node *node, const struct farm_gcd *gcd);
size_t export_count_offers(const struct farm_node *node);

/* Why a node offers nothing, a word: its outcome, "interrupted", or the first verdict that is not
 * accepted. Borrowed. */
const char *export_refusal(const struct farm_node *node);

/* The gfx targets of the GCDs that a node offers, each once: the i-th, or NULL. Borrowed. */
const char *export_target(const struct farm_node *node, size_t i);
size_t export_count_target(const struct farm_node *node, const char *target);

/* The least memory of the offered GCDs in bytes; 0 unknown. */
unsigned long long export_least_memory(const struct farm_node *node);

/* Is every byte one of `allowed`, and are there 1 to `most`? */
bool export_is_made_of(const char *text, const char *allowed, size_t most);

/* Appends `text` in which every other byte than [A-Za-z0-9] became `other`. */
void export_add_word(struct str *to, const char *text, char other);

/* Letters and digits, for export_is_made_of(). */
#define EXPORT_DIGITS "0123456789"
#define EXPORT_LOWER "abcdefghijklmnopqrstuvwxyz"
#define EXPORT_UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

#endif
