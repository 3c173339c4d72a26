/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_PATH */
#include "node/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "node/rooted.h"

enum { GROUPS_MAX = 4096 };

/* --- errno -------------------------------------------------------------------------------------
 */

struct meaning {
	int error_number;
	const char *kfd, *render;
};

static const struct meaning meanings[] = {
	{ ENOENT,
		"it is not there: the amdgpu driver is not loaded, was built without KFD, or this "
		"container was started "
		"without the device (--device /dev/kfd)",
		"it is not there: this container or job was started without the device, or the "
		"driver numbers it "
		"otherwise" },
	{ EPERM,
		"a device cgroup forbids it although the file's rights do not: the scheduler or "
		"the container did not allot "
		"a GPU to this job",
		"a device cgroup forbids it although the file's rights do not: this GPU was not "
		"allotted to this job" },
	{ EINVAL,
		"the driver refuses, the file's rights do not: no GPU of this machine finished its "
		"KFD start, the process is "
		"not a 64-bit one, or driver and runtime do not fit; joining a group will not "
		"help, the kernel's log will",
		"the driver refuses, the file's rights do not: joining a group will not help, the "
		"kernel's log will" },
	{ ENOMEM,
		"the driver could not make its state for this process: the host is short of "
		"memory, or the GPU is in PCI and "
		"DRM but not supported by KFD",
		"the driver could not make its state for this process: the host is short of "
		"memory" },
	{ ENODEV,
		"the file is there but no driver stands behind it: amdgpu was unloaded or has "
		"failed",
		"the file is there but no driver stands behind it: the GPU was removed or lost" },
	{ ENXIO,
		"the file is there but no driver stands behind it: amdgpu was unloaded or has "
		"failed",
		"the file is there but no driver stands behind it: the GPU was removed or lost" },
	{ EBUSY, "another process holds it alone, or the GPU is being reset",
		"another process holds it alone" },
	{ EIO, "the device failed: see the kernel's log",
		"the device failed: see the kernel's log" },
};

static void explain_rights(const struct access_device *device, char *text, size_t size)
{
	char group[96], numbers[64] = "";

	if (device->owned && device->group_name[0])
		snprintf(group, sizeof(group), "group %s", device->group_name);
	else if (device->owned)
		snprintf(group, sizeof(group), "group %lu", (unsigned long)device->group);
	else
		str_copy(group, sizeof(group), "a group that could not be read");
	if (device->owned)
		snprintf(
			numbers, sizeof(numbers), " (mode %04o)", (unsigned)(device->mode & 07777));
	if (device->member == KNOWN_YES)
		snprintf(text, size,
			"it belongs to %s%s, this process is in that group and is refused all the "
			"same: the mode gives the "
			"group no read and write, or a user namespace or security module stands "
			"between",
			group, numbers);
	else
		snprintf(text, size,
			"it belongs to %s%s and this process is not in it: add the user to that "
			"group and log in anew, or "
			"give the container that group's number (--group-add)",
			group, numbers);
}

void access_explain(const struct access_device *device, int error_number, char *text, size_t size)
{
	size_t i;

	if (error_number == EACCES) {
		explain_rights(device, text, size);
		return;
	}
	for (i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].error_number == error_number) {
			str_copy(text, size,
				device->kind == ACCESS_KFD ? meanings[i].kfd : meanings[i].render);
			return;
		}
	str_copy(text, size, "no known cause");
}

/* --- groups ------------------------------------------------------------------------------------
 */

/* "render:x:109:alice": by the node's own file, so that a recorded tree names its own groups. */
static void name_group(int root_fd, gid_t group, char *name, size_t size)
{
	char *text = rooted_text(root_fd, "etc/group", NULL), *line, *rest = text;

	name[0] = '\0';
	while (rest && (line = rest) && *line && !name[0]) {
		char *colon = strchr(line, ':'), *second, *end = strchr(line, '\n');
		unsigned long long number;

		rest = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		second = colon ? strchr(colon + 1, ':') : NULL;
		if (!second)
			continue;
		second[1 + strcspn(second + 1, ":")] = '\0';
		*colon = '\0';
		if (text_u64(second + 1, 10, &number) && number == group) {
			char *shown = text_printable(line, strlen(line));

			str_copy(name, size, shown);
			free(shown);
		}
	}
	free(text);
}

/* This process's groups, the effective one first. The caller frees. */
static gid_t *own_groups(size_t *count)
{
	gid_t *groups = xcalloc(GROUPS_MAX + 1, sizeof(*groups));
	int got = getgroups(GROUPS_MAX, groups + 1);

	groups[0] = getegid();
	*count = got > 0 ? (size_t)got + 1 : 1;
	return groups;
}

static enum known is_member(gid_t group)
{
	size_t count, i;
	gid_t *groups = own_groups(&count);
	bool found = false;

	for (i = 0; i < count && !found; i++)
		found = groups[i] == group;
	free(groups);
	return found ? KNOWN_YES : KNOWN_NO;
}

/* --- opening ------------------------------------------------------------------------------------
 */

static void read_owner(const struct node *node, struct access_device *device)
{
	int fd = file_open_in(node->root_fd, device->path + 1, O_PATH);
	struct stat status;

	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0) {
		device->owned = true;
		device->user = status.st_uid;
		device->group = status.st_gid;
		device->mode = status.st_mode;
		name_group(node->root_fd, status.st_gid, device->group_name,
			sizeof(device->group_name));
		if (!node->simulated)
			device->member = is_member(status.st_gid);
	}
	close(fd);
}

static void try_open(const struct node *node, struct access_device *device)
{
	int fd, saved;
	char text[500];

	read_owner(node, device);
	fd = file_open_in(node->root_fd, device->path + 1, O_RDWR | O_NONBLOCK);
	saved = errno;
	if (fd >= 0) {
		close(fd);
		device->openable = KNOWN_YES;
		return;
	}
	/* A recorded tree seldom holds devices; that it does not says nothing of the machine. */
	if (node->simulated && saved == ENOENT) {
		snprintf(device->diagnosis, sizeof(device->diagnosis),
			"%s is not in the replayed node", device->path);
		return;
	}
	device->openable = KNOWN_NO;
	device->error_number = saved;
	access_explain(device, saved, text, sizeof(text));
	snprintf(device->diagnosis, sizeof(device->diagnosis), "%s: %s: %s", device->path,
		strerror(saved), text);
}

void access_read(const struct node *node, struct access_list *out)
{
	size_t i;

	out->items = xcalloc(node->gpu_count + 1, sizeof(*out->items));
	out->count = node->gpu_count + 1;
	out->items[0].kind = ACCESS_KFD;
	str_copy(out->items[0].path, sizeof(out->items[0].path), "/dev/kfd");
	try_open(node, &out->items[0]);
	for (i = 0; i < node->gpu_count; i++) {
		struct access_device *device = &out->items[i + 1];
		const struct gpu *gpu = &node->gpus[i];

		device->kind = ACCESS_RENDER;
		str_copy(device->bdf, sizeof(device->bdf), gpu->bdf);
		if (!gpu->drm_render_minor.known || !gpu->drm_render_minor.value) {
			str_copy(device->diagnosis, sizeof(device->diagnosis),
				"KFD does not say which render node belongs to it");
			continue;
		}
		snprintf(device->path, sizeof(device->path), "/dev/dri/renderD%llu",
			(unsigned long long)gpu->drm_render_minor.value);
		try_open(node, device);
	}
}

void access_list_release(struct access_list *list)
{
	free(list->items);
	memset(list, 0, sizeof(*list));
}

/* --- JSON ---------------------------------------------------------------------------------------
 */

static json_t *owner_json(const struct access_device *device, const char *class)
{
	char mode[8];

	if (!device->owned)
		return fact_unknown("the file could not be looked at");
	snprintf(mode, sizeof(mode), "%04o", (unsigned)(device->mode & 07777));
	return fact_json(json_pack("{s:I, s:I, s:s?, s:s}", "user", (json_int_t)device->user,
				 "group", (json_int_t)device->group, "group_name",
				 device->group_name[0] ? device->group_name : NULL, "mode", mode),
		class, device->path);
}

static json_t *device_json(const struct access_device *device, const char *class)
{
	json_t *openable =
		device->openable == KNOWN_UNKNOWN
			? fact_unknown(device->diagnosis)
			: fact_json(json_boolean(device->openable == KNOWN_YES), class, "open");

	return json_pack("{s:s, s:s?, s:s?, s:o, s:o, s:o}", "kind",
		device->kind == ACCESS_KFD ? "kfd" : "render", "path",
		device->path[0] ? device->path : NULL, "bdf", device->bdf[0] ? device->bdf : NULL,
		"openable", openable, "owner", owner_json(device, class), "diagnosis",
		device->diagnosis[0] ? json_printable_text(device->diagnosis) : json_null());
}

static json_t *limit_json(rlim_t value)
{
	if (value == RLIM_INFINITY)
		return fact_text("unlimited", "observed", "getrlimit");
	return fact_u64(known_u64(value), "observed", "getrlimit", "");
}

static json_t *groups_json(const struct node *node)
{
	size_t count, i;
	gid_t *groups = own_groups(&count);
	json_t *array = json_array();

	for (i = 0; i < count; i++) {
		char name[64];

		if (i && groups[i] == groups[0])
			continue;
		name_group(node->root_fd, groups[i], name, sizeof(name));
		json_array_append_new(
			array, json_pack("{s:I, s:s?}", "group", (json_int_t)groups[i], "name",
				       name[0] ? name : NULL));
	}
	free(groups);
	return fact_json(array, "observed", "getgroups");
}

static void add_process(json_t *json, const struct node *node)
{
	static const char why[] = "a replayed node has no process of its own";
	struct rlimit limit;

	if (node->simulated) {
		json_object_set_new(json, "user", fact_unknown(why));
		json_object_set_new(json, "groups", fact_unknown(why));
		json_object_set_new(json, "memlock_soft", fact_unknown(why));
		json_object_set_new(json, "memlock_hard", fact_unknown(why));
		return;
	}
	json_object_set_new(
		json, "user", fact_integer((json_int_t)geteuid(), "observed", "geteuid"));
	json_object_set_new(json, "groups", groups_json(node));
	if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) {
		json_object_set_new(json, "memlock_soft", fact_unknown(strerror(errno)));
		json_object_set_new(json, "memlock_hard", fact_unknown(strerror(errno)));
		return;
	}
	json_object_set_new(json, "memlock_soft", limit_json(limit.rlim_cur));
	json_object_set_new(json, "memlock_hard", limit_json(limit.rlim_max));
}

json_t *access_json(const struct node *node, const struct access_list *list)
{
	json_t *json = json_object(), *devices = json_array();
	size_t i;

	for (i = 0; i < list->count; i++)
		json_array_append_new(devices, device_json(&list->items[i], node_class(node)));
	json_object_set_new(json, "devices", devices);
	add_process(json, node);
	return json;
}
