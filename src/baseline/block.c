/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
#include "baseline/block.h"

#include <stdint.h>
#include <sys/mman.h>

#include "base/str.h"

enum { HUGE_PAGE = 2 << 20, PAGE = 4096 };

static size_t block_size(size_t bytes)
{
	size_t unit = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;

	return (bytes + unit - 1) / unit * unit;
}

void *block_new(size_t bytes)
{
	size_t size = block_size(bytes), spare = size >= HUGE_PAGE ? HUGE_PAGE : 0, skip;
	char *place = mmap(NULL, size + spare, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (place == MAP_FAILED)
		xmalloc(SIZE_MAX / 2); /* ends the program as for any other memory */
	if (!spare)
		return place;
	skip = (HUGE_PAGE - (uintptr_t)place % HUGE_PAGE) % HUGE_PAGE;
	if (skip)
		munmap(place, skip);
	munmap(place + skip + size, spare - skip);
	madvise(place + skip, size, MADV_HUGEPAGE);
	return place + skip;
}

void block_shrink(void *block, size_t old_bytes, size_t bytes)
{
	size_t old_size = block_size(old_bytes), size = block_size(bytes);

	if (size < old_size)
		munmap((char *)block + size, old_size - size);
}

void block_free(void *block, size_t bytes)
{
	if (block)
		munmap(block, block_size(bytes));
}
