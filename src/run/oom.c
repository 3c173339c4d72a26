/* SPDX-License-Identifier: Apache-2.0 */
#include "run/oom.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "base/text.h"

enum { FILE_BYTES = 65536 };

/* How a line of /proc/self/cgroup names the group, and where its file is then. The first that is
 * there counts: a v1 controller is not in the v2 hierarchy. */
static const struct hierarchy {
	const char *mark, *mount, *file;
} hierarchies[] = {
	{ ":memory:", "sys/fs/cgroup/memory", "memory.oom_control" },
	{ "0::", "sys/fs/cgroup", "memory.events" },
};

static const char *root = "/";

void oom_set_root(const char *other)
{
	root = other ? other : "/";
}

/* "4:memory:/a/b" has the group /a/b, "0::/" has /. */
static bool group_of(const char *list, const char *mark, char *group, size_t size)
{
	const char *line, *at;

	for (line = list; *line; line += line[0] == '\n') {
		size_t len = strcspn(line, "\n");

		at = strstr(line, mark);
		if (at && at < line + len && (mark[0] == ':' || at == line)) {
			at += strlen(mark);
			snprintf(group, size, "%.*s", (int)(line + len - at), at);
			return true;
		}
		line += len;
	}
	return false;
}

/* "oom_kill 3" as a line of its own: oom_kill_disable is another word. */
static struct known_u64 kills_in(char *text)
{
	static const char key[] = "oom_kill ";
	char *line, *rest = NULL;
	unsigned long long number;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (strncmp(line, key, sizeof(key) - 1) == 0 &&
			text_u64(line + sizeof(key) - 1, 10, &number))
			return known_u64(number);
	return (struct known_u64){ 0 };
}

static bool read_count(int root_fd, const char *path, struct oom_count *out)
{
	struct str text = STR_INIT;

	if (file_read_in(root_fd, path, FILE_BYTES, &text, NULL) == 0)
		out->kills = kills_in(text.data);
	str_release(&text);
	if (out->kills.known)
		str_copy(out->path, sizeof(out->path), path);
	return out->kills.known;
}

/* A container may see its own group as the root of the mount, under whatever name it has outside.
 */
static bool read_hierarchy(
	int root_fd, const struct hierarchy *at, const char *list, struct oom_count *out)
{
	char group[OOM_PATH / 2], path[OOM_PATH];

	if (!group_of(list, at->mark, group, sizeof(group)))
		return false;
	snprintf(path, sizeof(path), "%s%s/%s", at->mount, strcmp(group, "/") == 0 ? "" : group,
		at->file);
	if (read_count(root_fd, path, out))
		return true;
	snprintf(path, sizeof(path), "%s/%s", at->mount, at->file);
	return read_count(root_fd, path, out);
}

void oom_read(struct oom_count *out)
{
	int root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct str list = STR_INIT;
	size_t i;

	memset(out, 0, sizeof(*out));
	if (root_fd < 0)
		return;
	if (file_read_in(root_fd, "proc/self/cgroup", FILE_BYTES, &list, NULL) == 0)
		for (i = 0; i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++)
			if (read_hierarchy(root_fd, &hierarchies[i], list.data, out))
				break;
	str_release(&list);
	close(root_fd);
}
