/* SPDX-License-Identifier: Apache-2.0 */
/* worker.py, carried inside the program so that what runs is what was built. */
#ifndef BLENDER_WORKER_SCRIPT_H
#define BLENDER_WORKER_SCRIPT_H

#include <stddef.h>

/* Static bytes; not NUL-terminated. */
const char *worker_script(size_t *len);

#endif
