/* SPDX-License-Identifier: Apache-2.0 */
/* Large blocks of memory that start at zero and cost memory only where they are written. Large
 * pages spare a walk through them many misses of the address translation. */
#ifndef BASELINE_BLOCK_H
#define BASELINE_BLOCK_H

#include <stddef.h>

/* Aligned to a page at least. Ends the program when there is no memory, as xmalloc() does. */
void *block_new(size_t bytes);

/* Gives back what lies behind the first `bytes`, which is what block_free() takes then. */
void block_shrink(void *block, size_t old_bytes, size_t bytes);

/* NULL is fine. `bytes` is what block_new() or the last block_shrink() took. */
void block_free(void *block, size_t bytes);

#endif
