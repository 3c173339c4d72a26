/* SPDX-License-Identifier: Apache-2.0 */
/* Loading libamdhip64, which is never linked. */
#ifndef NODE_HIP_LOAD_H
#define NODE_HIP_LOAD_H

#include <jansson.h>

/* Loads `wanted` (NULL: libamdhip64.so.7, .so.6, .so.5, .so in this order, then the same names
 * below /opt/rocm/lib). NULL when none loads; [{name, reason}] of those that did not go to `tried`.
 */
void *hip_load(const char *wanted, json_t *tried);

/* "no libamdhip64 could be loaded: ..." with the reason that tells most. The caller frees. */
char *hip_load_failure(const json_t *tried);

/* A new reference: the file behind the library's hipInit, links resolved, or null. */
json_t *hip_load_path(void *library);

#endif
