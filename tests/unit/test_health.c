/* SPDX-License-Identifier: Apache-2.0 */
#include "node/health.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "node/container.h"
#include "node/dmi.h"
#include "node/identity.h"
#include "node/rooted.h"
#include "node/system.h"

#include "tap.h"

#define DEVICE(bus) "sys/bus/pci/devices/0000:" bus ":00.0/"

static void put(const char *folder, const char *name, const char *text)
{
	char *path = path_join(folder, name);
	char *parent = xstrndup(path, (size_t)(path_base(path) - path));

	folder_make(parent, NULL);
	file_write(path, text, strlen(text), NULL);
	free(parent);
	free(path);
}

/* Two GCDs of a module, as amdgpu shows them: the second has no meter and gives 0. */
static void make_tree(const char *folder)
{
	static const char *const files[][2] = {
		{ DEVICE("c1") "hwmon/hwmon4/temp1_label", "junction\n" },
		{ DEVICE("c1") "hwmon/hwmon4/temp1_input", "47000\n" },
		{ DEVICE("c1") "hwmon/hwmon4/temp2_label", "edge\n" },
		{ DEVICE("c1") "hwmon/hwmon4/temp2_input", "41500\n" },
		{ DEVICE("c1") "hwmon/hwmon4/temp3_label", "mem\n" },
		{ DEVICE("c1") "hwmon/hwmon4/temp3_input", "65535000\n" },
		{ DEVICE("c1") "hwmon/hwmon4/power1_average", "301000000\n" },
		{ DEVICE("c1") "hwmon/hwmon4/power1_cap", "560000000\n" },
		{ DEVICE("c1") "gpu_busy_percent", "65535\n" },
		{ DEVICE("c1") "mem_info_vram_total", "68702699520\n" },
		{ DEVICE("c1") "mem_info_vram_used", "0\n" },
		{ DEVICE("c1") "ras/umc_err_count", "ue: 0\nce: 5\n" },
		{ DEVICE("c1") "ras/gfx_err_count", "ue: 2\nce: 0\n" },
		{ DEVICE("c1") "ras/features", "feature mask: 0x7f\n" },
		{ DEVICE("c1") "pcie_replay_count", "18446744073709551615\n" },
		{ DEVICE("c6") "hwmon/hwmon5/temp1_label", "edge\n" },
		{ DEVICE("c6") "hwmon/hwmon5/temp1_input", "900000\n" },
		{ DEVICE("c6") "hwmon/hwmon5/power1_average", "0\n" },
		{ DEVICE("c6") "hwmon/hwmon5/power1_cap", "0\n" },
		{ DEVICE("c6") "gpu_busy_percent", "N/A\n" },
		{ DEVICE("c6") "ras/umc_err_count", "ue: 0\nce: 1\n" },
		{ DEVICE("c6") "ras/sdma_err_count", "Query currently inaccessible\n" },
	};
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		put(folder, files[i][0], files[i][1]);
}

static void make_node(struct node *node, struct gpu gpus[3], const char *folder)
{
	static const char *const addresses[] = { "0000:c1:00.0", "0000:c6:00.0", "" };
	size_t i;

	memset(node, 0, sizeof(*node));
	memset(gpus, 0, 3 * sizeof(gpus[0]));
	for (i = 0; i < 3; i++)
		str_copy(gpus[i].bdf, sizeof(gpus[i].bdf), addresses[i]);
	node->simulated = true;
	node->gpus = gpus;
	node->gpu_count = 3;
	node->root_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool is_number(const struct health *health, enum health_key key, unsigned long long want)
{
	return health->values[key].number.known && health->values[key].number.value == want;
}

static bool is_unknown(const struct health *health, enum health_key key, const char *why)
{
	const struct health_value *value = &health->values[key];

	if (!value->number.known && strstr(value->why, why))
		return true;
	printf("# known %d, value %llu, why \"%s\"\n", value->number.known,
		(unsigned long long)value->number.value, value->why);
	return false;
}

static void test_reading(const struct health_list *list)
{
	const struct health *c1 = &list->items[0], *c6 = &list->items[1];

	tap_ok(is_number(c1, HEALTH_TEMPERATURE_EDGE, 41500),
		"temperatures are found by label, not by number");
	tap_ok(is_number(c1, HEALTH_TEMPERATURE_JUNCTION, 47000), "junction");
	tap_ok(is_unknown(c1, HEALTH_TEMPERATURE_MEMORY, "65535000"), "65535 degrees is no sensor");
	tap_ok(is_number(c1, HEALTH_POWER, 301000000), "power");
	tap_ok(is_unknown(c1, HEALTH_BUSY, "65535"), "65535 is unknown, not busy");
	tap_ok(is_number(c1, HEALTH_VRAM_USED, 0), "0 bytes in use is a number");
	tap_ok(is_number(c1, HEALTH_UNCORRECTED, 2) && is_number(c1, HEALTH_CORRECTED, 5),
		"errors add up over blocks");
	tap_number(c1->block_count, 2, "and only err_count files are blocks");
	tap_ok(is_unknown(c1, HEALTH_PCIE_REPLAYS, "18446744073709551615"), "all ones is unknown");
	tap_ok(is_unknown(c6, HEALTH_TEMPERATURE_EDGE, "no temperature"), "900 degrees is unknown");
	tap_ok(is_unknown(c6, HEALTH_TEMPERATURE_JUNCTION, "labelled \"junction\""),
		"so is a sensor that is not there");
	tap_ok(is_unknown(c6, HEALTH_POWER, "no meter"), "0 W is unknown");
	tap_ok(is_unknown(c6, HEALTH_POWER_CAP, "no meter"), "so is a cap of 0 W");
	tap_ok(is_unknown(c6, HEALTH_BUSY, "\"N/A\" is not a number"), "N/A is unknown");
	tap_ok(is_unknown(c6, HEALTH_VRAM_TOTAL, "No such file"),
		"a missing file is unknown and says so");
	tap_ok(is_unknown(c6, HEALTH_UNCORRECTED, "sdma"),
		"a sum without one of its blocks is unknown");
	tap_ok(c6->block_count == 2 && c6->blocks[1].corrected.known &&
			c6->blocks[1].corrected.value == 1,
		"the other block keeps its count");
	tap_ok(is_unknown(&list->items[2], HEALTH_POWER, "address is unknown"),
		"without an address nothing is read");
}

static void test_power(struct health_list *list)
{
	size_t both[] = { 0, 1 };
	struct module module = { .gpus = both, .gpu_count = 2, .basis = MODULE_LINK_WIDTH };
	struct module_list modules = { &module, 1 };
	struct health_value power;
	char meter[NODE_BDF];
	json_t *json;

	power = health_module_power(list, &module, meter);
	tap_ok(power.number.known && power.number.value == 301000000,
		"a module's power is counted once");
	tap_text(meter, "0000:c1:00.0", "on the die that has the meter");
	health_attribute_power(list, &modules);
	tap_ok(is_unknown(&list->items[1], HEALTH_POWER, "once a module, at 0000:c1:00.0"),
		"the mate's is unknown and says where it is measured");
	json = health_modules_json(list, &modules, "simulated");
	tap_ok(json_real_value(json_object_get(
		       json_object_get(json_array_get(json, 0), "power_w"), "value")) == 301.0,
		"in watts");
	json_decref(json);
	list->items[1].values[HEALTH_POWER].number = known_u64(1000000);
	power = health_module_power(list, &module, meter);
	tap_ok(!power.number.known && strstr(power.why, "not the same"),
		"two meters that disagree decide nothing");
	tap_text(meter, "", "and neither is the meter");
}

static size_t count_of(
	const struct finding_list *list, const char *code, enum finding_weight weight)
{
	size_t i, count = 0;

	for (i = 0; i < list->count; i++)
		count += strcmp(list->items[i].code, code) == 0 && list->items[i].weight == weight;
	return count;
}

struct change {
	struct known_u64 before, after;
	const char *code; /* NULL: nothing is found */
	enum finding_weight weight;
	const char *what;
};

static const struct change changes[] = {
	{ { true, 0 }, { true, 0 }, NULL, FINDING_NOTE, "0 before and after" },
	{ { true, 5 }, { true, 5 }, "count-of-before", FINDING_NOTE,
		"5 before and after: old, noted" },
	{ { true, 0 }, { true, 2 }, "ecc-uncorrected", FINDING_FAULT,
		"0 before, 2 after: a fault" },
	{ { false, 0 }, { true, 2 }, "count-unknown", FINDING_NOTE,
		"unknown before: nobody is accused" },
	{ { true, 0 }, { false, 0 }, "count-unknown", FINDING_NOTE,
		"unknown after: nobody is acquitted" },
	{ { true, 7 }, { true, 0 }, "count-restarted", FINDING_WARNING,
		"counted down: the driver started anew" },
};

static void test_changes(void)
{
	size_t i, j;

	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct health before = { .bdf = "0000:c1:00.0" }, after = { .bdf = "0000:c1:00.0" };
		struct health_list a = { &before, 1 }, b = { &after, 1 };
		struct finding_list found = { NULL, 0 };

		for (j = 0; j < HEALTH_KEYS; j++)
			before.values[j].number = after.values[j].number = known_u64(0);
		before.values[HEALTH_UNCORRECTED].number = changes[i].before;
		after.values[HEALTH_UNCORRECTED].number = changes[i].after;
		health_compare(&a, &b, &found);
		tap_ok(changes[i].code ? found.count == 1 && count_of(&found, changes[i].code,
								     changes[i].weight) == 1
				       : found.count == 0,
			"%s", changes[i].what);
		finding_list_release(&found);
		str_copy(after.bdf, sizeof(after.bdf), "0000:c6:00.0");
		health_compare(&a, &b, &found);
		tap_number(found.count, 0, "and never between two devices");
		finding_list_release(&found);
	}
}

static void test_ras(void)
{
	struct known_u64 ue = { false, 0 }, ce = { false, 0 };

	tap_ok(health_ras_parse("ue: 1\nce: 18446744073709551615\n", &ue, &ce) == 0 && ue.known &&
			!ce.known,
		"a count of all ones is none");
	tap_number(health_ras_parse("value: 3\nxce: 4\n", &ue, &ce), -1, "labels are whole words");
	tap_number(health_ras_parse("", &ue, &ce), -1, "an empty file");
	tap_number(health_ras_parse("ue: -1\nce: 0x1\n", &ue, &ce), -1,
		"signs and prefixes are no counts");
}

static void test_surroundings(struct node *node, const char *folder)
{
	static const char id[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	char *cgroup = xasprintf("12:devices:/kubepods/besteffort/pod9/%s\n0::/\n", id), found[65];
	json_t *system;

	tap_text(container_of_cgroup(cgroup, found), "kubernetes", "a pod's cgroup");
	tap_text(found, id, "names the container");
	tap_ok(!container_of_cgroup("0::/system.slice/docker.service\n", found) && !found[0],
		"docker's own service is no container");
	tap_ok(!container_of_cgroup("", found), "an empty one says nothing");
	put(folder, "proc/self/cgroup", cgroup);
	put(folder, "sys/class/dmi/id/product_name", "To Be Filled By O.E.M.\n");
	put(folder, "sys/class/dmi/id/sys_vendor", "HPE\n");
	put(folder, "sys/class/dmi/id/chassis_type", "28\n");
	put(folder, "sys/devices/system/node/node0/cpulist", "0-15,64-79\n");
	put(folder, "sys/devices/system/node/node10/cpulist", "16-31\n");
	put(folder, "sys/devices/system/node/node2/cpulist", "32-47\n");
	str_copy(node->hip_library, sizeof(node->hip_library),
		"/opt/rocm-6.0.3/lib/libamdhip64.so.6.0.60003");
	system = system_json(node);
	tap_text(json_fact_text(system, "enclosure"), NULL, "a filler names no enclosure");
	tap_text(json_fact_text(system, "enclosure_vendor"), "HPE", "the vendor");
	tap_text(json_fact_text(system, "chassis_type"), "blade (28)", "the chassis in words");
	tap_text(json_fact_text(system, "container"), "kubernetes", "the container");
	tap_text(json_fact_text(system, "rocm_release"), "6.0.3",
		"the release of the library that was loaded");
	tap_ok(json_integer_value(json_object_get(
		       json_array_get(json_object_get(json_object_get(system, "numa"), "value"), 1),
		       "node")) == 2,
		"NUMA nodes in numeric order");
	json_decref(system);
	tap_ok(!dmi_chassis_name(2) && !dmi_chassis_name(0) && !dmi_chassis_name(99) &&
			!dmi_chassis_name(65535),
		"2 is the number of \"unknown\", others are none");
	tap_text(dmi_chassis_name(128 + 23), "rack mount chassis (23)",
		"the lock bit is no part of the kind");
	free(cgroup);
}

/* One published id in every notation, and texts that are none. */
static void test_identity(void)
{
	static const char *const same[] = { "7477728843772868601", "67c63ac3c3c637f9",
		"0x67c63ac3c3c637f9", "0x67C63AC3C3C637F9", "GPU-67c63ac3c3c637f9",
		"67ff740f-0000-1000-80c6-3ac3c3c637f9" };
	static const char *const none[] = { "", "3", "0x", "0x1ffffffffffffffff",
		"67c63ac3c3c637fg", "-7477728843772868601", "GPU-67c6",
		"67ff740f-0000-2000-80c6-3ac3c3c637f9", "67ff740f-0000-1000-80c6-3ac3c3c637fg",
		"67ff740x-0000-1000-80c6-3ac3c3c637f9", "99999999999999999999999", "0000:c1:00.0" };
	uint64_t id;
	size_t i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		id = 0;
		tap_ok(identity_parse(same[i], &id) == 0 && id == 0x67c63ac3c3c637f9ULL,
			"%s is the id", same[i]);
	}
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		id = 42;
		tap_ok(identity_parse(none[i], &id) == -1 && id == 42, "\"%s\" is none", none[i]);
	}
}

int main(void)
{
	char folder[] = "/tmp/oamqual-health-XXXXXX";
	struct health_list list;
	struct gpu gpus[3];
	struct node node;

	if (!mkdtemp(folder))
		return 1;
	make_tree(folder);
	make_node(&node, gpus, folder);
	health_read(&node, &list);
	test_reading(&list);
	test_power(&list);
	health_list_release(&list);
	test_changes();
	test_ras();
	test_identity();
	test_surroundings(&node, folder);
	close(node.root_fd);
	folder_remove(folder, NULL);
	return tap_done();
}
