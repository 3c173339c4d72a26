/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "base/text.h"
#include "run/child.h"

enum { VERSION_DEADLINE_MS = 60000, VERSION_BYTES = 65536 };

static char *find_executable(const char *name, struct error *err)
{
	char *found = strchr(name, '/') ? xstrdup(name) : program_search(name);
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

static int start_version(struct blender_asking *asking, const struct sandbox *sandbox,
	const char *folder, struct error *err)
{
	const struct blender_build *build = &asking->build;
	struct child_command command = {
		.status_path = build->root ? "/dev/null" : NULL,
		.deadline_ms = VERSION_DEADLINE_MS,
		.grace_ms = 1000,
	};

	asking->output = path_join(folder, "blender-version.txt");
	asking->words = sandbox_option_words(sandbox, build->root, build->path, "--version");
	command.argv = asking->words;
	command.stdout_path = command.stderr_path = asking->output;
	return child_start(&asking->child, &command, err);
}

static int read_answer(struct blender_asking *asking, struct error *err)
{
	const struct child_ending *ending = &asking->child.ending;
	struct str said = STR_INIT;
	char how[200];
	int rc = 0;

	if (ending->how != CHILD_EXITED || ending->code != 0) {
		child_ending_text(ending, how, sizeof(how));
		rc = error_set(
			err, "%s --version: %s; see %s", asking->build.path, how, asking->output);
	}
	if (rc == 0)
		rc = file_read(asking->output, VERSION_BYTES, &said, err);
	if (rc == 0)
		rc = read_version(&said, &asking->build, err);
	str_release(&said);
	return rc;
}

/* --- a root file system ----------------------------------------------------------------------- */

/* Where distributions and images put it. A link there would lead out of the root, so it is not
 * followed. */
static const char *const places[] = { "usr/bin/blender", "usr/local/bin/blender",
	"opt/blender/blender", "usr/local/blender/blender", NULL };

static int find_in_root(
	struct blender_build *build, const struct sandbox *sandbox, struct error *err)
{
	struct stat info;
	size_t i;

	if (!sandbox->bwrap)
		return error_set(err,
			"%s: a root file system can only be run through bubblewrap, and %s",
			build->root, sandbox->why);
	for (i = 0; places[i] && !build->path; i++) {
		char *path = path_join(build->root, places[i]);

		if (lstat(path, &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0111))
			build->path = xasprintf("/%s", places[i]);
		free(path);
	}
	if (build->path)
		return 0;
	return error_set(err,
		"%s: a folder without usr/bin/blender, usr/local/bin/blender or "
		"opt/blender/blender; name "
		"the Blender itself, or the root file system of an unpacked image",
		build->root);
}

static int find_build(const char *name, const struct sandbox *sandbox, struct blender_build *build,
	struct error *err)
{
	if (strchr(name, '/') && folder_exists(name)) {
		build->root = realpath(name, NULL);
		if (!build->root)
			return error_errno(err, "%s", name);
		return find_in_root(build, sandbox, err);
	}
	build->path = find_executable(name, err);
	return build->path ? 0 : -1;
}

int blender_build_hash(struct blender_build *build, struct error *err)
{
	char *path = xasprintf("%s%s", build->root ? build->root : "", build->path);
	int rc = digest_file(path, build->sha256, NULL, err);

	free(path);
	return rc;
}

int blender_build_ask(const char *name, const char *folder, const struct sandbox *sandbox,
	struct blender_asking *out, struct error *err)
{
	memset(out, 0, sizeof(*out));
	if (find_build(name ? name : "blender", sandbox, &out->build, err) == 0 &&
		start_version(out, sandbox, folder, err) == 0)
		return 0;
	blender_asking_release(out);
	return -1;
}

int blender_build_answer(
	struct blender_asking *asking, struct blender_build *out, struct error *err)
{
	int rc;

	child_wait(&asking->child);
	rc = read_answer(asking, err);
	if (rc == 0) {
		*out = asking->build;
		memset(&asking->build, 0, sizeof(asking->build));
	}
	blender_asking_release(asking);
	return rc;
}

void blender_asking_release(struct blender_asking *asking)
{
	if (asking->child.pid) {
		child_interrupt(&asking->child);
		child_wait(&asking->child);
	}
	sandbox_words_free(asking->words);
	free(asking->output);
	blender_build_release(&asking->build);
	memset(asking, 0, sizeof(*asking));
}

int blender_build_read(const char *name, const char *folder, const struct sandbox *sandbox,
	struct blender_build *out, struct error *err)
{
	struct blender_asking asking;

	if (blender_build_ask(name, folder, sandbox, &asking, err) != 0)
		return -1;
	return blender_build_answer(&asking, out, err);
}

void blender_build_release(struct blender_build *build)
{
	free(build->root);
	free(build->path);
	free(build->about);
	memset(build, 0, sizeof(*build));
}

json_t *blender_build_json(const struct blender_build *build)
{
	return json_pack("{s:o, s:o, s:s, s:o, s:[i,i], s:s}", "root",
		build->root ? json_printable_text(build->root) : json_null(), "path",
		json_printable_text(build->path), "sha256", build->sha256, "version",
		json_printable_text(build->version), "version_numbers", build->major, build->minor,
		"about", build->about);
}
