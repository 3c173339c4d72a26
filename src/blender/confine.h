/* SPDX-License-Identifier: Apache-2.0 */
/* What a Blender may see of the system during an attempt: its own folder, the scene and the kernel
 * cache of the run, its installation, the HIP runtime's folders, and the GPUs of a live node. */
#ifndef BLENDER_CONFINE_H
#define BLENDER_CONFINE_H

#include "blender/attempt.h"

/* Makes what the view needs below the attempt's folder. -1 when it cannot be written. */
int confine_prepare(const struct attempt *attempt, struct error *err);

/* The words to execute for `argv`, which is freed when it is wrapped. */
char **confine_words(const struct attempt *attempt, char **argv);

/* bwrap's status of the attempt: NULL without a sandbox. The caller frees. */
char *confine_status_path(const struct attempt *attempt);

/* Where the stand-in's state of this attempt is: NULL on a live node. The caller frees. */
char *confine_state(const struct attempt *attempt);

/* A new reference: {sandbox, why ...}, for the record. */
json_t *confine_json(const struct attempt_context *context);

#endif
