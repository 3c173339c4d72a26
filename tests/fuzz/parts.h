/* SPDX-License-Identifier: Apache-2.0 */
/* An input that stands for several files: "\n=== path\n" and the content, "\n--- path\n" and what a
 * symbolic link there names. */
#ifndef FUZZ_PARTS_H
#define FUZZ_PARTS_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

enum { PART_PATH = 200, PARTS_MOST = 400 };

/* Only below `root`: a path of the input must not reach anything else, and no link is followed. */
static inline int part_folder(int root, char *path, char **name)
{
	int folder = dup(root);
	char *word = path, *slash;

	while (folder >= 0 && (slash = strchr(word, '/'))) {
		int next;

		*slash = '\0';
		mkdirat(folder, word, 0700);
		next = openat(folder, word, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC);
		close(folder);
		folder = next;
		word = slash + 1;
		if (strcmp(word, "..") == 0 || strncmp(word, "../", 3) == 0)
			break;
	}
	*name = word;
	return folder;
}

static inline void part_write(int root, bool link, char *path, const uint8_t *bytes, size_t len)
{
	char *name, target[PART_PATH];
	int folder, fd;

	if (!path[0] || path[0] == '/' || strncmp(path, "..", 2) == 0)
		return;
	folder = part_folder(root, path, &name);
	if (folder >= 0 && name[0] && !strchr(name, '/') && strcmp(name, "..") != 0) {
		if (link && len && len < sizeof(target)) {
			memcpy(target, bytes, len);
			target[len] = '\0';
			if (symlinkat(target, folder, name) != 0)
				errno = 0;
		} else if (!link) {
			fd = openat(folder, name,
				O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
			if (fd >= 0 && write(fd, bytes, len) != (ssize_t)len)
				abort();
			if (fd >= 0)
				close(fd);
		}
	}
	if (folder >= 0)
		close(folder);
}

/* The start of the next mark from `at` on, or `size`. */
static inline size_t part_next(const uint8_t *data, size_t size, size_t at)
{
	for (; at + 5 <= size; at++)
		if (memcmp(data + at, "\n=== ", 5) == 0 || memcmp(data + at, "\n--- ", 5) == 0)
			return at;
	return size;
}

static inline void parts_write(int root, const uint8_t *data, size_t size)
{
	size_t at = part_next(data, size, 0), count;

	for (count = 0; at < size && count < PARTS_MOST; count++) {
		bool link = data[at + 1] == '-';
		const uint8_t *name = data + at + 5;
		const uint8_t *end = memchr(name, '\n', size - at - 5);
		size_t next, len;
		char path[PART_PATH];

		if (!end)
			return;
		len = (size_t)(end - name);
		next = part_next(data, size, (size_t)(end - data));
		if (len < sizeof(path) && !memchr(name, '\0', len)) {
			memcpy(path, name, len);
			path[len] = '\0';
			end++;
			part_write(root, link, path, end,
				next > (size_t)(end - data) ? next - (size_t)(end - data) : 0);
		}
		at = next;
	}
}

#endif
