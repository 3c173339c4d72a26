/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/qualify_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/qualify.h"
#include "cli/version.h"
#include "record/judgement.h"
#include "record/record.h"

enum { STATE_BYTES = 16 << 20, WORDS_MAX = 4096 };

static const char state_schema[] = "oamqual-state/1", attempt_schema[] = "oamqual-attempt/1";

/* --- what was asked --------------------------------------------------------------------------- */

/* Words that are not text cannot be kept in JSON; such a run cannot be resumed. */
static json_t *words_json(char *const *words)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; words[i]; i++) {
		if (!text_is_utf8(words[i], strlen(words[i]))) {
			json_decref(array);
			return json_null();
		}
		json_array_append_new(array, json_string(words[i]));
	}
	return array;
}

static json_t *gpus_identity(const struct node *node)
{
	json_t *gpus = json_array();
	size_t i;

	for (i = 0; i < node->gpu_count; i++) {
		const struct gpu *gpu = &node->gpus[i];

		json_array_append_new(gpus, json_sprintf("%s %016llx %s, HIP: %s", gpu->bdf,
						    (unsigned long long)gpu->unique_id.value,
						    gpu->gfx_target, known_name(gpu->in_hip)));
	}
	return gpus;
}

static json_t *references_identity(const struct reference_set *set)
{
	json_t *digests = json_array();
	size_t i;

	for (i = 0; i < set->count; i++)
		json_array_append_new(digests,
			json_sprintf("%s %s", set->items[i].sha256, set->items[i].noise_sha256));
	return digests;
}

static json_t *scenes_identity(const struct qualify *run)
{
	json_t *scenes = json_array();
	size_t i;

	for (i = 0; i < run->scene_count; i++) {
		const struct render_scene *scene = &run->scenes[i];

		json_array_append_new(
			scenes, json_pack("{s:s, s:s, s:o, s:o}", "name", scene->spec.name,
					"tree_sha256", scene->manifest.tree_sha256, "settings",
					scene_settings_json(&scene->spec.settings), "references",
					references_identity(&scene->references)));
	}
	return scenes;
}

/* What the verdicts depend on. Of the node not its free memory or temperatures. */
static json_t *identity(const struct qualify *run)
{
	const struct node *node = &run->open.node;

	return json_pack("{s:s, s:{s:s, s:o, s:s, s:o}, s:{s:s, s:s, s:o}, s:o, s:b}", "tool",
		version_commit, "node", "name", node->name, "gpus", gpus_identity(node), "hip",
		hip_state_name(node->hip_state), "hip_library",
		json_printable_text(path_base(node->hip_library)), "blender", "sha256",
		run->blender.sha256, "version", run->blender.version, "path",
		json_printable_text(run->blender.path), "scenes", scenes_identity(run), "sandbox",
		run->sandbox.bwrap != NULL);
}

static char *state_path(const char *folder)
{
	return path_join(folder, "state.json");
}

int state_write(const struct qualify *run, bool prepared, struct error *err)
{
	char *path = state_path(run->out), *folder = getcwd(NULL, 0);
	json_t *state = json_pack("{s:s, s:s, s:o, s:o, s:o, s:O}", "schema", state_schema,
		"started", run->started_utc, "folder",
		folder && text_is_utf8(folder, strlen(folder)) ? json_string(folder) : json_null(),
		"command", words_json(run->request->argv), "identity",
		prepared ? identity(run) : json_null(), "resumed", run->resumed);
	int rc = json_write(path, state, err);

	json_decref(state);
	free(folder);
	free(path);
	return rc;
}

static json_t *read_state(const char *folder, struct error *err)
{
	char *path = state_path(folder);
	json_t *state = NULL;

	if (!file_exists(path))
		error_set(err,
			"%s: holds no state.json, so no run has begun there; start one with --out",
			folder);
	else
		state = json_read(path, STATE_BYTES, err);
	if (state && strcmp(json_text(state, "schema", ""), state_schema) != 0) {
		error_set(err, "%s: not a state of this version of oamqual", path);
		json_decref(state);
		state = NULL;
	}
	free(path);
	return state;
}

static int go_to(const json_t *state, const char *path, struct error *err)
{
	const char *folder = json_text(state, "folder", NULL);

	if (!folder)
		return error_set(err, "%s: the folder it was started in is not in its state", path);
	return chdir(folder) == 0 ? 0 : error_errno(err, "cannot go to %s", folder);
}

char **state_words(const char *folder, struct error *err)
{
	json_t *state = read_state(folder, err);
	const json_t *command = json_object_get(state, "command"), *word;
	char **words = NULL;
	size_t i;

	if (state && (json_array_size(command) == 0 || json_array_size(command) > WORDS_MAX))
		error_set(err, "%s: its command cannot be repeated from its state", folder);
	else if (state && go_to(state, folder, err) == 0) {
		words = xcalloc(json_array_size(command) + 1, sizeof(*words));
		json_array_foreach (command, i, word)
			words[i] = xstrdup(json_is_string(word) ? json_string_value(word) : "");
	}
	json_decref(state);
	return words;
}

void state_words_free(char **words)
{
	size_t i;

	for (i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* --- an attempt ------------------------------------------------------------------------------- */

static char *attempt_path(const struct attempt *attempt)
{
	return path_join(attempt->folder, "attempt.json");
}

static bool is_attempt_json(const json_t *file)
{
	return strcmp(json_text(file, "path", ""), "attempt.json") == 0;
}

/* Digests of all that the attempt left but attempt.json itself. */
static json_t *evidence_of(const struct attempt *attempt, struct error *err)
{
	json_t *files = record_files(attempt->folder, err);
	size_t i;

	for (i = 0; i < json_array_size(files); i++)
		if (is_attempt_json(json_array_get(files, i)))
			json_array_remove(files, i--);
	return files;
}

static char *kernels_folder(const struct qualify *run)
{
	return path_join(run->cache_folder, "cycles/kernels");
}

static json_t *kernels_of(const struct qualify *run, struct error *err)
{
	char *folder = kernels_folder(run);
	json_t *files = record_files(folder, err);

	free(folder);
	return files;
}

json_t *state_attempt_json(const struct qualify *run, const struct attempt *attempt)
{
	json_t *json = attempt_json(attempt);

	json_object_set_new(json, "folder",
		attempt->started ? json_printable_text(attempt->folder + strlen(run->out) + 1)
				 : json_null());
	judgement_add(json, attempt->facts, &attempt->verdict);
	return json;
}

int state_keep(struct qualify *run, struct attempt *attempt, struct error *err)
{
	json_t *files, *kernels, *document;
	char *path;
	int rc = -1;

	json_decref(attempt->kept);
	attempt->kept = state_attempt_json(run, attempt);
	if (!attempt->started || attempt->facts->answer[FACT_NOT_INTERRUPTED] == KNOWN_NO)
		return 0;
	files = evidence_of(attempt, err);
	kernels = files ? kernels_of(run, err) : NULL;
	if (!kernels) {
		json_decref(files);
		return -1;
	}
	document = json_pack("{s:s, s:O, s:o, s:o}", "schema", attempt_schema, "attempt",
		attempt->kept, "files", files, "kernels", kernels);
	path = attempt_path(attempt);
	rc = json_write(path, document, err);
	json_decref(document);
	free(path);
	return rc;
}

/* --- resuming --------------------------------------------------------------------------------- */

static bool is_same_plan(
	const struct qualify *run, const struct attempt *attempt, const json_t *json)
{
	const char *bdf = json_text(json_object_get(json, "device"), "bdf", "");
	const char *folder = json_text(json, "folder", "");

	return json_integer_of(json, "number", 0) == (json_int_t)attempt->number &&
	       strcmp(json_text(json, "scene", ""), attempt->scene->spec.name) == 0 &&
	       strcmp(json_text(json, "probe", ""), probe_name(attempt->probe)) == 0 &&
	       json_is_true(json_object_get(json, "together")) == attempt->together &&
	       strcmp(bdf, attempt->gpu ? attempt->gpu->bdf : "") == 0 &&
	       strcmp(folder, attempt->folder + strlen(run->out) + 1) == 0;
}

static int check_evidence(const struct attempt *attempt, const json_t *document, struct error *err)
{
	json_t *files = evidence_of(attempt, err);
	bool same = files && json_equal(files, json_object_get(document, "files"));

	json_decref(files);
	return same ? 0 : error_set(err, "its evidence is not what it was when it was judged");
}

static int take_over(
	struct qualify *run, struct attempt *attempt, const json_t *document, struct error *err)
{
	json_t *json = json_object_get(document, "attempt");
	struct facts *facts;

	if (strcmp(json_text(document, "schema", ""), attempt_schema) != 0 ||
		!is_same_plan(run, attempt, json))
		return error_set(err, "its attempt.json is of another plan");
	if (check_evidence(attempt, document, err) != 0)
		return -1;
	facts = xmalloc(sizeof(*facts));
	if (judgement_read(json, attempt->probe, facts, &attempt->verdict, err) != 0) {
		free(facts);
		return -1;
	}
	attempt->facts = facts;
	attempt->kept = json_incref(json);
	attempt->worker = json_is_object(json_object_get(json, "worker"))
				  ? json_incref(json_object_get(json, "worker"))
				  : NULL;
	attempt->started = attempt->judged = true;
	return 0;
}

int state_restore(struct qualify *run, struct attempt *attempt, struct error *err)
{
	char *path = attempt_path(attempt);
	struct error reason = { "it was not judged yet" };
	json_t *document = NULL;
	int rc = 0;

	if (file_exists(attempt->folder)) {
		if (file_exists(path))
			document = json_read(path, STATE_BYTES, &reason);
		if (!document || take_over(run, attempt, document, &reason) != 0) {
			json_array_append_new(run->unfinished,
				json_sprintf("%s: %s", path_base(attempt->folder), reason.text));
			rc = folder_remove(attempt->folder, err);
		}
	}
	json_decref(document);
	free(path);
	return rc;
}

/* All names that differ, so that one look tells what to restore. */
static int compare_identity(
	const char *folder, const json_t *was, const json_t *is, struct error *err)
{
	struct str names = STR_INIT;
	const char *key;
	json_t *value;
	int rc = 0;

	json_object_foreach ((json_t *)is, key, value)
		if (!json_equal(value, json_object_get(was, key)))
			str_addf(&names, "%s%s", names.len ? ", " : "", key);
	if (names.len)
		rc = error_set(err,
			"%s: cannot be resumed: not what it was when it began: %s; start a new run",
			folder, names.data);
	str_release(&names);
	return rc;
}

static bool is_vouched_for(
	const struct qualify *run, const json_t *kernel, json_t *const *lists, size_t count)
{
	const json_t *given;
	size_t i, j;

	for (i = 0; i < count; i++)
		json_array_foreach (lists[i], j, given)
			if (json_equal(kernel, given))
				return true;
	json_array_foreach (run->kernel_cache, j, given)
		if (strcmp(json_text(given, "name", ""), json_text(kernel, "path", "?")) == 0 &&
			strcmp(json_text(given, "sha256", ""), json_text(kernel, "sha256", "?")) ==
				0)
			return true;
	return false;
}

/* The kernels that each complete attempt saw: the array is as long as the folder has attempts. */
static size_t vouched_kernels(const struct qualify *run, json_t ***lists)
{
	json_t *files = record_files(run->attempts_folder, NULL);
	size_t i, count = 0;

	*lists = xcalloc(json_array_size(files) + 1, sizeof(**lists));
	for (i = 0; i < json_array_size(files); i++) {
		const char *name = json_text(json_array_get(files, i), "path", "");
		char *path;
		json_t *document;

		if (!str_ends(name, "/attempt.json"))
			continue;
		path = path_join(run->attempts_folder, name);
		document = json_read(path, STATE_BYTES, NULL);
		if (document)
			(*lists)[count++] = json_incref(json_object_get(document, "kernels"));
		json_decref(document);
		free(path);
	}
	json_decref(files);
	return count;
}

static int drop_unvouched_kernels(const struct qualify *run, struct error *err)
{
	json_t *kernels = kernels_of(run, err), **lists, *kernel;
	char *folder = kernels_folder(run);
	size_t i, count = vouched_kernels(run, &lists);
	int rc = kernels ? 0 : -1;

	json_array_foreach (kernels, i, kernel) {
		char *path = path_join(folder, json_text(kernel, "path", ""));

		if (rc == 0 && !is_vouched_for(run, kernel, lists, count) && unlink(path) != 0)
			rc = error_errno(err, "cannot remove %s", path);
		free(path);
	}
	for (i = 0; i < count; i++)
		json_decref(lists[i]);
	free(lists);
	free(folder);
	json_decref(kernels);
	return rc;
}

int state_resume(struct qualify *run, struct error *err)
{
	json_t *state = read_state(run->out, err), *is = identity(run);
	const json_t *was = json_object_get(state, "identity"), *resumed;
	char now[21];
	int rc = state ? 0 : -1;

	/* Without an identity it ended before anything was rendered. */
	if (rc == 0 && json_is_object(was))
		rc = compare_identity(run->out, was, is, err);
	if (rc == 0)
		rc = drop_unvouched_kernels(run, err);
	if (rc == 0) {
		clock_utc(now);
		resumed = json_object_get(state, "resumed");
		json_array_extend(run->resumed, (json_t *)resumed);
		json_array_append_new(run->resumed,
			json_pack("{s:s, s:O}", "at", now, "redone", run->unfinished));
		str_copy(run->started_utc, sizeof(run->started_utc),
			json_text(state, "started", run->started_utc));
	}
	json_decref(is);
	json_decref(state);
	return rc;
}
