/* SPDX-License-Identifier: Apache-2.0 */
/* The inventory as it should be, in the format of the original. Lines that are not wrong stay byte
 * for byte. */
#ifndef INVENTORY_CORRECT_H
#define INVENTORY_CORRECT_H

#include "inventory/judge.h"

/* Texts that are no configuration of their own (scontrol's report, a Kubernetes node) are answered
 * with what corrects them: lines for slurm.conf and gres.conf, a merge patch. */
struct correction {
	char *text; /* may hold NUL bytes of the original */
	size_t len;
	const char *form; /* "slurm.conf", "lines for slurm.conf and gres.conf", "merge patch" ...
			     Static. */
	const char *ending; /* for a file's name when it differs from the original's kind:
			       ".patch.json"; "" else. Static. */
};

/* The type that the corrected Slurm files name: what the inventories already call the GPUs when
 * that is a name, else site->type. The caller frees. */
char *correct_type(const struct site *site, const struct judged *judged, size_t count);

/* 0, or -1 with an error when the node does not tell enough (a render minor that is unknown). Adds
 * notes about guesses to the findings. The caller releases. */
int correct(const struct site *site, const struct judged *judged, const char *type,
	struct correction *out, struct finding_list *findings, struct error *err);

void correction_release(struct correction *correction);

#endif
