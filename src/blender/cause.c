/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/cause.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "node/counts.h"

/* What is at hand while a chain is made. */
struct search {
	const struct attempt *attempt;
	const struct facts *facts;
	const struct prediction *prediction;
	const struct surroundings *around;
	struct causes *out;
};

/* --- entering ------------------------------------------------------------------------------------
 */

static void enter(struct cause *cause, enum cause_id id, const char *source, const char *class,
	const char *format, va_list args)
{
	char text[CAUSE_EVIDENCE];

	cause->id = id;
	cause->source = source;
	cause->class = class;
	vsnprintf(text, sizeof(text), format, args);
	str_copy(cause->evidence, sizeof(cause->evidence), text[0] ? text : "no more is known");
}

/* What this machine's own files and variables say is observed, even beside a stand-in. */
static const char *class_of(const struct search *s, const char *source)
{
	if (!s->attempt->gpu || strcmp(source, "environment") == 0)
		return "observed";
	return node_class(s->attempt->context->node);
}

static void prove(struct search *s, enum cause_id id, const char *source, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void prove(struct search *s, enum cause_id id, const char *source, const char *format, ...)
{
	va_list args;

	if (s->out->chain_count == CAUSE_CHAIN_MAX)
		return;
	va_start(args, format);
	enter(&s->out->chain[s->out->chain_count++], id, source, class_of(s, source), format, args);
	va_end(args);
}

static void infer(struct search *s, enum cause_id id, const char *source, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void infer(struct search *s, enum cause_id id, const char *source, const char *format, ...)
{
	va_list args;

	if (s->out->chain_count == CAUSE_CHAIN_MAX)
		return;
	va_start(args, format);
	enter(&s->out->chain[s->out->chain_count++], id, source, "inferred", format, args);
	va_end(args);
}

static void suspect(struct search *s, enum cause_id id, const char *source, const char *class,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

static void suspect(struct search *s, enum cause_id id, const char *source, const char *class,
	const char *format, ...)
{
	va_list args;

	if (s->out->candidate_count == CAUSE_CANDIDATES_MAX)
		return;
	va_start(args, format);
	enter(&s->out->candidates[s->out->candidate_count++], id, source, class, format, args);
	va_end(args);
}

static const struct log_entry *line_of(const struct search *s, enum log_event event)
{
	return log_seen(&s->attempt->log, event);
}

/* The line itself is the evidence. */
static bool prove_line(struct search *s, enum cause_id id, enum log_event event)
{
	const struct log_entry *line = line_of(s, event);

	if (line)
		prove(s, id, "log", "%s", line->text);
	return line != NULL;
}

static const json_t *worker_part(const struct search *s, const char *key)
{
	return json_object_get(s->attempt->worker, key);
}

static bool answers(const struct search *s, enum fact fact, enum known answer)
{
	return s->facts->answer[fact] == answer;
}

/* --- masks ---------------------------------------------------------------------------------------
 */

static bool names_gpu(const char *word, size_t len, const struct gpu *gpu)
{
	char id[24];

	snprintf(id, sizeof(id), "%016llx", (unsigned long long)gpu->unique_id.value);
	return gpu->unique_id.known && len == 20 && strncmp(word, "GPU-", 4) == 0 &&
	       strncmp(word + 4, id, 16) == 0;
}

enum known cause_rocr_hides(const char *mask, const struct gpu *gpu, size_t index)
{
	enum known hides = KNOWN_YES;
	size_t len;

	for (; *mask; mask += len + (mask[len] == ',')) {
		char number[24];
		unsigned long long wanted;

		len = strcspn(mask, ",");
		snprintf(number, sizeof(number), "%.*s", (int)len, mask);
		if (names_gpu(mask, len, gpu))
			return KNOWN_NO;
		if (text_u64(number, 10, &wanted) && wanted == index)
			return KNOWN_NO;
		if (strncmp(mask, "GPU-", 4) == 0 && !gpu->unique_id.known)
			hides = KNOWN_UNKNOWN;
	}
	return hides;
}

/* "ROCR_VISIBLE_DEVICES=0, HIP_VISIBLE_DEVICES=1"; how many. */
static size_t masks_text(const struct search *s, char *text, size_t size)
{
	size_t i, count = 0, used = 0;

	text[0] = '\0';
	for (i = 0; i < SURROUNDINGS_MASKS && used < size; i++)
		if (s->around->masks[i])
			used += (size_t)snprintf(text + used, size - used, "%s%s=%.80s",
				count++ ? ", " : "", counts_masks[i], s->around->masks[i]);
	return count;
}

static size_t kfd_index(const struct search *s)
{
	return (size_t)(s->attempt->gpu - s->attempt->context->node->gpus);
}

/* Variables of our own environment act on our own HIP probe: on what the node's view shows. */
static void explain_hidden(struct search *s)
{
	const char *rocr = s->around->masks[0];
	char masks[400];
	size_t count = masks_text(s, masks, sizeof(masks));

	if (!count || !s->attempt->gpu)
		return;
	if (rocr && cause_rocr_hides(rocr, s->attempt->gpu, kfd_index(s)) == KNOWN_YES)
		prove(s, CAUSE_MASKED, "environment", "%s does not name %s (KFD index %zu)", masks,
			s->attempt->gpu->bdf, kfd_index(s));
	else if (rocr && count > 1)
		infer(s, CAUSE_MASKED_TWICE, "environment",
			"%s: ROCR_VISIBLE_DEVICES leaves %s, and what comes after counts from 0 in "
			"what it "
			"left",
			masks, s->attempt->gpu->bdf);
	else if (!rocr)
		suspect(s, CAUSE_MASKED, "environment", "observed", "%s", masks);
}

/* --- why a device is not listed
 * ------------------------------------------------------------------- */

static void explain_library(struct search *s, const char *line)
{
	const struct surroundings *around = s->around;
	bool known = s->prediction && s->prediction->range;

	prove(s, CAUSE_LIBRARY_NOT_TRIED, "log", "%s; present: %.200s%s%.180s", line,
		around->libraries[0] ? around->libraries : "none in ",
		around->libraries[0] ? "" : around->looked,
		known ? "; see prediction.libraries_tried for the names that this version tries"
		      : "");
}

static void explain_driver(struct search *s)
{
	const struct node *node = s->attempt->context->node;
	char found[80] = "unknown to us", text[40];

	if (node->hip_driver_version.known && node->hip_driver_version.value > 0) {
		prediction_driver_text((unsigned long long)node->hip_driver_version.value, text);
		snprintf(found, sizeof(found), "%lld (%s)",
			(long long)node->hip_driver_version.value, text);
	}
	prove(s, CAUSE_DRIVER_TOO_OLD, "log", "%s; HIP driver version found: %s%s",
		s->facts->evidence[FACT_DRIVER_NEW_ENOUGH], found,
		s->prediction ? "; see prediction.driver for the one needed" : "");
}

static bool is_below_floor(const struct search *s)
{
	return s->prediction && str_starts(s->prediction->architecture.value, "below");
}

/* Everything that can hide a device before its architecture is looked at was seen to be in order.
 */
static bool nothing_else_hides(const struct search *s)
{
	return answers(s, FACT_HIP_ENUMERATES, KNOWN_YES) &&
	       answers(s, FACT_BLENDER_LOADS_HIP, KNOWN_YES) &&
	       answers(s, FACT_DRIVER_NEW_ENOUGH, KNOWN_YES) &&
	       (line_of(s, LOG_FOUND_COMPILER) || line_of(s, LOG_FOUND_PRECOMPILED));
}

static void explain_silence(struct search *s)
{
	const struct prediction *p = s->prediction;

	if (is_below_floor(s) && nothing_else_hides(s)) {
		infer(s, CAUSE_BELOW_FLOOR, "prediction",
			"HIP enumerates it, Blender loaded HIP, took the driver and found kernels "
			"or hipcc, and "
			"no line says why it is not listed: what is left is the rule (%s; %s)",
			p->architecture.value, p->architecture.basis);
		return;
	}
	if (is_below_floor(s))
		suspect(s, CAUSE_BELOW_FLOOR, "prediction", "predicted", "%s: %s",
			p->architecture.value, p->architecture.basis);
	if (!line_of(s, LOG_FOUND_COMPILER) && !line_of(s, LOG_FOUND_PRECOMPILED))
		suspect(s, CAUSE_NO_KERNELS_NO_COMPILER, "log", "unknown",
			"the log says neither that kernels or hipcc were found nor that they were "
			"not; "
			"hipcc in reach: %s",
			s->around->hipcc);
	if (!answers(s, FACT_BLENDER_LOADS_HIP, KNOWN_YES))
		suspect(s, CAUSE_LIBRARY_NOT_TRIED, "log", "unknown",
			"nothing says that Blender loaded a HIP library; present: %s",
			s->around->libraries[0] ? s->around->libraries : "none");
	if (s->attempt->gpu && !s->attempt->gpu->unique_id.known)
		suspect(s, CAUSE_MASKED, "kfd", "unknown",
			"its unique id is unknown, so the attempt could not single it out");
}

static void explain_listing(struct search *s)
{
	const struct log_entry *library = line_of(s, LOG_HIP_LIBRARY_FAILED);

	if (answers(s, FACT_BLENDER_HAS_HIP, KNOWN_NO))
		prove(s, CAUSE_BLENDER_WITHOUT_HIP, "worker", "%s",
			s->facts->evidence[FACT_BLENDER_HAS_HIP]);
	else if (library)
		explain_library(s, library->text);
	else if (prove_line(s, CAUSE_HIP_INIT_FAILED, LOG_HIP_INIT_FAILED))
		;
	else if (answers(s, FACT_DRIVER_NEW_ENOUGH, KNOWN_NO))
		explain_driver(s);
	else if (prove_line(s, CAUSE_NO_KERNELS_NO_COMPILER, LOG_NO_KERNELS_NO_COMPILER) ||
		 prove_line(s, CAUSE_ARCHITECTURE_REFUSED, LOG_ARCHITECTURE_REFUSED))
		;
	else if (strstr(s->facts->evidence[FACT_CYCLES_LISTS], "none of them at"))
		prove(s, CAUSE_OTHER_LISTED, "worker", "%s", s->facts->evidence[FACT_CYCLES_LISTS]);
	else
		explain_silence(s);
}

/* --- why it rendered elsewhere
 * --------------------------------------------------------------------- */

static bool has_id(const json_t *devices, const char *id)
{
	const json_t *device;
	size_t i;

	json_array_foreach (devices, i, device)
		if (strcmp(json_text(device, "id", ""), id) == 0)
			return true;
	return false;
}

/* A HIP device that the preferences enable and Cycles does not list. */
static const char *stored_stranger(const struct search *s)
{
	const json_t *devices = worker_part(s, "devices"), *device;
	size_t i;

	json_array_foreach (json_object_get(devices, "preferences"), i, device) {
		const char *id = json_text(device, "id", "");

		if (json_is_true(json_object_get(device, "use")) && str_starts(id, "HIP_") &&
			!has_id(json_object_get(devices, "available"), id))
			return id;
	}
	return NULL;
}

static size_t enabled_devices(const struct search *s)
{
	const json_t *device;
	size_t i, count = 0;

	json_array_foreach (json_object_get(worker_part(s, "devices"), "preferences"), i, device)
		count += json_is_true(json_object_get(device, "use")) &&
			 strcmp(json_text(device, "type", ""), "HIP") == 0;
	return count;
}

static void explain_preferences(struct search *s)
{
	const json_t *devices = worker_part(s, "devices");
	const char *type = json_text(devices, "compute_device_type", ""), *id = stored_stranger(s);

	if (id)
		prove(s, CAUSE_STORED_ID_ABSENT, "worker", "%.300s is enabled and not listed here",
			id);
	else if (strcmp(type, "NONE") == 0 ||
		 (json_object_get(devices, "preferences") && !enabled_devices(s)))
		prove(s, CAUSE_PREFERENCES_RESET, "worker",
			"compute_device_type is %.40s and %zu HIP devices are enabled", type,
			enabled_devices(s));
}

static bool traced_kind(const struct search *s, bool cpu)
{
	const struct log *log = &s->attempt->log;
	size_t i;

	for (i = 0; i < log->traced_count && i < LOG_TRACED_MAX; i++)
		if ((strcmp(log->traced[i].kind, "CPU") == 0) == cpu)
			return true;
	return false;
}

static void explain_fallback(struct search *s)
{
	if (traced_kind(s, true) && traced_kind(s, false))
		prove(s, CAUSE_CPU_BESIDE_GPU, "log", "Cycles names the CPU and a GPU as tracing");
	else if (prove_line(s, CAUSE_DEVICE_TYPE_MISSPELT, LOG_DEVICE_WORD_UNKNOWN))
		;
	else if (answers(s, FACT_CYCLES_LISTS, KNOWN_NO)) {
		explain_listing(s);
		prove(s, CAUSE_NOT_LISTED, "worker", "%s", s->facts->evidence[FACT_CYCLES_LISTS]);
	} else {
		explain_preferences(s);
	}
}

static void explain_elsewhere(struct search *s)
{
	const json_t *available = json_object_get(worker_part(s, "devices"), "available"), *device;
	const char *bdf = s->attempt->gpu ? s->attempt->gpu->bdf : "";
	size_t i, here = 0;

	json_array_foreach (available, i, device)
		here += *bdf && log_id_is_at(json_text(device, "id", ""), bdf);
	if (here > 1)
		prove(s, CAUSE_IDS_NOT_UNIQUE, "worker", "%zu devices have the Cycles id of %s",
			here, bdf);
}

/* --- the other verdicts
 * ---------------------------------------------------------------------------- */

static void explain_hip_missing(struct search *s)
{
	const struct log_entry *library = line_of(s, LOG_HIP_LIBRARY_FAILED);

	if (!answers(s, FACT_HIP_LOADABLE, KNOWN_NO)) {
		if (library)
			explain_library(s, library->text);
	} else if (s->around->libraries[0]) {
		prove(s, CAUSE_HIP_DOES_NOT_LOAD, "hip", "present: %.300s; %s",
			s->around->libraries, s->facts->evidence[FACT_HIP_LOADABLE]);
	} else {
		prove(s, CAUSE_HIP_ABSENT, "environment", "looked into %s", s->around->looked);
	}
}

static void explain_no_device(struct search *s)
{
	const struct gpu *gpu = s->attempt->gpu;

	if (gpu && gpu->openable == KNOWN_NO)
		prove(s, CAUSE_RENDER_NODE_CLOSED, "kfd", "%s", gpu->open_why);
	else
		explain_hidden(s);
}

static void explain_kernel_missing(struct search *s)
{
	const struct log_entry *line = line_of(s, LOG_KERNEL_NOT_FOUND);

	if (line)
		prove(s, strstr(line->text, "hipcc") ? CAUSE_NO_COMPILER : CAUSE_KERNEL_NOT_SHIPPED,
			"log", "%s", line->text);
}

/* An attempt that another one settled has no log of its own, so the fact's evidence is read. */
static void explain_build(struct search *s)
{
	const char *text = s->facts->evidence[FACT_KERNELS_BUILT];
	const char *source = s->attempt->started ? "log" : "another attempt";

	if (strstr(text, "SGPR spill"))
		prove(s, CAUSE_SPILLS, source, "%s", text);
	else if (strstr(text, "explicitly marked unavailable") || strstr(text, "image/texture API"))
		prove(s, CAUSE_NO_TEXTURES, source, "%s", text);
	else if (s->prediction && s->prediction->build.value[0])
		suspect(s, CAUSE_BUILD_FAILED, "prediction", "predicted", "%s: %s",
			s->prediction->build.value, s->prediction->build.basis);
}

static void explain_load(struct search *s)
{
	const struct log_entry *ready = line_of(s, LOG_KERNEL_READY);

	if (ready && strstr(ready->text, "locally compiled") && !line_of(s, LOG_KERNEL_COMPILING))
		suspect(s, CAUSE_KERNEL_FROM_CACHE, "log", class_of(s, "log"), "%s", ready->text);
}

static const struct gpu *gpu_of_kfd_node(const struct node *node, unsigned long long number)
{
	size_t i;

	for (i = 0; i < node->gpu_count; i++)
		if (node->gpus[i].kfd_node.known && node->gpus[i].kfd_node.value == number)
			return &node->gpus[i];
	return NULL;
}

/* "Memory access fault by GPU node-4": HSA counts nodes as KFD does. */
static void explain_memory_fault(struct search *s, const char *line)
{
	const char *at = strstr(line, "GPU node-");
	unsigned long long number = at ? strtoull(at + strlen("GPU node-"), NULL, 10) : 0;
	const struct gpu *gpu = at ? gpu_of_kfd_node(s->attempt->context->node, number) : NULL;

	if (gpu)
		prove(s, CAUSE_MEMORY_FAULT, "log", "%s; KFD node %llu is %s%s", line, number,
			gpu->bdf, gpu == s->attempt->gpu ? "" : ", not the GPU of this attempt");
	else
		prove(s, CAUSE_MEMORY_FAULT, "log", "%s; KFD has no such node here", line);
}

static void explain_device_error(struct search *s)
{
	const struct log_entry *fault = line_of(s, LOG_MEMORY_FAULT),
			       *call = line_of(s, LOG_HIP_CALL_FAILED);
	const char *text = s->facts->evidence[FACT_NO_DEVICE_ERROR];

	if (fault && (!call || fault->first_line < call->first_line))
		explain_memory_fault(s, fault->text);
	else if (call)
		prove_line(s, CAUSE_HIP_CALL_FAILED, LOG_HIP_CALL_FAILED);
	else if (str_starts(text, "kernel: "))
		prove(s, CAUSE_KERNEL_LOG_LINE, "kernel-log", "%s", text + strlen("kernel: "));
	else if (s->attempt->counted.count && !str_starts(text, "the stand-in"))
		prove(s, CAUSE_COUNT_GREW, "counters", "%s", text);
}

static void explain_memory(struct search *s)
{
	const struct log_entry *line = line_of(s, LOG_OUT_OF_MEMORY);

	if (!line)
		prove(s, CAUSE_HOST_MEMORY, "process", "%s",
			s->facts->evidence[FACT_MEMORY_ENOUGH]);
	else if (strstr(line->text, "likely exceeded"))
		prove(s, CAUSE_TEXTURE_MEMORY, "log", "%s", line->text);
	else
		prove(s,
			strstr(line->text, "host memory") ? CAUSE_HOST_MEMORY : CAUSE_DOMAIN_MEMORY,
			"log", "%s", line->text);
}

static void explain_files(struct search *s)
{
	const json_t *listed = worker_part(s, "dependencies"), *file;
	const json_t *files =
		listed ? listed : json_object_get(worker_part(s, "scene"), "external_files");
	const char *first = NULL;
	size_t i, missing = 0;

	json_array_foreach (files, i, file)
		if (json_is_false(json_object_get(file, "exists")) &&
			!json_is_true(json_object_get(file, "packed"))) {
			first = first ? first : json_text(file, "stored", "?");
			missing++;
		}
	if (missing)
		prove(s, CAUSE_FILE_MISSING, "worker", "%zu files, the first is %.300s", missing,
			first);
}

static void explain_difference(struct search *s)
{
	explain_files(s);
	if (s->attempt->gpu && !s->out->chain_count)
		suspect(s, CAUSE_KERNEL_MISCOMPILED, "image", "unknown",
			"compare with the control of the same build: when that matches, the device "
			"is at "
			"fault");
}

/* The line that a kernel is missing, with a picture of nothing: the line is the cause. */
static void explain_no_picture(struct search *s)
{
	explain_kernel_missing(s);
	if (!s->out->chain_count && s->attempt->gpu && answers(s, FACT_TRACED_HERE, KNOWN_YES))
		suspect(s, CAUSE_KERNEL_DID_NOTHING, "image", "unknown",
			"every rung before says yes: it traced on this device, and the pixels are "
			"not a "
			"picture");
	if (!s->out->chain_count && s->attempt->gpu)
		suspect(s, CAUSE_KERNEL_MISCOMPILED, "image", "unknown", "%s",
			s->attempt->check.why);
}

static void explain_no_output(struct search *s)
{
	const json_t *camera = json_object_get(worker_part(s, "scene"), "has_camera");

	if (json_is_false(camera))
		prove(s, CAUSE_NO_CAMERA, "worker", "the scene has no camera");
	prove_line(s, CAUSE_OUTPUT_NOT_WRITABLE, LOG_SAVE_FAILED);
}

static void explain_scene(struct search *s)
{
	if (line_of(s, LOG_SCENE_NEWER) ||
		strstr(s->facts->evidence[FACT_SCENE_READABLE], "was written by Blender"))
		prove(s, CAUSE_SCENE_NEWER, "scene", "%s", s->facts->evidence[FACT_SCENE_READABLE]);
}

static void explain_failure(struct search *s)
{
	if (prove_line(s, CAUSE_DISPLAY_NEEDED, LOG_DISPLAY_NEEDED) ||
		prove_line(s, CAUSE_DENOISER_MISSING, LOG_DENOISER_MISSING) ||
		prove_line(s, CAUSE_DEVICE_TYPE_MISSPELT, LOG_DEVICE_WORD_UNKNOWN))
		return;
	if (line_of(s, LOG_NO_DEVICE_OF_TYPE)) {
		explain_listing(s);
		prove_line(s, CAUSE_NO_DEVICE_OF_TYPE, LOG_NO_DEVICE_OF_TYPE);
	} else if (json_is_false(json_object_get(worker_part(s, "scene"), "has_camera"))) {
		explain_no_output(s);
	}
}

static void explain_crash(struct search *s)
{
	if (s->attempt->child.ending.signal == SIGABRT &&
		prove_line(s, CAUSE_DENOISER_PROBE, LOG_NO_CODE_OBJECT))
		return;
	if (prove_line(s, CAUSE_DISPLAY_NEEDED, LOG_DISPLAY_NEEDED))
		return;
	if (s->around->crash_report[0])
		prove(s, CAUSE_CRASH_REPORT, "process", "%s", s->around->crash_report);
	if (s->attempt->child.ending.signal == SIGKILL)
		suspect(s, CAUSE_KILLED_FROM_OUTSIDE, "process", "unknown",
			"signal 9, and we did not send it");
}

static void explain_deadline(struct search *s)
{
	const struct log_entry *compiling = line_of(s, LOG_KERNEL_COMPILING);

	if (s->attempt->child.ending.how == CHILD_STUCK)
		prove(s, CAUSE_STUCK, "process", "pid %ld", s->attempt->child.ending.pid);
	else if (compiling && !line_of(s, LOG_KERNEL_READY))
		prove(s, CAUSE_COMPILE_UNFINISHED, "log", "%s", compiling->text);
}

/* --- together
 * -------------------------------------------------------------------------------------- */

typedef void explain_fn(struct search *s);

static explain_fn *const explainers[VERDICT_COUNT] = {
	[VERDICT_CPU_FALLBACK] = explain_fallback,
	[VERDICT_WRONG_DEVICE] = explain_elsewhere,
	[VERDICT_NOT_LISTED] = explain_listing,
	[VERDICT_HIP_MISSING] = explain_hip_missing,
	[VERDICT_HIP_NO_DEVICE] = explain_no_device,
	[VERDICT_DRIVER_TOO_OLD] = explain_driver,
	[VERDICT_KERNEL_MISSING] = explain_kernel_missing,
	[VERDICT_KERNEL_BUILD_FAILED] = explain_build,
	[VERDICT_KERNEL_LOAD_FAILED] = explain_load,
	[VERDICT_DEVICE_ERROR] = explain_device_error,
	[VERDICT_OUT_OF_MEMORY] = explain_memory,
	[VERDICT_IMAGE_INVALID] = explain_no_picture,
	[VERDICT_IMAGE_DIFFERS] = explain_difference,
	[VERDICT_NO_OUTPUT] = explain_no_output,
	[VERDICT_BAD_SCENE] = explain_scene,
	[VERDICT_BLENDER_FAILED] = explain_failure,
	[VERDICT_CRASHED] = explain_crash,
	[VERDICT_TIMED_OUT] = explain_deadline,
};

/* What a fact that is no means by itself, and who saw it. */
static const struct fact_cause {
	enum cause_id id;
	const char *source;
} fact_causes[FACT_COUNT] = {
	[FACT_SCENE_READABLE] = { CAUSE_SCENE_UNREADABLE, "scene" },
	[FACT_IN_KFD] = { CAUSE_NOT_IN_KFD, "kfd" },
	[FACT_KFD_OPENABLE] = { CAUSE_DEVICE_FILE_CLOSED, "kfd" },
	[FACT_HIP_LOADABLE] = { CAUSE_HIP_DOES_NOT_LOAD, "hip" },
	[FACT_HIP_HAS_DEVICES] = { CAUSE_HIP_NO_DEVICE, "hip" },
	[FACT_HIP_ENUMERATES] = { CAUSE_NOT_ENUMERATED, "hip" },
	[FACT_BLENDER_STARTED] = { CAUSE_BLENDER_NOT_STARTED, "process" },
	[FACT_SCENE_RENDERABLE] = { CAUSE_DENOISER_MISSING, "worker" },
	[FACT_BLENDER_HAS_HIP] = { CAUSE_BLENDER_WITHOUT_HIP, "worker" },
	[FACT_BLENDER_LOADS_HIP] = { CAUSE_LIBRARY_NOT_TRIED, "log" },
	[FACT_DRIVER_NEW_ENOUGH] = { CAUSE_DRIVER_TOO_OLD, "log" },
	[FACT_CYCLES_LISTS] = { CAUSE_NOT_LISTED, "worker" },
	[FACT_KERNELS_READY] = { CAUSE_NO_KERNEL, "log" },
	[FACT_KERNELS_BUILT] = { CAUSE_BUILD_FAILED, "log" },
	[FACT_KERNELS_LOADED] = { CAUSE_KERNEL_REFUSED, "log" },
	[FACT_TRACED_HERE] = { CAUSE_WITNESSES_DISAGREE, "log" },
	[FACT_NOT_ON_CPU] = { CAUSE_RENDERED_ON_CPU, "log" },
	[FACT_NOT_ELSEWHERE] = { CAUSE_RENDERED_ELSEWHERE, "log" },
	[FACT_IMAGE_WRITTEN] = { CAUSE_NO_IMAGE, "image" },
	[FACT_IMAGE_SOUND] = { CAUSE_NO_PICTURE, "image" },
	[FACT_REFERENCE] = { CAUSE_NO_REFERENCE, "image" },
	[FACT_IMAGE_MATCHES] = { CAUSE_IMAGE_DIFFERS, "image" },
	[FACT_NO_DEVICE_ERROR] = { CAUSE_DEVICE_ERROR, "log" },
	[FACT_MEMORY_ENOUGH] = { CAUSE_MEMORY, "log" },
	[FACT_ENDED_WELL] = { CAUSE_BLENDER_FAILED, "process" },
	[FACT_NOT_SIGNALLED] = { CAUSE_SIGNAL, "process" },
	[FACT_IN_TIME] = { CAUSE_DEADLINE, "process" },
	[FACT_NOT_INTERRUPTED] = { CAUSE_INTERRUPTED, "process" },
	[FACT_STABLE] = { CAUSE_REPEATS_DISAGREE, "image" },
};

/* The fact that decided ends the chain, unless its own name stands there already. One that is only
 * not known leaves evidence missing. */
static void conclude(struct search *s)
{
	const struct verdict *verdict = &s->attempt->verdict;
	const struct fact_cause *last = &fact_causes[verdict->fact];
	bool missing = answers(s, verdict->fact, KNOWN_UNKNOWN);
	const struct causes *out = s->out;
	enum cause_id id = missing ? CAUSE_EVIDENCE_MISSING : last->id;

	if (out->chain_count && out->chain[out->chain_count - 1].id == id)
		return;
	prove(s, id, last->source, "%s%s%s", missing ? fact_name(verdict->fact) : "",
		missing ? ": " : "", s->facts->evidence[verdict->fact]);
}

void causes_of(const struct attempt *attempt, const struct prediction *prediction,
	const struct surroundings *around, struct causes *out)
{
	struct search s = { attempt, attempt->facts, prediction, around, out };
	explain_fn *explain = explainers[attempt->verdict.id];

	memset(out, 0, sizeof(*out));
	if (attempt->verdict.fact == FACT_COUNT)
		return;
	if (explain)
		explain(&s);
	conclude(&s);
	out->remedy = cause_help(out->chain[0].id)->remedy;
	if (out->remedy == REMEDY_NARROW_DOWN && out->candidate_count == 1)
		out->remedy = cause_help(out->candidates[0].id)->remedy;
}
