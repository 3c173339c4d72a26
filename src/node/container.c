/* SPDX-License-Identifier: Apache-2.0 */
#include "node/container.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "node/rooted.h"

#define CGROUP "proc/self/cgroup"

enum { ID_DIGITS = 64 };

struct mark {
	const char *name, *text; /* what is shown; where it shows */
};

static const struct mark files[] = {
	{ "docker", ".dockerenv" },
	{ "podman", "run/.containerenv" },
	{ "singularity or apptainer", ".singularity.d" },
};

/* The one that started it before the one that runs it. */
static const struct mark groups[] = {
	{ "kubernetes", "kubepods" },
	{ "docker", "/docker/" },
	{ "docker", "/docker-" },
	{ "podman", "/libpod" },
	{ "containerd", "cri-containerd" },
	{ "CRI-O", "/crio-" },
	{ "LXC", "/lxc/" },
	{ "LXC", "/lxc.payload" },
};

const char *container_of_cgroup(const char *text, char id[65])
{
	size_t i, run = 0;

	id[0] = '\0';
	for (i = 0; text[i]; i++) {
		run = strchr("0123456789abcdef", text[i]) ? run + 1 : 0;
		if (run == ID_DIGITS &&
			!strchr("0123456789abcdef", text[i + 1] ? text[i + 1] : '/')) {
			memcpy(id, text + i + 1 - ID_DIGITS, ID_DIGITS);
			id[ID_DIGITS] = '\0';
		}
	}
	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (strstr(text, groups[i].text))
			return groups[i].name;
	return NULL;
}

static bool is_there(int root_fd, const char *path)
{
	int fd = file_open_in(root_fd, path, O_RDONLY | O_NONBLOCK);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* What the usual kinds set for their processes. */
static const char *by_environment(void)
{
	static const struct mark variables[] = { { "singularity or apptainer",
							 "APPTAINER_CONTAINER" },
		{ "singularity or apptainer", "SINGULARITY_CONTAINER" },
		{ "kubernetes", "KUBERNETES_SERVICE_HOST" } };
	size_t i;

	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (getenv(variables[i].text))
			return variables[i].name;
	return NULL;
}

static json_t *kind_fact(const struct node *node, const char *of_cgroup)
{
	const char *class = node_class(node);
	const char *of_environment = node->simulated ? NULL : by_environment();
	size_t i;

	if (of_cgroup)
		return fact_text(of_cgroup, class, CGROUP);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (is_there(node->root_fd, files[i].text))
			return fact_text(files[i].name, class, files[i].text);
	if (of_environment)
		return fact_text(of_environment, class, "environment");
	return fact_unknown(
		node->simulated
			? "the replayed node holds no mark of a container"
			: "no mark of docker, podman, kubernetes, singularity or LXC was seen; "
			  "another kind would not be");
}

static json_t *digest_fact(const struct node *node)
{
	const char *declared = node->simulated ? NULL : getenv("OAMQUAL_IMAGE_DIGEST");

	if (declared && declared[0])
		return fact_text(declared, "declared", "OAMQUAL_IMAGE_DIGEST");
	return fact_unknown("a container cannot see the digest of its own image; who starts it can "
			    "hand it in as "
			    "OAMQUAL_IMAGE_DIGEST");
}

/* Of version 2's hierarchy, or of version 1's devices, which are what limits a job's GPUs; else the
 * first. */
static char *cgroup_line(const char *text)
{
	static const char *const wanted[] = { "0::", "devices:", "" };
	const char *at = NULL, *start;
	size_t i;

	for (i = 0; !at && i < sizeof(wanted) / sizeof(wanted[0]); i++)
		at = strstr(text, wanted[i]);
	for (start = at; start > text && start[-1] != '\n'; start--)
		;
	return xstrndup(start, strcspn(start, "\n"));
}

void container_enter(json_t *system, const struct node *node)
{
	struct error err = { "" };
	char *text = rooted_text(node->root_fd, CGROUP, &err),
	     *line = text ? cgroup_line(text) : NULL;
	char id[65] = "";
	const char *kind = text ? container_of_cgroup(text, id) : NULL;

	json_object_set_new(system, "container", kind_fact(node, kind));
	json_object_set_new(system, "container_id",
		id[0] ? fact_text(id, node_class(node), CGROUP)
		      : fact_unknown("the process's cgroup does not name one"));
	json_object_set_new(system, "container_digest", digest_fact(node));
	json_object_set_new(system, "cgroup",
		line ? fact_text(line, node_class(node), CGROUP) : fact_unknown(err.text));
	free(line);
	free(text);
}
