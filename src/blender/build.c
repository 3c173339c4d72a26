/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "run/child.h"

enum { VERSION_DEADLINE_MS = 60000, VERSION_BYTES = 65536 };

static char *search_path(const char *name)
{
	const char *at = getenv("PATH");

	while (at && *at) {
		size_t len = strcspn(at, ":");
		char *folder = xstrndup(at, len);
		char *path = path_join(folder, name);

		free(folder);
		if (access(path, X_OK) == 0)
			return path;
		free(path);
		at += len + (at[len] == ':');
	}
	return NULL;
}

static char *find_executable(const char *name, struct error *err)
{
	char *found = strchr(name, '/') ? xstrdup(name) : search_path(name);
	char *resolved = found ? realpath(found, NULL) : NULL;

	if (!found)
		error_set(err,
			"%s: not in PATH; install Blender (Debian: apt-get install blender) or "
			"name one "
			"with --blender",
			name);
	else if (!resolved)
		error_errno(err, "%s", found);
	else if (access(resolved, X_OK) != 0)
		error_errno(err, "%s: cannot be executed", resolved);
	else {
		free(found);
		return resolved;
	}
	free(found);
	free(resolved);
	return NULL;
}

/* `said` begins "Blender 3.4.1\n". */
static int read_version(const struct str *said, struct blender_build *build, struct error *err)
{
	const char *line = said->data ? strstr(said->data, "Blender ") : NULL;
	size_t len;

	if (!line || sscanf(line, "Blender %d.%d", &build->major, &build->minor) != 2)
		return error_set(err, "%s: --version does not answer as Blender does", build->path);
	line += strlen("Blender ");
	len = strcspn(line, "\r\n");
	snprintf(build->version, sizeof(build->version), "%.*s", (int)len, line);
	build->about = text_printable(said->data, said->len);
	return 0;
}

static int ask_version(struct blender_build *build, const char *folder, struct error *err)
{
	char *output = path_join(folder, "blender-version.txt");
	char *argv[] = { build->path, (char *)"--version", NULL };
	const struct child_command command = {
		.argv = argv,
		.stdout_path = output,
		.stderr_path = output,
		.deadline_ms = VERSION_DEADLINE_MS,
		.grace_ms = 1000,
	};
	struct child_ending ending;
	struct str said = STR_INIT;
	char how[200];
	int rc = child_run(&command, &ending, err);

	if (rc == 0 && (ending.how != CHILD_EXITED || ending.code != 0)) {
		child_ending_text(&ending, how, sizeof(how));
		rc = error_set(err, "%s --version: %s", build->path, how);
	}
	if (rc == 0)
		rc = file_read(output, VERSION_BYTES, &said, err);
	if (rc == 0)
		rc = read_version(&said, build, err);
	str_release(&said);
	free(output);
	return rc;
}

int blender_build_read(
	const char *name, const char *folder, struct blender_build *out, struct error *err)
{
	struct blender_build build;

	memset(&build, 0, sizeof(build));
	build.path = find_executable(name ? name : "blender", err);
	if (!build.path)
		return -1;
	if (digest_file(build.path, build.sha256, NULL, err) != 0 ||
		ask_version(&build, folder, err) != 0) {
		blender_build_release(&build);
		return -1;
	}
	*out = build;
	return 0;
}

void blender_build_release(struct blender_build *build)
{
	free(build->path);
	free(build->about);
	memset(build, 0, sizeof(*build));
}

json_t *blender_build_json(const struct blender_build *build)
{
	return json_pack("{s:o, s:s, s:o, s:[i,i], s:s}", "path", json_printable_text(build->path),
		"sha256", build->sha256, "version", json_printable_text(build->version),
		"version_numbers", build->major, build->minor, "about", build->about);
}
