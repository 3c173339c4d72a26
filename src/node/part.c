/* SPDX-License-Identifier: Apache-2.0 */
#include "node/part.h"

#include <stddef.h>
#include <string.h>

static const struct part parts[] = {
	{ 0x7408, PART_TWO, 0, false }, /* MI250X */
	{ 0x740c, PART_TWO, 0, false }, /* MI250X/MI250 */
	{ 0x740f, PART_CARD, 0, false }, /* MI210 */
	{ 0x74a0, PART_CARD, 6, true }, /* MI300A */
	{ 0x74a1, PART_CARD, 8, false }, /* MI300X */
	{ 0x74a2, PART_CARD, 4, false }, /* MI308X */
	{ 0x74b5, PART_CARD, 8, false }, /* MI300X, virtual function */
	{ 0x74b9, PART_CARD, 8, false }, /* MI325X */
};

const struct part *part_of(const struct gpu *gpu)
{
	size_t i;

	for (i = 0; gpu->pci_device_id.known && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].device_id == gpu->pci_device_id.value)
			return &parts[i];
	return NULL;
}

enum part_shape part_shape(const struct gpu *gpu)
{
	const struct part *part = part_of(gpu);

	if (part)
		return part->shape;
	if (!gpu->gfx_target[0])
		return PART_UNKNOWN;
	return strcmp(gpu->gfx_target, "gfx90a") == 0 ? PART_PERHAPS_TWO : PART_CARD;
}
