/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strverscmp */
#include "node/rooted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"

enum { TEXT_LIMIT = 4 << 20, NAMES_MAX = 4096 };

/* The path in an error is the one an administrator would type. */
static int read_file(int root_fd, const char *path, struct str *text, struct error *err)
{
	int rc = file_read_in(root_fd, path, TEXT_LIMIT, text, err), saved = errno;

	if (rc != 0)
		error_set(err, "/%s: %s", path, strerror(saved));
	errno = saved;
	return rc;
}

char *rooted_text(int root_fd, const char *path, struct error *err)
{
	struct str text = STR_INIT;

	if (read_file(root_fd, path, &text, err) != 0) {
		int saved = errno;

		str_release(&text);
		errno = saved;
		return NULL;
	}
	return str_detach(&text);
}

char *rooted_line(int root_fd, const char *path, struct error *err)
{
	char *text = rooted_text(root_fd, path, err), *line;
	size_t from, len;

	if (!text)
		return NULL;
	from = strspn(text, " \t");
	len = strcspn(text + from, "\r\n");
	while (len && (text[from + len - 1] == ' ' || text[from + len - 1] == '\t'))
		len--;
	line = len ? xstrndup(text + from, len) : NULL;
	free(text);
	if (!line) {
		error_set(err, "/%s: empty", path);
		errno = 0;
	}
	return line;
}

bool rooted_is_absent(uint64_t value)
{
	static const uint64_t numbers[] = { UINT16_MAX, UINT16_MAX * 1000ULL,
		UINT16_MAX * 1000000ULL, UINT32_MAX, UINT32_MAX * 1000ULL, UINT32_MAX * 1000000ULL,
		UINT64_MAX };
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (value == numbers[i])
			return true;
	return false;
}

struct known_u64 rooted_number(int root_fd, const char *path, struct error *err)
{
	struct known_u64 number = { false, 0 };
	char *line = rooted_line(root_fd, path, err), *shown;
	unsigned long long value;

	if (!line)
		return number;
	if (line[0] < '0' || line[0] > '9' || !text_u64(line, 10, &value)) {
		shown = text_printable(line, strlen(line));
		error_set(err, "/%s: \"%.80s\" is not a number", path, shown);
		free(shown);
	} else if (rooted_is_absent(value)) {
		error_set(err, "/%s: %llu, by which the driver says that it has none", path, value);
	} else {
		number = known_u64(value);
	}
	free(line);
	return number;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

char **rooted_names(int root_fd, const char *path, const char *prefix)
{
	int fd = file_open_in(root_fd, path, O_RDONLY | O_DIRECTORY);
	DIR *listing = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	size_t count = 0;
	char **names;

	if (!listing) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	names = xcalloc(NAMES_MAX + 1, sizeof(*names));
	while (count < NAMES_MAX && (entry = readdir(listing)))
		if (entry->d_name[0] != '.' && str_starts(entry->d_name, prefix))
			names[count++] = xstrdup(entry->d_name);
	closedir(listing);
	qsort(names, count, sizeof(*names), by_version);
	return names;
}

void rooted_names_free(char **names)
{
	size_t i;

	for (i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

json_t *rooted_fact(int root_fd, const char *path, const char *class)
{
	struct error err;
	char *line = rooted_line(root_fd, path, &err);
	json_t *fact = line ? fact_text(line, class, path) : fact_unknown(err.text);

	free(line);
	return fact;
}
