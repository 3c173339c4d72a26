/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/plain.h"
#include "record/parts.h"
#include "record/record.h"
#include "report/farm.h"
#include "report/show.h"
#include "report/view.h"

enum { WORKERS_MAX = 16, KEPT_MAX = 300 };

/* --- what is kept of a record --- */

static char *kept(const char *text)
{
	struct str shown = STR_INIT;

	show_add(&shown, text, KEPT_MAX);
	return str_detach(&shown);
}

static char *kept_fact(const json_t *object, const char *key)
{
	const char *text = json_fact_text(object, key);

	return kept(text ? text : "");
}

static double mean_seconds(const json_t *record, const char *bdf)
{
	const json_t *attempt;
	double sum = 0;
	size_t i, count = 0;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt) {
		double seconds =
			json_real_of(json_object_get(attempt, "timing"), "render_seconds", -1);

		if (seconds < 0 || json_is_true(json_object_get(attempt, "together")) ||
			strcmp(json_text(attempt, "probe", ""), "strict") != 0 ||
			strcmp(json_text(attempt, "verdict", ""), "accepted") != 0 ||
			strcmp(json_text(json_object_get(attempt, "device"), "bdf", ""), bdf) != 0)
			continue;
		sum += seconds;
		count++;
	}
	return count ? sum / (double)count : NAN;
}

static int module_of(const json_t *record, const char *bdf)
{
	const json_t *modules = json_object_get(json_object_get(record, "modules"), "value");
	const json_t *module, *member;
	size_t i, j;

	json_array_foreach (modules, i, module)
		json_array_foreach (json_object_get(module, "gcds"), j, member)
			if (json_is_string(member) && strcmp(json_string_value(member), bdf) == 0)
				return (int)i;
	return -1;
}

static json_int_t fact_number(const json_t *object, const char *key, json_int_t otherwise)
{
	return json_integer_of(json_object_get(object, key), "value", otherwise);
}

/* A number of devices' minors has 20 bits in Linux. -1: unknown, or none that can be. */
static int render_minor_of(const json_t *gpu)
{
	json_int_t minor = fact_number(gpu, "drm_render_minor", -1);

	return minor >= 0 && minor < 1 << 20 ? (int)minor : -1;
}

/* What HIP sees of it, else KFD. 0: unknown, or less or more (a PiB) than any device has. */
static unsigned long long memory_of(const json_t *gpu)
{
	static const char *const facts[] = { "hip_total", "vram_total" };
	size_t i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		json_int_t bytes = fact_number(gpu, facts[i], 0);

		if (bytes > 0 && bytes <= (json_int_t)1 << 50)
			return (unsigned long long)bytes;
	}
	return 0;
}

/* A GCD's verdict and its GPU stand at the same place: record_contradiction() has checked it. */
static void keep_gcd(const json_t *record, size_t i, struct farm_gcd *to)
{
	const json_t *gcd = json_array_get(json_object_get(record, "gcds"), i);
	const json_t *gpu =
		json_array_get(json_object_get(json_object_get(record, "node"), "gpus"), i);
	const char *bdf = json_text(gcd, "bdf", "");

	to->bdf = kept(bdf);
	to->unique_id = kept_fact(gpu, "unique_id");
	to->target = kept_fact(gpu, "gfx_target");
	to->verdict = kept(json_text(gcd, "verdict", ""));
	to->evidence = kept(json_text(gcd, "evidence", ""));
	to->rung = (int)json_integer_of(json_object_get(gcd, "decided_at"), "rung", 0);
	to->module = module_of(record, bdf);
	to->render_minor = render_minor_of(gpu);
	to->memory_bytes = memory_of(gpu);
	to->worker = view_is_worker(gcd);
	to->seconds = mean_seconds(record, bdf);
}

static void replace(char **text, char *by)
{
	free(*text);
	*text = by;
}

static void keep_record(const json_t *record, struct farm_node *node)
{
	const json_t *system = json_object_get(record, "system");
	size_t i;

	node->has_record = true;
	node->simulated = view_is_simulated(record);
	node->interrupted = view_was_interrupted(record);
	if (!node->name[0])
		replace(&node->name, kept(json_text(json_object_get(record, "node"), "name", "")));
	replace(&node->blender, kept(json_text(json_object_get(record, "blender"), "version", "")));
	replace(&node->tool, kept(json_text(json_object_get(record, "tool"), "version", "")));
	replace(&node->ended, kept(json_text(json_object_get(record, "run"), "ended", "")));
	replace(&node->driver, kept_fact(system, "amdgpu_driver"));
	replace(&node->rocm, kept_fact(system, "rocm_release"));
	if (node->interrupted && !node->why[0])
		replace(&node->why, xstrdup("the run was interrupted"));
	node->gcd_count = view_count_gcds(record);
	node->gcds = xcalloc(node->gcd_count, sizeof(*node->gcds));
	node->workers = view_count_workers(record);
	for (i = 0; i < node->gcd_count; i++)
		keep_gcd(record, i, &node->gcds[i]);
}

/* --- a node --- */

static void node_fails(struct farm_node *node, const char *outcome, const char *why)
{
	replace(&node->outcome, xstrdup(outcome));
	replace(&node->why, kept(why));
}

static void release_gcd(struct farm_gcd *gcd)
{
	free(gcd->bdf);
	free(gcd->unique_id);
	free(gcd->target);
	free(gcd->verdict);
	free(gcd->evidence);
}

static void release_gcds(struct farm_node *node)
{
	size_t i;

	for (i = 0; i < node->gcd_count; i++)
		release_gcd(&node->gcds[i]);
	free(node->gcds);
	node->gcds = NULL;
	node->gcd_count = node->workers = 0;
}

void farm_node_refuse(struct farm_node *node, const char *why)
{
	release_gcds(node);
	node->has_record = node->interrupted = false;
	node_fails(node, "record-damaged", why);
}

static int read_record(
	const struct farm_entry *entry, struct str *room, struct farm_node *node, struct error *err)
{
	struct digest *digest;
	const char *contradiction;
	json_t *record;

	if (plain_read(node->record, record_bytes_max, room, err) != 0)
		return -1;
	digest = digest_new();
	digest_add(digest, room->data, room->len);
	digest_finish(digest, node->sha256);
	if (entry->sha256 && strcmp(entry->sha256, node->sha256) != 0)
		return error_set(err, "%s: not the file that the list names: its SHA-256 is %s",
			node->record, node->sha256);
	record = record_parts(node->record, room, record_for_farm, err);
	if (!record)
		return -1;
	contradiction = record_contradiction(record);
	if (!contradiction)
		keep_record(record, node);
	else
		error_set(err, "%s: contradicts itself: %s", node->record, contradiction);
	json_decref(record);
	return contradiction ? -1 : 0;
}

/* An outcome is one of the tool's words; any other text is told of and not passed on. */
static bool is_word(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz-");

	return len > 0 && len < 32 && !text[len];
}

static void keep_outcome(const struct farm_entry *entry, struct farm_node *node)
{
	const char *outcome = entry->outcome  ? entry->outcome
			      : entry->record ? "qualified"
					      : "no-record";

	node->outcome = xstrdup(is_word(outcome) ? outcome : "unknown");
	node->why = is_word(outcome) ? kept(entry->why ? entry->why : "") : kept(outcome);
}

static void read_node(const struct farm_entry *entry, struct str *room, struct farm_node *node)
{
	struct error err;
	bool missing;

	node->name = kept(entry->name ? entry->name : "");
	keep_outcome(entry, node);
	/* A node that is lost has no say, though a record of it may lie there. */
	missing = !entry->record || strcmp(node->outcome, "qualified") != 0;
	node->record = missing ? xstrdup("") : record_path(entry->record);
	node->blender = xstrdup("");
	node->tool = xstrdup("");
	node->driver = xstrdup("");
	node->rocm = xstrdup("");
	node->ended = xstrdup("");
	if (missing) {
		if (strcmp(node->outcome, "qualified") == 0)
			node_fails(
				node, "no-record", "the list says qualified and names no record");
		return;
	}
	if (read_record(entry, room, node, &err) != 0)
		node_fails(node, file_is_absent(node->record) ? "no-record" : "record-damaged",
			err.text);
}

/* --- all of them --- */

struct work {
	const struct farm_entry *entries;
	struct farm_report *farm;
	atomic_size_t next;
};

static void *work(void *data)
{
	struct work *all = data;
	struct str room = STR_INIT; /* not given back between records */
	size_t i;

	while ((i = atomic_fetch_add(&all->next, 1)) < all->farm->count)
		read_node(&all->entries[i], &room, &all->farm->nodes[i]);
	str_release(&room);
	return NULL;
}

static size_t worker_count(size_t records)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = processors < 1 ? 1 : (size_t)processors;

	if (count > WORKERS_MAX)
		count = WORKERS_MAX;
	return count < records ? count : records;
}

void farm_report_mark(struct farm_report *farm, bool simulated)
{
	size_t i;

	farm->simulated = simulated;
	for (i = 0; i < farm->count; i++)
		farm->simulated = farm->simulated || farm->nodes[i].simulated;
	for (i = 0; i < farm->count; i++)
		farm->nodes[i].played =
			farm->nodes[i].has_record ? farm->nodes[i].simulated : farm->simulated;
}

struct farm_report *farm_report_read(const struct farm_entry *entries, size_t count)
{
	struct farm_report *farm = xcalloc(1, sizeof(*farm));
	struct work all = { .entries = entries, .farm = farm };
	pthread_t threads[WORKERS_MAX];
	size_t i, started = 0, wanted = worker_count(count);

	farm->origin = xstrdup("");
	farm->same_twice = json_array();
	farm->nodes = xcalloc(count ? count : 1, sizeof(*farm->nodes));
	farm->count = count;
	json_object_seed(0); /* once, before there are threads */
	/* This thread is one of them, and alone when no other can be had. */
	for (i = 1; i < wanted; i++)
		started += pthread_create(&threads[started], NULL, work, &all) == 0;
	work(&all);
	for (i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	farm_report_mark(farm, false);
	return farm;
}

void farm_node_release(struct farm_node *node)
{
	char *const texts[] = { node->name, node->outcome, node->why, node->record, node->blender,
		node->tool, node->driver, node->rocm, node->ended };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(texts[i]);
	release_gcds(node);
}

void farm_report_free(struct farm_report *farm)
{
	size_t i;

	if (!farm)
		return;
	for (i = 0; i < farm->count; i++)
		farm_node_release(&farm->nodes[i]);
	free(farm->nodes);
	json_decref(farm->distributed);
	json_decref(farm->same_twice);
	free(farm->origin);
	free(farm);
}
