/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/witness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "blender/confine.h"
#include "blender/worker_script.h"

bool witness_counters(const struct attempt *attempt, struct replay_counters *counters)
{
	char *state = confine_state(attempt);
	bool read = state && attempt->gpu &&
		    replay_counters_read(
			    state, attempt->inner_pid, attempt->gpu->bdf, counters, NULL) == 0;

	free(state);
	return read;
}

/* --- before Blender ran --- */

static void witness_kfd(const struct attempt *attempt, struct facts *facts)
{
	const struct node *node = attempt->context->node;
	const struct gpu *gpu = attempt->gpu;

	if (node->kfd_readable != KNOWN_YES)
		facts_set(facts, FACT_IN_KFD, KNOWN_UNKNOWN, "%s", node->kfd_why);
	else if (gpu->in_kfd == KNOWN_YES)
		facts_set(facts, FACT_IN_KFD, KNOWN_YES, "KFD topology node %llu is %s",
			(unsigned long long)gpu->kfd_node.value, gpu->bdf);
	else
		facts_set(facts, FACT_IN_KFD, KNOWN_NO, "no KFD topology node has the address %s",
			gpu->bdf);
	if (node->simulated)
		facts_set(facts, FACT_KFD_OPENABLE, KNOWN_YES,
			"simulated: a replayed node has no device file to open");
	else
		facts_set(facts, FACT_KFD_OPENABLE, node->kfd_openable, "%s",
			node->kfd_openable == KNOWN_YES ? "/dev/kfd opens read-write here"
							: node->kfd_open_why);
}

static void witness_hip_library(const struct node *node, struct facts *facts)
{
	if (node->hip_state == HIP_MISSING)
		facts_set(facts, FACT_HIP_LOADABLE, KNOWN_NO, "%.350s", node->hip_why);
	else if (node->hip_state == HIP_NOT_ASKED)
		facts_set(facts, FACT_HIP_LOADABLE, KNOWN_UNKNOWN, "HIP was not asked");
	else if (node->hip_library[0])
		facts_set(facts, FACT_HIP_LOADABLE, KNOWN_YES, "loaded %.350s", node->hip_library);
	else
		facts_set(facts, FACT_HIP_LOADABLE, KNOWN_UNKNOWN, "%.350s", node->hip_why);
}

static void witness_hip_devices(const struct attempt *attempt, struct facts *facts)
{
	const struct node *node = attempt->context->node;
	const struct gpu *gpu = attempt->gpu;

	if (node->hip_state == HIP_NO_DEVICE) {
		facts_set(facts, FACT_HIP_HAS_DEVICES, KNOWN_NO, "%.350s", node->hip_why);
		facts_set(facts, FACT_HIP_ENUMERATES, KNOWN_NO, "%.350s", node->hip_why);
	} else if (node->hip_state != HIP_ANSWERED) {
		facts_set(facts, FACT_HIP_HAS_DEVICES, KNOWN_UNKNOWN, "HIP %s: %.300s",
			hip_state_name(node->hip_state), node->hip_why);
		facts_set(facts, FACT_HIP_ENUMERATES, KNOWN_UNKNOWN, "HIP %s: %.300s",
			hip_state_name(node->hip_state), node->hip_why);
	} else {
		facts_set(facts, FACT_HIP_HAS_DEVICES, KNOWN_YES, "hipGetDeviceCount answered");
		if (gpu->in_hip == KNOWN_YES)
			facts_set(facts, FACT_HIP_ENUMERATES, KNOWN_YES, "HIP device %llu is %s %s",
				(unsigned long long)gpu->hip_index.value, gpu->bdf,
				gpu->hip_gcn_arch);
		else
			facts_set(facts, FACT_HIP_ENUMERATES, gpu->in_hip,
				"HIP enumerates devices, none of them at %s", gpu->bdf);
	}
}

void witness_node(const struct attempt *attempt, struct facts *facts)
{
	facts_set(facts, FACT_SCENE_READABLE, KNOWN_UNKNOWN,
		"the archive is whole (tree %.16s...), Blender has not opened it",
		attempt->scene->manifest.tree_sha256);
	if (!attempt->gpu)
		return;
	witness_kfd(attempt, facts);
	witness_hip_library(attempt->context->node, facts);
	witness_hip_devices(attempt, facts);
}

/* --- how the child ended --- */

/* A scene that could rewrite the script could make it say anything. */
static bool worker_script_is_ours(const struct attempt *attempt)
{
	char *path = path_join(attempt->folder, "worker.py");
	struct str text = STR_INIT;
	size_t len;
	const char *script = worker_script(&len);
	bool ours = file_read(path, len, &text, NULL) == 0 && text.len == len &&
		    memcmp(text.data, script, len) == 0;

	str_release(&text);
	free(path);
	return ours;
}

/* Nothing was rendered, for a reason that is no device's. */
static void witness_skip(const struct attempt *attempt, struct facts *facts)
{
	const char *reason = attempt_skipped(attempt);

	if (reason)
		facts_set(facts, FACT_SCENE_RENDERABLE, KNOWN_NO, "%.300s", reason);
	else if (json_is_string(json_object_get(attempt->worker, "skipped")))
		facts_set(facts, FACT_SCENE_RENDERABLE, KNOWN_UNKNOWN,
			"worker.json says skipped, and Blender did not end as it then does");
	else if (attempt->worker)
		facts_set(facts, FACT_SCENE_RENDERABLE, KNOWN_YES,
			"worker.json names nothing that this build lacks");
	else
		facts_set(facts, FACT_SCENE_RENDERABLE, KNOWN_UNKNOWN, "there is no worker.json");
}

static void witness_ending(const struct attempt *attempt, struct facts *facts)
{
	const struct child_ending *ending = &attempt->child.ending;
	enum child_end how = ending->how;
	enum known started = attempt->worker ? KNOWN_YES : KNOWN_UNKNOWN;
	char text[200];

	child_ending_text(ending, text, sizeof(text));
	if (attempt->worker && !worker_script_is_ours(attempt)) {
		started = KNOWN_UNKNOWN;
		str_copy(text, sizeof(text), "worker.py was changed while it ran");
	}
	facts_set(facts, FACT_BLENDER_STARTED, how == CHILD_NOT_STARTED ? KNOWN_NO : started, "%s",
		started == KNOWN_YES ? "the worker script ran inside it" : text);
	child_ending_text(ending, text, sizeof(text));
	facts_set(facts, FACT_NOT_INTERRUPTED, how == CHILD_INTERRUPTED ? KNOWN_NO : KNOWN_YES,
		"%s", text);
	facts_set(facts, FACT_IN_TIME,
		how == CHILD_TIMED_OUT || how == CHILD_STUCK ? KNOWN_NO : KNOWN_YES, "%s", text);
	facts_set(facts, FACT_NOT_SIGNALLED, how == CHILD_SIGNALLED ? KNOWN_NO : KNOWN_YES, "%s",
		text);
	facts_set(facts, FACT_ENDED_WELL,
		how == CHILD_EXITED && ending->code == 0 ? KNOWN_YES : KNOWN_NO, "%s%s%.200s", text,
		log_seen(&attempt->log, LOG_ERROR) ? "; " : "", attempt->log.event[LOG_ERROR].text);
	witness_skip(attempt, facts);
	facts_set(facts, FACT_STABLE, KNOWN_YES,
		"one render was asked for, so there is none to disagree");
}

/* --- what Blender and Cycles said --- */

static bool scene_is_newer(const struct attempt *attempt)
{
	const struct blend_header *header = &attempt->scene->blend->blend;
	const struct blender_build *build = attempt->context->blender;

	return header->version_major > build->major ||
	       (header->version_major == build->major && header->version_minor > build->minor);
}

static void witness_scene(const struct attempt *attempt, struct facts *facts)
{
	static const enum log_event bad[] = { LOG_SCENE_UNREADABLE, LOG_SCENE_NEWER };
	const struct log_entry *line = log_first_seen(&attempt->log, bad, 2);
	const struct manifest_entry *blend = attempt->scene->blend;

	if (line && !log_seen(&attempt->log, LOG_OPTION_AS_FILE))
		facts_set(facts, FACT_SCENE_READABLE, KNOWN_NO, "Blender: %s", line->text);
	else if (scene_is_newer(attempt))
		facts_set(facts, FACT_SCENE_READABLE, KNOWN_NO,
			"%s was written by Blender %d.%d and this is %s: it would lose data",
			blend->path, blend->blend.version_major, blend->blend.version_minor,
			attempt->context->blender->version);
	else if (json_object_get(attempt->worker, "scene"))
		facts_set(facts, FACT_SCENE_READABLE, KNOWN_YES,
			"Blender opened %s of tree %.16s...", blend->path,
			attempt->scene->manifest.tree_sha256);
}

static const char *listed_id(const struct attempt *attempt, size_t *listed)
{
	const json_t *available =
		json_object_get(json_object_get(attempt->worker, "devices"), "available");
	const json_t *device;
	const char *found = NULL;
	size_t i;

	*listed = 0;
	json_array_foreach (available, i, device) {
		const char *id = json_text(device, "id", "");

		if (strcmp(json_text(device, "type", ""), "HIP") != 0)
			continue;
		++*listed;
		if (log_id_is_at(id, attempt->gpu->bdf))
			found = id;
	}
	return found;
}

/* Why a list is empty, when Cycles says why. */
static const char *listing_reason(const struct attempt *attempt)
{
	static const enum log_event reasons[] = { LOG_HIP_LIBRARY_FAILED, LOG_HIP_INIT_FAILED,
		LOG_DRIVER_TOO_OLD, LOG_NO_KERNELS_NO_COMPILER, LOG_ARCHITECTURE_REFUSED };
	const struct log_entry *line =
		log_first_seen(&attempt->log, reasons, sizeof(reasons) / sizeof(reasons[0]));

	return line ? line->text : "Cycles lists no HIP device and does not say why";
}

/* What Cycles says when it cannot have listed a device, or will not use the one that it did. The
 * worker's list does not outweigh it. */
static const struct log_entry *listing_denied(const struct attempt *attempt)
{
	static const enum log_event denials[] = { LOG_HIP_INIT_FAILED, LOG_NO_KERNELS_NO_COMPILER,
		LOG_ARCHITECTURE_REFUSED, LOG_NO_DEVICE_OF_TYPE };

	return log_first_seen(&attempt->log, denials, sizeof(denials) / sizeof(denials[0]));
}

static void witness_listing(const struct attempt *attempt, struct facts *facts)
{
	const struct log_entry *denied = listing_denied(attempt);
	const char *id;
	size_t listed;

	if (!json_object_get(attempt->worker, "devices")) {
		facts_set(facts, FACT_CYCLES_LISTS, KNOWN_UNKNOWN,
			"Blender ended before the worker could ask for the list");
		return;
	}
	id = listed_id(attempt, &listed);
	if (id && denied)
		facts_set(facts, FACT_CYCLES_LISTS, KNOWN_NO,
			"%.250s, although the worker's list has it", denied->text);
	else if (id)
		facts_set(facts, FACT_CYCLES_LISTS, KNOWN_YES, "Cycles lists %.250s", id);
	else if (listed)
		facts_set(facts, FACT_CYCLES_LISTS, KNOWN_NO,
			"Cycles lists %zu HIP devices, none of them at %s", listed,
			attempt->gpu->bdf);
	else
		facts_set(facts, FACT_CYCLES_LISTS, KNOWN_NO, "%s", listing_reason(attempt));
}

static void witness_hip_in_blender(const struct attempt *attempt, struct facts *facts)
{
	static const enum log_event went_on[] = { LOG_HIP_LIBRARY_LOADED,
		LOG_NO_KERNELS_NO_COMPILER, LOG_FOUND_COMPILER, LOG_FOUND_PRECOMPILED,
		LOG_DEVICE_ADDED, LOG_DRIVER_TOO_OLD, LOG_HIP_INIT_FAILED };
	const json_t *built_in = json_object_get(attempt->worker, "hip_built_in");
	const struct log_entry *failed = log_seen(&attempt->log, LOG_HIP_LIBRARY_FAILED);
	const struct log_entry *loaded =
		log_first_seen(&attempt->log, went_on, sizeof(went_on) / sizeof(went_on[0]));
	const struct log_entry *old = log_seen(&attempt->log, LOG_DRIVER_TOO_OLD);

	if (json_is_boolean(built_in))
		facts_set(facts, FACT_BLENDER_HAS_HIP,
			json_is_true(built_in) ? KNOWN_YES : KNOWN_NO,
			"HIP is %samong the device types of this build",
			json_is_true(built_in) ? "" : "not ");
	if (failed)
		facts_set(facts, FACT_BLENDER_LOADS_HIP, KNOWN_NO, "%s", failed->text);
	else if (loaded)
		facts_set(facts, FACT_BLENDER_LOADS_HIP, KNOWN_YES, "%s", loaded->text);
	else if (facts->answer[FACT_CYCLES_LISTS] == KNOWN_YES)
		facts_set(facts, FACT_BLENDER_LOADS_HIP, KNOWN_YES, "%s",
			facts->evidence[FACT_CYCLES_LISTS]);
	if (old)
		facts_set(facts, FACT_DRIVER_NEW_ENOUGH, KNOWN_NO, "%s", old->text);
	else if (facts->answer[FACT_BLENDER_LOADS_HIP] == KNOWN_YES)
		facts_set(facts, FACT_DRIVER_NEW_ENOUGH, KNOWN_YES,
			"this Blender loaded HIP and did not refuse the driver");
}

/* On a replayed node the stand-in runtime counts the modules it is given. */
static bool no_module_loaded(const struct attempt *attempt)
{
	struct replay_counters counters = { 0 };

	return attempt->context->replay &&
	       (!witness_counters(attempt, &counters) || !counters.modules);
}

static void witness_kernels(const struct attempt *attempt, struct facts *facts)
{
	static const enum log_event build_failed[] = { LOG_COMPILER_ERROR,
		LOG_KERNEL_BUILD_FAILED };
	const struct log_entry *compiler = log_seen(&attempt->log, LOG_COMPILER_ERROR);
	const struct log_entry *failed = log_first_seen(&attempt->log, build_failed, 2);
	const struct log_entry *missing = log_seen(&attempt->log, LOG_KERNEL_NOT_FOUND);
	const struct log_entry *ready = log_seen(&attempt->log, LOG_KERNEL_READY);
	const struct log_entry *load_failed = log_seen(&attempt->log, LOG_KERNEL_LOAD_FAILED);
	const struct log_entry *loaded = log_seen(&attempt->log, LOG_KERNELS_WERE_LOADED);

	if (failed && log_seen(&attempt->log, LOG_KERNEL_BUILD_FAILED)) {
		facts_set(facts, FACT_KERNELS_BUILT, KNOWN_NO, "%s",
			compiler ? compiler->text : failed->text);
		facts_set(facts, FACT_KERNELS_READY, KNOWN_NO, "%s", failed->text);
	} else if (missing) {
		facts_set(facts, FACT_KERNELS_BUILT, KNOWN_YES, "no build was tried");
		facts_set(facts, FACT_KERNELS_READY, KNOWN_NO, "%s", missing->text);
	} else if (ready) {
		facts_set(facts, FACT_KERNELS_BUILT, KNOWN_YES, "%s", ready->text);
		facts_set(facts, FACT_KERNELS_READY, KNOWN_YES, "%s", ready->text);
	}
	if (load_failed)
		facts_set(facts, FACT_KERNELS_LOADED, KNOWN_NO, "%s", load_failed->text);
	else if (ready && loaded && no_module_loaded(attempt))
		facts_set(facts, FACT_KERNELS_LOADED, KNOWN_UNKNOWN,
			"only Cycles' own line says so: the stand-in runtime was given no module");
	else if (ready && loaded)
		facts_set(facts, FACT_KERNELS_LOADED, KNOWN_YES,
			"Cycles went past loading kernels without complaint: %s", loaded->text);
}

/* --- who rendered --- */

struct traced_summary {
	const struct log_traced *here, *cpu, *elsewhere;
	size_t known;
};

static struct traced_summary traced(const struct attempt *attempt)
{
	struct traced_summary sum = { 0 };
	size_t i, kept = attempt->log.traced_count < LOG_TRACED_MAX ? attempt->log.traced_count
								    : LOG_TRACED_MAX;

	for (i = 0; i < kept; i++) {
		const struct log_traced *t = &attempt->log.traced[i];

		sum.known++;
		if (strcmp(t->kind, "CPU") == 0)
			sum.cpu = t;
		else if (attempt->gpu && log_id_is_at(t->id, attempt->gpu->bdf))
			sum.here = t;
		else
			sum.elsewhere = t;
	}
	return sum;
}

static void witness_elsewhere(const struct traced_summary *sum, struct facts *facts)
{
	if (sum->elsewhere)
		facts_set(facts, FACT_NOT_ELSEWHERE, KNOWN_NO, "%s", sum->elsewhere->text);
	else if (sum->known)
		facts_set(facts, FACT_NOT_ELSEWHERE, KNOWN_YES, "%s",
			sum->here ? sum->here->text : sum->cpu->text);
	else
		facts_set(facts, FACT_NOT_ELSEWHERE, KNOWN_UNKNOWN,
			"Cycles did not report what it rendered on");
	if (sum->cpu)
		facts_set(facts, FACT_NOT_ON_CPU, KNOWN_NO, "%s", sum->cpu->text);
	else if (sum->known)
		facts_set(facts, FACT_NOT_ON_CPU, KNOWN_YES, "%s",
			sum->here ? sum->here->text : sum->elsewhere->text);
	else
		facts_set(facts, FACT_NOT_ON_CPU, KNOWN_UNKNOWN,
			"Cycles did not report what it rendered on");
}

/* Cycles' line is one witness. The second is the kernel driver's account of this very process on
 * this very device; on a replayed node also the stand-in's own launch count. */
static void witness_traced_here(
	const struct attempt *attempt, const struct traced_summary *sum, struct facts *facts)
{
	struct replay_counters counters = { 0 };
	bool counted = witness_counters(attempt, &counters);

	if (!sum->here) {
		facts_set(facts, FACT_TRACED_HERE, sum->known ? KNOWN_NO : KNOWN_UNKNOWN, "%s",
			sum->cpu	 ? sum->cpu->text
			: sum->elsewhere ? sum->elsewhere->text
					 : "Cycles did not report what it rendered on");
	} else if (attempt->context->replay && (!counted || !counters.launches)) {
		facts_set(facts, FACT_TRACED_HERE, KNOWN_NO,
			"Cycles says so, and the stand-in runtime counted no kernel launch on %s",
			attempt->gpu->bdf);
	} else if (!attempt->vram_peak.known) {
		facts_set(facts, FACT_TRACED_HERE, KNOWN_UNKNOWN,
			"only Cycles' own line says so; no second source: %s", attempt->vram_why);
	} else if (!attempt->vram_peak.value) {
		facts_set(facts, FACT_TRACED_HERE, KNOWN_NO,
			"Cycles says so, and KFD saw the process hold no memory on %s",
			attempt->gpu->bdf);
	} else {
		facts_set(facts, FACT_TRACED_HERE, KNOWN_YES,
			"%.220s; KFD saw the process hold up to %llu bytes on %s", sum->here->text,
			(unsigned long long)attempt->vram_peak.value, attempt->gpu->bdf);
	}
}

/* --- errors within the window --- */

static const struct log_entry *device_error_line(const struct attempt *attempt)
{
	static const enum log_event errors[] = { LOG_MEMORY_FAULT, LOG_GPU_EXCEPTION,
		LOG_INVALID_DEVICE_FUNCTION, LOG_HIP_CALL_FAILED, LOG_KERNEL_LOAD_FAILED };

	return log_first_seen(&attempt->log, errors, sizeof(errors) / sizeof(errors[0]));
}

/* Uncorrected errors that came while it ran, or counts that began anew because the GPU was reset:
 * then a right picture proves nothing about the device. */
static const struct finding *accusing_count(const struct attempt *attempt)
{
	static const char *const codes[] = { "ecc-uncorrected", "count-restarted" };
	size_t i, j;

	for (i = 0; i < attempt->counted.count; i++)
		for (j = 0; j < sizeof(codes) / sizeof(codes[0]); j++)
			if (strcmp(attempt->counted.items[i].code, codes[j]) == 0)
				return &attempt->counted.items[i];
	return NULL;
}

static void witness_device_errors(const struct attempt *attempt, struct facts *facts)
{
	const struct log_entry *line = device_error_line(attempt);
	const struct finding *counted = accusing_count(attempt);
	struct replay_counters counters = { 0 };
	const char *kernel_line;

	if (line || counted) {
		facts_set(facts, FACT_NO_DEVICE_ERROR, KNOWN_NO, "%.350s",
			line ? line->text : counted->text);
		return;
	}
	if (attempt->context->replay) {
		if (!witness_counters(attempt, &counters))
			facts_set(facts, FACT_NO_DEVICE_ERROR, KNOWN_UNKNOWN,
				"nothing in the log, and the stand-in runtime left no counters");
		else
			facts_set(facts, FACT_NO_DEVICE_ERROR,
				counters.errors ? KNOWN_NO : KNOWN_YES,
				"the stand-in runtime counted %llu errors", counters.errors);
		return;
	}
	kernel_line = kernel_log_error(attempt->context->kernel_log, attempt->started_us,
		attempt->ended_us, attempt->gpu->bdf);
	if (kernel_line)
		facts_set(facts, FACT_NO_DEVICE_ERROR, KNOWN_NO, "kernel: %.350s", kernel_line);
	else if (kernel_log_unreadable(attempt->context->kernel_log))
		facts_set(facts, FACT_NO_DEVICE_ERROR, KNOWN_UNKNOWN,
			"nothing in Blender's log, and the kernel's log cannot be read: %s; run as "
			"root or with CAP_SYSLOG",
			kernel_log_unreadable(attempt->context->kernel_log));
	else
		facts_set(facts, FACT_NO_DEVICE_ERROR, KNOWN_YES,
			"no error line of Blender or of amdgpu and kfd in the kernel's log");
}

static void witness_memory(const struct attempt *attempt, struct facts *facts)
{
	const struct log_entry *line = log_seen(&attempt->log, LOG_OUT_OF_MEMORY);
	const struct child_ending *ending = &attempt->child.ending;

	/* After a failed launch or load Cycles says it for every buffer: an echo accuses nobody. */
	if (line && log_first_failure(&attempt->log) == LOG_OUT_OF_MEMORY)
		facts_set(facts, FACT_MEMORY_ENOUGH, KNOWN_NO, "%s (%zu such lines)", line->text,
			line->count);
	else if (line)
		facts_set(facts, FACT_MEMORY_ENOUGH, KNOWN_UNKNOWN,
			"%s: said only after another failure", line->text);
	else if (child_was_out_of_memory(ending))
		facts_set(facts, FACT_MEMORY_ENOUGH, KNOWN_NO,
			"killed by signal 9 while /%.200s counted %llu more out-of-memory kills",
			ending->oom.path, (unsigned long long)ending->oom_kills);
	else if (ending->how == CHILD_EXITED)
		facts_set(facts, FACT_MEMORY_ENOUGH, KNOWN_YES, "no out-of-memory line");
	else
		facts_set(facts, FACT_MEMORY_ENOUGH, KNOWN_UNKNOWN,
			"it did not end by itself, so nothing says that memory sufficed");
}

void witness_all(struct attempt *attempt, struct facts *facts)
{
	struct traced_summary sum = traced(attempt);

	witness_node(attempt, facts);
	witness_scene(attempt, facts);
	witness_ending(attempt, facts);
	witness_elsewhere(&sum, facts);
	witness_memory(attempt, facts);
	witness_picture(attempt, facts);
	if (!attempt->gpu)
		return;
	witness_listing(attempt, facts);
	witness_hip_in_blender(attempt, facts);
	witness_kernels(attempt, facts);
	witness_traced_here(attempt, &sum, facts);
	witness_device_errors(attempt, facts);
}
