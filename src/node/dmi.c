/* SPDX-License-Identifier: Apache-2.0 */
#include "node/dmi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "node/rooted.h"

#define DMI "sys/class/dmi/id/"

/* SMBIOS, "System Enclosure or Chassis Types". */
static const char *const chassis[] = {
	[1] = "other (1)",
	[3] = "desktop (3)",
	[4] = "low profile desktop (4)",
	[5] = "pizza box (5)",
	[6] = "mini tower (6)",
	[7] = "tower (7)",
	[8] = "portable (8)",
	[9] = "laptop (9)",
	[10] = "notebook (10)",
	[11] = "hand held (11)",
	[12] = "docking station (12)",
	[13] = "all in one (13)",
	[14] = "sub notebook (14)",
	[15] = "space-saving (15)",
	[16] = "lunch box (16)",
	[17] = "main server chassis (17)",
	[18] = "expansion chassis (18)",
	[19] = "subchassis (19)",
	[20] = "bus expansion chassis (20)",
	[21] = "peripheral chassis (21)",
	[22] = "RAID chassis (22)",
	[23] = "rack mount chassis (23)",
	[24] = "sealed-case PC (24)",
	[25] = "multi-system chassis (25)",
	[26] = "compact PCI (26)",
	[27] = "advanced TCA (27)",
	[28] = "blade (28)",
	[29] = "blade enclosure (29)",
	[30] = "tablet (30)",
	[31] = "convertible (31)",
	[32] = "detachable (32)",
	[33] = "IoT gateway (33)",
	[34] = "embedded PC (34)",
	[35] = "mini PC (35)",
	[36] = "stick PC (36)",
};

const char *dmi_chassis_name(unsigned long long number)
{
	if (number > 255)
		return NULL;
	number &= 127;
	return number < sizeof(chassis) / sizeof(chassis[0]) ? chassis[number] : NULL;
}

bool dmi_is_filler(const char *text)
{
	static const char *const fillers[] = { "default string", "to be filled by o.e.m.",
		"to be filled by oem", "system product name", "system manufacturer",
		"system version", "not specified", "not applicable", "n/a", "none", "unknown",
		"o.e.m.", "oem", "empty", "0", "0123456789", "xxxxxxxx" };
	size_t i;

	for (i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++)
		if (strcasecmp(text, fillers[i]) == 0)
			return true;
	return false;
}

static json_t *text_fact(int root_fd, const char *path, const char *class)
{
	struct error err;
	char *line = rooted_line(root_fd, path, &err);
	json_t *fact;

	if (line && dmi_is_filler(line))
		error_set(&err, "/%s holds the filler \"%s\"", path, line);
	fact = line && !dmi_is_filler(line) ? fact_text(line, class, path) : fact_unknown(err.text);
	free(line);
	return fact;
}

static json_t *chassis_fact(int root_fd, const char *class)
{
	struct error err;
	struct known_u64 number = rooted_number(root_fd, DMI "chassis_type", 10, &err);
	const char *name = number.known ? dmi_chassis_name(number.value) : NULL;

	if (number.known && !name)
		error_set(&err, "/" DMI "chassis_type is %llu, which names no kind",
			(unsigned long long)number.value);
	return name ? fact_text(name, class, DMI "chassis_type") : fact_unknown(err.text);
}

void dmi_enter(json_t *system, int root_fd, const char *class)
{
	json_object_set_new(system, "enclosure", text_fact(root_fd, DMI "product_name", class));
	json_object_set_new(
		system, "enclosure_vendor", text_fact(root_fd, DMI "sys_vendor", class));
	json_object_set_new(system, "chassis_type", chassis_fact(root_fd, class));
	json_object_set_new(system, "bios", text_fact(root_fd, DMI "bios_version", class));
}
