/* SPDX-License-Identifier: Apache-2.0 */
/* Where the program's own files are: beside it in a checkout, under share and lib when installed.
 */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include "base/error.h"

/* Absolute path of this executable. The caller frees. */
char *program_path(void);

/* Looks for `name` in `places`, folders relative to the executable's, in their order (NULL ends
 * them). The absolute path of the first that is there, or NULL with an error. The caller frees. */
char *program_find(const char *const *places, const char *name, struct error *err);

/* `name` in PATH, as a path that can be executed; NULL when there is none. The caller frees. */
char *program_search(const char *name);

#endif
