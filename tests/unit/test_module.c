/* SPDX-License-Identifier: Apache-2.0 */
/* Pairing at its edges: small topologies written here, what is expected of each by the rules of docs/node.md. */
#include "node/module.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "node/counts.h"
#include "node/isolation.h"
#include "node/kfd.h"
#include "node/links.h"
#include "node/pci.h"

#include "tap.h"

static void put(const char *root, const char *path, const char *text)
{
	char *whole = path_join(root, path), *folder = xstrdup(whole);
	struct error err = { "" };

	*strrchr(folder, '/') = '\0';
	if (folder_make(folder, &err) != 0 || file_write(whole, text, strlen(text), &err) != 0)
		tap_ok(false, "%s", err.text);
	free(folder);
	free(whole);
}

/* --- parsing ---------------------------------------------------------------------------------- */

static void test_link_parse(void)
{
	const char *text = "type 11\nversion_major 0\nnode_from 4\nnode_to 5\nweight 15\nmin_bandwidth 50000\n"
			   "max_bandwidth 200000\nhops 1\n";
	struct link link;

	link_parse(text, strlen(text), &link);
	tap_ok(link.type.value == LINK_XGMI && link.node_from.value == 4 && link.node_to.value == 5 &&
			link.weight.value == 15 && link.min_bandwidth.value == 50000 &&
			link.max_bandwidth.value == 200000,
		"a link");
	link_parse("max_bandwidth -1\ntype 11", 24, &link);
	tap_ok(link.type.known && !link.max_bandwidth.known && !link.weight.known,
		"a sign is no number, and what is missing is unknown");
}

static void test_pci_values(void)
{
	char bdf[NODE_BDF];

	tap_ok(pci_value_parse("0x1002", 0).value == 0x1002, "hexadecimal");
	tap_ok(!pci_value_parse("-1", 10).known, "numa_node -1 is unknown");
	tap_ok(!pci_value_parse("", 10).known && !pci_value_parse("N/A", 16).known, "no number");
	tap_ok(pci_value_parse("f7c63ac3c3c637f9", 16).value == 0xf7c63ac3c3c637f9ULL, "64 bits");
	pci_slot_parse("DRIVER=amdgpu\nPCI_SLOT_NAME=0000:C1:00.0\n", 41, bdf);
	tap_text(bdf, "0000:c1:00.0", "the address of a uevent");
	pci_slot_parse("PCI_SLOT_NAME=../../x", 21, bdf);
	tap_text(bdf, "", "which must be one");
	pci_slot_parse("XPCI_SLOT_NAME=0000:c1:00.0", 27, bdf);
	tap_text(bdf, "", "under its own key");
	tap_ok(pci_same_card("0000:c1:00.0", "0000:c1:00.7") && !pci_same_card("0000:c1:00.0", "0001:c1:00.0") &&
			!pci_same_card("0000:c1:00.0", "0000:c1:01.0") && !pci_same_card("", ""),
		"a card is domain, bus and device (B15)");
}

static struct pci_device device_of(uint64_t vendor, uint64_t class, const char *driver)
{
	struct pci_device device = { .vendor = known_u64(vendor), .class = known_u64(class),
		.driver_known = driver != NULL };

	str_copy(device.driver, sizeof(device.driver), driver ? driver : "");
	return device;
}

static void test_pci_kinds(void)
{
	struct pci_device gpu = device_of(0x1002, 0x038000, "amdgpu"),
			  accelerator = device_of(0x1002, 0x120000, NULL),
			  audio = device_of(0x1002, 0x040300, "snd_hda_intel"),
			  display = device_of(0x1a03, 0x030000, "ast"),
			  given_away = device_of(0x1002, 0x038000, "vfio-pci"), dark = { .class = { false, 0 } };

	tap_number(pci_is_amdgpu(&gpu), KNOWN_YES, "a display controller of amdgpu's");
	tap_number(pci_is_amdgpu(&accelerator), KNOWN_YES, "an accelerator");
	tap_number(pci_is_amdgpu(&audio), KNOWN_NO, "a sound device is none");
	tap_number(pci_is_amdgpu(&display), KNOWN_NO, "nor a management controller's display (B19)");
	tap_number(pci_is_amdgpu(&given_away), KNOWN_NO, "nor what another driver holds");
	tap_number(pci_is_amdgpu(&dark), KNOWN_UNKNOWN, "and of what says nothing it is unknown");
}

/* --- grouping ----------------------------------------------------------------------------------- */

/* gpus: "node bus device-id" triples; links: "from to MB/s" triples; want: modules as "bus+bus:basis". */
struct vector {
	const char *what, *gpus, *links, *want, *codes;
};

#define PAIRED "c1+c6:link-width"

static const struct vector vectors[] = {
	{ "one direction is enough", "4 c1 7408 5 c6 7408", "4 5 200000", PAIRED, "" },
	{ "both directions", "4 c1 7408 5 c6 7408", "4 5 200000 5 4 200000", PAIRED, "" },
	{ "hops and order do not matter (B22)", "4 c6 7408 9 c1 7408", "9 4 200000", "c6+c1:link-width", "" },
	{ "two widths for one link", "4 c1 7408 5 c6 7408", "4 5 200000 5 4 100000",
		"c1:undetermined c6:undetermined", "link-inconsistent module-undetermined" },
	{ "x4 to two peers", "4 c1 7408 5 c6 7408 6 c9 7408", "4 5 200000 4 6 200000 5 6 50000",
		"c1:undetermined c6:undetermined c9:undetermined", "module-undetermined" },
	{ "x2 and x1 only", "4 c1 7408 5 c6 7408", "4 5 100000", "c1:undetermined c6:undetermined",
		"module-undetermined" },
	{ "not quite x4", "4 c1 7408 5 c6 7408", "4 5 199999", "c1:undetermined c6:undetermined",
		"module-undetermined" },
	{ "a pair, and two that are left: none is half", "4 c1 7408 5 c6 7408 6 c9 7408 7 ce 7408",
		"4 5 200000 4 6 50000 4 7 0 5 6 0 5 7 50000 6 7 50000",
		PAIRED " c9:undetermined ce:undetermined", "module-undetermined" },
	{ "a pair, and one of which a width is missing", "4 c1 7408 5 c6 7408 6 c9 7408",
		"4 5 200000 4 6 50000", PAIRED " c9:undetermined", "module-undetermined" },
	{ "a pair, and one whose mate is out of sight", "4 c1 7408 5 c6 7408 6 c9 7408",
		"4 5 200000 4 6 50000 5 6 0", PAIRED " c9:half-visible", "module-half-visible" },
	{ "four, each with a mate out of sight", "4 c1 7408 6 c9 7408",
		"4 5 200000 6 7 200000 4 6 50000", "c1:half-visible c9:half-visible",
		"module-half-visible module-half-visible" },
	{ "x4 to one in sight and to one out of it", "4 c1 7408 5 c6 7408", "4 5 200000 4 9 200000",
		"c1:undetermined c6:undetermined", "module-undetermined" },
	{ "x4 to a CPU node is no mate (node 0)", "4 c1 7408 5 c6 7408", "4 0 200000 4 5 200000", PAIRED, "" },
	{ "one GCD alone", "4 c1 740c", "", "c1:half-visible", "module-half-visible" },
	{ "MI210 is one die", "4 c1 740f 5 c6 740f", "4 5 200000", "c1:single c6:single", "" },
	{ "gfx90a of an unknown device id (MI210 or MI250)", "4 c1 0 5 c6 0", "4 5 200000",
		"c1:undetermined c6:undetermined", "module-undetermined" },
	{ "the mate of a two-die part is one", "4 c1 7408 5 c6 0", "4 5 200000", PAIRED, "" },
	{ "a link to itself", "4 c1 7408 5 c6 7408", "4 4 200000 4 5 200000", PAIRED, "" },
	{ "no GPU", "", "", "", "" },
};

static void write_gpus(const char *root, const char *text)
{
	char bus[8], *path;
	unsigned int node, id;
	int used;

	for (; sscanf(text, "%u %7s %x%n", &node, bus, &id, &used) == 3; text += used) {
		struct str properties = STR_INIT;

		str_addf(&properties, "simd_count 440\nsimd_per_cu 4\ngfx_target_version 90010\ndomain 0\n"
				      "location_id %lu\n", strtoul(bus, NULL, 16) << 8);
		if (id)
			str_addf(&properties, "device_id %u\n", id);
		path = xasprintf(KFD_NODES "/%u/properties", node);
		put(root, path, properties.data);
		str_release(&properties);
		free(path);
	}
}

static void write_links(const char *root, const char *text)
{
	unsigned int from, to, width, number = 0;
	int used;

	for (; sscanf(text, "%u %u %u%n", &from, &to, &width, &used) == 3; text += used) {
		char *path = xasprintf(KFD_NODES "/%u/io_links/%u/properties", from, number++);
		char *link = xasprintf("type 11\nnode_from %u\nnode_to %u\nhops 1\nweight 15\nmax_bandwidth %u\n",
			from, to, width);

		put(root, path, link);
		free(link);
		free(path);
	}
}

static void add_module(struct str *text, const struct node *node, const struct module *module)
{
	size_t i;

	if (text->len)
		str_add(text, " ");
	for (i = 0; i < module->gpu_count; i++)
		str_addf(text, "%s%.2s", i ? "+" : "", node->gpus[module->gpus[i]].location);
	str_addf(text, ":%s", module_basis_name(module->basis));
}

static void check_group(const char *root, const struct vector *vector)
{
	struct str groups = STR_INIT, codes = STR_INIT;
	struct finding_list findings = { NULL, 0 };
	struct module_list modules;
	struct error err = { "" };
	struct node node;
	size_t i;

	if (!tap_ok(node_read(root, &node, &err) == 0, "%s: %s", vector->what, err.text))
		return;
	module_group(&node, &modules, &findings);
	for (i = 0; i < modules.count; i++) {
		add_module(&groups, &node, &modules.items[i]);
		tap_ok(modules.items[i].why[0], "the evidence is told");
	}
	for (i = 0; i < findings.count; i++)
		str_addf(&codes, "%s%s", i ? " " : "", findings.items[i].code);
	tap_text(groups.data ? groups.data : "", vector->want, vector->what);
	tap_text(codes.data ? codes.data : "", vector->codes, vector->what);
	str_release(&codes);
	str_release(&groups);
	module_list_release(&modules);
	finding_list_release(&findings);
	node_release(&node);
}

static void test_grouping(const char *place)
{
	size_t i;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		char *root = xasprintf("%s/group-%zu", place, i);

		put(root, KFD_NODES "/0/properties", "cpu_cores_count 8\nsimd_count 0\n");
		write_gpus(root, vectors[i].gpus);
		write_links(root, vectors[i].links);
		check_group(root, &vectors[i]);
		free(root);
	}
}

/* --- cards ------------------------------------------------------------------------------------ */

struct card_vector {
	const char *what;
	const char *properties[4]; /* of the GPU nodes 1... */
	const char *want, *codes;
};

#define MI300X "simd_count 152\nsimd_per_cu 4\ngfx_target_version 90402\ndevice_id 29857\n"

static const struct card_vector card_vectors[] = {
	{ "partitions of one card: one unique id", { MI300X "domain 0\nlocation_id 256\nunique_id 5\nnum_xcc 4\n",
		MI300X "domain 0\nlocation_id 257\nunique_id 5\nnum_xcc 4\n" }, "01+01:partition-parent", "" },
	{ "functions with two unique ids are two cards", { MI300X "domain 0\nlocation_id 256\nunique_id 5\nnum_xcc 8\n",
		MI300X "domain 0\nlocation_id 257\nunique_id 6\nnum_xcc 8\n" },
		"01:single 01:single", "" },
	{ "equal buses in two domains are two cards (B15, B25)", { MI300X "domain 0\nlocation_id 256\nunique_id 5\nnum_xcc 8\n",
		MI300X "domain 1\nlocation_id 256\nunique_id 6\nnum_xcc 8\n" }, "01:single 01:single", "" },
	{ "without domains the id decides", { MI300X "location_id 256\nunique_id 5\nnum_xcc 4\n",
		MI300X "location_id 257\nunique_id 5\nnum_xcc 4\n" }, "01+01:partition-parent", "" },
	{ "without domains and ids nothing is merged", { MI300X "location_id 256\nnum_xcc 8\n",
		MI300X "location_id 256\nnum_xcc 8\n" }, "01:single 01:single", "" },
	{ "one unique id at two addresses", { MI300X "domain 0\nlocation_id 256\nunique_id 5\nnum_xcc 8\n",
		MI300X "domain 1\nlocation_id 256\nunique_id 5\nnum_xcc 8\n" },
		"01:undetermined 01:undetermined", "duplicate-identity module-undetermined" },
	{ "a gap between functions", { MI300X "domain 0\nlocation_id 256\nunique_id 5\n",
		MI300X "domain 0\nlocation_id 258\nunique_id 5\n" }, "01+01:partition-parent", "partition-missing" },
	{ "compute dies that do not add up (B14)", { MI300X "domain 0\nlocation_id 256\nunique_id 5\nnum_xcc 2\n",
		MI300X "domain 0\nlocation_id 257\nunique_id 5\nnum_xcc 2\n",
		MI300X "domain 0\nlocation_id 258\nunique_id 5\nnum_xcc 2\n" },
		"01+01+01:partition-parent", "partition-missing" },
	{ "cards in two modes do not lack what the other has", { MI300X "domain 0\nlocation_id 256\nunique_id 5\nnum_xcc 8\n",
		MI300X "domain 0\nlocation_id 512\nunique_id 6\nnum_xcc 4\n",
		MI300X "domain 0\nlocation_id 513\nunique_id 6\nnum_xcc 4\n" },
		"01:single 02+02:partition-parent", "" },
	{ "a part of which nothing is known", { "simd_count 4\ndomain 0\nlocation_id 256\n" }, "01:undetermined",
		"module-undetermined" },
	{ "a GPU without an address", { MI300X }, ":undetermined", "module-undetermined" },
};

static void test_cards(const char *place)
{
	size_t i, j;

	for (i = 0; i < sizeof(card_vectors) / sizeof(card_vectors[0]); i++) {
		const struct card_vector *card = &card_vectors[i];
		const struct vector vector = { card->what, "", "", card->want, card->codes };
		char *root = xasprintf("%s/card-%zu", place, i);

		for (j = 0; j < 4 && card->properties[j]; j++) {
			char *path = xasprintf(KFD_NODES "/%zu/properties", j + 1);

			put(root, path, card->properties[j]);
			free(path);
		}
		check_group(root, &vector);
		free(root);
	}
}

/* PCI is not there: the links place a card, those of one partition for all. */
static void test_numa_of_card(const char *place)
{
	char *root = path_join(place, "numa");
	struct error err = { "" };
	struct node node;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		char *path = xasprintf(KFD_NODES "/%u/properties", i);

		put(root, path, "cpu_cores_count 8\nsimd_count 0\n");
		free(path);
	}
	for (i = 0; i < 4; i++) {
		char *path = xasprintf(KFD_NODES "/%u/properties", i + 2);
		char *text = xasprintf(MI300X "domain 0\nlocation_id %u\nunique_id 5\n", i < 3 ? 256 + i : 512);

		put(root, path, text);
		free(text);
		free(path);
	}
	write_links(root, "3 1 0");
	put(root, KFD_NODES "/5/io_links/0/properties", "type 2\nnode_to 0\nweight 20\n");
	tap_number(node_read(root, &node, &err), 0, "three partitions and a card");
	tap_ok(!node.gpus[0].numa_node.known, "a partition before any that has links is unplaced");
	tap_ok(node.gpus[1].numa_node.known && node.gpus[1].numa_node.value == 1, "the next has its own links");
	tap_ok(node.gpus[2].numa_node.known && node.gpus[2].numa_node.value == 1, "and answers for the one after it");
	tap_ok(node.gpus[3].numa_node.known && node.gpus[3].numa_node.value == 0, "not for another card");
	node_release(&node);
	free(root);
}

/* --- isolation -------------------------------------------------------------------------------- */

static void test_isolation(const char *place)
{
	static const char *const properties[] = { "location_id 256\nunique_id 18446744073709551615\n",
		"location_id 257\nunique_id 18446744073709551615\n", "location_id 512\nunique_id 6\n",
		"location_id 768\nunique_id 0\n" };
	struct finding_list findings = { NULL, 0 };
	char *root = path_join(place, "isolation"), why[200] = "";
	struct error err = { "" };
	struct node node;
	size_t i;

	for (i = 0; i < 4; i++) {
		char *path = xasprintf(KFD_NODES "/%zu/properties", i + 1);
		char *text = xasprintf(MI300X "domain 0\nnum_xcc 4\n%s", properties[i]);

		put(root, path, text);
		free(text);
		free(path);
	}
	tap_number(node_read(root, &node, &err), 0, "two partitions, a card, and one without an id");
	tap_ok(isolation_by_id(&node, &node.gpus[2], why) && !why[0], "an id of its own singles a GPU out");
	tap_ok(!isolation_by_id(&node, &node.gpus[1], why), "one that partitions share does not");
	tap_text(why, "2 GPUs share its unique id, so ROCR_VISIBLE_DEVICES=GPU-ffffffffffffffff gives none of them", "and why");
	tap_ok(!isolation_by_id(&node, &node.gpus[3], why), "nor does 0, which is none");
	tap_text(why, "its unique id is unknown, so ROCR_VISIBLE_DEVICES cannot name it", "and why");
	isolation_findings(&node, &findings);
	tap_number((long)findings.count, 2, "one finding for each reason");
	if (findings.count == 2) {
		tap_text(findings.items[0].code, "isolation-by-index", "by index it works");
		tap_ok(strstr(findings.items[0].text, "2 GPUs share") && strstr(findings.items[0].remedy, "0 is 0000:01:00.0, 1 is 0000:01:00.1;"),
			"the remedy has the indices");
		tap_ok(strstr(findings.items[1].text, "of 1 GPU the unique id is unknown") && strstr(findings.items[1].remedy, "(3 is 0000:03:00.0;"),
			"of the one without an id too");
	}
	finding_list_release(&findings);
	node_release(&node);
	free(root);
}

/* --- opening ------------------------------------------------------------------------------------ */

/* A root whose devices are files: listing shows all, and only one opens. */
static void test_openable(const char *place)
{
	char *root = path_join(place, "open"), why[400] = "";
	struct finding_list findings = { NULL, 0 };
	struct module_list modules = { NULL, 0 };
	struct error err = { "" };
	struct counts counts;
	struct node node;
	size_t i;

	for (i = 0; i < 8; i++) {
		char *path = xasprintf(KFD_NODES "/%zu/properties", i + 1);
		char *text = xasprintf("simd_count 4\ndomain 0\nlocation_id %zu\ndrm_render_minor %zu\n",
			256 * (i + 1), 128 + i);

		put(root, path, text);
		free(text);
		free(path);
	}
	put(root, "dev/dri/renderD131", "");
	tap_number(node_read(root, &node, &err), 0, "eight GPUs");
	tap_number(node.gpus[3].openable, KNOWN_UNKNOWN, "of a replayed node nothing is opened");
	node.simulated = false;
	node.kfd_openable = KNOWN_YES;
	counts_try_open(&node);
	counts_take(&node, &counts);
	counts_findings(&node, &modules, &counts, &findings);
	tap_ok(node.gpus[3].openable == KNOWN_YES && node.gpus[2].openable == KNOWN_NO,
		"one of them opens, judged by opening (B33)");
	tap_text(node.gpus[2].open_why, "/dev/dri/renderD130: No such file or directory", "the other says why");
	tap_ok(counts.kfd.value == 8 && counts.openable.known && counts.openable.value == 1,
		"8 present, 1 openable here (B33)");
	if (findings.count == 1)
		str_copy(why, sizeof(why), findings.items[0].text);
	tap_text(why, "8 GPUs are present and 1 can be opened here: /dev/dri/renderD128: No such file or directory",
		"and the finding has both numbers");
	node.kfd_openable = KNOWN_NO;
	counts_take(&node, &counts);
	tap_ok(counts.openable.known && counts.openable.value == 0, "a closed /dev/kfd closes all");
	node.kfd_openable = KNOWN_YES;
	node.gpus[7].openable = KNOWN_UNKNOWN;
	counts_take(&node, &counts);
	tap_ok(!counts.openable.known, "one that could not be tried makes the number unknown");
	finding_list_release(&findings);
	node_release(&node);
	free(root);
}

int main(void)
{
	char place[] = "/tmp/oamqual-test-module-XXXXXX";

	if (!mkdtemp(place))
		return 1;
	test_link_parse();
	test_pci_values();
	test_pci_kinds();
	test_grouping(place);
	test_cards(place);
	test_numa_of_card(place);
	test_isolation(place);
	test_openable(place);
	folder_remove(place, NULL);
	return tap_done();
}
