/* SPDX-License-Identifier: Apache-2.0 */
/* Loading libamdhip64, which is never linked. */
#ifndef NODE_HIP_LOAD_H
#define NODE_HIP_LOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Loads `wanted` (NULL: libamdhip64.so.7, .so.6, .so.5, .so in this order, then the same names
 * below /opt/rocm/lib). NULL when none loads; [{name, reason}] of those that did not go to `tried`.
 */
void *hip_load(const char *wanted, json_t *tried);

/* "no libamdhip64 could be loaded: ..." with the reason that tells most. The caller frees. */
char *hip_load_failure(const json_t *tried);

/* A new reference: the file behind the library's hipInit, links resolved, or null. */
json_t *hip_load_path(void *library);

/* A function of a library and where its address goes in a struct of pointers. */
struct hip_symbol {
	const char *name;
	size_t offset;
	bool optional;
};

/* Fills `calls`; what is not there becomes NULL. The name of the first that is absent and not
 * optional, else NULL. */
const char *hip_load_bind(
	void *library, const struct hip_symbol *symbols, size_t count, void *calls);

/* hipGetErrorName, which not every library has. */
typedef const char *hip_error_name_fn(int code);

enum { HIP_CALL_TEXT = 200 };

/* "hipMalloc returned 2 (hipErrorOutOfMemory)"; without the name when `name_of` is NULL. */
void hip_load_call_text(
	const char *call, int code, hip_error_name_fn *name_of, char text[HIP_CALL_TEXT]);

#endif
