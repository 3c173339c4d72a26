/* SPDX-License-Identifier: Apache-2.0 */
#include "node/system.h"

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

enum { SMALL_FILE = 4 * 1024 * 1024 };

/* A value that stands in a file below the root: all of it, or what follows `after` on its line. */
struct file_row {
	const char *key, *path, *after;
};

static const struct file_row rows[] = {
	{ "kernel", "proc/sys/kernel/osrelease", NULL },
	{ "os", "etc/os-release", "PRETTY_NAME=" },
	{ "cpu", "proc/cpuinfo", "model name\t: " },
	{ "memory", "proc/meminfo", "MemTotal:" },
	{ "amdgpu_driver", "sys/module/amdgpu/version", NULL },
	{ "rocm_release", "opt/rocm/.info/version", NULL },
	{ "enclosure", "sys/class/dmi/id/product_name", NULL },
	{ "enclosure_vendor", "sys/class/dmi/id/sys_vendor", NULL },
	{ "chassis_type", "sys/class/dmi/id/chassis_type", NULL },
	{ "bios", "sys/class/dmi/id/bios_version", NULL },
};

static char *pick(const struct str *text, const char *after)
{
	const char *from = after ? strstr(text->data, after) : text->data;
	size_t len;

	if (!from)
		return NULL;
	from += after ? strlen(after) : 0;
	from += strspn(from, " \t\"");
	len = strcspn(from, "\"\r\n");
	while (len && from[len - 1] == ' ')
		len--;
	return len ? xstrndup(from, len) : NULL;
}

static json_t *read_row(int root_fd, const struct file_row *row, const char *class)
{
	struct str text = STR_INIT;
	struct error err;
	char *value = NULL;
	json_t *fact;

	if (file_read_in(root_fd, row->path, SMALL_FILE, &text, &err) == 0) {
		value = pick(&text, row->after);
		error_set(&err, "/%s does not hold it", row->path);
	}
	fact = value ? fact_text(value, class, row->path) : fact_unknown(err.text);
	free(value);
	str_release(&text);
	return fact;
}

/* A container leaves a mark at its root; the absence of all marks proves little, so it is only then "none seen". */
static json_t *container(int root_fd, const char *class)
{
	static const struct {
		const char *path, *name;
	} marks[] = { { ".dockerenv", "docker" }, { "run/.containerenv", "podman" },
		{ ".singularity.d", "singularity or apptainer" } };
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		int fd = file_open_in(root_fd, marks[i].path, O_RDONLY | O_NONBLOCK);

		if (fd < 0)
			continue;
		close(fd);
		return fact_text(marks[i].name, class, marks[i].path);
	}
	return fact_unknown("no mark of docker, podman or singularity was seen; another kind would not be");
}

json_t *system_json(const struct node *node)
{
	json_t *system = json_object();
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		json_object_set_new(system, rows[i].key,
			read_row(node->root_fd, &rows[i], node_class(node)));
	json_object_set_new(system, "container",
		node->simulated ? fact_unknown("a replayed node has no container to look at")
				: container(node->root_fd, node_class(node)));
	json_object_set_new(system, "container_digest",
		fact_unknown("a container cannot see the digest of its own image"));
	json_object_set_new(system, "cooling", fact_unknown("nobody measured it"));
	return system;
}

json_t *system_host_json(void)
{
	json_t *host = json_object();
	int root_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t i;

	for (i = 0; i < 4; i++)
		json_object_set_new(host, rows[i].key, read_row(root_fd, &rows[i], "observed"));
	json_object_set_new(host, "logical_cpus",
		fact_integer(sysconf(_SC_NPROCESSORS_ONLN), "observed", "sysconf"));
	if (root_fd >= 0)
		close(root_fd);
	return host;
}
