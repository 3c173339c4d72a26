/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/data.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

char *data_program(void)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return len > 0 ? xstrndup(path, (size_t)len) : xstrdup("oamqual");
}

/* `places` are relative to the program's folder; the first that holds `proof` wins. */
static char *find_beside(const char *const *places, const char *proof, struct error *err)
{
	char *program = data_program();
	char *folder = xstrndup(program, (size_t)(path_base(program) - program));
	char *found = NULL;
	size_t i;

	for (i = 0; places[i] && !found; i++) {
		char *place = path_join(folder, places[i]);
		char *want = path_join(place, proof);

		if (file_exists(want))
			found = realpath(place, NULL);
		free(want);
		free(place);
	}
	if (!found)
		error_set(err, "the program's own %s is not beside %s; install it with its files",
			proof, program);
	free(folder);
	free(program);
	return found;
}

char *data_folder(struct error *err)
{
	static const char *const places[] = { "../share/oamqual", "../..", "..", NULL };

	return find_beside(places, "expected", err);
}

char *data_simhip(struct error *err)
{
	static const char *const places[] = { "../lib/oamqual/simhip", "simhip", NULL };

	return find_beside(places, "libamdhip64.so.5", err);
}
