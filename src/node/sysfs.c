/* SPDX-License-Identifier: Apache-2.0 */
#include "node/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "base/text.h"

enum { LINE_FILE_LIMIT = 65536, MAX_ENTRIES = 4096 };

/* --- `key value` lines ---------------------------------------------------------------------- */

bool sysfs_decimal(const char *text, size_t len, uint64_t *value)
{
	uint64_t read = 0;
	size_t i;

	if (!len)
		return false;
	for (i = 0; i < len; i++) {
		unsigned int digit = (unsigned int)(unsigned char)text[i] - '0';

		if (digit > 9 || read > (UINT64_MAX - digit) / 10)
			return false;
		read = read * 10 + digit;
	}
	*value = read;
	return true;
}

struct parsed {
	const struct sysfs_row *rows;
	char *base;
	uint64_t seen, spoilt; /* bits by row */
};

static void enter_line(struct parsed *parsed, const char *line, size_t len)
{
	const char *space = memchr(line, ' ', len);
	size_t key_len = space ? (size_t)(space - line) : len, i;
	struct known_u64 value = { false, 0 }, *field;

	for (i = 0; parsed->rows[i].key; i++)
		if (strlen(parsed->rows[i].key) == key_len &&
			memcmp(parsed->rows[i].key, line, key_len) == 0)
			break;
	if (!parsed->rows[i].key)
		return;
	field = (struct known_u64 *)(void *)(parsed->base + parsed->rows[i].offset);
	value.known = space && sysfs_decimal(space + 1, len - key_len - 1, &value.value);
	if (!value.known || ((parsed->seen >> i & 1) && field->value != value.value))
		parsed->spoilt |= (uint64_t)1 << i;
	parsed->seen |= (uint64_t)1 << i;
	*field = parsed->spoilt >> i & 1 ? (struct known_u64){ false, 0 } : value;
}

void sysfs_rows_parse(const struct sysfs_row *rows, void *base, const char *text, size_t len)
{
	struct parsed parsed = { rows, base, 0, 0 };
	size_t at = 0;

	while (at < len) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t line = end ? (size_t)(end - text) - at : len - at;

		enter_line(&parsed, text + at, line);
		at += line + 1;
	}
}

/* --- one value a file ------------------------------------------------------------------------- */

int sysfs_line(int root_fd, const char *path, char *line, size_t size)
{
	struct str text = STR_INIT;
	size_t len = 0;
	int rc = file_read_in(root_fd, path, LINE_FILE_LIMIT, &text, NULL);

	line[0] = '\0';
	if (rc == 0) {
		len = strcspn(text.data, "\r\n");
		while (len && (text.data[len - 1] == ' ' || text.data[len - 1] == '\t'))
			len--;
		/* A NUL byte ends the text before the line does: not what the driver wrote. */
		if (len >= size || strlen(text.data) != text.len) {
			errno = EINVAL;
			rc = -1;
		}
	}
	if (rc == 0) {
		memcpy(line, text.data, len);
		line[len] = '\0';
	}
	str_release(&text);
	return rc;
}

struct known_u64 sysfs_number(int root_fd, const char *path, int base)
{
	char line[32];
	unsigned long long value;

	if (sysfs_line(root_fd, path, line, sizeof(line)) != 0 || !text_u64(line, base, &value))
		return (struct known_u64){ false, 0 };
	return known_u64(value);
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

static int by_number(const void *a, const void *b)
{
	const unsigned long long x = *(const unsigned long long *)a,
				 y = *(const unsigned long long *)b;

	return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int sysfs_numbers(int root_fd, const char *path, unsigned long long **out, size_t *count)
{
	DIR *listing = open_listing(root_fd, path);
	struct dirent *entry;

	if (!listing)
		return -1;
	*out = xcalloc(MAX_ENTRIES, sizeof(**out));
	*count = 0;
	while (*count < MAX_ENTRIES && (entry = readdir(listing)))
		if (strlen(entry->d_name) < 10 && text_u64(entry->d_name, 10, &(*out)[*count]))
			(*count)++;
	closedir(listing);
	qsort(*out, *count, sizeof(**out), by_number);
	return 0;
}

int sysfs_names(int root_fd, const char *path, char ***out, size_t *count)
{
	DIR *listing = open_listing(root_fd, path);
	struct dirent *entry;

	if (!listing)
		return -1;
	*out = xcalloc(MAX_ENTRIES, sizeof(**out));
	*count = 0;
	while (*count < MAX_ENTRIES && (entry = readdir(listing)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			(*out)[(*count)++] = xstrdup(entry->d_name);
	closedir(listing);
	qsort(*out, *count, sizeof(**out), by_text);
	return 0;
}

void sysfs_names_free(char **names, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

int sysfs_link(int root_fd, const char *path, char *name, size_t size)
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
