/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/surroundings.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "base/text.h"
#include "node/counts.h"

static void add(char *text, size_t size, const char *word)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used ? " " : "", word);
}

/* The first file of the folder whose name begins and ends so, in whatever order it has them. */
static void find_files(
	const char *folder, const char *prefix, const char *suffix, char *text, size_t size)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL)
		if (str_starts(entry->d_name, prefix) && str_ends(entry->d_name, suffix)) {
			char *path = path_join(folder, entry->d_name);
			char *shown = text_printable(path, strlen(path));

			add(text, size, shown);
			free(shown);
			free(path);
		}
	if (dir)
		closedir(dir);
}

/* --- HIP libraries -------------------------------------------------------------------------------
 */

static void look_into(const char *root, const char *folder, struct surroundings *out)
{
	char *path = xasprintf("%s%s", root, folder);

	if (access(path, R_OK | X_OK) == 0) {
		add(out->looked, sizeof(out->looked), path);
		find_files(path, "libamdhip64.so", "", out->libraries, sizeof(out->libraries));
	}
	free(path);
}

/* The variable that the child has: a replayed node's own, else ours. */
static const char *loader_path(const struct attempt *attempt)
{
	const struct replay *replay = attempt->context->replay;
	size_t i;

	for (i = 0; replay && replay->variables[i]; i++)
		if (str_starts(replay->variables[i], "LD_LIBRARY_PATH="))
			return replay->variables[i] + strlen("LD_LIBRARY_PATH=");
	return getenv("LD_LIBRARY_PATH");
}

static void find_libraries(const struct attempt *attempt, struct surroundings *out)
{
	static const char *const folders[] = { "/usr/lib/x86_64-linux-gnu", "/usr/lib64",
		"/usr/local/lib", "/opt/rocm/lib", "/opt/rocm/hip/lib" };
	const char *root = attempt->context->blender->root ? attempt->context->blender->root : "";
	const char *list = loader_path(attempt);
	size_t i, len;

	while (list && *list) {
		char *folder = xstrndup(list, len = strcspn(list, ":"));

		if (folder[0] == '/')
			look_into("", folder, out);
		free(folder);
		list += len + (list[len] == ':');
	}
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		look_into(root, folders[i], out);
}

void surroundings_read(const struct attempt *attempt, struct surroundings *out)
{
	char *tmp = path_join(attempt->folder, "tmp");
	size_t i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < SURROUNDINGS_MASKS && counts_masks[i]; i++)
		out->masks[i] = getenv(counts_masks[i]);
	find_libraries(attempt, out);
	out->hipcc = compiler_word(attempt->context->compiler);
	find_files(tmp, "", ".crash.txt", out->crash_report, sizeof(out->crash_report));
	free(tmp);
}
