/* SPDX-License-Identifier: Apache-2.0 */
#include "farm/deliver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

enum { COPY_BYTES = 1 << 16, DEPTH_MOST = 32 };

static enum deliver_end end_of(int number)
{
	return number == ENOSPC || number == EDQUOT ? DELIVER_FULL : DELIVER_NOT_WRITABLE;
}

/* errno is kept for the caller. */
static int fail(struct error *err, const char *path)
{
	int number = errno;

	error_errno(err, "%s", path);
	errno = number;
	return -1;
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t done = write(fd, bytes, len);

		if (done < 0 && errno != EINTR)
			return -1;
		if (done > 0) {
			bytes += done;
			len -= (size_t)done;
		}
	}
	return 0;
}

static int copy_bytes(int in, int out, const char *from, const char *to, struct error *err)
{
	char *buffer = xmalloc(COPY_BYTES);
	ssize_t got;
	int rc = 0;

	while (rc == 0 && (got = read(in, buffer, COPY_BYTES)) != 0) {
		if (got < 0 && errno != EINTR)
			rc = fail(err, from);
		else if (got > 0 && write_all(out, buffer, (size_t)got) != 0)
			rc = fail(err, to);
	}
	/* A network's file system may say only here that it is full. */
	if (rc == 0 && fsync(out) != 0)
		rc = fail(err, to);
	free(buffer);
	return rc;
}

static int copy_file(const char *from, const char *to, struct error *err)
{
	int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), out, rc, number;

	if (in < 0)
		return fail(err, from);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	rc = out < 0 ? fail(err, to) : copy_bytes(in, out, from, to, err);
	number = errno;
	if (out >= 0 && close(out) != 0 && rc == 0)
		rc = fail(err, to);
	else
		errno = number;
	close(in);
	return rc;
}

static int copy_folder(const char *from, const char *to, int depth, struct error *err);

static int copy_entry(const char *from, const char *to, int depth, struct error *err)
{
	struct stat info;

	if (lstat(from, &info) != 0)
		return fail(err, from);
	if (S_ISDIR(info.st_mode))
		return copy_folder(from, to, depth + 1, err);
	return S_ISREG(info.st_mode) ? copy_file(from, to, err) : 0;
}

static int copy_folder(const char *from, const char *to, int depth, struct error *err)
{
	DIR *folder = opendir(from);
	struct dirent *entry;
	int rc = 0, number;

	if (!folder)
		return fail(err, from);
	if (depth > DEPTH_MOST || mkdir(to, 0777) != 0)
		rc = fail(err, to);
	while (rc == 0 && (entry = readdir(folder))) {
		char *source = path_join(from, entry->d_name),
		     *target = path_join(to, entry->d_name);

		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			rc = copy_entry(source, target, depth, err);
		number = errno;
		free(source);
		free(target);
		errno = number;
	}
	number = errno;
	closedir(folder);
	errno = number;
	return rc;
}

/* "a/b/name" -> "a/b/.name.part": in the same folder, so that the rename is one. */
static char *part_path(const char *to)
{
	const char *name = path_base(to);

	return xasprintf("%.*s.%s.part", (int)(name - to), to, name);
}

enum deliver_end deliver_folder(const char *from, const char *to, struct error *err)
{
	char *part = part_path(to);
	enum deliver_end end = DELIVERED;
	int rc, number;

	folder_remove(part, NULL);
	rc = copy_folder(from, part, 0, err);
	if (rc == 0 && rename(part, to) != 0)
		rc = fail(err, to);
	number = errno;
	if (rc != 0) {
		end = end_of(number);
		folder_remove(part, NULL);
	}
	free(part);
	return end;
}

enum deliver_end deliver_text(const char *to, const void *bytes, size_t len, struct error *err)
{
	errno = 0;
	if (file_write(to, bytes, len, err) == 0)
		return DELIVERED;
	return end_of(errno);
}
