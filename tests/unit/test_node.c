/* SPDX-License-Identifier: Apache-2.0 */
#include "node/node.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "node/description.h"
#include "node/hip_probe.h"
#include "node/kfd.h"
#include "node/replay.h"
#include "node/sim_abi.h"

#include "tap.h"

#define NODES "sys/class/kfd/kfd/topology/nodes"

/* --- properties --- */

static void parse(const char *text, struct gpu *gpu, struct kfd_properties *properties)
{
	memset(gpu, 0, sizeof(*gpu));
	kfd_properties_parse(text, strlen(text), properties);
	kfd_properties_enter(properties, gpu);
}

struct vector {
	const char *text, *bdf, *gfx, *what;
};

static const struct vector vectors[] = {
	{ "location_id 49408\ndomain 0\ngfx_target_version 90010\n", "0000:c1:00.0", "gfx90a",
		"bus<<8 and major*10000 + minor*100 + step" },
	{ "location_id 2563\ndomain 0\ngfx_target_version 90402\n", "0000:0a:00.3", "gfx942",
		"a partition has its function" },
	{ "location_id 512\ndomain 3\ngfx_target_version 90500\n", "0003:02:00.0", "gfx950",
		"a domain above 0" },
	{ "location_id 256\ndomain 65537\ngfx_target_version 110000\n", "10001:01:00.0", "gfx1100",
		"a domain of more than 16 bits" },
	{ "location_id 49408\ngfx_target_version 90010\n", "", "gfx90a", "no domain: no address" },
	{ "location_id 65536\ndomain 0\n", "", "",
		"a location of more than 16 bits is no PCI address" },
	{ "domain 0\nlocation_id -1\n", "", "", "a sign" },
	{ "domain 0\nlocation_id 0x100\n", "", "", "a base prefix" },
	{ "domain 0\nlocation_id 256 \n", "", "", "a blank behind" },
	{ "domain 0\nlocation_id\n", "", "", "a key without value" },
	{ "domain 0\nlocation_id 18446744073709551616\n", "", "", "2^64" },
	{ "domain 0\nlocation_id 256\nlocation_id 512\n", "", "", "two values for one key" },
	{ "domain 0\nlocation_id 256\nlocation_id 256", "0000:01:00.0", "",
		"the same twice, and no last newline" },
	{ "domain 0\nlocation_id x\nlocation_id 256\n", "", "", "spoilt once is spoilt" },
	{ "xlocation_id 256\ndomain 0\nlocation_idx 256\n", "", "", "keys are whole words" },
	{ "gfx_target_version 0\n", "", "", "0 is no target" },
	{ "gfx_target_version 91710\n", "", "", "a minor above 15" },
	{ "", "", "", "an empty file" },
};

static void test_properties(void)
{
	const char tail[] = "domain 0\nlocation_id 256\0\n";
	struct kfd_properties properties;
	struct gpu gpu;
	size_t i;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		parse(vectors[i].text, &gpu, &properties);
		tap_text(gpu.bdf, vectors[i].bdf, vectors[i].what);
		tap_text(gpu.gfx_target, vectors[i].gfx, vectors[i].what);
	}
	parse("unique_id 18446744073709551615\nsimd_count 440\nsimd_per_cu 4\n", &gpu, &properties);
	tap_ok(gpu.unique_id.known && gpu.unique_id.value == 18446744073709551615ULL,
		"64 bits are exact");
	tap_ok(gpu.simd_count.known && gpu.simd_count.value == 440 && gpu.simd_per_cu.value == 4,
		"SIMDs");
	tap_ok(!gpu.num_xcc.known && !gpu.pci_device_id.known, "missing is unknown");
	parse("unique_id 0\ndevice_id 0\n", &gpu, &properties);
	tap_ok(!gpu.unique_id.known, "KFD's unique_id 0 is no identity");
	kfd_properties_parse(tail, sizeof(tail) - 1, &properties);
	tap_ok(!properties.location_id.known, "a NUL byte spoils the value");
}

static void test_banks(void)
{
	const char *vram_text = "heap_type 1\nsize_in_bytes 68702699520\nflags 0\n";
	uint64_t bytes = 7;
	bool vram = false;

	tap_number(kfd_bank_parse(vram_text, strlen(vram_text), &vram, &bytes), 0, "a bank");
	tap_ok(vram && bytes == 68702699520ULL, "64 GiB less 16 MiB of VRAM");
	tap_number(kfd_bank_parse("heap_type 0\nsize_in_bytes 1\n", 28, &vram, &bytes), 0,
		"system memory");
	tap_ok(!vram, "is not VRAM");
	tap_number(kfd_bank_parse("heap_type 1\n", 12, &vram, &bytes), -1, "without a size");
	tap_number(kfd_bank_parse("size_in_bytes 12\n", 17, &vram, &bytes), -1, "without a kind");
}

/* --- trees --- */

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

static void test_blade(const char *source)
{
	char *folder = xasprintf("%s/tests/nodes/mi250x-blade", source);
	static const char *const order[] = { "c1", "c6", "c9", "ce", "d1", "d6", "d9", "de" };
	struct error err = { "" };
	struct node node;
	size_t i;

	tap_number(node_read(folder, &node, &err), 0, "the blade reads");
	tap_text(node.name, "mi250x-blade", "its name");
	tap_text(node_class(&node), "simulated", "its class");
	tap_number(node.kfd_readable, KNOWN_YES, "KFD was read");
	tap_number(node.kfd_openable, KNOWN_UNKNOWN,
		"whether a replayed node's /dev/kfd opens is unknown");
	tap_number((long long)node.gpu_count, 8, "eight GCDs, and no CPU node");
	for (i = 0; i < node.gpu_count && i < 8; i++) {
		char *bdf = xasprintf("0000:%s:00.0", order[i]);

		tap_text(node.gpus[i].bdf, bdf, "KFD order");
		tap_ok(node.gpus[i].vram_total.value == 68702699520ULL, "memory of its bank");
		tap_number(node.gpus[i].in_hip, KNOWN_UNKNOWN, "HIP was not asked");
		tap_ok(node_find(&node, bdf) == &node.gpus[i], "found by address");
		free(bdf);
	}
	tap_ok(node_find(&node, "3") == &node.gpus[3], "found by index");
	tap_ok(!node_find(&node, "8") && !node_find(&node, "-1") && !node_find(&node, "") &&
			!node_find(&node, "0x0") && !node_find(&node, "c1"),
		"not found by anything else");
	/* sha256("mi250x-blade/unique_id/c6"), first 16 digits: by sha256sum. */
	tap_ok(node_find(&node, "0xb0541a725918221e") == &node.gpus[1], "found by unique id");
	node_release(&node);
	free(folder);
}

static void test_trimmed(const char *place)
{
	char *root = path_join(place, "trimmed");
	struct error err = { "" };
	struct node node;

	put(root, NODES "/0/properties", "cpu_cores_count 8\nsimd_count 0\n");
	put(root, NODES "/10/properties", "simd_count 4\nlocation_id 256\n");
	put(root, NODES "/2/properties", "simd_count 4\nmem_banks_count 2\n");
	put(root, NODES "/2/mem_banks/0/properties", "heap_type 1\nsize_in_bytes 10\n");
	put(root, NODES "/3/gpu_id", "77\n");
	put(root, NODES "/3/properties", "vendor_id 4098\n");
	put(root, NODES "/3/mem_banks/0/properties", "heap_type 1\nsize_in_bytes 10\n");
	put(root, NODES "/3/mem_banks/1/properties", "heap_type 2\nsize_in_bytes 5\n");
	put(root, NODES "/4/gpu_id", "78\n");
	put(root, NODES "/notes", "not a node\n");
	tap_number(node_read(root, &node, &err), 0, "a trimmed tree without node.json reads");
	tap_text(node.name, "trimmed", "named after its folder");
	tap_number((long long)node.gpu_count, 3, "three GPUs");
	tap_ok(node.gpus[0].kfd_node.value == 2 && node.gpus[1].kfd_node.value == 3 &&
			node.gpus[2].kfd_node.value == 10,
		"in numeric order");
	tap_ok(!node.gpus[0].vram_total.known, "one bank of two: unknown");
	tap_ok(node.gpus[1].vram_total.value == 15, "both kinds of VRAM count");
	tap_ok(!node.gpus[2].vram_total.known && !node.gpus[2].kfd_gpu_id.known,
		"no banks, no gpu_id: unknown");
	tap_text(node.gpus[2].bdf, "", "no domain: no address");
	tap_text(node.kfd_why, "node 4: No such file or directory",
		"what could not be read is said");
	node_release(&node);
	free(root);
}

/* A recorded tree that points outside must not show this machine's files. */
static void test_escape(const char *place)
{
	char *root = path_join(place, "escape"), *link = path_join(root, NODES "/1/properties");
	char *outside = path_join(place, "outside");
	struct error err = { "" };
	struct node node;

	put(place, "outside", "simd_count 4\nlocation_id 256\ndomain 0\n");
	put(root, NODES "/1/gpu_id", "1\n");
	tap_number(symlink(outside, link), 0, "a link out of the tree");
	tap_number(node_read(root, &node, &err), 0, "reads");
	tap_number((long long)node.gpu_count, 0, "but shows nothing from outside");
	node_release(&node);
	free(outside);
	free(link);
	free(root);
}

struct bad {
	const char *text, *says;
};

#define HIP_PART "\"hip\":{\"sonames\":[5],\"driver_version\":1,\"runtime_version\":1,\"devices\":["
#define DEVICE                                                                                     \
	"{\"bdf\":\"0000:c1:00.0\",\"unique_id\":\"0x1\",\"gcn_arch\":\"gfx90a\",\"name\":\"x\","  \
	"\"total_bytes\":2,\"free_bytes\":1}"
#define HEAD "{\"schema\":\"oamqual-node/1\",\"name\":\"n\""

static const struct bad bad_descriptions[] = {
	{ "[]", "document: not an object" },
	{ "{}", "schema: missing" },
	{ "{\"schema\":\"oamqual-node/2\",\"name\":\"n\"}", "schema: not \"oamqual-node/1\"" },
	{ "{\"schema\":\"oamqual-node/1\"}", "name: missing" },
	{ "{\"schema\":\"oamqual-node/1\",\"name\":1}", "name: not a text" },
	{ HEAD ",\"fautls\":[]}", "fautls: no such key" },
	{ HEAD ",\"derived\":1}", "derived: neither" },
	{ HEAD ",\"name\":\"m\"}", "not valid JSON" },
	{ HEAD ",\"hip\":{}}", "hip.sonames: missing" },
	{ HEAD "," HIP_PART "{}]}}", "hip.devices[0].bdf: missing" },
	{ HEAD "," HIP_PART DEVICE "," DEVICE "]}}", "hip.devices: two devices have the same bdf" },
	{ HEAD "," HIP_PART "{\"bdf\":\"c1:00.0\",\"unique_id\":\"0x1\",\"gcn_arch\":\"gfx90a\","
	       "\"name\":\"x\",\"total_bytes\":2,"
	       "\"free_bytes\":1}]}}",
		"hip.devices[0].bdf: not a PCI address" },
	{ HEAD "," HIP_PART "{\"bdf\":\"0000:c1:00.0\",\"unique_id\":1,\"gcn_arch\":\"gfx90a\","
	       "\"name\":\"x\",\"total_bytes\":2,"
	       "\"free_bytes\":1}]}}",
		"hip.devices[0].unique_id: not" },
	{ HEAD "," HIP_PART "{\"bdf\":\"0000:c1:00.0\",\"unique_id\":\"0x1\",\"gcn_arch\":"
	       "\"gfx90a\",\"name\":\"x\\ny\","
	       "\"total_bytes\":2,\"free_bytes\":1}]}}",
		"hip.devices[0].name: holds a control character" },
	{ HEAD "," HIP_PART "{\"bdf\":\"0000:c1:00.0\",\"unique_id\":\"0x1\",\"gcn_arch\":"
	       "\"gfx90a\",\"name\":\"x\","
	       "\"total_bytes\":2,\"free_bytes\":3}]}}",
		"hip.devices[0]: free_bytes is above" },
	{ HEAD ",\"faults\":[{\"device\":\"*\",\"fault\":\"lauch-error\"}]}",
		"faults[0].fault: no such fault" },
	{ HEAD "," HIP_PART DEVICE
	       "]},\"faults\":[{\"device\":\"0000:c2:00.0\",\"fault\":\"load-error\"}]}",
		"faults[0].device: no device" },
	{ HEAD ",\"faults\":[{\"device\":\"*\",\"fault\":\"load-error\",\"after\":-1}]}",
		"faults[0].after: below 0" },
	{ HEAD ",\"tools\":{\"hipcc\":\"maybe\"}}", "tools.hipcc: none of" },
	{ HEAD ",\"hip\":{\"sonames\":[8]}}", "hip.sonames[0]: not 5, 6 or 7" },
};

static void test_descriptions(const char *place)
{
	char *root = path_join(place, "bad"), *file = path_join(root, "node.json");
	struct node node = { .gpu_count = 77 };
	size_t i;

	for (i = 0; i < sizeof(bad_descriptions) / sizeof(bad_descriptions[0]); i++) {
		struct error err = { "" };

		put(root, "node.json", bad_descriptions[i].text);
		tap_number(node_read(root, &node, &err), -1, bad_descriptions[i].says);
		if (!tap_ok(strstr(err.text, file) && strstr(err.text, bad_descriptions[i].says),
			    "the error names file and reason"))
			printf("# %s\n", err.text);
	}
	tap_number((long long)node.gpu_count, 77, "the output is untouched");
	free(file);
	free(root);
}

static void test_no_node(const char *place)
{
	char *empty = path_join(place, "empty"), *absent = path_join(place, "absent");
	struct error err = { "" };
	struct node node;

	folder_make(empty, &err);
	tap_number(node_read(empty, &node, &err), -1, "an empty folder is no node");
	tap_ok(strstr(err.text, "holds neither node.json nor sys"), "and says so");
	tap_number(node_read(absent, &node, &err), -1, "nor is an absent one");
	tap_ok(strstr(err.text, "absent: No such file"), "and says so");
	free(absent);
	free(empty);
}

/* --- HIP --- */

#define ANSWER                                                                                     \
	"{\"schema\":\"oamqual-hip-probe/1\",\"state\":\"answered\",\"why\":null,\"library\":\"/"  \
	"l\","

static void make_pair(const char *place, struct node *node)
{
	char *root = path_join(place, "pair");
	struct error err = { "" };

	put(root, NODES "/1/properties",
		"simd_count 4\nlocation_id 49408\ndomain 0\nunique_id 255\n");
	put(root, NODES "/2/properties",
		"simd_count 4\nlocation_id 50688\ndomain 0\nunique_id 254\n");
	put(root, NODES "/3/properties", "simd_count 4\nlocation_id 51456\nunique_id 253\n");
	tap_number(node_read(root, node, &err), 0, "three devices");
	free(root);
}

static int merge(struct node *node, const char *text)
{
	struct error err = { "" };

	return node_merge_hip(node, text, strlen(text), &err);
}

static void test_merge(const char *place)
{
	struct node node;

	make_pair(place, &node);
	tap_number(
		merge(&node, ANSWER
			"\"driver_version\":5,\"runtime_version\":null,\"devices\":["
			"{\"index\":0,\"bdf\":\"0000:C6:00.0\",\"uuid\":\"00000000000000fe\","
			"\"name\":\"b\","
			"\"gcn_arch\":\"gfx90a:xnack-\",\"total\":9,\"free\":0},"
			"{\"index\":1,\"bdf\":\"0000:c9:00.0\",\"uuid\":\"00000000000000fd\"},"
			"{\"index\":2,\"bdf\":\"0000:ff:00.0\",\"uuid\":\"zz\",\"name\":null}]}"),
		0, "an answer is merged");
	tap_number(node.hip_state, HIP_ANSWERED, "state");
	tap_ok(node.hip_driver_version.known && !node.hip_runtime_version.known,
		"one version of two");
	tap_number((long long)node.gpu_count, 4, "a device that only HIP knows is added");
	tap_number(node.gpus[0].in_hip, KNOWN_NO, "not enumerated");
	tap_ok(node.gpus[1].in_hip == KNOWN_YES && node.gpus[1].hip_index.value == 0,
		"joined by address");
	tap_ok(node.gpus[1].hip_free.known && node.gpus[1].hip_free.value == 0,
		"0 bytes free is known");
	tap_text(node.gpus[1].gfx_target, "gfx90a", "the target without features");
	tap_ok(node.gpus[2].in_hip == KNOWN_YES && node.gpus[2].hip_index.value == 1,
		"joined by unique id");
	tap_text(node.gpus[2].bdf, "0000:c9:00.0", "which gives it its address");
	tap_number(node.gpus[3].in_kfd, KNOWN_NO, "not in KFD");
	tap_ok(!node.gpus[3].unique_id.known && !node.gpus[3].hip_total.known,
		"what it did not say is unknown");
	node_release(&node);
}

static void test_merge_contradiction(const char *place)
{
	struct node node;

	make_pair(place, &node);
	merge(&node, ANSWER "\"devices\":[{\"index\":0,\"bdf\":\"0000:c1:00.0\",\"uuid\":"
			    "\"00000000000000fe\"}]}");
	tap_ok(node.gpus[0].in_hip == KNOWN_NO && node.gpus[1].in_hip == KNOWN_NO &&
			node.gpu_count == 4,
		"an address with another's id is joined to neither");
	node_release(&node);
}

struct state_vector {
	const char *text;
	int rc, state, in_hip;
};

static const struct state_vector states[] = {
	{ "{\"schema\":\"oamqual-hip-probe/1\",\"state\":\"no-device\"}", 0, HIP_NO_DEVICE,
		KNOWN_NO },
	{ "{\"schema\":\"oamqual-hip-probe/1\",\"state\":\"missing\"}", 0, HIP_MISSING,
		KNOWN_UNKNOWN },
	{ "{\"schema\":\"oamqual-hip-probe/1\",\"state\":\"unusable\"}", 0, HIP_UNUSABLE,
		KNOWN_UNKNOWN },
	{ "{\"schema\":\"oamqual-hip-probe/1\",\"state\":\"crashed\"}", -1, HIP_UNUSABLE,
		KNOWN_UNKNOWN },
	{ "{\"schema\":\"oamqual-hip-probe/1\",\"state\":\"answered\"}", -1, HIP_UNUSABLE,
		KNOWN_UNKNOWN },
	{ "{\"schema\":\"other\",\"state\":\"no-device\"}", -1, HIP_UNUSABLE, KNOWN_UNKNOWN },
	{ "", -1, HIP_UNUSABLE, KNOWN_UNKNOWN },
	{ "[1]", -1, HIP_UNUSABLE, KNOWN_UNKNOWN },
	{ "{\"schema\":\"oamqual-hip-probe/1\",\"state\":\"answe", -1, HIP_UNUSABLE,
		KNOWN_UNKNOWN },
};

static void test_states(const char *place)
{
	size_t i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		struct node node;

		make_pair(place, &node);
		tap_number(merge(&node, states[i].text), states[i].rc, states[i].text);
		tap_number(node.hip_state, states[i].state, "state");
		tap_number(node.gpus[0].in_hip, states[i].in_hip, "whether HIP enumerates it");
		tap_number((long long)node.gpu_count, 3, "no device appears");
		node_release(&node);
	}
}

static void test_json(const char *place)
{
	struct node node;
	json_t *json, *gpu;

	make_pair(place, &node);
	node_hip_failed(&node, HIP_CRASHED, "signal 11\n");
	json = node_json(&node);
	gpu = json_array_get(json_object_get(json, "gpus"), 2);
	tap_text(json_text(json, "source", ""), "simulated", "source");
	tap_text(json_fact_text(gpu, "unique_id"), "0x00000000000000fd", "an identity is text");
	tap_text(json_text(json_object_get(gpu, "unique_id"), "class", ""), "simulated",
		"and simulated");
	tap_ok(json_is_null(json_object_get(json_object_get(gpu, "bdf"), "value")),
		"unknown is null");
	tap_text(json_text(json_object_get(gpu, "hip_total"), "why", ""), "signal 11\\x0a",
		"with the reason");
	json_decref(json);
	node_release(&node);
}

/* --- replay --- */

static void write_counters(const char *folder, const void *bytes, size_t len)
{
	char *path = path_join(folder, "state/42.counters");
	struct error err = { "" };

	if (file_write(path, bytes, len, &err) != 0)
		tap_ok(false, "%s", err.text);
	free(path);
}

static void test_counters(const char *place)
{
	char *folder = path_join(place, "stage"), *state = path_join(folder, "state");
	struct {
		struct sim_counters_head head;
		struct sim_counters_row rows[2];
	} file = { { SIM_COUNTERS_MAGIC, 2, sizeof(struct sim_counters_row) },
		{ { "0000:c1:00.0", 1, 2, 3, 4, 5, 0, 16 },
			{ "0000:c6:00.0", 6, 7, 8, 9, 10, 11, 12 } } };
	struct replay_counters counters = { .launches = 99 };
	struct error err = { "" };

	folder_make(state, &err);
	tap_number(replay_counters_read(state, 41, "0000:c1:00.0", &counters, &err), -1,
		"no counters");
	write_counters(folder, &file, sizeof(file) - 1);
	tap_number(replay_counters_read(state, 42, "0000:c1:00.0", &counters, &err), -1, "cut off");
	write_counters(folder, &file, 3);
	tap_number(replay_counters_read(state, 42, "0000:c1:00.0", &counters, &err), -1,
		"three bytes");
	file.head.devices = 1u << 31;
	write_counters(folder, &file, sizeof(file));
	tap_number(replay_counters_read(state, 42, "0000:c1:00.0", &counters, &err), -1,
		"too many devices");
	file.head.devices = 2;
	write_counters(folder, &file, sizeof(file));
	tap_number(replay_counters_read(state, 42, "0000:c9:00.0", &counters, &err), -1,
		"another device");
	tap_number((long long)counters.launches, 99, "the output is untouched");
	tap_number(replay_counters_read(state, 42, "0000:c6:00.0", &counters, &err), 0,
		"the second device");
	tap_ok(counters.launches == 6 && counters.allocations == 7 && counters.modules == 8 &&
			counters.errors == 9 && counters.vram_peak == 10 &&
			counters.first_sample == 11 && counters.end_sample == 12,
		"its counts");
	free(state);
	free(folder);
}

static void test_stage(const char *source, const char *place)
{
	char *folder = xasprintf("%s/tests/nodes/mi250x-blade", source),
	     *stage = path_join(place, "s");
	char *simhip = path_join(place, "simhip"), *library = path_join(simhip, "libamdhip64.so.5");
	char *conf = path_join(stage, "sim.conf");
	struct error err = { "" };
	struct str text = STR_INIT;
	struct replay replay;
	struct node node;

	put(place, "simhip/libamdhip64.so.5", "library");
	tap_number(node_read(folder, &node, &err), 0, "the blade reads");
	tap_number(replay_make(&node, simhip, "relative", &replay, &err), -1,
		"a relative folder is refused");
	tap_number(replay_make(&node, place, stage, &replay, &err), -1,
		"so is a folder without the stand-in");
	tap_ok(strstr(err.text, "libamdhip64.so.5"), "by the library's name");
	tap_number(replay_make(&node, simhip, stage, &replay, &err), 0, "a stage is made");
	tap_text(replay.variables[2] + strlen(replay.variables[2]) - 6, "/s/bin",
		"hipcc is out of reach");
	tap_number(file_read(conf, 65536, &text, &err), 0, "its sim.conf");
	tap_ok(strstr(text.data, "device 0000:de:00.0\nunique_id 62a27ecb7fb16eb9\n"),
		"holds each device");
	tap_ok(strstr(text.data, "kfd_node 11\nmultiprocessors 110\n"),
		"with what KFD knows of it");
	str_release(&text);
	replay_release(&replay);
	node_release(&node);
	free(conf);
	free(library);
	free(simhip);
	free(stage);
	free(folder);
}

/* A compiler that node.json names comes alone, in front of the usual PATH; one that is not there is
 * an error. */
static void test_compiler(const char *place)
{
	char *root = path_join(place, "with-compiler"), *stage = path_join(place, "c");
	char *link = path_join(stage, "bin/hipcc"), *front = xasprintf("PATH=%s/bin:", stage);
	struct error err = { "" };
	struct replay replay;
	struct node node;

	put(root, "node.json", HEAD ",\"tools\":{\"hipcc\":\"/bin/sh\"}}");
	tap_number(node_read(root, &node, &err), 0, "a node with a compiler");
	tap_number(replay_make(&node, place, stage, &replay, &err), 0, "its stage");
	tap_ok(access(link, X_OK) == 0, "has the compiler in bin/");
	tap_ok(str_starts(replay.variables[2], front), "which goes before the usual PATH");
	replay_release(&replay);
	node_release(&node);
	put(root, "node.json", HEAD ",\"tools\":{\"hipcc\":\"/nonexistent/hipcc\"}}");
	tap_number(node_read(root, &node, &err), 0, "a node whose compiler is not there");
	tap_number(replay_make(&node, place, stage, &replay, &err), -1, "has no stage");
	tap_ok(strstr(err.text, "/nonexistent/hipcc: No such file"), "and the error names it");
	node_release(&node);
	put(root, "node.json", HEAD ",\"tools\":{\"hipcc\":\"inherit\"}}");
	node_read(root, &node, &err);
	tap_number(replay_make(&node, place, stage, &replay, &err), 0,
		"a node that takes the machine's");
	tap_ok(!replay.variables[2], "has no PATH of its own");
	replay_release(&replay);
	node_release(&node);
	free(front);
	free(link);
	free(stage);
	free(root);
}

static void test_probe(const char *place)
{
	char *absent = path_join(place, "absent.so");
	json_t *answer = hip_probe_json(absent);

	tap_text(json_text(answer, "state", ""), "missing", "a library that is not there");
	tap_ok(strstr(json_text(answer, "why", ""), "absent.so: cannot open"),
		"in the loader's words");
	tap_number(
		(long long)json_array_size(json_object_get(answer, "tried")), 1, "one was tried");
	json_decref(answer);
	answer = hip_probe_json("libm.so.6");
	tap_text(json_text(answer, "state", ""), "unusable", "a library without HIP's functions");
	tap_text(json_text(answer, "why", ""), "the library has no hipInit", "names the first");
	json_decref(answer);
	free(absent);
}

int main(void)
{
	char place[] = "/tmp/oamqual-test-node-XXXXXX";
	const char *source = getenv("SOURCE");
	struct error err = { "" };

	if (!source && !folder_exists("tests/nodes")) {
		tap_ok(false, "run it in the checkout, or name that in SOURCE");
		return tap_done();
	}
	if (!mkdtemp(place)) {
		tap_ok(false, "mkdtemp");
		return tap_done();
	}
	test_properties();
	test_banks();
	test_trimmed(place);
	test_escape(place);
	test_descriptions(place);
	test_no_node(place);
	test_merge(place);
	test_merge_contradiction(place);
	test_states(place);
	test_json(place);
	test_counters(place);
	test_probe(place);
	test_blade(source ? source : ".");
	test_stage(source ? source : ".", place);
	test_compiler(place);
	folder_remove(place, &err);
	return tap_done();
}
