/* SPDX-License-Identifier: Apache-2.0 */
/* The bounded control of one memory domain: allocate all but a margin, write a pattern, read it
 * back, and see that more than the domain is refused. Only ever called in a child of the program
 * (`oamqual hip-memory`) that sees one device. */
#ifndef NODE_HIP_MEMORY_H
#define NODE_HIP_MEMORY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct hip_memory_request {
	const char *library; /* NULL: the usual names */
	uint64_t margin_bytes; /* of the free memory that is left alone */
	uint64_t limit_bytes; /* at most so much is allocated; 0 none */
	bool whole; /* every byte is written and read; else blocks of each chunk */
};

/* Never fails; a new reference of "schema": "oamqual-hip-memory/1" with
 *   state     "missing" | "unusable" | "no-device" | "done", why, library
 *   bdf, total, free_before, free_held, free_after   bytes, null where a call failed
 *   wanted, allocated, checked                       bytes
 *   stopped   null, or the call that failed before all was allocated and checked
 *   bad       null, or {offset, wrote, read, words}: the first word that differs, by its offset
 * from the start of all that was allocated (hex words), and how many words differ boundary  {asked,
 * code, name}: what hipMalloc said to more than the whole domain, null when it was not asked */
json_t *hip_memory_json(const struct hip_memory_request *request);

/* The word that belongs at `index` (in words of 8 bytes) of the domain: no two places hold the
 * same. */
uint64_t hip_memory_word(uint64_t index);

#endif
