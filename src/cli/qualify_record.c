/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "blender/confine.h"
#include "cli/node_published.h"
#include "cli/qualify.h"
#include "cli/qualify_state.h"
#include "cli/version.h"
#include "node/survey.h"
#include "node/system.h"
#include "record/record.h"
#include "report/html.h"

static json_t *tool_json(void)
{
	char *program = program_path();
	char hex[65] = "";
	json_t *digest;

	digest = digest_file(program, hex, NULL, NULL) == 0
			 ? json_string(hex)
			 : fact_unknown("the program's own file cannot be read");
	free(program);
	return json_pack("{s:s, s:s, s:s, s:o}", "name", "oamqual", "version", version_number,
		"commit", version_commit, "sha256", digest);
}

extern char **environ;

/* HSA_OVERRIDE_GFX_VERSION makes a device pose as another, LD_LIBRARY_PATH brings another runtime:
 * whoever repeats the run must know. */
static json_t *inherited_json(void)
{
	static const char *const prefixes[] = { "HSA_", "ROCR_", "ROCM_", "HIP_", "AMD_", "GPU_",
		"CUDA_VISIBLE_DEVICES", "CYCLES_", "BLENDER_", "LD_", "SLURM_JOB_GPUS",
		"SLURM_STEP_GPUS" };
	json_t *inherited = json_array();
	size_t i, j;

	for (i = 0; environ[i]; i++)
		for (j = 0; j < sizeof(prefixes) / sizeof(prefixes[0]); j++)
			if (str_starts(environ[i], prefixes[j])) {
				json_array_append_new(inherited, json_printable_text(environ[i]));
				break;
			}
	return inherited;
}

static json_t *run_json(const struct qualify *run)
{
	json_t *command = json_array();
	char ended[21];
	size_t i;

	clock_utc(ended);
	for (i = 0; run->request->argv[i]; i++)
		json_array_append_new(command, json_printable_text(run->request->argv[i]));
	return json_pack("{s:s, s:s, s:b, s:O, s:o, s:o, s:i, s:i, s:i, s:o}", "started",
		run->started_utc, "ended", ended, "interrupted", run->interrupted, "resumed",
		run->resumed, "command", command, "suite",
		run->request->scene_count	    ? json_null()
		: run->request->suite == SCENE_FULL ? json_string("full")
						    : json_string("basic"),
		"jobs", (int)run->request->jobs, "repeats", (int)run->request->repeats,
		"deadline_seconds", (int)run->request->deadline_s, "inherited", inherited_json());
}

/* It lies with the evidence, so that a record can be judged where it is read. */
static json_t *reference_part(const char *scene, const struct reference *reference)
{
	json_t *json = reference_json(reference);
	char *copy = qualify_reference_copy(scene, reference, "");
	char *noise = qualify_reference_copy(scene, reference, ".noise");

	json_object_set_new(json, "copy", json_printable_text(copy));
	if (reference->noise_path)
		json_object_set_new(
			json_object_get(json, "noise"), "copy", json_printable_text(noise));
	free(copy);
	free(noise);
	return json;
}

static json_t *references_part(const struct render_scene *scene)
{
	json_t *all = json_array();
	size_t i;

	for (i = 0; i < scene->references.count; i++)
		json_array_append_new(
			all, reference_part(scene->spec.name, &scene->references.items[i]));
	return all;
}

/* The first of them stands for all; why there are none. */
static json_t *first_reference(const struct render_scene *scene)
{
	const struct reference_set *set = &scene->references;

	return set->count ? reference_part(scene->spec.name, &set->items[0])
			  : json_pack("{s:b, s:o}", "present", 0, "why",
				    json_printable_text(set->why));
}

static json_t *scene_json(const struct qualify *run, const struct render_scene *scene)
{
	const struct blend_header *blend = &scene->blend->blend;
	char *manifest = xasprintf("%s.manifest.json", scene->spec.name);
	const char *sha256 = scene->manifest.file_sha256;
	const char *skipped = qualify_why_skipped(run, scene);
	json_t *json = json_pack("{s:s, s:o, s:o, s:s, s:s, s:o, s:o}", "name", scene->spec.name,
		"archive", json_printable_text(scene->spec.archive), "archive_sha256",
		sha256[0] ? json_string(sha256) : fact_unknown("a folder has no bytes of its own"),
		"tree_sha256", scene->manifest.tree_sha256, "manifest", manifest, "blend",
		json_printable_text(scene->blend->path), "settings",
		scene_settings_json(&scene->spec.settings));

	json_object_set_new(json, "purpose",
		scene->spec.purpose ? json_printable_text(scene->spec.purpose) : json_null());
	json_object_set_new(json, "written_by_blender",
		json_sprintf("%d.%d", blend->version_major, blend->version_minor));
	json_object_set_new(json, "reference", first_reference(scene));
	json_object_set_new(json, "references", references_part(scene));
	json_object_set_new(json, "skipped", skipped ? json_string(skipped) : json_null());
	free(manifest);
	return json;
}

static json_t *scenes_json(const struct qualify *run)
{
	json_t *scenes = json_array();
	size_t i;

	for (i = 0; i < run->scene_count; i++) {
		json_t *scene = scene_json(run, &run->scenes[i]);
		const char *skipped = json_text(scene, "skipped", NULL);

		if (skipped)
			json_array_append_new(
				run->notes, json_sprintf("scene %s: skipped: %s",
						    run->scenes[i].spec.name, skipped));
		json_array_append_new(scenes, scene);
	}
	return scenes;
}

static json_t *attempts_json(struct qualify *run, struct error *err)
{
	json_t *attempts = json_array();
	size_t i;

	for (i = 0; i < run->attempt_count; i++) {
		struct attempt *attempt = &run->attempts[i];

		if (!attempt->judged)
			attempt_not_run(attempt, "the run was interrupted before its turn");
		if (!attempt->kept && state_keep(run, attempt, err) != 0) {
			json_decref(attempts);
			return NULL;
		}
		json_array_append(attempts, attempt->kept);
	}
	return attempts;
}

static bool holds_text(const json_t *array, const char *text)
{
	const json_t *item;
	size_t i;

	json_array_foreach (array, i, item)
		if (json_is_string(item) && strcmp(json_string_value(item), text) == 0)
			return true;
	return false;
}

/* The HIP runtimes that Blender's own processes had mapped, over all attempts on a GPU: need not be
 * the one that the node's probe loaded. */
static json_t *blender_hip_libraries(const struct qualify *run)
{
	json_t *all = json_array();
	bool asked = false;
	size_t i, j;

	for (i = 0; i < run->attempt_count; i++) {
		const json_t *mapped = json_object_get(run->attempts[i].worker, "hip_libraries"),
			     *path;

		if (!run->attempts[i].gpu || !json_is_array(mapped))
			continue;
		asked = true;
		json_array_foreach (mapped, j, path)
			if (json_is_string(path) && !holds_text(all, json_string_value(path)))
				json_array_append_new(
					all, json_printable_text(json_string_value(path)));
	}
	if (asked)
		return fact_json(all, node_class(&run->open.node), "worker");
	json_decref(all);
	return fact_unknown("no attempt on a GPU came as far as to say what Blender had mapped");
}

static json_t *blender_part(const struct qualify *run)
{
	json_t *json = blender_build_json(&run->blender);

	json_object_set_new(json, "hip_libraries", blender_hip_libraries(run));
	json_object_set_new(
		json, "hipcc", compiler_json(&run->compiler, node_class(&run->open.node)));
	return json;
}

/* How many of the GPUs asked for this Blender's Cycles lists: each was asked about alone. */
static json_t *cycles_count(const struct qualify *run)
{
	size_t i, j, asked = 0, listed = 0;

	for (i = 0; i < run->gpu_count; i++) {
		enum known answer = KNOWN_UNKNOWN;

		for (j = 0; j < run->attempt_count && answer != KNOWN_YES; j++)
			if (run->attempts[j].gpu == run->gpus[i] &&
				run->attempts[j].facts->answer[FACT_CYCLES_LISTS] != KNOWN_UNKNOWN)
				answer = run->attempts[j].facts->answer[FACT_CYCLES_LISTS];
		asked += answer != KNOWN_UNKNOWN;
		listed += answer == KNOWN_YES;
	}
	if (asked != run->gpu_count)
		return fact_unknown("not every GCD came as far as Cycles' list");
	return fact_u64(known_u64(listed), node_class(&run->open.node), "worker", "");
}

/* Which GCDs share a module, how many each source counts, and what disagrees. */
static void add_survey(json_t *record, const struct qualify *run)
{
	const struct node *node = &run->open.node;
	struct survey survey;
	json_t *counts;

	survey_take(node, &survey);
	counts = counts_json(node, &survey.counts);
	json_object_set_new(counts, "cycles", cycles_count(run));
	json_object_set_new(record, "modules",
		fact_json(module_list_json(&survey.modules, node), node_class(node), "kfd"));
	json_object_set_new(record, "counts", counts);
	json_object_set_new(record, "findings", finding_list_json(&survey.findings));
	survey_release(&survey);
}

/* What acceptance does not need and a reader will look for: said to be missing rather than left
 * out. */
static void add_untested(json_t *record, const struct qualify *run)
{
	json_object_set_new(record, "distributed",
		run->distributed ? json_incref(run->distributed)
				 : fact_unknown("not tested: --distributed was not given"));
	json_object_set_new(
		record, "inference_artifact", fact_unknown("not tested: none was named"));
	json_object_set_new(record, "peer_and_collective_transport",
		run->transport ? json_incref(run->transport)
			       : fact_unknown("not tested: --distributed was not given, nor 'oamqual "
					      "node --peers' asked here"));
}

/* Scenes were unpacked for the run; the archive and its manifest stay, the copy goes. */
static void drop_copies(const struct qualify *run)
{
	char *scenes = path_join(run->out, "scenes");

	folder_remove(scenes, NULL);
	free(scenes);
}

static json_t *record_of(struct qualify *run, struct error *err)
{
	const struct node *node = &run->open.node;
	json_t *attempts = attempts_json(run, err), *scenes, *node_part, *record, *files;

	if (!attempts)
		return NULL;
	record = json_pack("{s:s, s:s, s:o, s:o}", "schema", "oamqual-record/1", "source",
		node_class(node), "tool", tool_json(), "run", run_json(run));
	scenes = scenes_json(run);
	node_part = node_json(node);
	json_object_set_new(record, "node", node_part);
	add_survey(record, run);
	json_object_set_new(record, "published", node_published_json(node));
	json_object_set_new(record, "system", system_json(node));
	json_object_set_new(record, "host", system_host_json());
	json_object_set_new(record, "blender", blender_part(run));
	json_object_set_new(record, "scenes", scenes);
	json_object_set_new(record, "gcds", record_gcds(node_part, attempts, scenes));
	json_object_set_new(record, "attempts", attempts);
	json_object_set_new(record, "baseline", qualify_baseline(run));
	qualify_baseline_findings(
		json_object_get(record, "baseline"), json_object_get(record, "findings"));
	json_object_set(record, "kernel_cache", run->kernel_cache);
	json_object_set(record, "notes", run->notes);
	json_object_set_new(record, "isolation", confine_json(&run->context));
	add_untested(record, run);
	drop_copies(run);
	files = record_files(run->out, err);
	if (!files) {
		json_decref(record);
		return NULL;
	}
	json_object_set_new(record, "files", files);
	return record;
}

json_t *qualify_record(struct qualify *run, struct error *err)
{
	json_t *record = record_of(run, err);
	char *path = path_join(run->out, "record.json");
	char *report = path_join(run->out, "report.html");

	if (record && (json_write(path, record, err) != 0 ||
			      report_html_write(record, run->out, report, err) != 0)) {
		json_decref(record);
		record = NULL;
	}
	free(path);
	free(report);
	return record;
}
