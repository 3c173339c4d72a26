/* SPDX-License-Identifier: Apache-2.0 */
/* A folder, walked by descriptor so that no link is ever followed, each level in the order of name
 * bytes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "scene/feed.h"
#include "scene/source_kinds.h"

enum { DEPTH_MAX = 200, TARGET_BYTES = 4096 };

struct level {
	int fd;
	char **names;
	size_t count, next;
	size_t path_len; /* of the folder, in folder.path */
};

struct folder {
	struct level levels[DEPTH_MAX];
	size_t depth;
	struct str path;
	char target[TARGET_BYTES + 1];
	struct feed feed; /* the file being read; fd -1 between files */
	struct stat before;
};

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void level_release(struct level *level)
{
	while (level->count)
		free(level->names[--level->count]);
	free(level->names);
	if (level->fd >= 0)
		close(level->fd);
	memset(level, 0, sizeof(*level));
}

static int list_names(DIR *dir, struct level *level)
{
	size_t capacity = 0;
	struct dirent *entry;

	errno = 0;
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (level->count == capacity) {
			capacity = capacity ? 2 * capacity : 64;
			level->names = xrealloc(level->names, capacity * sizeof(*level->names));
		}
		level->names[level->count++] = xstrdup(entry->d_name);
		errno = 0;
	}
	if (errno)
		return -1;
	if (level->count)
		qsort(level->names, level->count, sizeof(*level->names), by_bytes);
	return 0;
}

/* Takes the descriptor over. */
static int push(struct folder *folder, int fd, struct error *err)
{
	struct level *level = &folder->levels[folder->depth];
	int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir;
	int rc;

	memset(level, 0, sizeof(*level));
	level->fd = fd;
	level->path_len = folder->path.len;
	folder->depth++;
	dir = copy < 0 ? NULL : fdopendir(copy);
	if (!dir) {
		error_errno(err, "cannot list the folder");
		if (copy >= 0)
			close(copy);
		return -1;
	}
	rewinddir(dir);
	rc = list_names(dir, level);
	if (rc != 0)
		error_errno(err, "cannot list the folder");
	closedir(dir);
	return rc;
}

void *kind_folder_open(int fd)
{
	struct folder *folder = xcalloc(1, sizeof(*folder));

	folder->feed.fd = -1;
	folder->levels[0].fd = fd; /* pushed by the first kind_ops.next, which can report errors */
	return folder;
}

static void end_file(struct folder *folder)
{
	if (folder->feed.fd >= 0) {
		close(folder->feed.fd);
		feed_release(&folder->feed);
	}
	folder->feed.fd = -1;
}

static int begin_file(
	struct folder *folder, int at, const char *name, struct raw_item *item, struct error *err)
{
	/* O_NONBLOCK: what was a file a moment ago may be a fifo now. */
	int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return error_errno(err, "cannot open");
	feed_start(&folder->feed, fd);
	if (fstat(fd, &folder->before) != 0 || !S_ISREG(folder->before.st_mode))
		return error_set(err, "changed while it was read");
	item->type = 'f';
	item->has_size = true;
	item->size = (uint64_t)folder->before.st_size;
	return 1;
}

static int begin_folder(
	struct folder *folder, int at, const char *name, struct raw_item *item, struct error *err)
{
	int fd;

	if (folder->depth == DEPTH_MAX)
		return error_set(err, "folders nested more than %d deep", DEPTH_MAX);
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_errno(err, "cannot open");
	item->type = 'd';
	return push(folder, fd, err) == 0 ? 1 : -1;
}

static int read_link(
	struct folder *folder, int at, const char *name, struct raw_item *item, struct error *err)
{
	ssize_t len = readlinkat(at, name, folder->target, TARGET_BYTES);

	if (len < 0)
		return error_errno(err, "cannot read the link");
	folder->target[len] = '\0';
	item->type = 'l';
	item->target = folder->target;
	return 1;
}

static int visit(
	struct folder *folder, int at, const char *name, struct raw_item *item, struct error *err)
{
	struct stat info;

	if (fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
		return error_errno(err, "cannot read");
	switch (info.st_mode & S_IFMT) {
	case S_IFREG:
		return begin_file(folder, at, name, item, err);
	case S_IFDIR:
		return begin_folder(folder, at, name, item, err);
	case S_IFLNK:
		return read_link(folder, at, name, item, err);
	case S_IFIFO:
		return error_set(err, "a fifo has no place in a scene");
	case S_IFSOCK:
		return error_set(err, "a socket has no place in a scene");
	default:
		return error_set(err, "a device has no place in a scene");
	}
}

static int folder_next(void *state, struct raw_item *item, struct error *err)
{
	struct folder *folder = state;
	struct level *level;

	end_file(folder);
	/* The descriptor given belongs to the caller. */
	if (!folder->depth &&
		push(folder, fcntl(folder->levels[0].fd, F_DUPFD_CLOEXEC, 0), err) != 0)
		return -1;
	level = &folder->levels[folder->depth - 1];
	while (level->next == level->count) {
		if (folder->depth == 1)
			return 0;
		level_release(level);
		level = &folder->levels[--folder->depth - 1];
	}
	folder->path.len = level->path_len;
	if (folder->path.len)
		str_add(&folder->path, "/");
	str_add(&folder->path, level->names[level->next]);
	item->path = folder->path.data;
	return visit(folder, level->fd, level->names[level->next++], item, err);
}

static int check_same(const struct folder *folder, struct error *err)
{
	const struct stat *was = &folder->before;
	struct stat now;

	if (fstat(folder->feed.fd, &now) != 0)
		return error_errno(err, "cannot read");
	if (now.st_size != was->st_size || folder->feed.at != was->st_size ||
		now.st_mtim.tv_sec != was->st_mtim.tv_sec ||
		now.st_mtim.tv_nsec != was->st_mtim.tv_nsec)
		return error_set(err, "changed while it was read");
	return 0;
}

static ssize_t folder_read(void *state, const void **block, int64_t *offset, struct error *err)
{
	struct folder *folder = state;
	int64_t at = folder->feed.at;
	ssize_t got = feed_next(&folder->feed, block);

	*offset = at;
	if (got < 0)
		return error_set(err, "%s", strerror(folder->feed.saved_errno));
	return got == 0 ? check_same(folder, err) : got;
}

static void folder_close(void *state)
{
	struct folder *folder = state;

	end_file(folder);
	while (folder->depth)
		level_release(&folder->levels[--folder->depth]);
	str_release(&folder->path);
	free(folder);
}

const struct kind_ops kind_folder_ops = { folder_next, folder_read, folder_close };
