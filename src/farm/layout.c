/* SPDX-License-Identifier: Apache-2.0 */
#include "farm/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

enum { NAME_MOST = 200 };

int layout_check_name(const char *what, const char *name, struct error *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	size_t len = strlen(name);

	if (!len || len > NAME_MOST || strspn(name, allowed) != len || name[0] == '.' ||
		name[0] == '-')
		return error_set(err,
			"%s '%s' cannot be a file's name: letters, digits, '.', '_', "
			"'-' are allowed",
			what, name);
	return 0;
}

char *layout_path(const char *folder, const char *part, const char *name, const char *ending)
{
	return xasprintf("%s/%s/%s%s", folder, part, name, ending);
}

char *layout_local(const char *local, const char *name, const char *sha256, const char *node)
{
	return xasprintf("%s/%s-%.16s/%s", local, name, sha256, node);
}

int layout_make(const char *folder, struct error *err)
{
	static const char *const parts[] = { "jobs", "words", "nodes", "partial", "logs",
		"earlier" };
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < sizeof(parts) / sizeof(parts[0]); i++) {
		char *path = path_join(folder, parts[i]);

		rc = folder_make(path, err);
		free(path);
	}
	return rc;
}

int layout_lock(const char *folder, struct error *err)
{
	char *path = path_join(folder, "lock");
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

	if (fd < 0) {
		error_errno(err, "%s", path);
	} else if (fcntl(fd, F_SETLK, &lock) != 0) {
		if (errno == EACCES || errno == EAGAIN)
			error_set(err, "%s: another 'oamqual farm' works on this run", folder);
		else
			error_errno(err, "%s: cannot lock", path);
		close(fd);
		fd = -1;
	}
	free(path);
	return fd;
}

static int retire(
	const char *folder, const char *part, const char *node, const char *job, struct error *err)
{
	char *from = layout_path(folder, part, node, ".json");
	char *to = xasprintf("%s/earlier/%s-%s.%s.json", folder, node, job, part);
	int rc = 0;

	if (rename(from, to) != 0 && errno != ENOENT)
		rc = error_errno(err, "%s", from);
	free(from);
	free(to);
	return rc;
}

int layout_retire(const char *folder, const char *node, const char *job, struct error *err)
{
	return retire(folder, "words", node, job, err) == 0 ? retire(folder, "jobs", node, job, err)
							    : -1;
}
