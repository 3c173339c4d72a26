/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* openat2 through syscall(2) */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

enum { PIPE_MS = 30000, READING = O_RDONLY | O_NONBLOCK | O_NOCTTY };

#define TEMPORARY_MARK ".tmp-"
#define TEMPORARY_SUFFIX TEMPORARY_MARK "XXXXXX"

char *path_join(const char *folder, const char *name)
{
	bool slash = folder[0] && !str_ends(folder, "/");

	return xasprintf("%s%s%s", folder, slash ? "/" : "", name);
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int file_open_in(int root_fd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned long long)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT,
	};
	long fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));

	return (int)fd;
}

/* A person may name a pipe, and somebody else may have put one where a file was: it is waited for,
 * though not for ever. errno says ETIMEDOUT when nothing came. */
static bool is_coming(int fd, int64_t *until_ms)
{
	struct pollfd asked = { .fd = fd, .events = POLLIN };
	int64_t now_ms = clock_monotonic_ms();

	if (!*until_ms)
		*until_ms = now_ms + PIPE_MS;
	if (now_ms < *until_ms && poll(&asked, 1, (int)(*until_ms - now_ms)) > 0)
		return true;
	errno = ETIMEDOUT;
	return false;
}

static int read_all(int fd, const char *path, size_t limit, struct str *to, struct error *err)
{
	size_t start = to->len;
	char chunk[65536];
	int64_t until_ms = 0;
	ssize_t got;

	while ((got = read(fd, chunk, sizeof(chunk))) != 0) {
		if (got < 0 && (errno == EINTR || (errno == EAGAIN && is_coming(fd, &until_ms))))
			continue;
		if (got < 0 || to->len - start + (size_t)got > limit) {
			int reason = got < 0 ? errno : EFBIG;

			str_truncate(to, start);
			errno = reason;
			if (got < 0)
				return error_errno(err, "%s", path);
			return error_set(
				err, "%s: larger than the %zu bytes expected of it", path, limit);
		}
		str_add_bytes(to, chunk, (size_t)got);
	}
	str_add_bytes(to, "", 0);
	return 0;
}

static int read_and_close(int fd, const char *path, size_t limit, struct str *to, struct error *err)
{
	int rc, saved;

	if (fd < 0)
		return error_errno(err, "%s", path);
	rc = read_all(fd, path, limit, to, err);
	saved = errno;
	close(fd);
	errno = saved;
	return rc;
}

int file_read(const char *path, size_t limit, struct str *to, struct error *err)
{
	return read_and_close(open(path, READING | O_CLOEXEC), path, limit, to, err);
}

int file_read_in(int root_fd, const char *path, size_t limit, struct str *to, struct error *err)
{
	return read_and_close(file_open_in(root_fd, path, READING), path, limit, to, err);
}

static int write_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len) {
		ssize_t put = write(fd, p, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return -1;
		p += put;
		len -= (size_t)put;
	}
	return fsync(fd);
}

/* A rename is on disk only when its folder is. Some file systems cannot sync a folder: not an
 * error. */
static void sync_folder_of(const char *path)
{
	const char *base = path_base(path);
	char *folder = base == path ? xstrdup(".") : xstrndup(path, (size_t)(base - path));
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(folder);
}

/* The rename would put a file in the place of a device (/dev/null, by root), or of the link by
 * which this process's own output is found (/dev/stdout). Other links are replaced, never written
 * through: somebody else may have put them there. */
static int check_place(const char *path, struct error *err)
{
	static const char of_process[] = "/proc/";
	char target[sizeof(of_process)] = "";
	struct stat info;

	if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
		return error_set(err, "cannot write %s: it is there and is not a file", path);
	if (readlink(path, target, strlen(of_process)) > 0 && strcmp(target, of_process) == 0)
		return error_set(
			err, "cannot write %s: it is a link to what a process has open", path);
	return 0;
}

int file_write(const char *path, const void *bytes, size_t len, struct error *err)
{
	char *temporary;
	int fd, rc = -1;

	if (check_place(path, err) != 0)
		return -1;
	temporary = xasprintf("%s%s", path, TEMPORARY_SUFFIX);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		error_errno(err, "cannot write %s", path);
		free(temporary);
		return -1;
	}
	if (fchmod(fd, 0644) != 0 || write_all(fd, bytes, len) != 0)
		error_errno(err, "cannot write %s", path);
	else
		rc = 0;
	if (close(fd) != 0 && rc == 0)
		rc = error_errno(err, "cannot write %s", path);
	if (rc == 0 && rename(temporary, path) != 0)
		rc = error_errno(err, "cannot write %s", path);
	if (rc != 0)
		unlink(temporary);
	else
		sync_folder_of(path);
	free(temporary);
	return rc;
}

int folder_make(const char *path, struct error *err)
{
	char *partial = xstrdup(path);
	struct stat info;
	char *slash = partial;
	int rc = 0;

	while (rc == 0 && slash) {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (mkdir(partial, 0777) != 0 && errno != EEXIST)
			rc = error_errno(err, "cannot make the folder %s", partial);
		if (slash)
			*slash = '/';
	}
	if (rc == 0 && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)))
		rc = error_set(err, "%s: exists and is not a folder", path);
	free(partial);
	return rc;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	(void)info;
	(void)type;
	(void)walk;
	return remove(path);
}

int folder_remove(const char *path, struct error *err)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
		return error_errno(err, "cannot remove %s", path);
	return 0;
}

static int remove_temporary(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	const char *mark = strrchr(path, '.');

	(void)walk;
	if (type != FTW_F || !S_ISREG(info->st_mode) || !mark ||
		strlen(mark) != strlen(TEMPORARY_SUFFIX) || !str_starts(mark, TEMPORARY_MARK))
		return 0;
	return remove(path);
}

int folder_remove_temporaries(const char *path, struct error *err)
{
	if (nftw(path, remove_temporary, 16, FTW_PHYS) != 0 && errno != ENOENT)
		return error_errno(err, "cannot tidy %s", path);
	return 0;
}

bool folder_exists(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool folder_is_empty(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	bool empty = true;

	if (!folder)
		return false;
	while (empty && (entry = readdir(folder)))
		empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	closedir(folder);
	return empty;
}

bool file_exists(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0;
}

bool file_is_absent(const char *path)
{
	struct stat info;

	return lstat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
}
