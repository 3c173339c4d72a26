/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/qualify_matrix.h"

#include <ctype.h>
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

enum { BUILDS_MAX = 64 };

struct builds {
	char *folders[BUILDS_MAX]; /* below `out`, of those that were run */
	json_t *records[BUILDS_MAX];
	size_t count;
	json_t *not_judged; /* what was named and left no record */
};

/* "blender-4.3.2": by the version that it says it has; by its place when it says none. */
static char *folder_name(const char *blender, const char *out, size_t number)
{
	struct blender_build build;
	char *said = path_join(out, "blender-version.txt"), *name, *at;
	struct sandbox sandbox;

	sandbox_find(out, &sandbox);
	if (blender_build_read(blender, out, &sandbox, &build, NULL) != 0) {
		name = xasprintf("blender-%zu", number + 1);
	} else {
		name = xasprintf("blender-%.40s", build.version);
		blender_build_release(&build);
	}
	sandbox_release(&sandbox);
	unlink(said);
	free(said);
	for (at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '.')
			*at = '-';
	return name;
}

/* Two builds of one version are told apart. */
static char *new_folder(const char *out, const char *name, size_t number)
{
	char *folder = path_join(out, name);

	if (file_exists(folder)) {
		free(folder);
		folder = xasprintf("%s/%s-%zu", out, name, number + 1);
	}
	return folder;
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

static void take_record(struct builds *builds, const char *blender, char *folder)
{
	struct error err;
	json_t *record = record_read(folder, &err);

	if (!record || builds->count == BUILDS_MAX) {
		json_decref(record);
		free(folder);
		json_array_append_new(builds->not_judged, json_printable_text(blender));
		return;
	}
	builds->folders[builds->count] = folder;
	builds->records[builds->count++] = record;
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

static int show_matrix(const struct options *options, const struct builds *builds, const char *out)
{
	const char *paths[BUILDS_MAX];
	struct str text = STR_INIT;
	struct error err;
	json_t *matrix;
	size_t i;
	int rc;

	for (i = 0; i < builds->count; i++)
		paths[i] = path_base(builds->folders[i]);
	matrix = report_matrix_json(builds->records, paths, builds->count);
	json_object_set(matrix, "not_judged", builds->not_judged);
	rc = write_matrix(matrix, out, &text, &err);
	if (rc == 0 && options_flag(options, "json"))
		json_print(matrix, stdout);
	else if (rc == 0)
		fwrite(text.data, 1, text.len, stdout);
	str_release(&text);
	json_decref(matrix);
	return rc == 0 ? STATUS_ACCEPTED : cli_fail(&err);
}

static int make_out(const char *out, struct error *err)
{
	if (file_exists(out) && !folder_is_empty(out))
		return error_set(err,
			"%s: exists and is not an empty folder; a run never writes into an older "
			"one",
			out);
	return folder_make(out, err);
}

int qualify_matrix(const struct options *options, const char *out)
{
	struct builds builds = { .not_judged = json_array() };
	int worst = STATUS_ACCEPTED, status;
	const char *blender;
	struct error err;
	size_t i;

	if (make_out(out, &err) != 0) {
		json_decref(builds.not_judged);
		return cli_fail(&err);
	}
	for (i = 0; (blender = options_nth(options, "blender", i)) && !qualify_is_stopped(); i++) {
		char *name = folder_name(blender, out, i), *folder = new_folder(out, name, i);

		status = run_build(options, blender, folder);
		if (status > worst)
			worst = status;
		take_record(&builds, blender, folder);
		free(name);
	}
	status = builds.count ? show_matrix(options, &builds, out) : STATUS_CANNOT_JUDGE;
	for (i = 0; i < builds.count; i++) {
		json_decref(builds.records[i]);
		free(builds.folders[i]);
	}
	json_decref(builds.not_judged);
	return status > worst ? status : worst;
}
