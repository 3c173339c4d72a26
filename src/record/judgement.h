/* SPDX-License-Identifier: Apache-2.0 */
/* Ladder and verdict of one attempt, as the record has them. */
#ifndef RECORD_JUDGEMENT_H
#define RECORD_JUDGEMENT_H

#include <jansson.h>

#include "base/error.h"
#include "verdict/verdict.h"

/* Adds (or replaces) "verdict", "why", "decided_by", "first_rung_not_yes", "rungs" and "process".
 */
void judgement_add(json_t *attempt, const struct facts *facts, const struct verdict *verdict);

/* The facts of an attempt that was written earlier, and the verdict that follows from them: -1 with
 * an error when one is missing or the verdict written there is another. */
int judgement_read(const json_t *attempt, enum probe probe, struct facts *facts,
	struct verdict *verdict, struct error *err);

#endif
