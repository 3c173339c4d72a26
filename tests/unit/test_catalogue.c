/* SPDX-License-Identifier: Apache-2.0 */
#include "node/catalogue.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

#include "tap.h"

/* --- the tables --- */

static bool is_class(const char *class)
{
	static const char *const classes[] = { "spec", "launch", "claim", "plan", "ranked",
		"reported" };
	size_t i;

	for (i = 0; class && i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strcmp(class, classes[i]) == 0)
			return true;
	return false;
}

static bool value_is_sound(const struct catalogue_value *value)
{
	if (!value->value)
		return !value->class && !value->source && value->why && value->why[0];
	return value->value[0] && is_class(value->class) && value->source && value->source[0] &&
	       !value->why;
}

static void test_tables(void)
{
	const struct catalogue_entry *entry;
	const struct catalogue_value *a, *b;
	bool sound = true, once = true, found = true, whole = true;

	for (entry = catalogue; entry->name; entry++) {
		json_t *json = catalogue_entry_json(entry);

		for (a = entry->values; a->key; a++) {
			if (!value_is_sound(a)) {
				sound = false;
				printf("# %s: %s\n", entry->name, a->key);
			}
			for (b = entry->values; b < a; b++)
				once = once && strcmp(a->key, b->key) != 0;
		}
		found = found && catalogue_find(entry->name) == entry;
		whole = whole && json && json_object_get(json, "values");
		json_decref(json);
	}
	tap_ok(sound, "a value has a class and a source; an unknown one has why and neither");
	tap_ok(once, "no entry has a key twice");
	tap_ok(found, "each entry is found by its name");
	tap_ok(whole, "each entry has a JSON form");
}

/* The fact sheet's rows, written down again. */
static void test_rows(void)
{
	static const char *const names[] = { "MI250", "MI250X", "MI300A", "MI300X", "MI325X",
		"MI350X", "MI355X", "MI430X", "MI455X", "MI500 series", "MI600 series", "Frontier",
		"El Capitan", "LUMI", "Helios", "6.0.0", "6.0.2", "6.1.0", "6.1.1", "6.1.2",
		"6.2.0", "6.2.1", "6.2.4", "6.3.0", "6.3.1" };
	static const struct {
		const char *name;
		uint64_t bytes;
	} domains[] = { { "MI250", 64000000000 }, { "MI250X", 64000000000 }, { "MI300A", 0 },
		{ "MI300X", 192000000000 }, { "MI325X", 256000000000 }, { "MI350X", 288000000000 },
		{ "MI355X", 288000000000 }, { "MI430X", 0 }, { "MI455X", 0 }, { "MI210", 0 } };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		tap_ok(catalogue_find(names[i]) != NULL, "there is %s", names[i]);
	for (i = 0; i < sizeof(domains) / sizeof(domains[0]); i++)
		tap_ok(catalogue_find(domains[i].name)->domain_bytes == domains[i].bytes,
			"domain of %s", domains[i].name);
	tap_ok(catalogue_find("amd instinct mi250x") == catalogue_find("MI250X"),
		"prefix and case do not matter");
	tap_ok(catalogue_find("MI250") != catalogue_find("MI250X"), "MI250 is not MI250X");
	tap_ok(!catalogue_find("MI250Y") && !catalogue_find("") && !catalogue_find("AMD Instinct "),
		"no guess");
}

/* --- which part a device may be --- */

static struct gpu device(uint64_t id, const char *gfx, const char *name)
{
	struct gpu gpu;

	memset(&gpu, 0, sizeof(gpu));
	strcpy(gpu.bdf, "0000:c1:00.0");
	if (id) {
		gpu.pci_device_id = known_u64(id);
		gpu.pci_vendor_id = known_u64(0x1002);
	}
	str_copy(gpu.gfx_target, sizeof(gpu.gfx_target), gfx);
	str_copy(gpu.hip_name, sizeof(gpu.hip_name), name);
	return gpu;
}

struct matching {
	uint64_t id;
	const char *gfx, *name, *want;
};

static const struct matching matchings[] = {
	{ 0x7408, "gfx90a", "", "MI250X" },
	{ 0x740c, "gfx90a", "", "MI250 MI250X" },
	{ 0x740c, "gfx90a", "AMD Instinct MI250X/MI250", "MI250 MI250X" },
	{ 0x740c, "gfx90a", "AMD Instinct MI250", "MI250" },
	{ 0x740c, "", "", "MI250 MI250X" },
	{ 0x740f, "gfx90a", "AMD Instinct MI210", "MI210" },
	{ 0, "gfx90a", "", "MI210 MI250 MI250X" },
	{ 0, "gfx90a", "AMD Instinct MI250X", "MI250X" },
	{ 0, "gfx950", "", "MI350X MI355X" },
	{ 0, "", "AMD Instinct MI250X/MI250", "MI250 MI250X" },
	{ 0, "", "", "" },
	{ 0x74a0, "gfx942", "", "MI300A" },
	{ 0x74a1, "gfx942", "", "MI300X" },
	{ 0x74b5, "gfx942", "", "MI300X" },
	{ 0x74b9, "gfx942", "", "MI325X" },
	{ 0x74a2, "gfx942", "", "MI308X" },
	{ 0x1234, "gfx950", "", "MI350X MI355X" }, /* nobody has published their ids */
	{ 0x1234, "gfx90a", "", "" },
	{ 0x7408, "gfx942", "", "" }, /* contradiction: no part */
	{ 0x7408, "gfx90a", "AMD Instinct MI210", "MI250X" },
	{ 0, "gfx1030", "AMD Radeon", "" },
};

static void match_text(const struct gpu *gpu, char text[200])
{
	const struct catalogue_entry *entries[16];
	size_t i, count = catalogue_match(gpu, entries, 16);

	text[0] = '\0';
	for (i = 0; i < count; i++) {
		strcat(text, i ? " " : "");
		strcat(text, entries[i]->name);
	}
}

static void test_match(void)
{
	const struct catalogue_entry *one[1] = { NULL };
	struct gpu gpu;
	char got[200], what[200];
	size_t i;

	for (i = 0; i < sizeof(matchings) / sizeof(matchings[0]); i++) {
		const struct matching *m = &matchings[i];

		gpu = device(m->id, m->gfx, m->name);
		match_text(&gpu, got);
		snprintf(what, sizeof(what), "id 0x%04llx, target '%s', name '%s'",
			(unsigned long long)m->id, m->gfx, m->name);
		tap_text(got, m->want, what);
	}
	gpu = device(0x7408, "gfx90a", "");
	gpu.pci_vendor_id = known_u64(0x10de);
	tap_number(catalogue_match(&gpu, one, 1), 0, "another vendor's id");
	gpu = device(0x740c, "gfx90a", "");
	tap_ok(catalogue_match(&gpu, one, 1) == 2 && strcmp(one[0]->name, "MI250") == 0,
		"no write past the end");
}

/* --- domains --- */

static struct node node_of(struct gpu *gpus, size_t count)
{
	struct node node;

	memset(&node, 0, sizeof(node));
	node.root_fd = -1;
	node.gpus = gpus;
	node.gpu_count = count;
	return node;
}

static long long domain(const struct node *node, size_t index)
{
	char text[600] = "";
	struct known_u64 bytes = catalogue_domain(node, &node->gpus[index], text, sizeof(text));

	return text[0] ? bytes.known ? (long long)bytes.value : -1 : -2;
}

static void test_domain(void)
{
	struct gpu gpus[2] = { device(0x740c, "gfx90a", ""), device(0x74a1, "gfx942", "") };
	struct node node = node_of(gpus, 2);

	tap_number(domain(&node, 0), 64000000000, "MI250 and MI250X agree, so the size is known");
	tap_number(domain(&node, 1), -1, "an MI300X that does not say whether it is partitioned");
	gpus[1].num_xcc = known_u64(8);
	strcpy(gpus[1].bdf, "0000:05:00.0");
	tap_number(domain(&node, 1), 192000000000, "an MI300X in SPX");
	gpus[1].num_xcc = known_u64(1);
	tap_number(domain(&node, 1), -1, "a partition that stands alone");
	gpus[0] = gpus[1];
	strcpy(gpus[0].bdf, "0000:05:00.1");
	gpus[1].num_xcc = known_u64(8);
	tap_number(domain(&node, 0), -1, "a function other than 0 is a partition");
	tap_number(domain(&node, 1), -1, "so is function 0 beside it");
	gpus[0] = device(0, "gfx90a", "");
	tap_number(domain(&node, 0), -1, "gfx90a alone may be an MI210");
	gpus[0] = device(0, "gfx950", "");
	tap_number(domain(&node, 0), -1, "gfx950 may be partitioned");
	gpus[0] = device(0x740f, "gfx90a", "");
	tap_number(domain(&node, 0), -1, "an MI210 does not borrow from an MI250");
}

static void test_published(void)
{
	struct gpu gpus[1] = { device(0x740c, "gfx90a", "AMD Instinct MI250X/MI250") };
	struct node node = node_of(gpus, 1);
	json_t *json = catalogue_published_json(&node, gpus);

	tap_number(json_array_size(json_object_get(json, "variants")), 2, "both names are kept");
	tap_text(json_text(json_object_get(json, "variant"), "class", NULL), "unknown",
		"the variant is unknown");
	tap_text(
		json_fact_text(json, "domain_memory"), "64 GB HBM2e per GCD", "the published text");
	tap_text(json_text(json_object_get(json, "domain_bytes"), "class", NULL), "published",
		"its class");
	tap_number(json_integer_of(json_object_get(json, "domain_bytes"), "value", 0), 64000000000,
		"its bytes");
	json_decref(json);
	memset(gpus[0].hip_name, 0xff, sizeof(gpus[0].hip_name) - 1);
	json = catalogue_published_json(&node, gpus);
	tap_ok(json && json_is_object(json_object_get(json, "variant")),
		"a name that is not UTF-8");
	json_decref(json);
	gpus[0] = device(0x7408, "gfx90a", "");
	json = catalogue_published_json(&node, gpus);
	tap_text(json_fact_text(json, "variant"), "MI250X", "a variant that can be told");
	json_decref(json);
}

/* --- findings --- */

static const struct finding *finding_of(const struct finding_list *list, const char *code)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (strcmp(list->items[i].code, code) == 0)
			return &list->items[i];
	return NULL;
}

static void test_findings(void)
{
	struct gpu gpus[3] = { device(0x740c, "gfx90a", ""), device(0x740c, "gfx90a", ""),
		device(0x7408, "gfx90a", "") };
	struct node node = node_of(gpus, 3);
	struct finding_list findings = { NULL, 0 };
	const struct finding *found;

	gpus[0].vram_total = known_u64(68702699520);
	gpus[1].vram_total = known_u64(68702699520);
	catalogue_findings(&node, &findings);
	found = finding_of(&findings, "variant-unknown");
	tap_ok(found && found->weight == FINDING_NOTE &&
			strstr(found->text, "2 GPUs are each MI250 or MI250X"),
		"the variant is unknown, told once");
	tap_number(findings.count, 1, "64 GiB less 16 MiB is what 64 GB promises: no finding");
	finding_list_release(&findings);

	gpus[2].vram_total = known_u64(137405399040);
	catalogue_findings(&node, &findings);
	found = finding_of(&findings, "memory-above-published");
	tap_ok(found && strstr(found->text, "137405399040") && strstr(found->text, "64 GB"),
		"a module's total on one domain, with both numbers");
	finding_list_release(&findings);

	gpus[2].vram_total = known_u64(34342961152);
	catalogue_findings(&node, &findings);
	tap_ok(finding_of(&findings, "memory-below-published") != NULL, "half the domain");
	finding_list_release(&findings);

	gpus[2] = device(0x7408, "gfx90a", "AMD Instinct MI210");
	catalogue_findings(&node, &findings);
	tap_ok(finding_of(&findings, "part-disagrees") != NULL, "a name that contradicts the id");
	finding_list_release(&findings);
	gpus[2] = device(0x7408, "gfx942", "");
	catalogue_findings(&node, &findings);
	tap_ok(finding_of(&findings, "part-disagrees") != NULL, "a target that contradicts the id");
	finding_list_release(&findings);
}

/* --- driver and user space --- */

struct gap {
	int64_t hip;
	const char *module, *user, *driver;
	int distance;
};

static const struct gap gaps[] = {
	{ 60342131, "6.10.5\n", "6.3.0", "6.3", 0 },
	{ 60342133, "6.7.0\n", "6.3.1", "6.1", 2 },
	{ 60342131, "6.3.6\n", "6.3.0", "6.0", 3 },
	{ 60132830, "6.1.5", "6.0.0", "5.6", 2 },
	{ 60132831, "6.0.5", "6.0.2", "5.5", 3 },
	{ 60241134, "6.8.5\n", "6.2.1 - 6.2.4", "6.2", 0 },
	{ 60140093, "6.99.0\n", "6.1.2", "", -1 },
	{ 50221153, "6.10.5\n", "", "6.3", -1 },
	{ 60342131, NULL, "6.3.0", "", -1 },
	{ 0, "6.10.5\n", "", "6.3", -1 },
	{ 60342131, "\xff\xfe\033[31m 6.10.5\n", "6.3.0", "", -1 },
	{ 60342131, "", "6.3.0", "", -1 },
};

static void test_gap(const struct gap *gap, const char *root)
{
	char *folder = path_join(root, "sys/module/amdgpu"), *path = path_join(folder, "version"),
	     what[100];
	struct finding_list findings = { NULL, 0 };
	struct node node = node_of(NULL, 0);
	struct catalogue_driver driver;
	json_t *json;

	folder_make(folder, NULL);
	unlink(path);
	if (gap->module)
		file_write(path, gap->module, strlen(gap->module), NULL);
	node.root_fd = open(root, O_RDONLY | O_DIRECTORY);
	node.hip_runtime_version = (struct known_i64){ gap->hip != 0, gap->hip };
	catalogue_driver_read(&node, &driver);
	catalogue_findings(&node, &findings);
	snprintf(what, sizeof(what), "HIP %lld beside module %.6s", (long long)gap->hip,
		gap->module && gap->module[0] != '\xff' ? gap->module : "-");
	what[strcspn(what, "\n")] = '\0';
	tap_text(driver.user, gap->user, what);
	tap_text(driver.driver, gap->driver, what);
	tap_number(driver.distance, gap->distance, what);
	tap_ok((finding_of(&findings, "driver-gap") != NULL) == (gap->distance > 2),
		"%s: a finding beyond two", what);
	json = catalogue_driver_json(&node);
	tap_ok(json && json_object_get(json, "releases_apart"), "%s: has a JSON form", what);
	json_decref(json);
	finding_list_release(&findings);
	close(node.root_fd);
	free(folder);
	free(path);
}

int main(void)
{
	char place[] = "/tmp/oamqual-catalogue-XXXXXX";
	size_t i;

	test_tables();
	test_rows();
	test_match();
	test_domain();
	test_published();
	test_findings();
	if (!mkdtemp(place))
		return 3;
	for (i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++)
		test_gap(&gaps[i], place);
	folder_remove(place, NULL);
	return tap_done();
}
