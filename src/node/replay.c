/* SPDX-License-Identifier: Apache-2.0 */
#include "node/replay.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "node/sim_abi.h"

enum { COUNTERS_LIMIT = 1 << 16, DEFAULT_UNITS = 104 };

/* --- lib/ ------------------------------------------------------------------------------------- */

static int make_link(const char *target, const char *folder, const char *name, struct error *err)
{
	char *path = path_join(folder, name);
	int rc = 0;

	if ((unlink(path) != 0 && errno != ENOENT) || symlink(target, path) != 0)
		rc = error_errno(err, "cannot make the link %s", path);
	free(path);
	return rc;
}

static int link_library(const char *simhip, const char *lib, int soname, struct error *err)
{
	char *name = xasprintf("libamdhip64.so.%d", soname);
	char *built = path_join(simhip, name);
	char *target = realpath(built, NULL);
	int rc;

	if (!target)
		rc = error_errno(err, "the stand-in runtime %s", built);
	else
		rc = make_link(target, lib, name, err);
	/* Blender 3.4 opens libamdhip64.so without a version, as a development package provides it.
	 */
	if (rc == 0)
		rc = make_link(name, lib, "libamdhip64.so", err);
	free(target);
	free(built);
	free(name);
	return rc;
}

/* The loader stops at the first file of a name, usable or not. So a name that the node does not
 * have is taken by a file that is no library: else the search would go on to a real runtime of this
 * machine. */
static int block_libraries(const char *lib, struct error *err)
{
	static const char *const names[] = { "libamdhip64.so", "libamdhip64.so.5",
		"libamdhip64.so.6", "libamdhip64.so.7" };
	static const char text[] = "not there on the replayed node\n";
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = path_join(lib, names[i]);

		rc = file_write(path, text, sizeof(text) - 1, err);
		free(path);
	}
	return rc;
}

static int link_libraries(
	const struct node *node, const char *simhip, const char *lib, struct error *err)
{
	const json_t *sonames =
		json_object_get(json_object_get(node->description, "hip"), "sonames");
	size_t i;

	if (block_libraries(lib, err) != 0)
		return -1;
	for (i = 0; i < json_array_size(sonames); i++)
		if (link_library(simhip, lib, (int)json_integer_value(json_array_get(sonames, i)),
			    err) != 0)
			return -1;
	return 0;
}

/* --- sim.conf ------------------------------------------------------------------------------- */

static void add_optional(struct str *to, const json_t *device, const char *key)
{
	if (json_object_get(device, key))
		str_addf(to, "%s %lld\n", key, (long long)json_integer_of(device, key, 0));
}

/* What the description leaves to the sysfs tree: KFD's numbers and the compute units. */
static void add_from_kfd(
	struct str *to, const struct node *node, const json_t *device, size_t index)
{
	const struct gpu *gpu = node_find(node, json_text(device, "bdf", ""));
	unsigned long long units = DEFAULT_UNITS;

	if (gpu && gpu->simd_count.known && gpu->simd_per_cu.known && gpu->simd_per_cu.value)
		units = gpu->simd_count.value / gpu->simd_per_cu.value;
	str_addf(to, "gpu_id %llu\n",
		gpu && gpu->kfd_gpu_id.known ? (unsigned long long)gpu->kfd_gpu_id.value
					     : index + 1);
	str_addf(to, "kfd_node %llu\n",
		gpu && gpu->kfd_node.known ? (unsigned long long)gpu->kfd_node.value : index + 1);
	if (!json_object_get(device, "multiprocessors"))
		str_addf(to, "multiprocessors %llu\n", units);
}

static void add_device(struct str *to, const struct node *node, const json_t *device, size_t index)
{
	static const char *const optional[] = { "multiprocessors", "clock_khz", "memory_clock_khz",
		"memory_bus_bits", "l2_bytes" };
	unsigned long long id = 0;
	size_t i;

	text_u64(json_text(device, "unique_id", "0x0") + 2, 16, &id);
	str_addf(to, "device %s\n", json_text(device, "bdf", ""));
	str_addf(to, "unique_id %016llx\n", id);
	str_addf(to, "gcn_arch %s\n", json_text(device, "gcn_arch", ""));
	str_addf(to, "name %s\n", json_text(device, "name", ""));
	str_addf(to, "total_bytes %lld\n", (long long)json_integer_of(device, "total_bytes", 0));
	str_addf(to, "free_bytes %lld\n", (long long)json_integer_of(device, "free_bytes", 0));
	for (i = 0; i < sizeof(optional) / sizeof(optional[0]); i++)
		add_optional(to, device, optional[i]);
	add_from_kfd(to, node, device, index);
}

static void add_faults(struct str *to, const json_t *faults)
{
	size_t i;

	for (i = 0; i < json_array_size(faults); i++) {
		const json_t *fault = json_array_get(faults, i);

		str_addf(to, "fault %s %s %lld\n", json_text(fault, "device", ""),
			json_text(fault, "fault", ""),
			(long long)json_integer_of(fault, "after", 0));
	}
}

static char *playback_folder(const struct node *node)
{
	const char *name = json_text(node->description, "playback", NULL);
	char *joined, *real;

	if (!name || !node->folder)
		return NULL;
	joined = name[0] == '/' ? xstrdup(name) : path_join(node->folder, name);
	real = realpath(joined, NULL);
	free(joined);
	return real;
}

static int write_conf(
	const struct node *node, const char *path, const char *state, struct error *err)
{
	const json_t *hip = json_object_get(node->description, "hip");
	const json_t *devices = json_object_get(hip, "devices");
	char *playback = playback_folder(node);
	struct str text = STR_INIT;
	size_t i;
	int rc;

	str_addf(&text, "driver_version %lld\n",
		(long long)json_integer_of(hip, "driver_version", 0));
	str_addf(&text, "runtime_version %lld\n",
		(long long)json_integer_of(hip, "runtime_version", 0));
	str_addf(&text, "state %s\n", state);
	if (playback)
		str_addf(&text, "playback %s\n", playback);
	for (i = 0; i < json_array_size(devices); i++)
		add_device(&text, node, json_array_get(devices, i), i);
	add_faults(&text, json_object_get(node->description, "faults"));
	if (json_object_get(node->description, "playback") && !playback)
		rc = error_set(
			err, "%s: the playback folder of node.json cannot be found", node->folder);
	else
		rc = file_write(path, text.data, text.len, err);
	str_release(&text);
	free(playback);
	return rc;
}

/* --- the stage -------------------------------------------------------------------------------- */

static const char *hipcc_of(const struct node *node)
{
	return json_text(json_object_get(node->description, "tools"), "hipcc", "hidden");
}

/* A compiler of the node's own is linked into bin/, so that nothing else beside it comes with it.
 */
static int link_compiler(const struct node *node, const char *bin, struct error *err)
{
	const char *hipcc = hipcc_of(node);

	if (hipcc[0] != '/')
		return 0;
	if (access(hipcc, X_OK) != 0)
		return error_errno(err, "tools.hipcc of the replayed node: %s", hipcc);
	return make_link(hipcc, bin, "hipcc", err);
}

/* Hidden: bin/ alone, which is empty, not even `which` is there. NULL: inherited. */
static char *path_variable(const struct node *node, const char *bin)
{
	const char *hipcc = hipcc_of(node), *inherited = getenv("PATH");

	if (strcmp(hipcc, "inherit") == 0)
		return NULL;
	if (strcmp(hipcc, "hidden") == 0)
		return xasprintf("PATH=%s", bin);
	return xasprintf("PATH=%s:%s", bin, inherited ? inherited : "/usr/bin:/bin");
}

static void set_variables(const struct node *node, struct replay *replay, const char *lib,
	const char *bin, const char *conf)
{
	char *path = path_variable(node, bin);

	replay->variables = xcalloc(4, sizeof(*replay->variables));
	replay->variables[0] = xasprintf("LD_LIBRARY_PATH=%s", lib);
	replay->variables[1] = xasprintf("OAMQUAL_SIM=%s", conf);
	replay->variables[2] = path;
}

/* The built stand-ins, the compiler's folder and the recorded pictures. */
static void set_reads(const struct node *node, const char *simhip, struct replay *replay)
{
	const char *hipcc = hipcc_of(node);
	char *playback = playback_folder(node);
	size_t count = 0;

	replay->reads = xcalloc(4, sizeof(*replay->reads));
	replay->reads[count++] = xstrdup(simhip);
	if (hipcc[0] == '/')
		replay->reads[count++] = xstrdup(hipcc);
	if (playback)
		replay->reads[count++] = playback;
}

/* The configuration holds a path a line, and LD_LIBRARY_PATH is split at colons. */
static int check_folder(const char *folder, struct error *err)
{
	if (folder[0] != '/' || strpbrk(folder, ":;\n"))
		return error_set(err,
			"%s: the folder of a replay must be absolute, without ':', ';' and newline",
			folder);
	return 0;
}

int replay_make(const struct node *node, const char *simhip, const char *folder, struct replay *out,
	struct error *err)
{
	char *lib = path_join(folder, "lib"), *bin = path_join(folder, "bin");
	char *state = path_join(folder, "state"), *conf = path_join(folder, "sim.conf");
	char *kfd = path_join(state, "kfd/proc");
	struct replay replay;
	int rc = -1;

	memset(&replay, 0, sizeof(replay));
	if (check_folder(folder, err) == 0 && folder_make(lib, err) == 0 &&
		folder_make(bin, err) == 0 && folder_make(kfd, err) == 0 &&
		link_libraries(node, simhip, lib, err) == 0 && link_compiler(node, bin, err) == 0 &&
		write_conf(node, conf, state, err) == 0) {
		replay.folder = xstrdup(folder);
		replay.state = xstrdup(state);
		set_reads(node, simhip, &replay);
		set_variables(node, &replay, lib, bin, conf);
		*out = replay;
		rc = 0;
	}
	free(kfd);
	free(conf);
	free(state);
	free(bin);
	free(lib);
	return rc;
}

void replay_release(struct replay *replay)
{
	size_t i;

	if (!replay)
		return;
	for (i = 0; replay->variables && replay->variables[i]; i++)
		free(replay->variables[i]);
	free(replay->variables);
	for (i = 0; replay->reads && replay->reads[i]; i++)
		free(replay->reads[i]);
	free(replay->reads);
	free(replay->state);
	free(replay->folder);
	memset(replay, 0, sizeof(*replay));
}

/* --- counters -----------------------------------------------------------------------------------
 */

static int find_row(const struct str *text, const char *path, const char *bdf,
	struct sim_counters_row *row, struct error *err)
{
	struct sim_counters_head head;
	size_t i;

	if (text->len < sizeof(head))
		return error_set(err, "%s: too short", path);
	memcpy(&head, text->data, sizeof(head));
	if (memcmp(head.magic, SIM_COUNTERS_MAGIC, sizeof(head.magic)) != 0 ||
		head.row_bytes != sizeof(*row) || head.devices > SIM_MAX_DEVICES ||
		text->len != sizeof(head) + head.devices * sizeof(*row))
		return error_set(err, "%s: not a counters file", path);
	for (i = 0; i < head.devices; i++) {
		memcpy(row, text->data + sizeof(head) + i * sizeof(*row), sizeof(*row));
		if (memchr(row->bdf, '\0', sizeof(row->bdf)) && strcmp(row->bdf, bdf) == 0)
			return 0;
	}
	return error_set(err, "%s: has no device %s", path, bdf);
}

int replay_counters_read(const char *state, long pid, const char *bdf, struct replay_counters *out,
	struct error *err)
{
	char *path = xasprintf("%s/%ld.counters", state, pid);
	struct sim_counters_row row;
	struct str text = STR_INIT;
	int rc = file_read(path, COUNTERS_LIMIT, &text, err);

	if (rc == 0)
		rc = find_row(&text, path, bdf, &row, err);
	if (rc == 0) {
		out->launches = row.launches;
		out->allocations = row.allocations;
		out->modules = row.modules;
		out->errors = row.errors;
		out->vram_peak = row.vram_peak;
		out->first_sample = row.first_sample;
		out->end_sample = row.end_sample;
	}
	str_release(&text);
	free(path);
	return rc;
}
