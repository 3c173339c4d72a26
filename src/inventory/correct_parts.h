/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INVENTORY_CORRECT_PARTS_H
#define INVENTORY_CORRECT_PARTS_H

#include "inventory/correct.h"
#include "inventory/edit.h"

/* A correction under way. */
struct work {
	const struct site *site;
	const struct judged *judged;
	const struct inventory *inventory;
	const char *type;
	struct finding_list *findings;
	struct edit_list edits;
};

/* Each adds its edits; -1 with an error. */
int correct_slurm_conf(struct work *work, struct error *err);
int correct_gres_conf(struct work *work, struct error *err);
int correct_csv(struct work *work, struct error *err);
int correct_json(struct work *work, struct error *err);
int correct_opencue(struct work *work, struct error *err);

/* Each makes a whole text; NULL with an error. */
char *correct_scontrol(struct work *work, struct error *err);
char *correct_kubernetes(struct work *work, struct error *err);

/* "gpu:mi250x:8". The caller frees. */
char *correct_gres_value(const struct site *site, const char *type);

#endif
