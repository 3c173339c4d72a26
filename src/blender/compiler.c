/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/compiler.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "run/child.h"

enum { VERSION_MS = 20000, VERSION_BYTES = 65536 };

static void none(struct compiler *out, const char *why)
{
	str_copy(out->why, sizeof(out->why), why);
}

static void found(struct compiler *out, const char *path)
{
	out->present = true;
	str_copy(out->path, sizeof(out->path), path);
}

static void look_into_root(const char *root, struct compiler *out)
{
	static const char *const places[] = { "/usr/bin/hipcc", "/usr/local/bin/hipcc",
		"/opt/rocm/bin/hipcc" };
	size_t i;

	for (i = 0; !out->present && i < sizeof(places) / sizeof(places[0]); i++) {
		char *path = xasprintf("%s%s", root, places[i]);

		if (access(path, X_OK) == 0)
			found(out, places[i]);
		free(path);
	}
	if (!out->present)
		none(out, "the root file system of this Blender holds no hipcc");
}

static void look_into_path(struct compiler *out)
{
	char *path = program_search("hipcc");

	if (path)
		found(out, path);
	else
		none(out, "no hipcc in PATH");
	free(path);
}

/* A replayed node says which compiler is in reach. */
static void look(const struct node *node, const struct blender_build *build, struct compiler *out)
{
	const char *told =
		json_text(json_object_get(node->description, "tools"), "hipcc", "hidden");

	if (node->simulated && strcmp(told, "hidden") == 0)
		none(out, "the replayed node hides it");
	else if (node->simulated && strcmp(told, "inherit") != 0)
		found(out, told);
	else if (build->root)
		look_into_root(build->root, out);
	else
		look_into_path(out);
}

/* "HIP version: 5.7.31921-1": major and minor are the release's, the third part is a build. */
static void read_release(const char *said, struct compiler *out)
{
	static const char begin[] = "HIP version:";
	const char *at = said ? strstr(said, begin) : NULL;
	unsigned major, minor;

	if (at && sscanf(at + strlen(begin), " %3u.%3u.", &major, &minor) == 2)
		snprintf(out->release, sizeof(out->release), "%u.%u", major, minor);
	else
		str_copy(out->why, sizeof(out->why), "its --version names no HIP version");
}

/* The release may stand in what it said even when it then failed: on a machine without a GPU the
 * script of some releases does. */
static void ask(
	struct compiler *out, const char *root, const struct sandbox *sandbox, const char *folder)
{
	char *output = path_join(folder, "hipcc-version.txt");
	char **words = sandbox_option_words(sandbox, root, out->path, "--version");
	const struct child_command command = {
		.argv = words,
		.stdout_path = output,
		.stderr_path = output,
		.status_path = root ? "/dev/null" : NULL,
		.deadline_ms = VERSION_MS,
		.grace_ms = 1000,
	};
	struct child_ending ending;
	struct str said = STR_INIT;
	struct error err;

	if (child_run(&command, &ending, &err) != 0 ||
		file_read(output, VERSION_BYTES, &said, &err) != 0)
		str_copy(out->why, sizeof(out->why), err.text);
	else
		read_release(said.data, out);
	str_release(&said);
	sandbox_words_free(words);
	free(output);
}

void compiler_find(const struct node *node, const struct blender_build *build,
	const struct sandbox *sandbox, const char *folder, struct compiler *out)
{
	memset(out, 0, sizeof(*out));
	look(node, build, out);
	if (out->present)
		ask(out, build->root, sandbox, folder);
}

const char *compiler_word(const struct compiler *compiler)
{
	if (!compiler->present)
		return "none";
	return compiler->release[0] ? compiler->release : "present";
}

json_t *compiler_json(const struct compiler *compiler, const char *class)
{
	json_t *path = fact_text(compiler->present ? compiler->path : "none", class,
		compiler->present ? "PATH" : compiler->why);
	json_t *release = compiler->release[0]
				  ? fact_text(compiler->release, class, "hipcc --version")
				  : fact_unknown(compiler->why);

	return json_pack("{s:o, s:o}", "path", path, "release", release);
}
