/* SPDX-License-Identifier: Apache-2.0 */
/* What a device id and a target tell of a part: whether two of its kind share a module. */
#ifndef NODE_PART_H
#define NODE_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "node/node.h"

enum part_shape {
	PART_UNKNOWN, /* neither device id nor target tell */
	PART_PERHAPS_TWO, /* gfx90a of an unknown device id: MI210 is one die, MI250 two */
	PART_TWO, /* two GCDs, each a device */
	PART_CARD /* one die, or a card that is one device or is partitioned */
};

struct part {
	uint64_t device_id;
	enum part_shape shape;
	unsigned int xcc; /* compute dies of the whole card; 0: not partitioned, or not known */
	bool host_memory;
};

/* By the device id; NULL when it is unknown or not in the table. Static. */
const struct part *part_of(const struct gpu *gpu);

/* By the device id, else by the target. */
enum part_shape part_shape(const struct gpu *gpu);

#endif
