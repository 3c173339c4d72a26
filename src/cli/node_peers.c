/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/node_peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "cli/node_collective.h"
#include "node/links.h"
#include "node/transport.h"
#include "run/child.h"

/* A pair that prints nothing for so long hangs. After so many of them the rest is left alone: each
 * may hold a process in the driver. */
enum { STALL_MS = 60000, REPLAYED_STALL_MS = 4000, GRACE_MS = 1000, WAIT_MS = 50, LOST_MAX = 4 };
enum { ANSWER_BYTES = 8 << 20, WORDS = 160, REPEATS = 5 };

struct test {
	const struct peers_request *request;
	uint64_t bytes;
	char *out, *errors;
	struct peers_said said;
};

/* --- the child -------------------------------------------------------------------------------- */

static char **words_of(const struct test *test, const char *program, size_t first)
{
	const struct peers_request *request = test->request;
	char **words = xcalloc(WORDS, sizeof(*words));
	size_t count = 0, i;

	words[count++] = xstrdup(program);
	words[count++] = xstrdup("hip-peers");
	words[count++] = xstrdup("--first");
	words[count++] = xasprintf("%zu", first);
	words[count++] = xstrdup("--bytes");
	words[count++] = xasprintf("%llu", (unsigned long long)test->bytes);
	words[count++] = xstrdup("--repeats");
	words[count++] = xasprintf("%d", REPEATS);
	for (i = 0; i < request->count && count + 4 < WORDS; i++) {
		words[count++] = xstrdup("--gcd");
		words[count++] = xstrdup(request->gpus[i]->bdf);
	}
	if (request->hip_library) {
		words[count++] = xstrdup("--hip-library");
		words[count++] = xstrdup(request->hip_library);
	}
	return words;
}

static off_t size_of(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 ? info.st_size : 0;
}

/* Ends it when nothing new was printed for too long; true when it had to. */
static bool wait_for(struct child *child, const char *path, int64_t stall_ms)
{
	const struct child *all[] = { child };
	int64_t since = clock_monotonic_ms();
	off_t size = -1;
	bool stalled = false;

	while (!child_step(child)) {
		off_t now = size_of(path);

		if (now != size) {
			size = now;
			since = clock_monotonic_ms();
		} else if (!stalled && clock_monotonic_ms() - since > stall_ms) {
			stalled = true;
			child_interrupt(child);
		}
		children_wait(all, 1, WAIT_MS);
	}
	return stalled;
}

static void read_lines(struct test *test)
{
	struct str text = STR_INIT;

	if (file_read(test->out, ANSWER_BYTES, &text, NULL) != 0)
		return;
	peers_said_read(&test->said, text.data);
	str_release(&text);
}

const char **peers_environment(const struct open_node *open)
{
	const char **edits = xcalloc(8, sizeof(*edits));
	size_t count = 0, i;

	if (!open->is_replayed)
		edits[count++] = "OAMQUAL_SIM";
	for (i = 0; open->is_replayed && open->replay.variables[i] && count < 7; i++)
		edits[count++] = open->replay.variables[i];
	return edits;
}

/* One child from pair `first` on. -1 when there could be none. */
static int run_child(struct test *test, size_t first, struct error *err)
{
	const struct open_node *open = test->request->open;
	char *program = program_path();
	char **words = words_of(test, program, first);
	const char **edits = peers_environment(open);
	struct child_command command = { .argv = words,
		.environ_edits = edits,
		.stdout_path = test->out,
		.stderr_path = test->errors,
		.grace_ms = GRACE_MS };
	struct child child;
	char how[200];
	bool stalled;
	size_t i;
	int rc = child_start(&child, &command, err);

	if (rc == 0) {
		stalled = wait_for(
			&child, test->out, open->is_replayed ? REPLAYED_STALL_MS : STALL_MS);
		read_lines(test);
		child_ending_text(&child.ending, how, sizeof(how));
		peers_said_lose(&test->said, stalled, how);
		if (!test->said.head)
			error_set(err, "%s", how);
	}
	for (i = 0; words[i]; i++)
		free(words[i]);
	free(words);
	free(edits);
	free(program);
	return rc;
}

/* A pair that hangs or crashes ends its child: the next one goes on behind it. */
static void run_all(struct test *test, struct error *err)
{
	size_t count = test->request->count * (test->request->count - 1), lost = 0, before;

	while (!test->said.done && json_array_size(test->said.pairs) < count && lost < LOST_MAX) {
		before = json_array_size(test->said.pairs);
		if (run_child(test, before, err) != 0 || !test->said.head ||
			strcmp(json_text(test->said.head, "state", ""), "ready") != 0 ||
			json_array_size(test->said.pairs) == before)
			return;
		lost += !test->said.done;
	}
}

/* --- what it means ---------------------------------------------------------------------------- */

static const struct gpu *gpu_at(const struct peers_request *request, const char *bdf)
{
	size_t i;

	for (i = 0; i < request->count; i++)
		if (strcmp(request->gpus[i]->bdf, bdf) == 0)
			return request->gpus[i];
	return NULL;
}

static bool holds_both(const struct node *node, const struct module *module, const struct gpu *one,
	const struct gpu *other)
{
	size_t i, met = 0;

	for (i = 0; i < module->gpu_count; i++)
		met += &node->gpus[module->gpus[i]] == one || &node->gpus[module->gpus[i]] == other;
	return met == 2;
}

static const char *relation(
	const struct peers_request *request, const struct gpu *one, const struct gpu *other)
{
	size_t i;

	for (i = 0; one && other && request->modules && i < request->modules->count; i++)
		if (holds_both(&request->open->node, &request->modules->items[i], one, other))
			return "module-mate";
	return "other";
}

/* What KFD's topology has between the two: the kind of link and its largest bandwidth in MB/s. */
static json_t *link_json(
	const struct peers_request *request, const struct gpu *from, const struct gpu *to)
{
	const struct node *node = &request->open->node;
	struct link_list links;
	json_t *found = NULL;
	size_t i;

	if (!from || !to || !from->kfd_node.known || !to->kfd_node.known)
		return fact_unknown("KFD's node of one of the two is unknown");
	link_list_read(node->root_fd, from->kfd_node.value, &links);
	for (i = 0; i < links.count && !found; i++) {
		const struct link *link = &links.items[i];

		if (link->node_to.known && link->node_to.value == to->kfd_node.value)
			found = fact_json(
				json_pack("{s:s, s:o}", "kind",
					!link->type.known		? "unknown"
					: link->type.value == LINK_XGMI ? "xgmi"
					: link->type.value == LINK_PCIE ? "pcie"
									: "other",
					"max_mb_s",
					link->max_bandwidth.known
						? json_integer(
							  (json_int_t)link->max_bandwidth.value)
						: json_null()),
				node_class(node), "kfd");
	}
	link_list_release(&links);
	return found ? found : fact_unknown("KFD's topology has no link from one to the other");
}

static json_t *pair_json(const struct peers_request *request, const json_t *line)
{
	const struct gpu *from = gpu_at(request, json_text(line, "from", ""));
	const struct gpu *to = gpu_at(request, json_text(line, "to", ""));
	const char *class = node_class(&request->open->node);
	const json_t *can = json_object_get(line, "can_access");
	char why[TRANSPORT_WHY];
	const char *verdict = peers_verdict(line, why);
	json_t *json = json_pack("{s:o, s:o, s:s, s:o}", "from",
		json_printable_text(json_text(line, "from", "")), "to",
		json_printable_text(json_text(line, "to", "")), "relation",
		relation(request, from, to), "link", link_json(request, from, to));

	json_object_set_new(json, "access",
		json_is_boolean(can) ? fact_json(json_boolean(json_is_true(can)), class, "hip")
				     : fact_unknown("hipDeviceCanAccessPeer did not answer"));
	json_object_set_new(
		json, "mb_per_second", transport_rate(line, class, "hip", "no copy was timed"));
	json_object_set_new(json, "verdict", json_string(verdict));
	json_object_set_new(json, "why", why[0] ? json_printable_text(why) : json_null());
	return json;
}

static json_t *pairs_json(const struct test *test)
{
	json_t *pairs = json_array();
	const json_t *line;
	size_t i;

	json_array_foreach (test->said.pairs, i, line)
		json_array_append_new(pairs, pair_json(test->request, line));
	return pairs;
}

/* The worst of all pairs; pairs that were not reached decide nothing, and are told. */
static const char *outcome_of(const json_t *pairs)
{
	const json_t *pair;
	size_t i, without = 0;

	json_array_foreach (pairs, i, pair) {
		const char *verdict = json_text(pair, "verdict", "");

		if (strcmp(verdict, "no-access") == 0)
			without++;
		else if (strcmp(verdict, "held") != 0)
			return "failed";
	}
	return without ? "no-access" : json_array_size(pairs) ? "held" : "not-tested";
}

static const char *why_none(const struct test *test, const struct error *err)
{
	const char *why = json_text(test->said.head, "why", NULL);

	if (test->request->count < 2)
		return "there are not two GCDs to copy between";
	return why ? why : err->text[0] ? err->text : "the child printed nothing";
}

static json_t *peers_json(const struct peers_request *request)
{
	bool replayed = request->open->is_replayed;
	struct test test = { .request = request,
		.bytes = request->bytes ? request->bytes
			 : replayed	? UINT64_C(1) << 20
					: UINT64_C(64) << 20,
		.out = path_join(request->work, "hip-peers.json"),
		.errors = path_join(request->work, "hip-peers.txt") };
	size_t wanted = request->count < 2 ? 0 : request->count * (request->count - 1);
	struct error err = { "" };
	json_t *json, *pairs;
	const char *library;

	peers_said_init(&test.said, wanted);
	if (wanted)
		run_all(&test, &err);
	pairs = pairs_json(&test);
	library = json_text(test.said.head, "library", NULL);
	json = json_pack("{s:s, s:o, s:o, s:I, s:i, s:I, s:o}", "outcome", outcome_of(pairs), "why",
		json_array_size(pairs) ? json_null() : json_printable_text(why_none(&test, &err)),
		"library", library ? json_string(library) : json_null(), "bytes",
		(json_int_t)test.bytes, "repeats", REPEATS, "pairs_not_reached",
		(json_int_t)(wanted - json_array_size(pairs)), "pairs", pairs);
	peers_said_release(&test.said);
	free(test.out);
	free(test.errors);
	return json;
}

json_t *node_transport(const struct peers_request *request)
{
	return json_pack("{s:s, s:o, s:o}", "source", node_class(&request->open->node), "peers",
		peers_json(request), "collective", node_collective(request));
}

/* --- the command ------------------------------------------------------------------------------ */

static void print_pair(const json_t *pair)
{
	double rate = json_real_of(json_object_get(pair, "mb_per_second"), "value", -1);
	const json_t *access = json_object_get(json_object_get(pair, "access"), "value");
	const char *why = json_text(pair, "why", NULL);
	char text[32];

	snprintf(text, sizeof(text), rate < 0 ? "-" : "%.0f MB/s", rate);
	printf("%-14s%-14s%-13s%-8s%-14s%s%s%s\n", json_text(pair, "from", "-"),
		json_text(pair, "to", "-"), json_text(pair, "relation", "-"),
		!json_is_boolean(access) ? "-"
		: json_is_true(access)	 ? "yes"
					 : "no",
		text, json_text(pair, "verdict", "-"), why ? ": " : "", why ? why : "");
}

static void print_outcome(const char *title, const json_t *part)
{
	const char *why = json_text(part, "why", NULL);

	printf("%s: %s%s%s\n", title, json_text(part, "outcome", "-"), why ? ": " : "",
		why ? why : "");
}

void node_transport_print(const json_t *transport, bool simulated)
{
	const json_t *peers = json_object_get(transport, "peers"), *pair;
	json_int_t left = json_integer_of(peers, "pairs_not_reached", 0);
	size_t i;

	if (simulated)
		puts("SIMULATED: copies within this machine's memory; no link of any node");
	printf("%-14s%-14s%-13s%-8s%-14s%s\n", "from", "to", "relation", "access", "rate", "copy");
	json_array_foreach (json_object_get(peers, "pairs"), i, pair)
		print_pair(pair);
	print_outcome("peers", peers);
	if (left && json_array_size(json_object_get(peers, "pairs")))
		printf("peers: %lld pairs were not reached\n", (long long)left);
	print_outcome("collective", json_object_get(transport, "collective"));
}

enum exit_status node_transport_status(const json_t *transport)
{
	const json_t *peers = json_object_get(transport, "peers");
	const char *outcome = json_text(peers, "outcome", ""),
		   *collective = json_text(json_object_get(transport, "collective"), "outcome", "");

	if (strcmp(collective, "failed") == 0 || strcmp(outcome, "failed") == 0 ||
		strcmp(outcome, "no-access") == 0)
		return STATUS_NOT_ACCEPTED;
	return strcmp(outcome, "held") == 0 && json_integer_of(peers, "pairs_not_reached", 0) == 0
		       ? STATUS_ACCEPTED
		       : STATUS_CANNOT_JUDGE;
}

/* Those of --gcd, or all that have an address. NULL with an error. */
static const struct gpu **choose(
	const struct options *options, const struct node *node, size_t *count, struct error *err)
{
	const struct gpu **chosen = xcalloc(node->gpu_count + 1, sizeof(*chosen));
	const char *name;
	size_t i, j;

	*count = 0;
	for (i = 0; (name = options_nth(options, "gcd", i)) != NULL; i++) {
		const struct gpu *gpu = node_find(node, name);

		if (!gpu || !gpu->bdf[0]) {
			error_set(err,
				"--gcd %s: the node has no such GCD with an address; see 'oamqual "
				"node'",
				name);
			free(chosen);
			return NULL;
		}
		for (j = 0; j < *count && chosen[j] != gpu; j++)
			;
		if (j == *count)
			chosen[(*count)++] = gpu;
	}
	for (j = 0; !i && j < node->gpu_count; j++)
		if (node->gpus[j].bdf[0])
			chosen[(*count)++] = &node->gpus[j];
	return chosen;
}

int node_peers(const struct options *options, const struct open_node *open,
	const struct module_list *modules, const char *work, struct error *err)
{
	struct peers_request request = { .open = open,
		.modules = modules,
		.work = work,
		.hip_library = options_text(options, "hip-library"),
		.rccl_library = options_text(options, "rccl-library") };
	const struct gpu **gpus = choose(options, &open->node, &request.count, err);
	json_t *transport;
	int status;

	if (!gpus)
		return -1;
	request.gpus = gpus;
	transport = node_transport(&request);
	json_object_set_new(transport, "schema", json_string("oamqual-transport/1"));
	if (options_flag(options, "json"))
		json_print(transport, stdout);
	else
		node_transport_print(transport, open->node.simulated);
	status = (int)node_transport_status(transport);
	json_decref(transport);
	free(gpus);
	return status;
}
