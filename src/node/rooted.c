/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strverscmp */
#include "node/rooted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* Its first line without blanks around it: where it begins and how long it is. */
static size_t first_line(const char **text)
{
	size_t len;

	*text += strspn(*text, " \t");
	len = strcspn(*text, "\r\n");
	while (len && ((*text)[len - 1] == ' ' || (*text)[len - 1] == '\t'))
		len--;
	return len;
}

char *rooted_line(int root_fd, const char *path, struct error *err)
{
	struct str text = STR_INIT;
	const char *line;
	char *found = NULL;
	size_t len;

	if (read_file(root_fd, path, &text, err) != 0) {
		int saved = errno;

		str_release(&text);
		errno = saved;
		return NULL;
	}
	line = text.data;
	len = first_line(&line);
	/* A NUL byte ends the text before the line does: not what the driver wrote. */
	if (strlen(text.data) != text.len)
		error_set(err, "/%s: holds a NUL byte", path);
	else if (!len)
		error_set(err, "/%s: empty", path);
	else
		found = xstrndup(line, len);
	str_release(&text);
	errno = 0;
	return found;
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

struct known_u64 rooted_number(int root_fd, const char *path, int base, struct error *err)
{
	struct known_u64 number = { false, 0 };
	char *line = rooted_line(root_fd, path, err), *shown;
	unsigned long long value;

	if (!line)
		return number;
	if (text_u64(line, base, &value)) {
		number = known_u64(value);
	} else {
		shown = text_printable(line, strlen(line));
		error_set(err, "/%s: \"%.80s\" is not a number", path, shown);
		free(shown);
	}
	free(line);
	return number;
}

struct known_u64 rooted_reading(int root_fd, const char *path, struct error *err)
{
	struct known_u64 number = rooted_number(root_fd, path, 10, err);

	if (number.known && rooted_is_absent(number.value)) {
		error_set(err, "/%s: %llu, by which the driver says that it has none", path,
			(unsigned long long)number.value);
		number.known = false;
	}
	return number;
}

/* --- folders ---------------------------------------------------------------------------------- */

static DIR *open_listing(int root_fd, const char *path)
{
	int fd = file_open_in(root_fd, path, O_RDONLY | O_DIRECTORY), saved;
	DIR *listing = fd < 0 ? NULL : fdopendir(fd);

	if (!listing && fd >= 0) {
		saved = errno;
		close(fd);
		errno = saved;
	}
	return listing;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

char **rooted_names(int root_fd, const char *path, const char *prefix)
{
	DIR *listing = open_listing(root_fd, path);
	struct dirent *entry;
	size_t count = 0;
	char **names;

	if (!listing)
		return NULL;
	names = xcalloc(NAMES_MAX + 1, sizeof(*names));
	while (count < NAMES_MAX && (entry = readdir(listing)))
		if (entry->d_name[0] != '.' && str_starts(entry->d_name, prefix))
			names[count++] = xstrdup(entry->d_name);
	closedir(listing);
	qsort(names, count, sizeof(*names), by_version);
	return names;
}

static int by_number(const void *a, const void *b)
{
	const unsigned long long x = *(const unsigned long long *)a,
				 y = *(const unsigned long long *)b;

	return (x > y) - (x < y);
}

int rooted_numbers(int root_fd, const char *path, unsigned long long **out, size_t *count)
{
	DIR *listing = open_listing(root_fd, path);
	struct dirent *entry;

	if (!listing)
		return -1;
	*out = xcalloc(NAMES_MAX, sizeof(**out));
	*count = 0;
	while (*count < NAMES_MAX && (entry = readdir(listing)))
		if (strlen(entry->d_name) < 10 && text_u64(entry->d_name, 10, &(*out)[*count]))
			(*count)++;
	closedir(listing);
	qsort(*out, *count, sizeof(**out), by_number);
	return 0;
}

void rooted_names_free(char **names)
{
	size_t i;

	for (i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

int rooted_link(int root_fd, const char *path, char *name, size_t size)
{
	char *folder = xasprintf("%.*s", (int)(path_base(path) - path), path), target[PATH_MAX];
	int fd = file_open_in(root_fd, folder, O_RDONLY | O_DIRECTORY);
	ssize_t len = fd < 0 ? -1 : readlinkat(fd, path_base(path), target, sizeof(target) - 1);

	if (fd >= 0)
		close(fd);
	free(folder);
	name[0] = '\0';
	if (len <= 0)
		return -1;
	target[len] = '\0';
	if (strlen(path_base(target)) >= size)
		return -1;
	str_copy(name, size, path_base(target));
	return 0;
}

json_t *rooted_fact(int root_fd, const char *path, const char *class)
{
	struct error err;
	char *line = rooted_line(root_fd, path, &err);
	json_t *fact = line ? fact_text(line, class, path) : fact_unknown(err.text);

	free(line);
	return fact;
}
