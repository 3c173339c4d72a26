/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/split.h"

#include <string.h>

#include "baseline/cpu.h"
#include "baseline/split_body.h"

kernel_u32 split_item_triangle(const struct split_item *item)
{
	kernel_u32 bits;

	memcpy(&bits, &item->box.at[SPLIT_NUMBER], sizeof(bits));
	return bits - SPLIT_NUMBER_BASE;
}

const struct split_way *split_way(void)
{
	return cpu_has_avx2() ? &split_avx2 : &split_portable;
}

const struct split_way split_portable = SPLIT_WAY;
