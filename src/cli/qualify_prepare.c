/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/data.h"
#include "cli/qualify.h"
#include "cli/qualify_state.h"
#include "node/isolation.h"
#include "run/stop.h"

enum { KERNEL_BYTES = 512 << 20 };

int qualify_make_new(const char *out, struct error *err)
{
	if (file_exists(out) && !folder_is_empty(out))
		return error_set(err,
			"%s: exists and is not an empty folder; a run never writes into an older "
			"one",
			out);
	return folder_make(out, err);
}

static int make_out(struct qualify *run, const char *out, struct error *err)
{
	char resolved[PATH_MAX];

	run->made_out = !file_exists(out);
	if (!run->request->resume && qualify_make_new(out, err) != 0)
		return -1;
	if (!realpath(out, resolved))
		return error_errno(err, "%s", out);
	run->out = xstrdup(resolved);
	if (access(resolved, W_OK) != 0)
		return error_errno(err, "%s: cannot write there", out);
	if (!text_is_utf8(resolved, strlen(resolved)))
		return error_set(
			err, "%s: its path is not UTF-8, and Blender's job file must be", resolved);
	return 0;
}

static int make_inside(const struct qualify *run, const char *name, char **path, struct error *err)
{
	*path = path_join(run->out, name);
	return folder_make(*path, err);
}

int qualify_copy_file(const char *from, const char *to, size_t limit, struct error *err)
{
	struct str bytes = STR_INIT;
	int rc = file_read(from, limit, &bytes, err);

	if (rc == 0)
		rc = file_write(to, bytes.data, bytes.len, err);
	str_release(&bytes);
	return rc;
}

/* --- the kernel cache that an operator hands in --- */

static int take_kernel(
	struct qualify *run, const char *from, const char *to, const char *name, struct error *err)
{
	char *source = path_join(from, name), *target = path_join(to, name);
	uint64_t size;
	struct stat info;
	char hex[65];
	int rc = lstat(source, &info) != 0 ? error_errno(err, "%s", source)
		 : !S_ISREG(info.st_mode)  ? error_set(err, "%s: not a regular file", source)
					   : 0;

	if (rc == 0)
		rc = qualify_copy_file(source, target, KERNEL_BYTES, err);
	if (rc == 0)
		rc = digest_file(target, hex, &size, err);
	if (rc == 0)
		json_array_append_new(run->kernel_cache,
			json_pack("{s:o, s:I, s:s}", "name", json_printable_text(name), "bytes",
				(json_int_t)size, "sha256", hex));
	free(source);
	free(target);
	return rc;
}

/* Cycles looks for kernels at <XDG_CACHE_HOME>/cycles/kernels. */
static int take_kernel_cache(struct qualify *run, const char *from, struct error *err)
{
	char *to;
	struct dirent *entry;
	DIR *folder;
	int rc = make_inside(run, "cache/cycles/kernels", &to, err);

	if (rc == 0 && from) {
		folder = opendir(from);
		if (!folder)
			rc = error_errno(err, "%s", from);
		while (rc == 0 && (entry = readdir(folder)))
			if (entry->d_name[0] != '.')
				rc = take_kernel(run, from, to, entry->d_name, err);
		if (folder)
			closedir(folder);
		if (rc == 0 && json_array_size(run->kernel_cache) == 0)
			rc = error_set(err, "%s: holds no kernel files", from);
	}
	free(to);
	return rc;
}

/* --- GCDs --- */

/* Isolation needs the unique id, and the evidence an address. */
static void choose_gpu(struct qualify *run, const struct gpu *gpu)
{
	char why[200];
	bool isolated = isolation_by_id(&run->open.node, gpu, why);
	size_t i;

	for (i = 0; i < run->gpu_count; i++)
		if (run->gpus[i] == gpu)
			return;
	if (isolated && gpu->bdf[0]) {
		run->gpus[run->gpu_count++] = gpu;
		return;
	}
	json_array_append_new(run->notes,
		json_sprintf("GCD %s: not attempted: %s",
			gpu->bdf[0] ? gpu->bdf : "without an address",
			isolated ? "its PCI address is unknown, so it cannot be isolated" : why));
}

/* Their verdict is inconclusive, as of all that nobody tried; this says that it was meant. */
static void note_left_out(struct qualify *run)
{
	const struct node *node = &run->open.node;
	struct str names = STR_INIT;
	size_t i, j;

	for (i = 0; i < node->gpu_count; i++) {
		const struct gpu *gpu = &node->gpus[i];

		for (j = 0; j < run->request->gcd_count; j++)
			if (node_find(node, run->request->gcds[j]) == gpu)
				break;
		if (j == run->request->gcd_count)
			str_addf(&names, "%s%s", names.len ? ", " : "",
				gpu->bdf[0] ? gpu->bdf : "one without an address");
	}
	if (names.len)
		json_array_append_new(run->notes,
			json_sprintf("left out, since --gcd names others, and inconclusive for "
				     "that: %s",
				names.data));
	str_release(&names);
}

static int choose_gpus(struct qualify *run, struct error *err)
{
	const struct qualify_request *request = run->request;
	const struct node *node = &run->open.node;
	size_t i;

	run->gpus = xcalloc(node->gpu_count + request->gcd_count + 1, sizeof(*run->gpus));
	for (i = 0; i < request->gcd_count; i++) {
		const struct gpu *gpu = node_find(node, request->gcds[i]);

		if (!gpu)
			return error_set(err,
				"--gcd %s: the node has no such GCD; see 'oamqual node'",
				request->gcds[i]);
		choose_gpu(run, gpu);
	}
	if (request->gcd_count)
		note_left_out(run);
	for (i = 0; !request->gcd_count && i < node->gpu_count; i++)
		choose_gpu(run, &node->gpus[i]);
	if (!node->gpu_count)
		json_array_append_new(run->notes,
			json_sprintf("no GPU domain: %s", node->kfd_readable == KNOWN_YES
								  ? "KFD's topology holds none"
								  : node->kfd_why));
	return 0;
}

/* --- isolation --- */

void qualify_choose_sandbox(const char *mode, const char *folder, struct sandbox *out)
{
	if (mode && strcmp(mode, "none") == 0)
		sandbox_leave_out(out, "left out by --sandbox none");
	else
		sandbox_find(folder, out);
}

static int prepare_sandbox(struct qualify *run, struct error *err)
{
	const char *mode = run->request->sandbox;

	qualify_choose_sandbox(mode, run->out, &run->sandbox);
	if (!run->sandbox.bwrap && strcmp(mode, "require") == 0)
		return error_set(err, "--sandbox require: %s", run->sandbox.why);
	return 0;
}

/* More than there is would only swap or be killed. */
static uint64_t machine_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);

	return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : 0;
}

static void fill_context(struct qualify *run)
{
	const struct qualify_request *request = run->request;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int threads = (int)(cpus / (long)request->jobs);

	run->context = (struct attempt_context){
		.node = &run->open.node,
		.replay = run->open.is_replayed ? &run->open.replay : NULL,
		.affinity = &run->affinity,
		.blender = &run->blender,
		.compiler = &run->compiler,
		.sandbox = &run->sandbox,
		.memory_bytes_max =
			request->memory_bytes ? request->memory_bytes : machine_memory(),
		.kernel_log = run->kernel_log,
		.cache_folder = run->cache_folder,
		.deadline_ms = (int64_t)request->deadline_s * 1000,
		.threads = threads > 0 ? threads : 1,
	};
}

/* What a run that is resumed makes anew. Attempts and kernels stay. */
static int clear_stage(const struct qualify *run, struct error *err)
{
	static const char *const names[] = { "scenes", "references", "node", "distributed" };
	size_t i;
	int rc = folder_remove_temporaries(run->out, err);

	for (i = 0; rc == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = path_join(run->out, names[i]);

		rc = folder_remove(path, err);
		free(path);
	}
	return rc;
}

static int prepare_folders(struct qualify *run, struct error *err)
{
	const struct qualify_request *request = run->request;

	if (make_out(run, request->out, err) != 0 ||
		(request->resume ? clear_stage(run, err) : state_write(run, false, err)) != 0 ||
		make_inside(run, "attempts", &run->attempts_folder, err) != 0)
		return -1;
	return make_inside(run, "cache", &run->cache_folder, err);
}

/* While Blender is starting to say its version and the picture library is being loaded. */
static int prepare_meanwhile(struct qualify *run, struct error *err)
{
	const struct qualify_request *request = run->request;

	if (node_open(request->node_folder, run->out, request->hip_library, true, &run->open,
		    err) != 0 ||
		choose_gpus(run, err) != 0 ||
		take_kernel_cache(run, request->kernel_cache, err) != 0)
		return -1;
	return qualify_prepare_scenes(run, err);
}

static int prepare_parts(struct qualify *run, struct error *err)
{
	struct blender_asking asking;

	if (prepare_sandbox(run, err) != 0 || blender_build_ask(run->request->blender, run->out,
						      &run->sandbox, &asking, err) != 0)
		return -1;
	if (prepare_meanwhile(run, err) != 0) {
		blender_asking_release(&asking);
		return -1;
	}
	return blender_build_answer(&asking, &run->blender, err);
}

static int prepare_all(struct qualify *run, struct error *err)
{
	if (prepare_folders(run, err) != 0 || prepare_parts(run, err) != 0)
		return -1;
	if (stop_is_asked())
		return error_set(err, "interrupted before anything was rendered");
	run->kernel_log = kernel_log_open("/dev/kmsg");
	affinity_read(&run->open.node, &run->affinity);
	fill_context(run);
	if (!run->request->resume)
		return 0;
	/* What was judged before must have been judged by the same. */
	if (qualify_prepare_judging(run, err) != 0 || state_resume(run, err) != 0)
		return -1;
	return state_write(run, true, err);
}

/* Removes what was made: the folder itself when it was ours, else only what we put into it. */
static void undo_out(struct qualify *run)
{
	static const char *const ours[] = { "attempts", "cache", "scenes", "references", "node",
		"blender-version.txt", "hipcc-version.txt", "state.json" };
	size_t i;

	if (!run->out || run->request->resume)
		return;
	for (i = 0; !run->made_out && i < sizeof(ours) / sizeof(ours[0]); i++) {
		char *path = path_join(run->out, ours[i]);

		folder_remove(path, NULL);
		free(path);
	}
	for (i = 0; !run->made_out && i < run->scene_count; i++) {
		char *path = xasprintf("%s/%s.manifest.json", run->out,
			run->scenes[i].spec.name ? run->scenes[i].spec.name : "");

		unlink(path);
		free(path);
	}
	if (run->made_out)
		folder_remove(run->out, NULL);
}

int qualify_prepare(const struct qualify_request *request, struct qualify *run, struct error *err)
{
	memset(run, 0, sizeof(*run));
	run->request = request;
	run->kernel_cache = json_array();
	run->notes = json_array();
	run->resumed = json_array();
	run->unfinished = json_array();
	clock_utc(run->started_utc);
	if (prepare_all(run, err) == 0)
		return 0;
	undo_out(run);
	qualify_release(run);
	return -1;
}

static void release_scene(struct render_scene *scene)
{
	reference_set_release(&scene->references);
	manifest_release(&scene->manifest);
	scene_spec_release(&scene->spec);
	free(scene->folder);
}

void qualify_release(struct qualify *run)
{
	size_t i;

	for (i = 0; i < run->attempt_count; i++)
		attempt_release(&run->attempts[i]);
	for (i = 0; i < run->scene_count; i++)
		release_scene(&run->scenes[i]);
	if (run->open.node.name)
		node_close(&run->open);
	affinity_list_release(&run->affinity);
	blender_build_release(&run->blender);
	sandbox_release(&run->sandbox);
	kernel_log_free(run->kernel_log);
	json_decref(run->kernel_cache);
	json_decref(run->notes);
	json_decref(run->resumed);
	json_decref(run->unfinished);
	json_decref(run->distributed);
	json_decref(run->transport);
	free(run->attempts);
	free(run->scenes);
	free(run->gpus);
	free(run->cache_folder);
	free(run->attempts_folder);
	free(run->out);
	memset(run, 0, sizeof(*run));
}
