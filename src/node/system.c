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
#include "node/access.h"
#include "node/affinity.h"
#include "node/container.h"
#include "node/dmi.h"
#include "node/health.h"
#include "node/rooted.h"

/* A value that stands in a file below the root: all of it, or what follows `after` on its line. */
struct file_row {
	const char *key, *path, *after;
};

static const struct file_row rows[] = {
	{ "kernel", "proc/sys/kernel/osrelease", NULL },
	{ "os", "etc/os-release", "PRETTY_NAME=" },
	{ "cpu", "proc/cpuinfo", "model name\t: " },
	{ "memory", "proc/meminfo", "MemTotal:" },
};

static char *pick(const char *text, const char *after)
{
	const char *from = after ? strstr(text, after) : text;
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
	struct error err;
	char *text = rooted_text(root_fd, row->path, &err),
	     *value = text ? pick(text, row->after) : NULL;
	json_t *fact;

	if (text)
		error_set(&err, "/%s does not hold it", row->path);
	fact = value ? fact_text(value, class, row->path) : fact_unknown(err.text);
	free(value);
	free(text);
	return fact;
}

/* --- driver and runtime --------------------------------------------------------------------- */

/* Only the driver that ROCm brings has a version; the kernel's own has the kernel's. */
static json_t *driver_fact(const struct node *node)
{
	static const char loaded[] = "sys/module/amdgpu";
	struct error err;
	char *version = rooted_line(node->root_fd, "sys/module/amdgpu/version", &err);
	int missing = errno, fd;
	json_t *fact;

	if (version) {
		fact = fact_text(version, node_class(node), "sys/module/amdgpu/version");
		free(version);
		return fact;
	}
	fd = file_open_in(node->root_fd, loaded, O_RDONLY | O_DIRECTORY);
	if (fd >= 0)
		close(fd);
	if (missing != ENOENT)
		return fact_unknown(err.text);
	return fact_unknown(fd >= 0 ? "amdgpu is loaded and gives no version: it is the kernel's "
				      "own, see kernel"
				    : "/sys/module/amdgpu is not there: the driver is not loaded, "
				      "or this tree does not "
				      "hold it");
}

/* "/opt/rocm-6.0.3/lib/libamdhip64.so.6.0.60003" is of release 6.0.3. */
static char *release_of_path(const char *path)
{
	const char *at = strstr(path, "/rocm-");
	size_t len;

	if (!at)
		return NULL;
	at += strlen("/rocm-");
	len = strspn(at, "0123456789.");
	return len && at[len] == '/' ? xstrndup(at, len) : NULL;
}

/* Of the runtime that was loaded, when its path tells; else of what is installed, which may be
 * another. */
static json_t *release_fact(const struct node *node)
{
	static const char *const files[] = { "opt/rocm/.info/version", "opt/rocm/.info/version-dev",
		"opt/rocm/.info/version-utils" };
	char *release = release_of_path(node->hip_library);
	struct error err, first = { "" };
	json_t *fact;
	size_t i;

	if (release) {
		fact = fact_text(release, node_class(node), node->hip_library);
		free(release);
		return fact;
	}
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		release = rooted_line(node->root_fd, files[i], &err);
		if (release) {
			fact = fact_text(release, node_class(node), files[i]);
			free(release);
			return fact;
		}
		if (!i)
			first = err;
	}
	return fact_unknown(first.text);
}

static json_t *library_fact(const struct node *node)
{
	if (node->hip_library[0])
		return fact_text(node->hip_library, node_class(node), "hip");
	return fact_unknown(node->hip_why[0] ? node->hip_why : "HIP was not asked");
}

/* --- CPUs ------------------------------------------------------------------------------------- */

static json_t *numa_fact(const struct node *node)
{
	static const char folder[] = "sys/devices/system/node";
	char **names = rooted_names(node->root_fd, folder, "node");
	json_t *array = json_array();
	size_t i;

	for (i = 0; names && names[i]; i++) {
		unsigned long long number;
		char *path, *cpus;

		if (!text_u64(names[i] + strlen("node"), 10, &number) || number > INT32_MAX)
			continue;
		path = xasprintf("%s/%s/cpulist", folder, names[i]);
		cpus = rooted_line(node->root_fd, path, NULL);
		json_array_append_new(
			array, json_pack("{s:I, s:o}", "node", (json_int_t)number, "cpus",
				       cpus ? json_printable_text(cpus) : json_null()));
		free(cpus);
		free(path);
	}
	rooted_names_free(names);
	if (json_array_size(array))
		return fact_json(array, node_class(node), folder);
	json_decref(array);
	return fact_unknown("/sys/devices/system/node holds no node");
}

/* --- together -----------------------------------------------------------------------------------
 */

static void add_gpus(json_t *system, const struct node *node)
{
	struct finding_list findings = { NULL, 0 };
	struct affinity_list affinity;
	struct access_list access;
	struct health_list health;
	struct module_list modules;

	access_read(node, &access);
	json_object_set_new(system, "access", access_json(node, &access));
	access_list_release(&access);
	affinity_read(node, &affinity);
	json_object_set_new(system, "affinity", affinity_json(&affinity, node));
	affinity_list_release(&affinity);
	module_group(node, &modules, &findings);
	health_read(node, &health);
	health_attribute_power(&health, &modules);
	json_object_set_new(system, "health", health_json(&health, node_class(node)));
	json_object_set_new(
		system, "modules_power", health_modules_json(&health, &modules, node_class(node)));
	health_list_release(&health);
	module_list_release(&modules);
	finding_list_release(&findings);
}

json_t *system_json(const struct node *node)
{
	const char *class = node_class(node);
	json_t *system = json_object();
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		json_object_set_new(system, rows[i].key, read_row(node->root_fd, &rows[i], class));
	json_object_set_new(system, "numa", numa_fact(node));
	json_object_set_new(system, "amdgpu_driver", driver_fact(node));
	json_object_set_new(system, "rocm_release", release_fact(node));
	json_object_set_new(system, "rocm_library", library_fact(node));
	dmi_enter(system, node->root_fd, class);
	container_enter(system, node);
	json_object_set_new(system, "cooling", fact_unknown("nobody measured it"));
	add_gpus(system, node);
	return system;
}

json_t *system_host_json(void)
{
	json_t *host = json_object();
	int root_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		json_object_set_new(host, rows[i].key, read_row(root_fd, &rows[i], "observed"));
	json_object_set_new(host, "logical_cpus",
		fact_integer(sysconf(_SC_NPROCESSORS_ONLN), "observed", "sysconf"));
	if (root_fd >= 0)
		close(root_fd);
	return host;
}
