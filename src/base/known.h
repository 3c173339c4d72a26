/* SPDX-License-Identifier: Apache-2.0 */
/* Three-valued answers and values that may be unknown. Unknown is never 0, ""
 * or "no": code that needs an answer asks for KNOWN_YES by name. */
#ifndef BASE_KNOWN_H
#define BASE_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

enum known { KNOWN_UNKNOWN, KNOWN_NO, KNOWN_YES };

/* "unknown", "no", "yes": the words of the record. Static. */
const char *known_name(enum known value);

struct known_u64 {
	bool known;
	uint64_t value;
};

struct known_i64 {
	bool known;
	int64_t value;
};

static inline struct known_u64 known_u64(uint64_t value)
{
	return (struct known_u64){ .known = true, .value = value };
}

#endif
