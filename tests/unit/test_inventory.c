/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of inventories, amounts, host lists, and what is said of them beside a node. */
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "inventory/amount.h"
#include "inventory/correct.h"
#include "inventory/cores.h"
#include "inventory/hostlist.h"
#include "inventory/judge.h"
#include "inventory/json_span.h"
#include "inventory/slurm_line.h"
#include "tap.h"

#define GIB ((uint64_t)1 << 30)
#define GCD 68702699520u /* one MI250X GCD: 64 GiB - 16 MiB, as published */

/* The first line of a text, to show it in one. */
#define FIRST(text) (int)strcspn(text, "\n"), text

/* --- host lists, cores, amounts
 * --------------------------------------------------------------------- */

static void test_hostlists(void)
{
	static const struct {
		const char *list, *name;
		long count; /* -1 malformed */
		bool holds;
	} rows[] = {
		{ "blade", "blade", 1, true },
		{ "blade", "blade1", 1, false },
		{ "blade.farm.example", "blade", 1, true },
		{ "blade", "blade.farm.example", 1, true },
		{ "blade.a", "blade.b", 1, false },
		{ "node[01-04,7],login1", "node03", 6, true },
		{ "node[01-04,7],login1", "node3", 6, false },
		{ "node[01-04,7],login1", "node7", 6, true },
		{ "node[8-11]", "node10", 4, true },
		{ "node[8-11]", "node08", 4, false },
		{ "rack[0-1]n[0-3]", "rack1n2", 8, true },
		{ "rack[0-1]n[0-3]", "rack2n0", 8, false },
		{ "", "x", 0, false },
		{ "node[4-1]", "node2", -1, false },
		{ "node[1-", "node1", -1, false },
		{ "node1]", "node1]", -1, false },
		{ "node[]", "node", -1, false },
		{ "node[1-65537]", "node7", -1, true },
		{ "n[0-9][0-9][0-9][0-9][0-9][0-9]", "n999999", -1, false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tap_ok(hostlist_count(rows[i].list) == rows[i].count, "'%s' stands for %ld names",
			rows[i].list, rows[i].count);
		tap_ok(hostlist_holds(rows[i].list, rows[i].name) == rows[i].holds, "'%s' %s %s",
			rows[i].list, rows[i].holds ? "holds" : "does not hold", rows[i].name);
	}
}

static void test_cores(void)
{
	char *cores;

	tap_number(cores_highest("48-63,176-191").value, 191, "the highest of a list of cores");
	tap_ok(!cores_highest("4-2").known && !cores_highest("1,x").known &&
			!cores_highest("").known,
		"a malformed list has none");
	cores = cores_from_threads("48-63,176-191", 128, false);
	tap_text(cores, "48-63", "threads n and n+128 are core n of 128");
	free(cores);
	cores = cores_from_threads("0-7,12", 8, true);
	tap_text(cores, "0-3,6", "adjacent threads 2n and 2n+1 are core n");
	free(cores);
	tap_ok(!cores_from_threads("300", 128, false), "thread 300 is of none of 128 cores");
}

static void test_amounts(void)
{
	static const struct {
		const char *text;
		uint64_t unit, want; /* want 0: unknown */
	} rows[] = {
		{ "64", 0, 64 * GIB },
		{ "128GB", 0, 128 * GIB },
		{ " 65520 MiB ", 0, GCD },
		{ "68702699520", 0, GCD },
		{ "67108864", 0, 64 * GIB }, /* KiB */
		{ "64", (uint64_t)1 << 20, 64u << 20 },
		{ "0.5 TB", 0, 512 * GIB },
		{ "64 potatoes", 0, 0 },
		{ "", 0, 0 },
		{ "-64", 0, 0 },
		{ "64 GB x", 0, 0 },
		{ "99999999999999999999999999999", 1, 0 },
	};
	char text[40];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct known_u64 got = amount_read(rows[i].text, rows[i].unit);

		tap_ok(got.known == (rows[i].want != 0) &&
				(!got.known || got.value == rows[i].want),
			"'%s' is %llu bytes", rows[i].text, (unsigned long long)rows[i].want);
	}
	tap_ok(amount_agrees(64000000000u, GCD) && !amount_agrees(2 * (uint64_t)GCD, GCD) &&
			!amount_agrees(48 * GIB, GCD),
		"64 GB is a GCD's memory; 128 GB and 48 GB are not");
	amount_write(text, GCD, "128 GB", 0);
	tap_text(text, "64 GB", "written in the unit that was there");
	amount_write(text, GCD, "134217728", 0);
	tap_text(text, "67092480", "in KiB as observed");
	amount_write(text, GCD, "", 0);
	tap_text(text, "64 GiB", "or with a unit of its own");
}

/* --- Slurm's lines
 * ------------------------------------------------------------------------------------ */

static void test_slurm_line(void)
{
	char data[] = "NodeName=a \\\n  CPUs = 4 Gres=\"gpu:x:2\" # Gres=gpu:9 \\\nName=b "
		      "junk\\#Type:8 C=d";
	struct str text = { data, sizeof(data) - 1, sizeof(data) };
	struct slurm_cursor cursor = { 0, 0 };
	struct slurm_line line;

	tap_ok(slurm_line_next(&text, &cursor, &line), "a joined line is read");
	tap_text(slurm_line_value(&line, "nodename"), "a", "keys have no case");
	tap_text(slurm_line_value(&line, "CPUs"), "4", "blanks may stand around the equals sign");
	tap_text(slurm_line_value(&line, "Gres"), "gpu:x:2",
		"quotes are taken off, comments left out");
	tap_number(line.line, 1, "its number is that of its first line");
	slurm_line_release(&line);
	tap_ok(slurm_line_next(&text, &cursor, &line) && line.line == 3,
		"a backslash in a comment joins nothing");
	tap_text(line.junk, "junk\\#Type:8", "a word without an equals sign is no setting");
	tap_text(slurm_line_value(&line, "C"), "d", "an escaped # begins no comment");
	slurm_line_release(&line);
	tap_ok(!slurm_line_next(&text, &cursor, &line), "then the text ends");
}

static void test_gres(void)
{
	static const struct {
		const char *gres, *type;
		long count; /* -1: no gpu */
	} rows[] = {
		{ "gpu:mi250x:4(S:0-1),nic:2", "mi250x", 4 },
		{ "gpu:8", "", 8 },
		{ "gpu", "", 1 },
		{ "gpu:8:4", "8", 4 },
		{ "nic:2,gpu:a:2,gpu:b:6(S:0,2)", "a", 8 },
		{ "gpu:mi300x:no_consume:2", "mi300x", 2 },
		{ "gpu:2K", "", 2048 },
		{ "gpus:3,mygpu:4", "", -1 },
		{ "(null)", "", -1 },
		{ "", "", -1 },
	};
	char *others;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t count;
		char *type;
		bool found = slurm_gres_gpus(rows[i].gres, &count, &type);

		tap_ok(found == (rows[i].count >= 0) && (!found || (long)count == rows[i].count) &&
				strcmp(type, rows[i].type) == 0,
			"Gres=%s is %ld GPUs of type '%s'", rows[i].gres, rows[i].count,
			rows[i].type);
		free(type);
	}
	others = slurm_gres_others("nic:2,gpu:a:2(S:0,1),craynetwork:4");
	tap_text(others, "nic:2,craynetwork:4", "other resources are kept");
	free(others);
}

/* --- readers
 * ---------------------------------------------------------------------------------------------- */

static int parse(const char *text, struct inventory *out, struct error *err)
{
	struct str copy = STR_INIT;

	str_add(&copy, text);
	return inventory_parse("list", &copy, INVENTORY_KIND_COUNT, out, err);
}

static void test_kinds(void)
{
	static const struct {
		const char *text;
		enum inventory_kind kind;
	} rows[] = {
		{ "ClusterName=x\nNodeName=a Gres=gpu:4\n", INVENTORY_SLURM_CONF },
		{ "NodeName=a Gres=gpu:4\n", INVENTORY_SLURM_CONF },
		{ "# x\nName=gpu File=/dev/dri/renderD128\n", INVENTORY_GRES_CONF },
		{ "NodeName=a Name=gpu Type=8\n", INVENTORY_GRES_CONF },
		{ "AutoDetect = amdgpu\n", INVENTORY_GRES_CONF },
		{ "NodeName=a Arch=x86_64 CoresPerSocket=1\n   Gres=(null)\n", INVENTORY_SCONTROL },
		{ "NodeName=a CoresPerSocket=1\n   CPUAlloc=0\n   Gres=gpu:4\n",
			INVENTORY_SCONTROL },
		{ "{\"kind\": \"Node\"}", INVENTORY_KUBERNETES },
		{ "{\"kind\": \"List\", \"items\": [{\"kind\": \"Node\"}]}", INVENTORY_KUBERNETES },
		{ "[{\"name\": \"a\", \"gpus\": 4, \"totalGpuMemory\": \"1\"}]",
			INVENTORY_OPENCUE },
		{ "[{\"host\": \"a\", \"gpus\": 4}]", INVENTORY_JSON },
		{ "host,gpus\na,4\n", INVENTORY_CSV },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct inventory inventory;
		struct error err = { "" };

		if (!tap_ok(parse(rows[i].text, &inventory, &err) == 0, "read: %s",
			    inventory_kind_name(rows[i].kind))) {
			printf("# %s\n", err.text);
			continue;
		}
		tap_text(inventory_kind_name(inventory.kind), inventory_kind_name(rows[i].kind),
			"  and told by its content");
		inventory_release(&inventory);
	}
}

static void test_refused(void)
{
	static const char *const rows[] = { "", "hello\n", "{", "{\"kind\": \"Node\"", "[1]",
		"[{\"host\": \"a\"}]", "ClusterName=x\nNodeName=a[1-\n",
		"Name=gpu File=/dev/x[0-4096]\n", "ClusterName=x\nNodeName=a[0-65536]\n" };
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct inventory inventory;
		struct error err = { "" };

		tap_ok(parse(rows[i], &inventory, &err) != 0 && strncmp(err.text, "list", 4) == 0,
			"refused with the file's name: %.*s", FIRST(rows[i]));
	}
}

static void test_defaults(void)
{
	struct inventory inventory;

	if (!tap_ok(parse("NodeName=DEFAULT Gres=gpu:m:4 Sockets=2 CoresPerSocket=64\nNodeName=a\n"
			  "NodeName=b Gres=gpu:m:8 Sockets=1\n",
			    &inventory, NULL) == 0,
		    "slurm.conf with defaults"))
		return;
	tap_ok(inventory.count == 2 && inventory.items[0].inherited &&
			inventory.items[0].count.value == 4,
		"a line without Gres= has that of NodeName=DEFAULT");
	tap_ok(!inventory.items[1].inherited && inventory.items[1].count.value == 8, "or its own");
	tap_ok(inventory.items[0].core_count.value == 128 &&
			inventory.items[1].core_count.value == 64,
		"and so the cores");
	inventory_release(&inventory);
}

static void test_many_hosts(void)
{
	struct str text = STR_INIT;
	struct inventory inventory;
	struct error err;
	int i;

	for (i = 0; i < 20; i++)
		str_add(&text, "NodeName=n[0-65535]\n");
	tap_ok(inventory_parse("list", &text, INVENTORY_SLURM_CONF, &inventory, &err) != 0 &&
			strstr(err.text, "more than 1000000 hosts"),
		"lines that stand for millions of hosts are refused");
}

static void test_json_spans(void)
{
	char data[] = "{\"a\\\"}\": [1, {\"b\": \"]}\"}], \"gpus\" : 4, \"c\": {}}";
	struct str text = { data, sizeof(data) - 1, sizeof(data) };
	struct inventory_span span = { 0, 0 };
	struct line_counter lines = { 0, 0 };
	char lined[] = "a\nb\nc";
	struct str three = { lined, 5, 6 };

	tap_ok(json_span_member(&text, 0, "gpus", &span) && span.len == 1 && data[span.from] == '4',
		"a member is found behind strings that look like its surroundings");
	tap_ok(!json_span_member(&text, 0, "b", &span), "and not inside of another");
	tap_number(line_counter_at(&lines, &three, 4), 2, "two lines before the last");
}

/* --- beside a node
 * ---------------------------------------------------------------------------------------- */

static struct gpu gpus[4];
static struct node node;

/* Two modules of two GCDs: without link files the grouping is undetermined, so the modules are put
 * in by hand. */
static void make_site(struct site *site)
{
	static const char *const bdfs[] = { "0000:c1:00.0", "0000:c6:00.0", "0000:c9:00.0",
		"0000:ce:00.0" };
	static const uint64_t minors[] = { 128, 129, 136, 137 };
	size_t i;

	memset(site, 0, sizeof(*site));
	memset(&node, 0, sizeof(node));
	node.simulated = true;
	node.root_fd = -1;
	node.gpus = gpus;
	node.gpu_count = 4;
	site->node = &node;
	site->host = xstrdup("blade");
	site->type = xstrdup("mi250x");
	site->mode = "";
	site->count = 4;
	site->domain_bytes = known_u64(GCD);
	site->module_bytes = known_u64(2 * (uint64_t)GCD);
	site->domains = xcalloc(4, sizeof(*site->domains));
	site->modules.count = 2;
	site->modules.items = xcalloc(2, sizeof(*site->modules.items));
	for (i = 0; i < 2; i++) {
		site->modules.items[i].gpus = xcalloc(2, sizeof(size_t));
		site->modules.items[i].gpus[0] = 2 * i;
		site->modules.items[i].gpus[1] = 2 * i + 1;
		site->modules.items[i].gpu_count = 2;
		site->modules.items[i].basis = MODULE_LINK_WIDTH;
	}
	for (i = 0; i < 4; i++) {
		str_copy(gpus[i].bdf, sizeof(gpus[i].bdf), bdfs[i]);
		gpus[i].vram_total = known_u64(GCD);
		gpus[i].drm_render_minor = known_u64(minors[i]);
		site->domains[i] = (struct site_domain){ &gpus[i], i / 2,
			xasprintf("/dev/dri/renderD%llu", (unsigned long long)minors[i]) };
	}
}

static bool has(const struct finding_list *findings, const char *code)
{
	size_t i;

	for (i = 0; i < findings->count; i++)
		if (strcmp(findings->items[i].code, code) == 0)
			return true;
	return false;
}

struct outcome {
	char *text; /* corrected; "" when it cannot be */
	struct finding_list findings;
};

static void reconcile(const struct site *site, const char *text, struct outcome *out)
{
	struct inventory inventory;
	struct judged judged;
	struct correction correction;
	struct error err = { "" };
	char *type;

	memset(out, 0, sizeof(*out));
	if (parse(text, &inventory, &err) != 0 ||
		judge(site, &inventory, 1, &judged, &out->findings, &err) != 0) {
		printf("# %s\n", err.text);
		out->text = xstrdup("");
		return;
	}
	type = correct_type(site, &judged, 1);
	if (correct(site, &judged, type, &correction, &out->findings, &err) == 0) {
		out->text = xstrdup(correction.text);
		correction_release(&correction);
	} else {
		out->text = xstrdup("");
	}
	free(type);
	judged_release(&judged);
	inventory_release(&inventory);
}

static void outcome_release(struct outcome *outcome)
{
	free(outcome->text);
	finding_list_release(&outcome->findings);
}

static void test_findings(const struct site *site)
{
	static const struct {
		const char *text, *code; /* NULL: nothing is wrong */
	} rows[] = {
		{ "GresTypes=gpu\nNodeName=blade Gres=gpu:mi250x:4\n", NULL },
		{ "GresTypes=gpu\nNodeName=blade Gres=gpu:mi250x:2\n", "module-not-gcd" },
		{ "GresTypes=gpu\nNodeName=blade Gres=gpu:mi250x:3\n", "wrong-count" },
		{ "GresTypes=nic\nNodeName=blade Gres=gpu:mi250x:4\n", "gres-types-missing" },
		{ "GresTypes=gpu\nNodeName=blade CPUs=4\n", "gres-missing" },
		{ "GresTypes=gpu\nNodeName=blade Gres=gpu:4:4\n", "type-is-a-number" },
		{ "Name=gpu Type=m File=/dev/dri/renderD[128-129,136-137]\n", NULL },
		{ "Name=gpu Type=m File=/dev/dri/renderD[128-131]\n", "file-wrong" },
		{ "Name=gpu Type=m File=/dev/dri/card[0-3]\n", "file-not-render" },
		{ "Name=gpu File=/dev/dri/renderD128,/dev/dri/renderD128\n", "file-repeated" },
		{ "Name=gpu Count=4 File=/dev/dri/renderD128\n", "file-count" },
		{ "Name=gpu Type=4\n", "type-is-a-number" },
		{ "Name=gpu Type=4\n", "file-missing" },
		{ "Name=gpu Type:4 File=/dev/dri/renderD128\n", "not-a-setting" },
		{ "AutoDetect=amdgpu\n", "autodetect-unknown" },
		{ "AutoDetect=nvml\n", "autodetect-other-vendor" },
		{ "AutoDetect=rsmi\n", NULL },
		{ "AutoDetect=full\n", NULL },
		{ "AutoDetect=off\n", "gpu-missing" },
		{ "NodeName=blade Arch=x CPUAlloc=0\n   Gres=(null)\n", "gres-null" },
		{ "NodeName=blade Arch=x CPUAlloc=0\n   Gres=gpu:m:4(S:0-1)\n", NULL },
		{ "{\"kind\":\"Node\",\"metadata\":{\"name\":\"blade\"},\"status\":{\"capacity\":{"
		  "\"amd.com/gpu\":\"4\"},"
		  "\"allocatable\":{\"amd.com/gpu\":\"4\"}}}",
			NULL },
		{ "{\"kind\":\"Node\",\"metadata\":{\"name\":\"blade\"},\"status\":{\"capacity\":{"
		  "\"amd.com/gpu\":\"0\"},"
		  "\"allocatable\":{\"amd.com/gpu\":\"0\"}}}",
			"kubelet-zero" },
		{ "{\"kind\":\"Node\",\"metadata\":{\"name\":\"blade\"},\"status\":{\"capacity\":{"
		  "\"amd.com/gpu\":\"4\"},"
		  "\"allocatable\":{\"amd.com/gpu\":\"3\"}}}",
			"allocatable-below-capacity" },
		{ "{\"kind\":\"Node\",\"metadata\":{\"name\":\"blade\"}}", "resource-missing" },
		{ "host,gpus,gpu_memory\nblade,4,64\n", NULL },
		{ "host,gpus,gpu_memory\nblade,2,128\n", "module-memory" },
		{ "host,gpus,gpu_memory\nblade,4,16GB\n", "memory-differs" },
		{ "host,bdf\nblade,c1:00.0\nblade,C6:00.0\nblade,c9:00.0\nblade,0000:ce:00.0\n",
			NULL },
		{ "host,bdf\nblade,c1:00.0\nblade,c1:00.0\nblade,c9:00.0\nblade,ce:00.0\n",
			"address-repeated" },
		{ "host,bdf\nblade,0001:c1:00.0\n", "address-unknown" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct outcome outcome;

		reconcile(site, rows[i].text, &outcome);
		if (rows[i].code)
			tap_ok(has(&outcome.findings, rows[i].code), "%s: %.*s", rows[i].code,
				FIRST(rows[i].text));
		else
			tap_ok(finding_worst(&outcome.findings) == FINDING_NOTE && outcome.text[0],
				"nothing wrong: %.*s", FIRST(rows[i].text));
		outcome_release(&outcome);
	}
}

static void check_text(
	const struct site *site, const char *from, const char *want, const char *what)
{
	struct outcome outcome, again;

	reconcile(site, from, &outcome);
	tap_text(outcome.text, want, what);
	reconcile(site, outcome.text, &again);
	tap_ok(finding_worst(&again.findings) == FINDING_NOTE &&
			strcmp(again.text, outcome.text) == 0,
		"  and then nothing is wrong with it");
	outcome_release(&outcome);
	outcome_release(&again);
}

static void test_corrections(const struct site *site)
{
	check_text(site,
		"# a  b\r\nGresTypes=nic\nNodeName=cpu[1-9]\nNodeName=blade "
		"Gres=nic:2,gpu:mi250x:2 \\\n CPUs=4 # x\n#end",
		"# a  b\r\nGresTypes=nic,gpu\nNodeName=cpu[1-9]\nNodeName=blade "
		"Gres=gpu:mi250x:4,nic:2 \\\n CPUs=4 # x\n#end",
		"slurm.conf: only the values change");
	check_text(site, "NodeName=DEFAULT Gres=gpu:m:2\nNodeName=blade\\\n\n",
		"NodeName=DEFAULT Gres=gpu:m:2\nGresTypes=gpu\nNodeName=blade Gres=gpu:m:4\\\n\n",
		"a backslash at the end of a name joins the next line");
	check_text(site,
		"host,oam,memory_mb,note\r\nother,1,5,\"a,\"\"b\"\r\nblade,A,131072,\"x,"
		"y\"\r\nblade,B,131072,\r\n",
		"host,oam,memory_mb,note,bdf\r\nother,1,5,\"a,\"\"b\"\r\n"
		"blade,A,65536,\"x,y\",0000:c1:00.0\r\nblade,A,65536,\"x,y\",0000:c6:00.0\r\n"
		"blade,B,65536,,0000:c9:00.0\r\nblade,B,65536,,0000:ce:00.0\r\n",
		"CSV: one row a domain under its module, other rows as they were");
	check_text(site, "host;gpus;module\nblade;2;\n",
		"host;gpus;module;bdf\nblade;1;0000:c1:00.0+0000:c6:00.0;0000:c1:00.0\n"
		"blade;1;0000:c1:00.0+0000:c6:00.0;0000:c6:00.0\n"
		"blade;1;0000:c9:00.0+0000:ce:00.0;0000:c9:00.0\n"
		"blade;1;0000:c9:00.0+0000:ce:00.0;0000:ce:00.0\n",
		"CSV: a host in one row, with another separator");
	check_text(site,
		"[ {\"host\": \"blade\", \"slot\": \"B\", \"vram\": \"128GB\", \"pci\": "
		"\"c9:00.0\"},\n"
		"  {\"host\": \"z\", \"gpus\": 1},\n"
		"  {\"host\": \"blade\", \"slot\": \"A\", \"vram\": \"128GB\", \"pci\": "
		"\"c6:00.0\"}]\n",
		"[ {\"host\": \"blade\", \"slot\": \"B\", \"vram\": \"64GB\", \"pci\": "
		"\"0000:c9:00.0\"}, "
		"{\"host\": \"blade\", \"slot\": \"B\", \"vram\": \"64GB\", \"pci\": "
		"\"0000:ce:00.0\"},\n"
		"  {\"host\": \"z\", \"gpus\": 1},\n"
		"  {\"host\": \"blade\", \"slot\": \"A\", \"vram\": \"64GB\", \"pci\": "
		"\"0000:c1:00.0\"},\n"
		"  {\"host\": \"blade\", \"slot\": \"A\", \"vram\": \"64GB\", \"pci\": "
		"\"0000:c6:00.0\"}]\n",
		"JSON: modules are found by an address, whatever their order");
	check_text(site,
		"[{\"name\": \"blade\", \"gpus\": 2.0, \"total_gpu_memory\": 268435456, \"tags\": "
		"[\"vram128g\", \"x\"]}]",
		"[{\"name\": \"blade\", \"gpus\": 4, \"total_gpu_memory\": 268369920, \"tags\": "
		"[\"vram64g\", \"x\"]}]",
		"OpenCue: the numbers and the tag change");
}

static void test_minor_unknown(struct site *site)
{
	struct outcome outcome;
	char *file = site->domains[1].file;

	site->domains[1].file = NULL;
	reconcile(site, "Name=gpu Type=m Count=2\n", &outcome);
	tap_text(outcome.text, "", "no gres.conf is written when a render minor is unknown");
	tap_ok(has(&outcome.findings, "file-missing"), "  and the findings stand");
	outcome_release(&outcome);
	site->domains[1].file = file;
}

static void test_hosts(const struct site *site)
{
	struct inventory inventory;
	struct judged judged;
	struct finding_list findings = { NULL, 0 };
	struct error err = { "" };

	if (parse("host,gpus\na,4\nb,4\n", &inventory, &err) == 0) {
		tap_ok(judge(site, &inventory, 1, &judged, &findings, &err) != 0 &&
				strstr(err.text, "--host"),
			"of several hosts, none the node, none is guessed");
		inventory_release(&inventory);
	}
	if (parse("host,gpus\na,4\n", &inventory, &err) == 0) {
		tap_ok(judge(site, &inventory, 1, &judged, &findings, &err) == 0 &&
				has(&findings, "host-taken"),
			"the only host is taken for the node, and a note says so");
		judged_release(&judged);
		inventory_release(&inventory);
	}
	finding_list_release(&findings);
}

int main(void)
{
	struct site site;

	test_hostlists();
	test_cores();
	test_amounts();
	test_slurm_line();
	test_gres();
	test_kinds();
	test_refused();
	test_defaults();
	test_many_hosts();
	test_json_spans();
	make_site(&site);
	test_findings(&site);
	test_corrections(&site);
	test_minor_unknown(&site);
	test_hosts(&site);
	site_release(&site);
	return tap_done();
}
