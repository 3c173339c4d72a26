/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/split.h"

#include <string.h>

#include "baseline/cpu.h"
#include "baseline/split_body.h"

float split_half_area(const struct split_box *box)
{
	float x = box->at[0] + box->at[4], y = box->at[1] + box->at[5], z = box->at[2] + box->at[6];

	return x * y + y * z + z * x;
}

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
