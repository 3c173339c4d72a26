/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/qualify_matrix.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/qualify.h"
#include "record/record.h"
#include "report/matrix.h"
#include "run/stop.h"

enum { BUILDS_MAX = 64 };

struct builds {
	char *folders[BUILDS_MAX]; /* below `out` */
	json_t *records[BUILDS_MAX]; /* NULL: it left none */
	size_t named;
	json_t *not_judged; /* what was named and left no record */
};

/* "blender-4.3.2", after the version that it says it has. NULL with an error when it is no Blender.
 */
static char *folder_name(
	const char *blender, const char *out, const struct sandbox *sandbox, struct error *err)
{
	struct blender_build build;
	char *name, *at;

	if (blender_build_read(blender, out, sandbox, &build, err) != 0)
		return NULL;
	name = xasprintf("blender-%.40s", build.version);
	blender_build_release(&build);
	for (at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '.')
			*at = '-';
	return name;
}

static bool is_taken(const struct builds *builds, const char *folder)
{
	size_t i;

	for (i = 0; i < builds->named; i++)
		if (strcmp(builds->folders[i], folder) == 0)
			return true;
	return false;
}

/* Two builds of one version are told apart by their place. */
static void add_folder(struct builds *builds, const char *out, const char *name)
{
	char *folder = path_join(out, name);

	if (is_taken(builds, folder)) {
		free(folder);
		folder = xasprintf("%s/%s-%zu", out, name, builds->named + 1);
	}
	builds->folders[builds->named++] = folder;
}

/* All of them before the first is judged: a slip of the pen is told at once. */
static int name_builds(
	const struct options *options, const char *out, struct builds *builds, struct error *err)
{
	char *said = path_join(out, "blender-version.txt"), *name;
	struct sandbox sandbox;
	const char *blender;
	int rc = 0;

	qualify_choose_sandbox(options_text(options, "sandbox"), out, &sandbox);
	while (rc == 0 && (blender = options_nth(options, "blender", builds->named))) {
		name = builds->named < BUILDS_MAX ? folder_name(blender, out, &sandbox, err) : NULL;
		if (builds->named == BUILDS_MAX)
			error_set(err, "more than %d builds at once", BUILDS_MAX);
		if (name)
			add_folder(builds, out, name);
		else
			rc = -1;
		free(name);
	}
	unlink(said);
	sandbox_release(&sandbox);
	free(said);
	return rc;
}

static int run_build(const struct options *options, const char *blender, const char *folder)
{
	static const char *const ours[] = { "blender", "out", "json", NULL };
	char **words = options_words_without(options, ours, 2);
	size_t count = 0;
	int status;

	while (words[count])
		count++;
	words[count++] = xasprintf("--blender=%s", blender);
	words[count++] = xasprintf("--out=%s", folder);
	fprintf(stderr, "--- %s ---\n", path_base(folder));
	status = qualify_silently(words);
	while (count)
		free(words[--count]);
	free(words);
	return status;
}

static void take_record(struct builds *builds, const char *blender, size_t number)
{
	struct error err;

	builds->records[number] = record_read(builds->folders[number], &err);
	if (!builds->records[number])
		json_array_append_new(builds->not_judged, json_printable_text(blender));
}

static int write_matrix(const json_t *matrix, const char *out, struct str *text, struct error *err)
{
	char *json = path_join(out, "matrix.json"), *markdown = path_join(out, "matrix.md");
	int rc = json_write(json, matrix, err);

	report_matrix_markdown_add(matrix, text);
	if (rc == 0)
		rc = file_write(markdown, text->data, text->len, err);
	free(json);
	free(markdown);
	return rc;
}

/* Those that left a record. */
static json_t *matrix_of(const struct builds *builds)
{
	const char *paths[BUILDS_MAX];
	json_t *records[BUILDS_MAX], *matrix;
	size_t i, count = 0;

	for (i = 0; i < builds->named; i++)
		if (builds->records[i]) {
			records[count] = builds->records[i];
			paths[count++] = path_base(builds->folders[i]);
		}
	matrix = count ? report_matrix_json(records, paths, count) : NULL;
	if (matrix)
		json_object_set(matrix, "not_judged", builds->not_judged);
	return matrix;
}

static int show_matrix(const struct options *options, const struct builds *builds, const char *out)
{
	json_t *matrix = matrix_of(builds);
	struct str text = STR_INIT;
	struct error err;
	int rc;

	if (!matrix)
		return STATUS_CANNOT_JUDGE;
	rc = write_matrix(matrix, out, &text, &err);
	if (rc == 0 && options_flag(options, "json"))
		json_print(matrix, stdout);
	else if (rc == 0)
		fwrite(text.data, 1, text.len, stdout);
	str_release(&text);
	json_decref(matrix);
	return rc == 0 ? STATUS_ACCEPTED : cli_fail(&err);
}

static int run_builds(const struct options *options, struct builds *builds, const char *out)
{
	int worst = STATUS_ACCEPTED, status;
	size_t i;

	for (i = 0; i < builds->named && !stop_is_asked(); i++) {
		const char *blender = options_nth(options, "blender", i);

		status = run_build(options, blender, builds->folders[i]);
		if (status > worst)
			worst = status;
		take_record(builds, blender, i);
	}
	status = show_matrix(options, builds, out);
	return status > worst ? status : worst;
}

int qualify_matrix(const struct options *options, const char *out)
{
	struct builds builds = { .not_judged = json_array() };
	bool made = !file_exists(out);
	struct error err;
	int status;

	if (qualify_make_new(out, &err) != 0) {
		status = cli_fail(&err);
	} else if (name_builds(options, out, &builds, &err) != 0) {
		if (made)
			folder_remove(out, NULL);
		status = cli_fail(&err);
	} else {
		status = run_builds(options, &builds, out);
	}
	while (builds.named) {
		json_decref(builds.records[--builds.named]);
		free(builds.folders[builds.named]);
	}
	json_decref(builds.not_judged);
	return status;
}
