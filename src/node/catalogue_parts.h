/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the catalogue share. */
#ifndef NODE_CATALOGUE_PARTS_H
#define NODE_CATALOGUE_PARTS_H

#include "node/catalogue.h"

enum { CATALOGUE_VARIANTS = 16 };

/* catalogue_match() with room for all that there is. */
size_t catalogue_candidates(
	const struct gpu *gpu, const struct catalogue_entry *out[CATALOGUE_VARIANTS]);

/* Is the entry a part; does a runtime's marketing name hold the name of this part as a word; does
 * any entry list the id? */
bool catalogue_is_part(const struct catalogue_entry *entry);
bool catalogue_names_part(const char *marketing, const char *part);
bool catalogue_id_is_listed(uint64_t id);

/* "MI250 or MI250X" with `between` " or ". */
void catalogue_list_names(const struct catalogue_entry *const *entries, size_t count,
	const char *between, char *text, size_t size);

/* What was read of a device that may tell the part. */
void catalogue_identity_text(const struct gpu *gpu, char *text, size_t size);

#endif
