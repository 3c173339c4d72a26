/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/confine.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

enum { PATHS_MAX = 64 };

struct paths {
	char *items[PATHS_MAX + 1]; /* NULL-terminated */
	size_t count;
};

static void add_path(struct paths *paths, char *path)
{
	if (path && path[0] == '/' && paths->count < PATHS_MAX)
		paths->items[paths->count++] = path;
	else
		free(path);
}

static void release_paths(struct paths *paths)
{
	while (paths->count)
		free(paths->items[--paths->count]);
}

/* A runtime outside the usual places is found through LD_LIBRARY_PATH, so its folders must be
 * there. */
static void add_library_folders(struct paths *paths)
{
	const char *at = getenv("LD_LIBRARY_PATH");

	while (at && *at) {
		size_t len = strcspn(at, ":");

		add_path(paths, xstrndup(at, len));
		at += len + (at[len] == ':');
	}
}

/* Its scripts and libraries lie beside it. Right below / that would be the whole host. */
static void add_installation(struct paths *paths, const char *program)
{
	size_t len = (size_t)(path_base(program) - program);

	add_path(paths, len > 1 ? xstrndup(program, len - 1) : xstrdup(program));
}

static void add_readable(const struct attempt *attempt, struct paths *paths)
{
	const struct attempt_context *context = attempt->context;
	size_t i;

	if (!context->blender->root) {
		add_installation(paths, context->blender->path);
		add_library_folders(paths);
	}
	if (context->replay) {
		add_path(paths, xstrdup(context->replay->folder));
		for (i = 0; context->replay->reads[i]; i++)
			add_path(paths, xstrdup(context->replay->reads[i]));
	}
	add_path(paths, xstrdup(attempt->scene->folder));
}

static bool is_confined(const struct attempt *attempt)
{
	return attempt->context->sandbox->bwrap != NULL;
}

char *confine_status_path(const struct attempt *attempt)
{
	return is_confined(attempt) ? path_join(attempt->folder, "sandbox.json") : NULL;
}

/* Process ids begin anew in each sandbox, so each attempt has its own state there. */
char *confine_state(const struct attempt *attempt)
{
	const struct replay *replay = attempt->context->replay;

	if (!replay)
		return NULL;
	return is_confined(attempt) ? path_join(attempt->folder, "stand-in")
				    : xstrdup(replay->state);
}

int confine_prepare(const struct attempt *attempt, struct error *err)
{
	char *state = is_confined(attempt) ? confine_state(attempt) : NULL;
	int rc = state ? folder_make(state, err) : 0;

	free(state);
	return rc;
}

char **confine_words(const struct attempt *attempt, char **argv)
{
	const struct attempt_context *context = attempt->context;
	const char *writable[] = { context->cache_folder, attempt->folder, NULL };
	struct paths readable = { { NULL }, 0 };
	char *state, **words;
	struct sandbox_view view;

	if (!is_confined(attempt))
		return argv;
	state = confine_state(attempt);
	add_readable(attempt, &readable);
	view = (struct sandbox_view){
		.root = context->blender->root,
		.read_only = (const char *const *)readable.items,
		.writable = writable,
		.cover = state ? context->replay->state : NULL,
		.covered_by = state,
		.folder = attempt->folder,
		.gpu_nodes = !context->replay,
	};
	words = sandbox_words(context->sandbox, &view, argv);
	sandbox_words_free(argv);
	release_paths(&readable);
	free(state);
	return words;
}

json_t *confine_json(const struct attempt_context *context)
{
	const struct sandbox *sandbox = context->sandbox;
	json_t *limits = json_pack("{s:I, s:I, s:I, s:I}", "deadline_seconds",
		(json_int_t)(context->deadline_ms / 1000), "memory_bytes",
		(json_int_t)context->memory_bytes_max, "file_bytes",
		(json_int_t)attempt_file_bytes_max, "open_files",
		(json_int_t)attempt_open_files_max);
	json_t *json = json_pack("{s:b, s:b, s:b, s:b, s:o, s:b}", "factory_startup", 1, "autoexec",
		0, "own_process_group", 1, "own_home_and_tmp", 1, "limits", limits, "sandbox",
		sandbox->bwrap != NULL);

	json_object_set_new(json, "sandbox_program",
		sandbox->bwrap ? json_printable_text(sandbox->version) : json_null());
	json_object_set_new(json, "sandbox_why",
		sandbox->bwrap
			? json_string("no network, no other processes, system folders "
				      "read-only, nothing of the "
				      "host but the scene, the kernel cache and its own folder")
			: json_printable_text(sandbox->why));
	json_object_set_new(json, "root",
		context->blender->root ? json_printable_text(context->blender->root) : json_null());
	return json;
}
