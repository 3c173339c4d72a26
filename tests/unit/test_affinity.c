/* SPDX-License-Identifier: Apache-2.0 */
#include "node/affinity.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "run/child.h"

#include "tap.h"

static void put(const char *folder, const char *name, const char *text)
{
	char *path = path_join(folder, name);
	char *parent = xstrndup(path, (size_t)(path_base(path) - path));

	folder_make(parent, NULL);
	file_write(path, text, strlen(text), NULL);
	free(parent);
	free(path);
}

/* --- lists of CPUs ---------------------------------------------------------------------------- */

struct list {
	const char *text, *again; /* again NULL: refused */
};

static const struct list lists[] = {
	{ "0-15,64-79", "0-15,64-79" },
	{ "", "" },
	{ "3", "3" },
	{ "5,4,3,1", "1,3-5" },
	{ "0-3,2-5", "0-5" },
	{ "4095", "4095" },
	{ "4096", NULL },
	{ "00004096", NULL },
	{ "5-3", NULL },
	{ "1,", NULL },
	{ ",1", NULL },
	{ "1-", NULL },
	{ "-1", NULL },
	{ "1 2", NULL },
	{ "0x3", NULL },
};

static void test_lists(void)
{
	struct cpus cpus, other, common;
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		int rc = cpus_parse(lists[i].text, &cpus);

		if (rc == 0)
			cpus_format(&cpus, text, sizeof(text));
		tap_text(rc == 0 ? text : NULL, lists[i].again, lists[i].text);
	}
	cpus_parse("0-15,64-79", &cpus);
	cpus_parse("8-70", &other);
	common = cpus_common(&cpus, &other);
	cpus_format(&common, text, sizeof(text));
	tap_text(text, "8-15,64-70", "what two lists share");
	cpus_parse("1,3,5,7,9,11,13,15,17,19", &cpus);
	cpus_format(&cpus, text, 12);
	tap_text(text, "1,3,5,7...", "a list that does not fit says so");
}

/* --- the blade
 * ------------------------------------------------------------------------------------ */

/* GPUs of the MI250X blade in KFD's order, with the NUMA nodes of its published description. */
static const struct {
	const char *bdf;
	unsigned numa;
} blade[] = { { "0000:c1:00.0", 3 }, { "0000:c6:00.0", 3 }, { "0000:c9:00.0", 1 },
	{ "0000:ce:00.0", 1 }, { "0000:d1:00.0", 0 }, { "0000:d6:00.0", 0 }, { "0000:d9:00.0", 2 },
	{ "0000:de:00.0", 2 } };

enum { BLADE = sizeof(blade) / sizeof(blade[0]) };

static void make_blade(struct node *node, struct gpu gpus[BLADE], const char *folder)
{
	static const char *const cpus[] = { "0-15,64-79\n", "16-31,80-95\n", "32-47,96-111\n",
		"48-63,112-127\n" };
	char name[80];
	size_t i;

	memset(node, 0, sizeof(*node));
	memset(gpus, 0, BLADE * sizeof(gpus[0]));
	for (i = 0; i < BLADE; i++) {
		str_copy(gpus[i].bdf, sizeof(gpus[i].bdf), blade[i].bdf);
		gpus[i].numa_node = known_u64(blade[i].numa);
		gpus[i].numa_from = "pci";
	}
	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "sys/devices/system/node/node%zu/cpulist", i);
		put(folder, name, cpus[i]);
	}
	node->simulated = true;
	node->gpus = gpus;
	node->gpu_count = BLADE;
	node->root_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static size_t bad_affinities(const struct affinity_list *list, const struct node *node,
	const char *mask, const char *remedy)
{
	struct finding_list findings = { NULL, 0 };
	struct cpus cpus;
	size_t count;

	cpus_parse(mask, &cpus);
	affinity_findings(list, node, &cpus, &findings);
	count = findings.count;
	if (count &&
		(strcmp(findings.items[0].code, "bad-affinity") != 0 || !findings.items[0].remedy ||
			!strstr(findings.items[0].remedy, remedy))) {
		printf("# %s: %s\n", findings.items[0].code, findings.items[0].remedy);
		count = 99;
	}
	finding_list_release(&findings);
	return count;
}

static void test_blade(const char *folder)
{
	static const size_t want[] = { 4, 5, 2, 3, 6, 7, 0, 1 };
	struct gpu gpus[BLADE];
	struct affinity_list list;
	struct cpus chosen;
	struct node node;
	size_t order[BLADE], i;
	char text[64], why[200];
	json_t *json;

	make_blade(&node, gpus, folder);
	affinity_read(&node, &list);
	tap_number(affinity_order(&list, order), 0, "the blade has an order");
	tap_ok(memcmp(order, want, sizeof(want)) == 0,
		"which is the published bind map 4,5,2,3,6,7,0,1");
	cpus_format(&list.items[0].cpus, text, sizeof(text));
	tap_text(text, "48-63,112-127", "GPU 0 is nearest to the CPUs of NUMA node 3");
	tap_ok(!list.this_system && !list.hwloc[0], "hwloc is not asked about a replayed node");
	tap_ok(!affinity_choose(&list, &gpus[0], &chosen, why), "and nothing is bound to its CPUs");

	/* A task of a launcher: one GPU is seen, and some CPUs may be used. */
	for (i = 0; i < BLADE; i++)
		gpus[i].in_hip = i == 0 ? KNOWN_YES : KNOWN_NO;
	tap_number(bad_affinities(&list, &node, "0-7", "48-63,112-127"), 1,
		"GPU 0 beside CPUs 0-7 is bad affinity");
	tap_number(bad_affinities(&list, &node, "0-7", "4,5,2,3,6,7,0,1"), 1,
		"and the right list is given");
	tap_number(bad_affinities(&list, &node, "48-55", ""), 0, "beside CPUs 48-55 it is good");
	tap_number(bad_affinities(&list, &node, "0-127", ""), 0, "not being bound is fine");
	for (i = 0; i < BLADE; i++)
		gpus[i].in_hip = KNOWN_YES;
	tap_number(bad_affinities(&list, &node, "0-63", ""), 0,
		"one job with all GPUs and a core of each node");
	json = affinity_json(&list, &node);
	tap_ok(json_is_null(json_object_get(json_object_get(json, "process_cpus"), "value")),
		"this process's CPUs are not the replayed node's");
	json_decref(json);
	affinity_list_release(&list);

	gpus[2].numa_node.known = false;
	put(folder, "sys/devices/system/node/node0/cpulist", "nonsense\n");
	affinity_read(&node, &list);
	tap_number(
		affinity_order(&list, order), -1, "with one NUMA node unknown there is no order");
	tap_ok(!list.items[2].cpus_known && list.items[2].why[0], "and that GPU has no CPUs");
	tap_ok(!list.items[4].cpus_known && strstr(list.items[4].why, "no list"),
		"nor has one whose list is none");
	affinity_list_release(&list);
	close(node.root_fd);
}

/* --- hwloc -------------------------------------------------------------------------------------
 */

#define SETS(mask)                                                                                 \
	"cpuset=\"" mask "\" complete_cpuset=\"" mask "\" nodeset=\"" mask                         \
	"\" complete_nodeset=\"" mask "\" "
#define PCI(index, bus)                                                                            \
	"<object type=\"Bridge\" gp_index=\"" index "0\" bridge_type=\"0-1\" depth=\"0\" "         \
	"bridge_pci=\"0000:[" bus "-" bus "]\"><object type=\"PCIDev\" gp_index=\"" index          \
	"1\" pci_busid=\"0000:" bus ":00.0\" pci_type=\"1200 [1002:7408] [1002:0b0c] 01\" "        \
	"pci_link_speed=\"0.0\"/></object>"
#define PACKAGE(index, mask, bus)                                                                  \
	"<object type=\"Package\" os_index=\"" index                                               \
	"\" " SETS(mask) "gp_index=\"1" index "\"><object type=\"NUMANode\" os_index=\"" index     \
			 "\" " SETS(mask) "gp_index=\"2" index                                     \
					  "\" local_memory=\"1073741824\"/><object type=\"PU\" "   \
					  "os_index=\"" index                                      \
					  "\" " SETS(mask) "gp_index=\"3" index                    \
							   "\"/>" PCI("4" index, bus) "</object>"

static const char topology[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
	"<object type=\"Machine\" os_index=\"0\" " SETS(
		"0x3") "allowed_cpuset=\"0x3\" allowed_nodeset=\"0x3\" gp_index=\"1\">" PACKAGE("0",
		"0x1", "c1") PACKAGE("1", "0x2", "c6") "</object></topology>\n";

static void test_hwloc(const char *folder)
{
	char *xml = path_join(folder, "topology.xml"), why[200] = "", text[64];
	struct gpu gpus[3];
	struct node node;
	struct affinity_list list;
	struct cpus chosen = { { 0 } };

	memset(&node, 0, sizeof(node));
	memset(gpus, 0, sizeof(gpus));
	str_copy(gpus[0].bdf, sizeof(gpus[0].bdf), "0000:c6:00.0");
	str_copy(gpus[1].bdf, sizeof(gpus[1].bdf), "0000:c1:00.0");
	str_copy(gpus[2].bdf, sizeof(gpus[2].bdf), "0000:de:00.0");
	put(folder, "topology.xml", topology);
	setenv("HWLOC_XMLFILE", xml, 1);
	node.gpus = gpus;
	node.gpu_count = 3;
	node.root_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	affinity_read(&node, &list);
	tap_ok(list.items[0].numa_node.known && list.items[0].numa_node.value == 1,
		"hwloc places a device by its address");
	cpus_format(&list.items[0].cpus, text, sizeof(text));
	tap_text(text, "1", "with its CPUs");
	cpus_format(&list.items[1].cpus, text, sizeof(text));
	tap_text(text, "0", "and the other one");
	tap_text(list.items[0].from, "hwloc", "it is hwloc that says so");
	tap_ok(!list.items[2].numa_node.known && list.items[2].why[0],
		"a device that it does not know is unknown");
	tap_ok(!affinity_choose(&list, &gpus[1], &chosen, why) && strstr(why, "not this machine"),
		"a topology from a file binds nothing here");
	affinity_list_release(&list);

	setenv("HWLOC_THISSYSTEM", "1", 1);
	affinity_read(&node, &list);
	tap_ok(list.this_system && affinity_choose(&list, &gpus[1], &chosen, why),
		"one of this machine does: %s", why);
	cpus_format(&chosen, text, sizeof(text));
	tap_text(text, "0", "to the CPUs that are near and allowed");
	tap_ok(!affinity_choose(&list, &gpus[2], &chosen, why),
		"not where the device has no place");
	affinity_list_release(&list);
	unsetenv("HWLOC_THISSYSTEM");
	unsetenv("HWLOC_XMLFILE");
	close(node.root_fd);
	free(xml);
}

/* --- a child ------------------------------------------------------------------------------------
 */

static void test_child(const char *folder)
{
	char *out = path_join(folder, "said"), want[64];
	char *argv[] = { (char *)"/bin/grep", (char *)"Cpus_allowed_list",
		(char *)"/proc/self/status", NULL };
	struct child_command command = { .argv = argv, .stdout_path = out, .deadline_ms = 20000 };
	struct child_ending ending;
	struct cpus own, one = { { 0 } };
	struct str text = STR_INIT;
	unsigned cpu = CPUS_MAX;

	cpus_of_process(0, &own);
	while (cpu-- && !cpus_has(&own, cpu))
		;
	cpus_add(&one, cpu);
	command.cpus = &one;
	child_run(&command, &ending, NULL);
	file_read(out, 4096, &text, NULL);
	snprintf(want, sizeof(want), "Cpus_allowed_list:\t%u\n", cpu);
	tap_text(text.data, want, "a child runs where it is told to");
	cpus_of_process(0, &one);
	tap_ok(cpus_equal(&own, &one), "and the parent where it did");
	str_release(&text);
	free(out);
}

int main(void)
{
	char folder[] = "/tmp/oamqual-affinity-XXXXXX";

	if (!mkdtemp(folder))
		return 1;
	test_lists();
	test_blade(folder);
	test_hwloc(folder);
	test_child(folder);
	folder_remove(folder, NULL);
	return tap_done();
}
