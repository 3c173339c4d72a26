/* SPDX-License-Identifier: Apache-2.0 */
/* The attempts of a record by case: one card, scene and probe, alone or with all at once. Repeats
 * come together. */
#ifndef RECORD_CASES_H
#define RECORD_CASES_H

#include <jansson.h>

/* An object from "card | scene | probe | alone" to
 * {"card", "scene", "probe", "together", "verdict", "rung", "attempts", "seconds": [...], "memory":
 * [...]}. `cards` maps an address of this record to the name that the card is to have; others are
 * called by their address, and the CPU of the control "CPU". "verdict" is that of all repeats, or
 * "mixed: accepted 2, image-differs 1"; "rung" the first that is not yes in the first attempt that
 * was not accepted ("5 cycles-lists-device"), else null. "seconds" (render time) and "memory" (peak
 * bytes on the card) are those of accepted attempts: a fallback's speed is not the card's. A new
 * reference. */
json_t *cases_of(const json_t *record, const json_t *cards);

#endif
