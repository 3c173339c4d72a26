/* SPDX-License-Identifier: Apache-2.0 */
/* qualify with several --blender: each build has a run and a record of its own, in a folder of its
 * own, and they are shown side by side. */
#ifndef CLI_QUALIFY_MATRIX_H
#define CLI_QUALIFY_MATRIX_H

#include "cli/options.h"

/* Runs each build named, below `out`, which must be new or empty; writes matrix.json and matrix.md
 * there and prints one of them. The exit status is the worst of the builds'. */
int qualify_matrix(const struct options *options, const char *out);

#endif
