/* SPDX-License-Identifier: Apache-2.0 */
#include "node/node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "node/counts.h"
#include "node/description.h"
#include "node/identity.h"
#include "node/kfd.h"
#include "node/links.h"
#include "node/pci.h"

enum { DESCRIPTION_LIMIT = 1 << 20 };

/* Opened, not asked for its mode: groups, ACLs and device cgroups all have a say. */
static void try_kfd(struct node *node)
{
	int fd;

	if (node->simulated) {
		str_copy(node->kfd_open_why, sizeof(node->kfd_open_why),
			"a replayed node has no /dev/kfd");
		return;
	}
	fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	/* A file that is not there denies nothing: the driver is not loaded, or it is not given to this container. */
	node->kfd_openable = fd >= 0 ? KNOWN_YES : errno == ENOENT ? KNOWN_UNKNOWN : KNOWN_NO;
	if (fd < 0)
		snprintf(node->kfd_open_why, sizeof(node->kfd_open_why), "/dev/kfd: %s",
			strerror(errno));
	else
		close(fd);
}

/* node.json may be missing, then HIP cannot be asked; what is there must be right. */
static int read_description(struct node *node, struct error *err)
{
	char *path = path_join(node->folder, "node.json");
	int rc = 0;

	if (file_exists(path)) {
		node->description = json_read(path, DESCRIPTION_LIMIT, err);
		rc = node->description ? description_check(path, node->description, err) : -1;
	}
	free(path);
	return rc;
}

static char *host_name(void)
{
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1) != 0 || !name[0])
		return xstrdup("unnamed");
	return text_printable(name, strlen(name));
}

static char *folder_name(const char *folder)
{
	size_t len = strlen(folder);
	char *trimmed, *name;

	while (len > 1 && folder[len - 1] == '/')
		len--;
	trimmed = xstrndup(folder, len);
	name = text_printable(path_base(trimmed), strlen(path_base(trimmed)));
	free(trimmed);
	return name;
}

static int open_folder(struct node *node, const char *folder, struct error *err)
{
	const char *name;

	node->simulated = true;
	node->folder = xstrdup(folder);
	node->root_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (node->root_fd < 0)
		return error_errno(err, "%s", folder);
	if (read_description(node, err) != 0)
		return -1;
	if (!node->description && faccessat(node->root_fd, "sys", F_OK, 0) != 0)
		return error_set(err,
			"%s: holds neither node.json nor sys, so it is no recorded node", folder);
	name = json_text(node->description, "name", NULL);
	node->name = name ? xstrdup(name) : folder_name(folder);
	return 0;
}

static int open_live(struct node *node, struct error *err)
{
	node->name = host_name();
	node->root_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return node->root_fd < 0 ? error_errno(err, "/") : 0;
}

/* PCI names the NUMA node; a tree without PCI still has the links to CPU nodes. The partitions of
 * a card sit in one slot, from which KFD derives those links: the first whose links can be read
 * answers for those after it. */
static void find_numa(struct node *node)
{
	bool *answered = xcalloc(node->gpu_count + 1, sizeof(*answered));
	size_t i, j;

	for (i = 0; i < node->gpu_count; i++) {
		struct gpu *gpu = &node->gpus[i];

		if (gpu->numa_node.known)
			continue;
		for (j = 0; j < i; j++)
			if (answered[j] && pci_same_card(node->gpus[j].bdf, gpu->bdf))
				break;
		if (j < i)
			gpu->numa_node = node->gpus[j].numa_node;
		else
			answered[i] = link_cpu_node(node, gpu, &gpu->numa_node) == 0;
		gpu->numa_from = "kfd";
	}
	free(answered);
}

int node_read(const char *folder, struct node *out, struct error *err)
{
	struct node node;
	int rc;

	memset(&node, 0, sizeof(node));
	node.root_fd = -1;
	rc = folder ? open_folder(&node, folder, err) : open_live(&node, err);
	if (rc != 0) {
		node_release(&node);
		return -1;
	}
	kfd_read(&node);
	pci_read(&node);
	pci_join(&node, 0);
	find_numa(&node);
	try_kfd(&node);
	counts_try_open(&node);
	*out = node;
	return 0;
}

void node_release(struct node *node)
{
	if (!node)
		return;
	if (node->root_fd >= 0)
		close(node->root_fd);
	json_decref(node->description);
	free(node->name);
	free(node->folder);
	free(node->gpus);
	free(node->kfd_cpus);
	free(node->pci);
	free(node->drm);
	memset(node, 0, sizeof(*node));
	node->root_fd = -1;
}

/* The partitions of a card share their id: then it names none of them. */
static const struct gpu *find_by_id(const struct node *node, uint64_t id)
{
	const struct gpu *found = NULL;
	size_t i;

	for (i = 0; i < node->gpu_count; i++) {
		if (!node->gpus[i].unique_id.known || node->gpus[i].unique_id.value != id)
			continue;
		if (found)
			return NULL;
		found = &node->gpus[i];
	}
	return found;
}

const struct gpu *node_find(const struct node *node, const char *what)
{
	unsigned long long number;
	uint64_t id;
	size_t i;

	for (i = 0; i < node->gpu_count; i++)
		if (node->gpus[i].bdf[0] && strcmp(node->gpus[i].bdf, what) == 0)
			return &node->gpus[i];
	if (identity_parse(what, &id) == 0)
		return find_by_id(node, id);
	if (strspn(what, "0123456789") != strlen(what) || !text_u64(what, 10, &number))
		return NULL;
	return number < node->gpu_count ? &node->gpus[number] : NULL;
}

void gpu_label(const struct gpu *gpu, char label[NODE_GFX])
{
	if (gpu->bdf[0])
		str_copy(label, NODE_GFX, gpu->bdf);
	else if (gpu->location[0])
		snprintf(label, NODE_GFX, "?:%s", gpu->location);
	else if (gpu->kfd_node.known)
		snprintf(label, NODE_GFX, "kfd-node-%llu", (unsigned long long)gpu->kfd_node.value);
	else if (gpu->hip_index.known)
		snprintf(label, NODE_GFX, "hip-device-%llu",
			(unsigned long long)gpu->hip_index.value);
	else
		str_copy(label, NODE_GFX, "unnamed");
}

const char *node_class(const struct node *node)
{
	return node->simulated ? "simulated" : "observed";
}
