/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of Slurm's configuration files: `Key=value Key="value" # comment`, a backslash at the end
 * joins the next line. */
#ifndef INVENTORY_SLURM_LINE_H
#define INVENTORY_SLURM_LINE_H

#include "inventory/inventory.h"

struct slurm_pair {
	char *key;
	char *value; /* without its quotes */
	struct inventory_span span; /* of the value in the text, with its quotes */
};

struct slurm_line {
	struct slurm_pair *pairs;
	size_t count;
	char *junk; /* the first word that is no setting, or NULL */
	struct inventory_span span; /* of the joined lines, without the last line end */
	size_t line; /* number of its first line */
	size_t end; /* where the settings end: before blanks and a comment */
};

/* Where a walk over a text stands. Begin with zeros. */
struct slurm_cursor {
	size_t at, lines; /* lines: those passed */
};

/* The next line, also when it is empty. False at the end. The caller releases it. */
bool slurm_line_next(const struct str *text, struct slurm_cursor *cursor, struct slurm_line *out);

void slurm_line_release(struct slurm_line *line);

/* The last pair of that key, case-insensitively, or NULL. */
const struct slurm_pair *slurm_line_find(const struct slurm_line *line, const char *key);

/* Its value, or "". */
const char *slurm_line_value(const struct slurm_line *line, const char *key);

/* GPUs of "gpu:mi250x:4(S:0-1),nic:2": their number and the first type named ("" none; the caller
 * frees *type). False when the list names no gpu. */
bool slurm_gres_gpus(const char *gres, uint64_t *count, char **type);

/* The elements that are not gpu, joined by commas; the caller frees. */
char *slurm_gres_others(const char *gres);

#endif
