/* SPDX-License-Identifier: Apache-2.0 */
/* The machine as its firmware names it: /sys/class/dmi/id. Makers leave fillers there, which name
 * nothing. */
#ifndef NODE_DMI_H
#define NODE_DMI_H

#include <jansson.h>
#include <stdbool.h>

/* "blade (28)" for a number of the SMBIOS table of chassis types; NULL for 0, 2 ("unknown") and
 * numbers that are not in it. The lock bit (128) is ignored. Static. */
const char *dmi_chassis_name(unsigned long long number);

/* Is it one of the fillers ("Default string", "To Be Filled By O.E.M." ...)? */
bool dmi_is_filler(const char *text);

/* Sets enclosure, enclosure_vendor, chassis_type and bios of `system`. */
void dmi_enter(json_t *system, int root_fd, const char *class);

#endif
