/* SPDX-License-Identifier: Apache-2.0 */
#include "base/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int plain_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat info;

	if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
		close(fd);
		errno = ENOTSUP;
		return -1;
	}
	return fd;
}

static int read_whole(int fd, const char *path, size_t limit, struct str *to, struct error *err)
{
	struct stat info;
	size_t size;

	if (fstat(fd, &info) != 0)
		return error_errno(err, "%s", path);
	size = (size_t)info.st_size;
	if (size > limit)
		return error_set(err, "%s: longer than %zu bytes", path, limit);
	to->len = 0;
	str_reserve(to, size);
	while (to->len < size) {
		ssize_t got = read(fd, to->data + to->len, size - to->len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_errno(err, "%s", path);
		if (got == 0)
			return error_set(err, "%s: it became shorter while it was read", path);
		to->len += (size_t)got;
	}
	to->data[to->len] = '\0';
	return 0;
}

int plain_read(const char *path, size_t limit, struct str *to, struct error *err)
{
	int fd = plain_open(path), rc;

	if (fd < 0 && errno == ENOTSUP)
		return error_set(err, "%s: not a regular file", path);
	if (fd < 0)
		return error_errno(err, "%s", path);
	rc = read_whole(fd, path, limit, to, err);
	close(fd);
	return rc;
}
