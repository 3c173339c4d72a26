/* SPDX-License-Identifier: Apache-2.0 */
#include "distributed/rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "blender/witness.h"
#include "distributed/merge.h"

/* MIN_TAB_SOBOL_SAMPLES and MAX_TAB_SOBOL_SAMPLES, the same as those of the pattern before it. */
enum { TABLE_MIN = 256, TABLE_MAX = 8192, WORKER_BYTES = 16 << 20 };

struct sample_range rank_range(unsigned total, unsigned count, unsigned number)
{
	unsigned each = total / count, more = total % count;
	struct sample_range range = { .total = total };

	range.first = number * each + (number < more ? number : more);
	range.count = each + (number < more);
	return range;
}

/* --- what it was given ------------------------------------------------------------------------ */

static const struct module *find_module(
	const struct module_list *modules, const struct node *node, const struct gpu *gpu)
{
	size_t i, j;

	for (i = 0; modules && i < modules->count; i++)
		for (j = 0; j < modules->items[i].gpu_count; j++)
			if (&node->gpus[modules->items[i].gpus[j]] == gpu)
				return &modules->items[i];
	return NULL;
}

static void read_plan(
	const struct attempt *attempt, const struct module_list *modules, struct rank *out)
{
	const struct node *node = attempt->context->node;
	const struct gpu *gpu = attempt->gpu;

	out->number = attempt->number;
	out->asked = attempt->range;
	out->seed = attempt->scene->spec.settings.seed;
	str_copy(out->node, sizeof(out->node), node->name);
	str_copy(out->bdf, sizeof(out->bdf), gpu->bdf);
	out->unique_id = gpu->unique_id;
	out->kfd_gpu_id = gpu->kfd_gpu_id;
	out->numa_node = gpu->numa_node;
	out->module = find_module(modules, node, gpu);
}

/* --- what its evidence says ------------------------------------------------------------------- */

static struct known_u64 number_of(const json_t *object, const char *key)
{
	json_int_t value = json_integer_of(object, key, -1);

	return value < 0 ? (struct known_u64){ false, 0 } : known_u64((uint64_t)value);
}

void rank_note_verdict(const struct verdict *verdict, const struct facts *facts, struct rank *out)
{
	const char *evidence = verdict->fact < FACT_COUNT ? facts->evidence[verdict->fact] : "";

	out->rendered = verdict->id == VERDICT_ACCEPTED	      ? KNOWN_YES
			: verdict->id == VERDICT_INCONCLUSIVE ? KNOWN_UNKNOWN
							      : KNOWN_NO;
	snprintf(out->ended, sizeof(out->ended), "%s%s%.200s",
		verdict->id == VERDICT_ACCEPTED ? "rendered" : verdict_name(verdict->id),
		evidence[0] ? ": " : "", evidence);
}

/* Each path adds light at every surface it meets, from a lamp and from the surface itself. */
static struct known_u64 bounces_of(const json_t *range)
{
	struct known_u64 solid = number_of(range, "max_bounces"),
			 clear = number_of(range, "transparent_max_bounces");

	return solid.known && clear.known && solid.value < 4096 && clear.value < 4096
		       ? known_u64(2 * (solid.value + clear.value + 2))
		       : (struct known_u64){ false, 0 };
}

static void read_worker(const json_t *worker, struct rank *out)
{
	const json_t *range = json_object_get(worker, "range");
	const json_t *adaptive = json_object_get(range, "adaptive_sampling");

	out->first = number_of(range, "first");
	out->count = number_of(range, "count");
	out->seed_seen = number_of(range, "seed");
	out->adaptive = !json_is_boolean(adaptive) ? KNOWN_UNKNOWN
			: json_is_true(adaptive)   ? KNOWN_YES
						   : KNOWN_NO;
	str_copy(out->pattern, sizeof(out->pattern), json_text(range, "sampling_pattern", ""));
	out->pattern_varies = json_is_true(json_object_get(range, "auto_scrambling"));
	out->by_file_is_total = strcmp(json_text(range, "way", ""), "subset") == 0;
	out->bounces = bounces_of(range);
	out->pid_seen = number_of(worker, "pid");
}

/* Cycles' list of devices that worked; of several none is the one. */
static void read_log(const struct log *log, struct rank *out)
{
	if (log->samples >= 0)
		out->by_log = known_u64((uint64_t)log->samples);
	if (log->traced_count == 1)
		str_copy(out->traced_on, sizeof(out->traced_on), log->traced[0].id);
}

static void read_runtime(const struct attempt *attempt, struct rank *out)
{
	struct replay_counters counters = { 0 };

	if (!witness_counters(attempt, &counters) || !counters.end_sample)
		return;
	out->runtime_first = known_u64(counters.first_sample);
	out->runtime_count = known_u64(counters.end_sample - counters.first_sample);
}

static void read_picture(const struct image *image, struct rank *out)
{
	struct digest *digest;

	out->by_file = merge_samples_named(image);
	digest = digest_new();
	digest_add(digest, image->pixels,
		sizeof(float) * (size_t)image->width * (size_t)image->height *
			(size_t)image->channels);
	digest_finish(digest, out->picture_sha256);
}

void rank_read(const struct attempt *attempt, const struct module_list *modules, struct rank *out)
{
	memset(out, 0, sizeof(*out));
	read_plan(attempt, modules, out);
	rank_note_verdict(&attempt->verdict, attempt->facts, out);
	read_worker(attempt->worker, out);
	read_log(&attempt->log, out);
	read_runtime(attempt, out);
	if (attempt->image_read)
		read_picture(&attempt->image, out);
	out->vram_peak = attempt->vram_peak;
	out->started_us = attempt->started_us;
	out->ended_us = attempt->ended_us;
	out->system_pid = attempt->program_pid;
	if (attempt->inner_pid > 0)
		out->pid = known_u64((uint64_t)attempt->inner_pid);
}

bool rank_read_files(const char *folder, struct rank *out, struct image *image)
{
	char *worker_path = path_join(folder, "worker.json"),
	     *picture = path_join(folder, "image.exr"), *said = path_join(folder, "stdout.txt"),
	     *errors = path_join(folder, "stderr.txt");
	json_t *worker = json_read(worker_path, WORKER_BYTES, NULL);
	struct log *log = xmalloc(sizeof(*log));
	bool has_picture = image_read(picture, image, NULL) == 0;

	log_init(log);
	log_read(log, errors, NULL);
	log_read(log, said, NULL);
	read_worker(worker, out);
	read_log(log, out);
	if (has_picture)
		read_picture(image, out);
	json_decref(worker);
	free(log);
	free(worker_path);
	free(picture);
	free(said);
	free(errors);
	return has_picture;
}

/* --- noise ------------------------------------------------------------------------------------ */

static unsigned table_length(unsigned samples)
{
	unsigned length = TABLE_MIN;

	while (length < samples && length < TABLE_MAX)
		length *= 2;
	return length;
}

bool rank_has_noise_of_whole(const struct rank *rank)
{
	static const char *const tabulated[] = { "PROGRESSIVE_MULTI_JITTER", "TABULATED_SOBOL" };
	static const char *const endless[] = { "SOBOL", "SOBOL_BURLEY" };
	size_t i;

	if (rank->by_file_is_total)
		return true;
	if (rank->pattern_varies)
		return false;
	for (i = 0; i < 2; i++)
		if (strcmp(rank->pattern, endless[i]) == 0)
			return true;
	for (i = 0; i < 2; i++)
		if (strcmp(rank->pattern, tabulated[i]) == 0)
			return table_length(rank->asked.count) == table_length(rank->asked.total);
	return false;
}

/* --- for people and the record ---------------------------------------------------------------- */

void rank_label(const struct rank *rank, char label[RANK_LABEL])
{
	snprintf(label, RANK_LABEL, "rank %u (%s%s%s)", rank->number,
		rank->names_node ? rank->node : "", rank->names_node ? " " : "", rank->bdf);
}

static json_t *number_or_null(struct known_u64 value)
{
	return value.known ? json_integer((json_int_t)value.value) : json_null();
}

static json_t *module_json(const struct module *module, const struct node *node)
{
	json_t *gcds = json_array();
	size_t i;

	if (!module) {
		json_decref(gcds);
		return fact_unknown("the GCD is in none of the modules that were found");
	}
	for (i = 0; i < module->gpu_count; i++)
		json_array_append_new(gcds, json_printable_text(node->gpus[module->gpus[i]].bdf));
	return json_pack("{s:o, s:s}", "gcds", gcds, "basis", module_basis_name(module->basis));
}

static json_t *asked_json(const struct rank *rank)
{
	return json_pack("{s:i, s:i, s:i}", "first", (int)rank->asked.first, "count",
		(int)rank->asked.count, "seed", rank->seed);
}

/* What each source says, side by side. */
static json_t *seen_json(const struct rank *rank)
{
	json_t *json = json_pack("{s:o, s:o, s:o}", "first", number_or_null(rank->first), "count",
		number_or_null(rank->count), "seed", number_or_null(rank->seed_seen));

	json_object_set_new(json, "count_by_log", number_or_null(rank->by_log));
	json_object_set_new(json, "count_by_file", number_or_null(rank->by_file));
	json_object_set_new(json, "first_by_runtime", number_or_null(rank->runtime_first));
	json_object_set_new(json, "count_by_runtime", number_or_null(rank->runtime_count));
	json_object_set_new(
		json, "file_names", json_string(rank->by_file_is_total ? "whole-frame" : "share"));
	json_object_set_new(json, "sampling_pattern",
		rank->pattern[0] ? json_printable_text(rank->pattern) : json_null());
	json_object_set_new(json, "noise_of_whole", json_boolean(rank_has_noise_of_whole(rank)));
	json_object_set_new(json, "traced_on",
		rank->traced_on[0] ? json_printable_text(rank->traced_on) : json_null());
	json_object_set_new(json, "pid", number_or_null(rank->pid_seen));
	json_object_set_new(json, "picture_sha256",
		rank->picture_sha256[0] ? json_string(rank->picture_sha256) : json_null());
	return json;
}

json_t *rank_line_json(const struct rank *rank, json_t *module_stolen, const char *class)
{
	char id[24];
	json_t *json;

	snprintf(id, sizeof(id), "0x%016llx", (unsigned long long)rank->unique_id.value);
	json = json_pack("{s:i, s:s, s:o, s:s, s:o}", "rank", (int)rank->number, "node", rank->node,
		"module", module_stolen, "bdf", rank->bdf, "unique_id",
		rank->unique_id.known ? json_string(id) : json_null());
	json_object_set_new(json, "numa_node",
		fact_u64(rank->numa_node, class, "sysfs", "the kernel does not say"));
	json_object_set_new(
		json, "pid", rank->system_pid ? json_integer(rank->system_pid) : json_null());
	json_object_set_new(json, "asked", asked_json(rank));
	json_object_set_new(json, "seen", seen_json(rank));
	json_object_set_new(json, "vram_peak_bytes",
		fact_u64(rank->vram_peak, class, "kfd-proc",
			"KFD had no entry of the process on this GCD"));
	json_object_set_new(json, "rendered", json_string(known_name(rank->rendered)));
	json_object_set_new(json, "ended", json_printable_text(rank->ended));
	return json;
}

json_t *rank_json(const struct rank *rank, const struct node *node)
{
	return rank_line_json(rank, module_json(rank->module, node), node_class(node));
}
