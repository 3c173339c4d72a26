/* SPDX-License-Identifier: Apache-2.0 */
/* Which item of a list each domain stands under once the list is right. */
#ifndef INVENTORY_ASSIGN_H
#define INVENTORY_ASSIGN_H

#include "inventory/correct_parts.h"

struct assignment {
	long *item; /* by domain: index of an item of the inventory */
	char **module; /* by domain: the name of its module */
	size_t count;
};

/* By address where the list has addresses: an item's own device, then the others of its module.
 * Without: the items in their order are the modules, or the devices, in theirs, when the numbers
 * agree, and a note says that this is a guess; else all stand under the first item. A module keeps
 * the name that the list gives it, else it is called by its addresses. -1 when the list has no item
 * of the host. The caller releases. */
int assign(struct work *work, struct assignment *out, struct error *err);

void assignment_release(struct assignment *assignment);

#endif
