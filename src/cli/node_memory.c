/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/node_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "base/text.h"
#include "node/catalogue.h"
#include "node/health.h"
#include "node/isolation.h"
#include "node/rooted.h"
#include "run/child.h"

#define KFD_PROC "sys/class/kfd/kfd/proc"

/* The driver gives memory back late; more than this missing afterwards is worth a word. */
#define LATE_BYTES (64LL << 20)

enum {
	ANSWER_BYTES = 1 << 20,
	GRACE_MS = 2000,
	DEADLINE_MS = 60000,
	MS_EACH_GIB = 8000,
	MS_EACH_GIB_WHOLE = 30000
};

/* --- who holds it ----------------------------------------------------------------------------- */

/* "process 4711 holds 3.0 GiB" of the first that has memory of the device, or NULL. KFD keeps an
 * entry for each process that has it open; *known false when they could not be listed. The caller
 * frees. */
static char *holder(const struct node *node, const struct gpu *gpu, bool *known)
{
	char **pids = rooted_names(node->root_fd, KFD_PROC, ""), *found = NULL, bytes[24];
	size_t i;

	*known = pids && gpu->kfd_gpu_id.known;
	for (i = 0; *known && pids[i] && !found; i++) {
		char *path = xasprintf(KFD_PROC "/%s/vram_%llu", pids[i],
			(unsigned long long)gpu->kfd_gpu_id.value);
		struct known_u64 held = rooted_reading(node->root_fd, path, NULL);

		text_bytes(bytes, (double)held.value);
		if (held.known && held.value)
			found = xasprintf("process %.20s holds %s of it", pids[i], bytes);
		free(path);
	}
	rooted_names_free(pids);
	return found;
}

/* --- the child -------------------------------------------------------------------------------- */

struct run {
	const struct memory_request *request;
	const struct open_node *open;
	const char *work;
	char *program;
};

static int64_t deadline(const struct memory_request *request, const struct gpu *gpu)
{
	uint64_t bytes = gpu->hip_total.known ? gpu->hip_total.value : gpu->vram_total.value;

	if (request->limit_bytes && (request->limit_bytes < bytes || !bytes))
		bytes = request->limit_bytes;
	return DEADLINE_MS +
	       (int64_t)(bytes >> 30) * (request->whole ? MS_EACH_GIB_WHOLE : MS_EACH_GIB);
}

static const char **environment_edits(const struct open_node *open, char *mask)
{
	static const char *const unset[] = { "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES",
		"GPU_DEVICE_ORDINAL" };
	size_t count = 0, i;
	const char **edits = xcalloc(16, sizeof(*edits));

	edits[count++] = mask;
	for (i = 0; i < sizeof(unset) / sizeof(unset[0]); i++)
		edits[count++] = unset[i];
	if (!open->is_replayed)
		edits[count++] = "OAMQUAL_SIM";
	for (i = 0; open->is_replayed && open->replay.variables[i] && count < 15; i++)
		edits[count++] = open->replay.variables[i];
	return edits;
}

/* What the child printed, or NULL with the reason. */
static json_t *read_answer(const char *path, const struct child_ending *ending, struct error *err)
{
	json_t *answer;
	char how[200];

	if (ending->how != CHILD_EXITED || ending->code != 0) {
		child_ending_text(ending, how, sizeof(how));
		error_set(err, "the control was %s", how);
		if (ending->how == CHILD_STUCK)
			error_set(err, "the control is stuck in the driver as process %ld: %s",
				ending->pid, how);
		return NULL;
	}
	answer = json_read(path, ANSWER_BYTES, err);
	if (answer && strcmp(json_text(answer, "schema", ""), "oamqual-hip-memory/1") != 0) {
		json_decref(answer);
		error_set(err, "the control printed something else than its answer");
		return NULL;
	}
	return answer;
}

static json_t *ask_child(const struct run *run, const struct gpu *gpu, struct error *err)
{
	const struct memory_request *request = run->request;
	char *margin = xasprintf("%llu", request->margin_bytes),
	     *limit = xasprintf("%llu", request->limit_bytes);
	char *out = path_join(run->work, "hip-memory.json"),
	     *errors = path_join(run->work, "hip-memory.txt");
	char *mask = xasprintf(
		"ROCR_VISIBLE_DEVICES=GPU-%016llx", (unsigned long long)gpu->unique_id.value);
	const char **edits = environment_edits(run->open, mask);
	char *argv[12] = { run->program, (char *)"hip-memory", (char *)"--margin", margin,
		(char *)"--limit", limit };
	size_t count = 6;
	struct child_command command = { .argv = argv,
		.environ_edits = edits,
		.stdout_path = out,
		.stderr_path = errors,
		.deadline_ms = deadline(request, gpu),
		.grace_ms = GRACE_MS };
	struct child_ending ending;
	json_t *answer = NULL;

	if (request->whole)
		argv[count++] = (char *)"--whole";
	if (request->hip_library) {
		argv[count++] = (char *)"--hip-library";
		argv[count++] = (char *)request->hip_library;
	}
	if (child_run(&command, &ending, err) == 0)
		answer = read_answer(out, &ending, err);
	free(edits);
	free(mask);
	free(errors);
	free(out);
	free(limit);
	free(margin);
	return answer;
}

/* --- judging ---------------------------------------------------------------------------------- */

static json_int_t bytes_of(const json_t *answer, const char *key)
{
	return json_integer_of(answer, key, -1);
}

static enum exit_status not_judged(json_t *result, const char *why)
{
	json_object_set_new(result, "why", json_printable_text(why));
	return STATUS_CANNOT_JUDGE;
}

static enum exit_status failed(json_t *result, const char *why)
{
	json_object_set_new(result, "why", json_printable_text(why));
	return STATUS_NOT_ACCEPTED;
}

/* The pattern first: memory that does not keep it makes the rest meaningless. */
static enum exit_status judge(const struct gpu *gpu, const json_t *answer, json_t *result)
{
	const json_t *bad = json_object_get(answer, "bad"),
		     *boundary = json_object_get(answer, "boundary");
	const char *state = json_text(answer, "state", ""), *bdf = json_text(answer, "bdf", "");
	const char *stopped = json_text(answer, "stopped", NULL);
	json_int_t code = json_integer_of(boundary, "code", -1);
	char why[400];

	if (strcmp(state, "done") != 0)
		return not_judged(result, json_text(answer, "why", "the control did not finish"));
	if (strcmp(bdf, gpu->bdf) != 0) {
		snprintf(why, sizeof(why), "another device answered: %.40s", bdf);
		return not_judged(result, why);
	}
	if (json_is_object(bad)) {
		snprintf(why, sizeof(why),
			"the pattern differs at offset %lld: wrote %.20s, read %.20s; %lld words "
			"in all",
			(long long)json_integer_of(bad, "offset", -1), json_text(bad, "wrote", ""),
			json_text(bad, "read", ""), (long long)json_integer_of(bad, "words", -1));
		return failed(result, why);
	}
	if (stopped) {
		snprintf(why, sizeof(why), "%s after %lld of %lld bytes were allocated", stopped,
			(long long)bytes_of(answer, "allocated"),
			(long long)bytes_of(answer, "wanted"));
		return failed(result, why);
	}
	if (code == 0) {
		snprintf(why, sizeof(why), "%lld bytes were granted, more than the domain has",
			(long long)json_integer_of(boundary, "asked", -1));
		return failed(result, why);
	}
	if (bytes_of(answer, "checked") <= 0)
		return not_judged(result, "nothing was checked: no memory is free beyond the "
					  "margin, or the limit is under 1 MiB");
	if (code != 2) {
		snprintf(why, sizeof(why),
			"more than the domain was refused by error %lld, not by "
			"hipErrorOutOfMemory",
			(long long)code);
		return not_judged(result, why);
	}
	return STATUS_ACCEPTED;
}

static void add_fact(json_t *result, const char *key, const json_t *answer, const char *class)
{
	json_int_t bytes = bytes_of(answer, key);

	json_object_set_new(result, key,
		bytes >= 0 ? fact_integer(bytes, class, "hip")
			   : fact_unknown("hipMemGetInfo did not tell it"));
}

static void add_published(json_t *result, const struct node *node, const struct gpu *gpu)
{
	char text[300] = "";
	struct known_u64 bytes = catalogue_domain(node, gpu, text, sizeof(text));

	json_object_set_new(result, "published", fact_u64(bytes, "published", text, text));
}

static void add_sysfs(json_t *result, const struct node *node, const struct gpu *gpu)
{
	static const char *const files[][2] = { { "sysfs_total", "mem_info_vram_total" },
		{ "sysfs_used", "mem_info_vram_used" } };
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = xasprintf("sys/bus/pci/devices/%s/%s", gpu->bdf, files[i][1]);
		struct error err = { "" };
		struct known_u64 bytes = rooted_reading(node->root_fd, path, &err);

		json_object_set_new(
			result, files[i][0], fact_u64(bytes, node_class(node), "sysfs", err.text));
		free(path);
	}
	json_object_set_new(result, "kfd_total",
		fact_u64(gpu->vram_total, node_class(node), "kfd",
			"no complete memory banks in KFD's topology"));
}

static void add_answer(json_t *result, const json_t *answer, const char *class)
{
	static const char *const keys[] = { "total", "free_before", "free_held", "free_after" };
	static const char *const plain[] = { "wanted", "allocated", "checked", "stopped", "bad",
		"boundary", "library" };
	json_int_t before = bytes_of(answer, "free_before"), after = bytes_of(answer, "free_after");
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		add_fact(result, keys[i], answer, class);
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		json_object_set(result, plain[i], json_object_get(answer, plain[i]));
	json_object_set_new(result, "not_given_back",
		before >= 0 && after >= 0 && before - after > LATE_BYTES
			? json_integer(before - after)
			: json_null());
}

/* Without --force a domain in use is left alone: its job would die of our allocation. */
static enum exit_status check_gpu(const struct run *run, const struct gpu *gpu, json_t *result)
{
	const struct node *node = &run->open->node;
	struct error err = { "" };
	bool known;
	char *held = holder(node, gpu, &known), why[200];
	enum exit_status status;
	json_t *answer;

	json_object_set_new(result, "holder",
		held	? fact_text(held, node_class(node), KFD_PROC)
		: known ? fact_text("nobody", node_class(node), KFD_PROC)
			: fact_unknown("KFD's process entries could not be listed here"));
	if (held && !run->request->force) {
		error_set(&err, "%s; --force checks all the same", held);
		free(held);
		return not_judged(result, err.text);
	}
	free(held);
	if (!gpu->bdf[0])
		return not_judged(result, "its PCI address is unknown, so no answer can be told to be its own");
	if (!isolation_by_id(node, gpu, why))
		return not_judged(result, why);
	answer = ask_child(run, gpu, &err);
	if (!answer)
		return not_judged(result, err.text);
	add_answer(result, answer, node_class(node));
	status = judge(gpu, answer, result);
	json_decref(answer);
	return status;
}

/* --- printing --------------------------------------------------------------------------------- */

static void cell(const json_t *result, const char *key, char text[24])
{
	const json_t *member = json_object_get(result, key);
	const json_t *value = json_is_object(member) ? json_object_get(member, "value") : member;

	str_copy(text, 24, "-");
	if (json_is_integer(value))
		text_bytes(text, (double)json_integer_value(value));
}

static void print_result(const json_t *result)
{
	static const char *const keys[] = { "published", "total", "free_before", "allocated",
		"checked", "free_after" };
	const json_t *boundary = json_object_get(result, "boundary");
	char text[24];
	size_t i;

	printf("%-14s", json_text(result, "gcd", "-"));
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		cell(result, keys[i], text);
		printf("%-12s", text);
	}
	cell(boundary, "asked", text);
	printf("%s", json_text(result, "verdict", ""));
	if (json_is_object(boundary) && json_integer_of(boundary, "code", 0) != 0)
		printf(", %s refused (%s)", text,
			json_text(boundary, "name", "error without a name"));
	if (json_text(result, "why", NULL))
		printf(": %s", json_text(result, "why", ""));
	if (json_is_integer(json_object_get(result, "not_given_back"))) {
		cell(result, "not_given_back", text);
		printf("; %s not given back yet", text);
	}
	putchar('\n');
}

static void print_all(const struct node *node, const json_t *results)
{
	const json_t *result;
	size_t i;

	if (node->simulated)
		puts("SIMULATED: the stand-in runtime's accounts, no hardware's memory");
	printf("%-14s%-12s%-12s%-12s%-12s%-12s%-12s%s\n", "GCD", "published", "total", "free",
		"allocated", "checked", "free after", "boundary");
	json_array_foreach (results, i, result)
		print_result(result);
}

/* --- all -------------------------------------------------------------------------------------- */

/* The chosen ones, in a NULL-terminated array, or NULL. */
static const struct gpu **choose(
	const struct options *options, const struct node *node, struct error *err)
{
	const struct gpu **chosen = xcalloc(node->gpu_count + 1, sizeof(*chosen));
	const char *name;
	size_t count = 0, i, j;

	for (i = 0; (name = options_nth(options, "gcd", i)) != NULL; i++) {
		const struct gpu *gpu = node_find(node, name);

		if (!gpu) {
			error_set(err, "--gcd %s: the node has no such GCD; see 'oamqual node'",
				name);
			free(chosen);
			return NULL;
		}
		for (j = 0; j < count && chosen[j] != gpu; j++)
			;
		if (j == count)
			chosen[count++] = gpu;
	}
	for (j = 0; !i && j < node->gpu_count; j++)
		chosen[count++] = &node->gpus[j];
	if (count)
		return chosen;
	error_set(err, "the node has no GPU domain to check");
	free(chosen);
	return NULL;
}

static json_t *check_all(const struct run *run, const struct gpu *const *gpus, int *status)
{
	static const char *const verdicts[] = { [STATUS_ACCEPTED] = "held",
		[STATUS_NOT_ACCEPTED] = "failed",
		[STATUS_CANNOT_JUDGE] = "not checked" };
	const struct node *node = &run->open->node;
	json_t *results = json_array();

	*status = STATUS_ACCEPTED;
	for (; *gpus; gpus++) {
		json_t *result = json_object();
		enum exit_status one;

		json_object_set_new(result, "gcd", json_string((*gpus)->bdf));
		add_published(result, node, *gpus);
		add_sysfs(result, node, *gpus);
		json_object_set_new(result, "why", json_null());
		one = check_gpu(run, *gpus, result);
		json_object_set_new(result, "verdict", json_string(verdicts[one]));
		json_array_append_new(results, result);
		if (one == STATUS_NOT_ACCEPTED ||
			(one == STATUS_CANNOT_JUDGE && *status == STATUS_ACCEPTED))
			*status = (int)one;
	}
	return results;
}

int node_memory_check(const struct options *options, const struct memory_request *request,
	const struct open_node *open, const char *work, struct error *err)
{
	const struct gpu **gpus = choose(options, &open->node, err);
	struct run run = { request, open, work, NULL };
	json_t *results;
	int status;

	if (!gpus)
		return -1;
	run.program = program_path();
	results = check_all(&run, gpus, &status);
	if (request->json) {
		json_t *document = json_pack("{s:s, s:s, s:I, s:I, s:b, s:O}", "schema",
			"oamqual-memory-check/1", "source",
			open->node.simulated ? "simulated" : "live", "margin",
			(json_int_t)request->margin_bytes, "limit",
			(json_int_t)request->limit_bytes, "whole", request->whole, "gcds", results);

		json_print(document, stdout);
		json_decref(document);
	} else {
		print_all(&open->node, results);
	}
	json_decref(results);
	free(run.program);
	free(gpus);
	return status;
}
