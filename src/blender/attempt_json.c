/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "blender/bind.h"
#include "blender/attempt.h"
#include "blender/cause.h"
#include "blender/scene_files.h"

static json_t *device_json(const struct attempt *attempt)
{
	const struct gpu *gpu = attempt->gpu;
	char id[24];

	if (!gpu)
		return json_null();
	snprintf(id, sizeof(id), "0x%016llx", (unsigned long long)gpu->unique_id.value);
	return json_pack("{s:o, s:o, s:o}", "bdf",
		gpu->bdf[0] ? json_printable_text(gpu->bdf) : json_null(), "unique_id",
		gpu->unique_id.known ? json_string(id) : json_null(), "gfx_target",
		gpu->gfx_target[0] ? json_printable_text(gpu->gfx_target) : json_null());
}

static json_t *words_json(char *const *words)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; words && words[i]; i++)
		json_array_append_new(array, json_printable_text(words[i]));
	return array;
}

static json_t *ending_json(const struct child_ending *ending)
{
	char text[200];

	child_ending_text(ending, text, sizeof(text));
	return json_pack("{s:s, s:o, s:o, s:I, s:f, s:f, s:f, s:I, s:b, s:o}", "how",
		child_end_name(ending->how), "exit_status",
		ending->how == CHILD_EXITED ? json_integer(ending->code) : json_null(), "signal",
		ending->signal ? json_integer(ending->signal) : json_null(), "pid",
		(json_int_t)ending->pid, "wall_seconds", ending->wall_s, "user_seconds",
		ending->user_s, "system_seconds", ending->system_s, "max_rss_kib",
		(json_int_t)ending->max_rss_kib, "left_processes_behind", ending->left_others,
		"text", json_printable_text(text));
}

static json_t *log_json(const struct log *log)
{
	json_t *events = json_array(), *traced = json_array();
	size_t i;

	for (i = 0; i < LOG_EVENT_COUNT; i++) {
		const struct log_entry *entry = &log->event[i];

		if (entry->count)
			json_array_append_new(
				events, json_pack("{s:s, s:I, s:o}", "event",
						log_event_name((enum log_event)i), "count",
						(json_int_t)entry->count, "first",
						json_printable_text(entry->text)));
	}
	for (i = 0; i < log->traced_count && i < LOG_TRACED_MAX; i++)
		json_array_append_new(traced,
			json_pack("{s:o, s:o}", "kind", json_printable_text(log->traced[i].kind),
				"id", json_printable_text(log->traced[i].id)));
	return json_pack("{s:I, s:I, s:o, s:o}", "lines", (json_int_t)log->lines, "bytes",
		(json_int_t)log->bytes, "events", events, "path_traced_on", traced);
}

static json_t *image_json(const struct attempt *attempt)
{
	const struct reference_match *match = &attempt->match;
	json_t *image;

	if (!attempt->image_read)
		return json_null();
	image = json_pack("{s:s, s:i, s:i, s:o}", "file", "image.exr", "width",
		attempt->image.width, "height", attempt->image.height, "check",
		image_check_json(&attempt->check));
	json_object_set_new(image, "comparison",
		match->reference ? comparison_json(&match->comparison, &match->reference->limits)
				 : json_null());
	json_object_set_new(
		image, "match", match->reference ? reference_match_json(match) : json_null());
	return image;
}

static json_t *timing_json(const struct attempt *attempt)
{
	double render = json_real_of(attempt->worker, "render_seconds", -1);

	return json_pack("{s:o, s:o, s:o}", "started",
		attempt->started ? json_string(attempt->started_utc) : json_null(),
		"render_seconds", render < 0 ? json_null() : json_real(render),
		"kernel_compile_seconds",
		attempt->log.compile_seconds > 0 ? json_real(attempt->log.compile_seconds)
						 : json_null());
}

json_t *attempt_json(const struct attempt *attempt)
{
	const char *class = node_class(attempt->context->node);
	json_t *json = json_pack("{s:i, s:s, s:s, s:b, s:o, s:s}", "number", (int)attempt->number,
		"scene", attempt->scene->spec.name, "probe", probe_name(attempt->probe), "together",
		attempt->together, "device", device_json(attempt), "source",
		attempt->gpu ? class : "observed");

	json_object_set_new(json, "repeat", json_integer((json_int_t)attempt->repeat));
	json_object_set_new(json, "skipped",
		attempt_skipped(attempt) ? json_printable_text(attempt_skipped(attempt))
					 : json_null());
	json_object_set_new(json, "run", json_boolean(attempt->started));
	json_object_set_new(json, "command", words_json(attempt->argv));
	json_object_set_new(json, "environment", words_json(attempt->environ_edits));
	json_object_set_new(json, "affinity", attempt_affinity_json(attempt));
	json_object_set_new(json, "ending",
		attempt->started ? ending_json(&attempt->child.ending) : json_null());
	json_object_set_new(json, "timing", timing_json(attempt));
	json_object_set_new(json, "vram_peak_bytes",
		!attempt->gpu ? json_null()
			      : fact_u64(attempt->vram_peak, class, "kfd-proc",
					attempt->vram_why[0] ? attempt->vram_why : "not run"));
	json_object_set_new(
		json, "power_w", attempt->gpu ? power_json(&attempt->power, class) : json_null());
	json_object_set_new(json, "counters",
		attempt->gpu ? finding_list_json(&attempt->counted) : json_null());
	json_object_set_new(
		json, "worker", attempt->worker ? json_incref(attempt->worker) : json_null());
	json_object_set_new(json, "file_findings", scene_files_findings(attempt->worker));
	json_object_set_new(json, "log", log_json(&attempt->log));
	json_object_set_new(json, "image", image_json(attempt));
	attempt_add_causes(json, attempt);
	return json;
}
