/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts of memory as lists write them: "64", "128GB", "65520 MiB", "137438953472". */
#ifndef INVENTORY_AMOUNT_H
#define INVENTORY_AMOUNT_H

#include <stddef.h>

#include "base/known.h"

/* Bytes. GB and GiB, MB and MiB ... are taken as the same binary unit: lists do not keep them
 * apart, and comparisons allow for it. Without a unit the number stands for `unit` bytes; with
 * `unit` 0 for that unit, B, KiB, MiB or GiB, which makes it 4 GiB or more and less than 4 TiB.
 * Anything else is unknown. */
struct known_u64 amount_read(const char *text, uint64_t unit);

/* Do the two say the same, GB taken for GiB or not? Within 8 %. */
bool amount_agrees(uint64_t declared, uint64_t observed);

/* `bytes` written the way `like` is written ("128GB" -> "64GB", "131072" -> "65536"): whole units,
 * rounded. Without a `like` that can be read, "64 GiB". */
void amount_write(char out[40], uint64_t bytes, const char *like, uint64_t unit);

#endif
