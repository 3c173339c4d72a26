/* SPDX-License-Identifier: Apache-2.0 */
#include "base/program.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

char *program_path(void)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return len > 0 ? xstrndup(path, (size_t)len) : xstrdup("oamqual");
}

char *program_find(const char *const *places, const char *name, struct error *err)
{
	char *program = program_path();
	char *folder = xstrndup(program, (size_t)(path_base(program) - program));
	char *found = NULL;
	size_t i;

	for (i = 0; places[i] && !found; i++) {
		char *place = path_join(folder, places[i]);
		char *wanted = path_join(place, name);

		found = realpath(wanted, NULL);
		free(wanted);
		free(place);
	}
	if (!found)
		error_set(err, "the program's own %s is not beside %s; install it with its files",
			name, program);
	free(folder);
	free(program);
	return found;
}

char *program_search(const char *name)
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
