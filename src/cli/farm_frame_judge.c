/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/farm_frame_judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "distributed/frame.h"
#include "distributed/rank_map.h"
#include "farm/frame_plan.h"
#include "farm/layout.h"
#include "record/judgement.h"

struct judging {
	const struct frame_view *view;
	const char *scene;
	int seed;
	unsigned total;
	struct plan_rank *planned;
	size_t count;
	struct rank *ranks;
	struct image *images;
	json_t *lines; /* of the map */
	struct finding_list findings;
};

/* --- the records ------------------------------------------------------------------------------ */

const json_t *frame_scene(const json_t *record, const char *name)
{
	const json_t *scene;
	size_t i;

	json_array_foreach (json_object_get(record, "scenes"), i, scene)
		if (strcmp(json_text(scene, "name", ""), name) == 0)
			return scene;
	return NULL;
}

const json_t *frame_accepted_alone(const json_t *record, const char *scene, const char *bdf)
{
	const json_t *attempt;
	size_t i;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt)
		if (strcmp(json_text(attempt, "scene", ""), scene) == 0 &&
			strcmp(json_text(attempt, "probe", ""), "strict") == 0 &&
			json_is_false(json_object_get(attempt, "together")) &&
			strcmp(json_text(attempt, "verdict", ""), "accepted") == 0 &&
			strcmp(json_text(json_object_get(attempt, "device"), "bdf", ""), bdf) == 0)
			return attempt;
	return NULL;
}

static size_t place_of(const struct frame_view *view, const char *node)
{
	size_t i;

	for (i = 0; i < view->jobs->count && strcmp(view->jobs->nodes[i].name, node) != 0; i++)
		;
	return i;
}

static const char *recorded_id(const json_t *record, const char *bdf)
{
	const json_t *gpu;
	size_t i;

	json_array_foreach (json_object_get(json_object_get(record, "node"), "gpus"), i, gpu) {
		const char *address = json_fact_text(gpu, "bdf");

		if (address && strcmp(address, bdf) == 0)
			return json_fact_text(gpu, "unique_id");
	}
	return NULL;
}

/* --- one rank --------------------------------------------------------------------------------- */

static struct known_u64 number_of(const json_t *object, const char *key)
{
	json_int_t value = json_integer_of(object, key, -1);

	return value < 0 ? (struct known_u64){ false, 0 } : known_u64((uint64_t)value);
}

static void lose(struct rank *rank, const char *why)
{
	char *shown = text_printable(why, strlen(why));

	rank->rendered = KNOWN_NO;
	str_copy(rank->ended, sizeof(rank->ended), shown);
	free(shown);
}

static const json_t *word_of(const struct judging *judging, const struct farm_member *node,
	const struct plan_rank *planned)
{
	const json_t *word;
	size_t i;

	json_array_foreach (json_object_get(node->ranks, "ranks"), i, word)
		if (strcmp(json_text(word, "scene", ""), judging->scene) == 0 &&
			json_integer_of(word, "rank", -1) == (json_int_t)planned->number)
			return word;
	return NULL;
}

/* What only its node could know: which device, which process, what KFD and the runtime saw. */
static void take_word(const json_t *word, struct rank *rank)
{
	const json_t *line = json_object_get(word, "line"), *seen = json_object_get(line, "seen");
	unsigned long long id;

	if (text_u64(json_text(line, "unique_id", ""), 0, &id))
		rank->unique_id = known_u64(id);
	rank->numa_node = number_of(json_object_get(line, "numa_node"), "value");
	rank->vram_peak = number_of(json_object_get(line, "vram_peak_bytes"), "value");
	rank->system_pid = (long)json_integer_of(line, "pid", 0);
	rank->runtime_first = number_of(seen, "first_by_runtime");
	rank->runtime_count = number_of(seen, "count_by_runtime");
	rank->pid = number_of(word, "pid_inside");
	rank->kfd_gpu_id = number_of(word, "kfd_gpu_id");
}

static json_t *module_of(const json_t *word)
{
	const json_t *module = json_object_get(json_object_get(word, "line"), "module"), *gcd;
	json_t *gcds;
	size_t i;

	if (!json_is_array(json_object_get(module, "gcds")))
		return fact_unknown("the node does not say");
	gcds = json_array();
	json_array_foreach (json_object_get(module, "gcds"), i, gcd)
		json_array_append_new(gcds,
			json_printable_text(json_is_string(gcd) ? json_string_value(gcd) : "?"));
	return json_pack("{s:o, s:o}", "gcds", gcds, "basis",
		json_printable_text(json_text(module, "basis", "?")));
}

/* Its verdict must follow from the facts that are written beside it. */
static void take_verdict(const json_t *attempt, const char *bdf, struct rank *rank)
{
	struct facts *facts = xcalloc(1, sizeof(*facts));
	struct verdict verdict;
	struct error err;

	if (strcmp(json_text(json_object_get(attempt, "device"), "bdf", ""), bdf) != 0)
		lose(rank, "what its node left is of another GCD");
	else if (judgement_read(attempt, PROBE_RANK, facts, &verdict, &err) != 0)
		lose(rank, err.text);
	else
		rank_note_verdict(&verdict, facts, rank);
	free(facts);
}

/* "frame/nodes/NODE/ranks/SCENE/..." below the run's folder; NULL when it names no such place. */
static char *folder_of(const struct farm_member *node, const json_t *attempt)
{
	const char *folder = json_text(attempt, "folder", "");

	if (!str_starts(folder, "ranks/") || strstr(folder, ".."))
		return NULL;
	return xasprintf("frame/nodes/%s/%s", node->name, folder);
}

static void check_identity(struct judging *judging, const json_t *record, const struct rank *rank)
{
	const char *recorded = recorded_id(record, rank->bdf);
	unsigned long long id;
	char label[RANK_LABEL];

	if (!recorded || !text_u64(recorded, 0, &id) ||
		(rank->unique_id.known && rank->unique_id.value == id))
		return;
	rank_label(rank, label);
	if (!rank->unique_id.known)
		finding_add(&judging->findings, "gcd-changed", FINDING_WARNING, label, NULL,
			"%s: it does not say its GCD's unique id, which is %s in the node's record",
			label, recorded);
	else
		finding_add(&judging->findings, "gcd-changed", FINDING_FAULT, label, NULL,
			"%s: the GCD at this address has the unique id 0x%016llx, and in the "
			"node's record %s",
			label, (unsigned long long)rank->unique_id.value, recorded);
}

static void add_line(struct judging *judging, const struct rank *rank, json_t *module_stolen,
	const char *class, const char *folder)
{
	json_t *line = rank_line_json(rank, module_stolen, class);

	json_object_set_new(line, "folder", folder ? json_printable_text(folder) : json_null());
	json_array_append_new(judging->lines, line);
}

static void read_delivered(struct judging *judging, const struct farm_member *node,
	const json_t *record, const json_t *word, size_t i)
{
	const json_t *attempt = json_object_get(word, "attempt");
	bool observed = strcmp(json_text(node->ranks, "source", ""), "observed") == 0;
	struct rank *rank = &judging->ranks[i];
	char *folder = folder_of(node, attempt), *path;

	take_word(word, rank);
	take_verdict(attempt, rank->bdf, rank);
	if (folder) {
		path = path_join(judging->view->run, folder);
		if (!rank_read_files(path, rank, &judging->images[i]))
			judging->images[i].pixels = NULL;
		free(path);
	}
	check_identity(judging, record, rank);
	add_line(judging, rank, module_of(word), observed ? "observed" : "simulated", folder);
	free(folder);
}

/* A rank whose node did not deliver is lost with what became of the node. */
static void read_rank(struct judging *judging, size_t i)
{
	const struct frame_view *view = judging->view;
	const struct plan_rank *planned = &judging->planned[i];
	size_t place = place_of(view, planned->node);
	const struct farm_member *node =
		place < view->jobs->count ? &view->jobs->nodes[place] : NULL;
	struct rank *rank = &judging->ranks[i];
	const json_t *word = NULL;
	char *why = NULL;

	*rank = (struct rank){ .number = planned->number,
		.asked = { planned->first, planned->count, judging->total },
		.seed = judging->seed,
		.names_node = true };
	str_copy(rank->node, sizeof(rank->node), planned->node);
	str_copy(rank->bdf, sizeof(rank->bdf), planned->bdf);
	if (!node || node->outcome != FARM_QUALIFIED)
		why = xasprintf("its node's job: %s%s%s",
			node ? farm_outcome_name(node->outcome) : "not-run",
			node && node->why.len ? ", " : "",
			node && node->why.len ? node->why.data : "");
	else if (!(word = word_of(judging, node, planned)))
		why = xstrdup("its node delivered nothing of it");
	else if (json_text(word, "lost", NULL))
		why = xstrdup(json_text(word, "lost", ""));
	if (why) {
		lose(rank, why);
		add_line(judging, rank, fact_unknown("the rank was not rendered"), "unknown", NULL);
	} else {
		read_delivered(judging, node, view->records[place], word, i);
	}
	free(why);
}

/* --- the frame -------------------------------------------------------------------------------- */

static void read_settings(const json_t *json, struct scene_settings *settings)
{
	const char *name;
	json_t *value;

	*settings = scene_settings_default;
	settings->width = (int)json_integer_of(json, "width", settings->width);
	settings->height = (int)json_integer_of(json, "height", settings->height);
	settings->samples = (int)json_integer_of(json, "samples", settings->samples);
	settings->seed = (int)json_integer_of(json, "seed", settings->seed);
	settings->frame = (int)json_integer_of(json, "frame", settings->frame);
	settings->denoising = json_is_true(json_object_get(json, "denoising"));
	json_object_foreach (json_object_get(json, "parameters"), name, value)
		scene_settings_set(settings, name, json_integer_value(value), NULL);
}

/* The references of the farm's own folder, by what the record says of scene and Blender. */
static void read_references(
	const struct judging *judging, const json_t *record, struct reference_set *set)
{
	const json_t *scene = frame_scene(record, judging->scene);
	const char *version = json_text(json_object_get(record, "blender"), "version", "");
	struct scene_settings settings;
	char *folder;
	int major = 0, minor = 0;

	read_settings(json_object_get(scene, "settings"), &settings);
	if (sscanf(version, "%4d.%4d", &major, &minor) != 2)
		major = minor = 0;
	folder = path_join(
		judging->view->expected ? judging->view->expected : "/nonexistent", judging->scene);
	reference_set_read(
		folder, json_text(scene, "tree_sha256", ""), &settings, major, minor, set);
	free(folder);
}

/* Where the first rank's GCD has its picture of the whole frame, below the run's folder. */
static char *whole_file(const struct judging *judging, const json_t *record)
{
	const struct rank *first = &judging->ranks[0];
	const json_t *attempt = frame_accepted_alone(record, judging->scene, first->bdf);
	const char *folder = json_text(attempt, "folder", "");

	if (!folder[0] || folder[0] == '/' || strstr(folder, ".."))
		return NULL;
	return xasprintf("nodes/%s/%s/image.exr", first->node, folder);
}

static void complete_merged(
	const struct judging *judging, json_t *merged, const char *file, const char *whole)
{
	json_t *beside = json_object_get(merged, "whole");

	json_object_set_new(merged, "file", json_printable_text(file));
	json_object_set_new(beside, "node", json_string(judging->ranks[0].node));
	json_object_set_new(beside, "bdf", json_string(judging->ranks[0].bdf));
	json_object_set_new(beside, "file", json_printable_text(whole));
}

/* What cannot be read or written here is a finding: the evidence of the ranks stays. */
static json_t *merge(struct judging *judging)
{
	const struct frame_view *view = judging->view;
	const json_t *record = view->records[place_of(view, judging->ranks[0].node)];
	char *file = xasprintf("frame/%s.merged.exr", judging->scene),
	     *whole = whole_file(judging, record), *path = path_join(view->run, file),
	     *whole_path = path_join(view->run, whole ? whole : "");
	struct reference_set references;
	struct frame_parts parts = { .ranks = judging->ranks,
		.images = judging->images,
		.count = judging->count,
		.total = judging->total,
		.references = &references,
		.whole = whole_path };
	struct error err;
	json_t *merged;

	read_references(judging, record, &references);
	merged = frame_merge(&parts, path, &judging->findings, &err);
	if (!merged) {
		finding_add(&judging->findings, "not-merged", FINDING_WARNING, "", NULL,
			"the merged picture could not be judged: %s", err.text);
		merged = json_null();
	}
	if (json_is_object(merged))
		complete_merged(judging, merged, file, whole);
	reference_set_release(&references);
	free(whole_path);
	free(path);
	free(whole);
	free(file);
	return merged;
}

static void release(struct judging *judging)
{
	size_t i;

	for (i = 0; i < judging->count; i++)
		if (judging->images[i].pixels)
			image_release(&judging->images[i]);
	finding_list_release(&judging->findings);
	free(judging->images);
	free(judging->ranks);
	free(judging->planned);
}

json_t *frame_judge(const struct frame_view *view, const json_t *planned)
{
	struct judging judging = { .view = view,
		.scene = json_text(planned, "scene", "?"),
		.seed = (int)json_integer_of(planned, "seed", 0),
		.lines = json_array() };
	json_t *json, *merged;
	size_t i;

	judging.count = plan_ranks(planned, NULL, &judging.total, &judging.planned);
	judging.ranks = xcalloc(judging.count, sizeof(*judging.ranks));
	judging.images = xcalloc(judging.count, sizeof(*judging.images));
	for (i = 0; i < judging.count; i++)
		read_rank(&judging, i);
	rank_map_judge(judging.ranks, judging.count, judging.total, &judging.findings);
	merged = merge(&judging);
	json = json_pack("{s:s, s:i, s:i, s:s, s:o, s:o, s:o, s:o}", "scene", judging.scene,
		"samples", (int)judging.total, "seed", judging.seed, "outcome",
		frame_outcome(&judging.findings), "why", frame_why_json(&judging.findings), "ranks",
		judging.lines, "merged", merged, "findings", finding_list_json(&judging.findings));
	release(&judging);
	return json;
}
