/* SPDX-License-Identifier: Apache-2.0 */
#include "node/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

#include "tap.h"

struct refusal {
	int error_number;
	const char *says;
};

static const struct refusal refusals[] = {
	{ ENOENT, "not there" },
	{ EACCES, "add the user to that group" },
	{ EPERM, "device cgroup" },
	{ EINVAL, "joining a group will not help" },
	{ ENOMEM, "not supported by KFD" },
	{ ENODEV, "no driver stands behind it" },
	{ EBUSY, "another process" },
	{ ELOOP, "no known cause" },
};

static void test_refusals(void)
{
	struct access_device kfd = { .kind = ACCESS_KFD,
		.path = "/dev/kfd",
		.owned = true,
		.group = 109,
		.mode = 0660,
		.group_name = "render",
		.member = KNOWN_NO };
	enum { COUNT = sizeof(refusals) / sizeof(refusals[0]) };
	char texts[COUNT][600];
	size_t i, j, same = 0;

	for (i = 0; i < COUNT; i++) {
		access_explain(&kfd, refusals[i].error_number, texts[i], sizeof(texts[i]));
		tap_ok(strstr(texts[i], refusals[i].says) != NULL, "errno %d: %s",
			refusals[i].error_number, refusals[i].says);
		for (j = 0; j < i; j++)
			same += strcmp(texts[i], texts[j]) == 0;
	}
	tap_number(same, 0, "no two are explained alike");
	access_explain(&kfd, EACCES, texts[0], sizeof(texts[0]));
	tap_ok(strstr(texts[0], "group render") && strstr(texts[0], "mode 0660"),
		"the owner is the one on the node");
	kfd.group_name[0] = '\0';
	access_explain(&kfd, EACCES, texts[0], sizeof(texts[0]));
	tap_ok(strstr(texts[0], "group 109") && !strstr(texts[0], "render"),
		"a group without a name keeps its number");
	kfd.member = KNOWN_YES;
	access_explain(&kfd, EACCES, texts[0], sizeof(texts[0]));
	tap_ok(strstr(texts[0], "is in that group") && !strstr(texts[0], "add the user"),
		"a member is not told to join");
}

static void put(const char *folder, const char *name, const char *text, mode_t mode)
{
	char *path = path_join(folder, name),
	     *parent = xstrndup(path, (size_t)(path_base(path) - path));

	folder_make(parent, NULL);
	file_write(path, text, strlen(text), NULL);
	chmod(path, mode);
	free(parent);
	free(path);
}

/* 0 when all holds. In a child without privileges: to root, every file is open. */
static int judged_as_nobody(struct node *node)
{
	struct access_list list;
	int wrong = 0;

	if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
		return 100;
	access_read(node, &list);
	wrong |= list.count != 4 ? 1 : 0;
	wrong |= list.items[0].openable != KNOWN_NO || list.items[0].error_number != EACCES ? 2 : 0;
	wrong |= !strstr(list.items[0].diagnosis,
			 "Permission denied: it belongs to group gpuusers (mode 0600)")
			 ? 4
			 : 0;
	wrong |= list.items[1].openable != KNOWN_YES || list.items[1].diagnosis[0] ? 8 : 0;
	wrong |= list.items[2].openable != KNOWN_UNKNOWN ||
				 !strstr(list.items[2].diagnosis, "not in the replayed")
			 ? 16
			 : 0;
	wrong |= list.items[3].openable != KNOWN_UNKNOWN || list.items[3].path[0] ? 32 : 0;
	if (wrong)
		printf("# %s\n", list.items[0].diagnosis);
	fflush(stdout);
	access_list_release(&list);
	return wrong;
}

static void test_tree(void)
{
	char folder[] = "/tmp/oamqual-access-XXXXXX", group[64];
	struct gpu gpus[3];
	struct node node;
	struct stat status;
	int ended = -1;
	pid_t child;

	memset(&node, 0, sizeof(node));
	memset(gpus, 0, sizeof(gpus));
	if (!mkdtemp(folder))
		return;
	chmod(folder, 0755);
	stat(folder, &status);
	put(folder, "dev/kfd", "", 0600);
	put(folder, "dev/dri/renderD131", "", 0666);
	snprintf(group, sizeof(group), "first:x:65533:\ngpuusers:x:%lu:alice,bob\n",
		(unsigned long)status.st_gid);
	put(folder, "etc/group", group, 0644);
	gpus[0].drm_render_minor = known_u64(131);
	gpus[1].drm_render_minor = known_u64(132);
	node.simulated = true;
	node.gpus = gpus;
	node.gpu_count = 3;
	node.root_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fflush(stdout);
	if (geteuid() != 0) {
		tap_skip("access is judged by opening",
			"changing to a user without rights needs root");
	} else {
		child = fork();
		if (child == 0)
			_exit(judged_as_nobody(&node));
		waitpid(child, &ended, 0);
		tap_number(WIFEXITED(ended) ? WEXITSTATUS(ended) : -1, 0,
			"access is judged by opening: refused, open, not in the tree, render node "
			"unknown");
	}
	close(node.root_fd);
	folder_remove(folder, NULL);
}

static void test_json(void)
{
	struct node node = { .simulated = true };
	struct access_device device = { .kind = ACCESS_RENDER,
		.path = "/dev/dri/renderD128",
		.bdf = "0000:c1:00.0",
		.openable = KNOWN_NO,
		.error_number = EPERM,
		.diagnosis = "x" };
	struct access_list list = { &device, 1 };
	json_t *json = access_json(&node, &list),
	       *first = json_array_get(json_object_get(json, "devices"), 0);

	tap_ok(json_is_false(json_object_get(json_object_get(first, "openable"), "value")),
		"refused is false");
	tap_ok(json_is_null(json_object_get(json_object_get(json, "groups"), "value")),
		"a replayed node lends nobody this process's groups");
	json_decref(json);
	node.simulated = false;
	node.root_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	json = access_json(&node, &list);
	tap_ok(!json_is_null(json_object_get(json_object_get(json, "memlock_soft"), "value")),
		"a live one has limits");
	close(node.root_fd);
	json_decref(json);
}

int main(void)
{
	test_refusals();
	test_tree();
	test_json();
	return tap_done();
}
