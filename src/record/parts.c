/* SPDX-License-Identifier: Apache-2.0 */
#include "record/parts.h"

#include <stdlib.h>

#include "base/plain.h"
#include "record/record.h"

#define WHOLE(key)                                                                                 \
	{                                                                                          \
		key, NULL                                                                          \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, NULL                                                                         \
	}

/* clang-format off */
static const struct json_pick no_member[] = { END };

/* --- what record_contradiction() looks at --- */

static const struct json_pick of_device[] = { WHOLE("bdf"), END };
static const struct json_pick of_rung[] = { WHOLE("answer"), END };
static const struct json_pick of_scene_at_all[] = { WHOLE("name"), WHOLE("skipped"), END };
static const struct json_pick of_rank_attempt[] = { WHOLE("verdict"), END };
static const struct json_pick of_rank[] = { { "attempt", of_rank_attempt }, END };
static const struct json_pick of_case_finding[] = { WHOLE("weight"), END };
static const struct json_pick of_case[] = { WHOLE("outcome"), { "ranks", of_rank },
	{ "findings", of_case_finding }, END };
static const struct json_pick of_distributed[] = { WHOLE("outcome"), { "cases", of_case }, END };

#define JUDGED_ATTEMPT                                                                             \
	WHOLE("number"), WHOLE("scene"), WHOLE("probe"), WHOLE("together"),                        \
		{ "device", of_device }, WHOLE("source"), WHOLE("verdict"), WHOLE("decided_by"),   \
		WHOLE("first_rung_not_yes"), { "rungs", of_rung }
#define JUDGED_RECORD                                                                              \
	WHOLE("schema"), WHOLE("source"), WHOLE("gcds"), { "distributed", of_distributed },        \
		{ "files", no_member }

/* --- a farm --- */

static const struct json_pick of_farm_gpu[] = { WHOLE("bdf"), WHOLE("gfx_target"),
	WHOLE("unique_id"), WHOLE("drm_render_minor"), WHOLE("hip_total"), WHOLE("vram_total"),
	END };
static const struct json_pick of_farm_node[] = { WHOLE("name"), WHOLE("source"),
	{ "gpus", of_farm_gpu }, END };
static const struct json_pick of_releases[] = { WHOLE("amdgpu_driver"), WHOLE("rocm_release"), END };
static const struct json_pick of_version[] = { WHOLE("version"), END };
static const struct json_pick of_ending[] = { WHOLE("ended"), WHOLE("interrupted"), END };
static const struct json_pick of_timing[] = { WHOLE("render_seconds"), END };
static const struct json_pick of_farm_attempt[] = { JUDGED_ATTEMPT, { "timing", of_timing }, END };
const struct json_pick record_for_farm[] = { JUDGED_RECORD, { "tool", of_version },
	{ "run", of_ending }, { "node", of_farm_node }, { "system", of_releases },
	{ "blender", of_version }, { "scenes", of_scene_at_all }, { "attempts", of_farm_attempt },
	WHOLE("modules"), END };

/* --- a history --- */

static const struct json_pick of_card[] = { WHOLE("bdf"), WHOLE("unique_id"), END };
static const struct json_pick of_hip[] = { WHOLE("state"), WHOLE("driver_version"),
	WHOLE("runtime_version"), END };
static const struct json_pick of_node[] = { WHOLE("name"), WHOLE("source"), { "gpus", of_card },
	{ "hip", of_hip }, END };
static const struct json_pick of_blender[] = { WHOLE("version"), WHOLE("sha256"), WHOLE("hipcc"),
	END };
static const struct json_pick of_noise[] = { WHOLE("sha256"), END };
static const struct json_pick of_reference[] = { WHOLE("name"), WHOLE("blender"), WHOLE("sha256"),
	WHOLE("limits"), { "noise", of_noise }, END };
static const struct json_pick of_scene[] = { WHOLE("name"), WHOLE("skipped"), WHOLE("tree_sha256"),
	WHOLE("settings"), { "references", of_reference }, END };
static const struct json_pick of_memory[] = { WHOLE("value"), END };
static const struct json_pick of_attempt[] = { JUDGED_ATTEMPT, WHOLE("skipped"),
	{ "timing", of_timing }, { "vram_peak_bytes", of_memory }, END };
const struct json_pick record_for_history[] = { JUDGED_RECORD, WHOLE("tool"), WHOLE("run"),
	{ "node", of_node }, WHOLE("system"), WHOLE("host"), { "blender", of_blender },
	WHOLE("isolation"), WHOLE("counts"), { "scenes", of_scene }, { "attempts", of_attempt },
	END };

/* --- a frame --- */

static const struct json_pick of_frame_node[] = { { "gpus", of_card }, END };
static const struct json_pick of_frame_scene[] = { WHOLE("name"), WHOLE("skipped"),
	WHOLE("tree_sha256"), WHOLE("settings"), END };
static const struct json_pick of_frame_attempt[] = { WHOLE("scene"), WHOLE("probe"),
	WHOLE("together"), WHOLE("verdict"), { "device", of_device }, WHOLE("folder"), END };
static const struct json_pick of_frame_gcd[] = { WHOLE("bdf"), END };
const struct json_pick record_for_frame[] = { WHOLE("schema"), { "node", of_frame_node },
	{ "blender", of_version }, { "scenes", of_frame_scene }, { "gcds", of_frame_gcd },
	{ "attempts", of_frame_attempt }, { "files", no_member }, END };
/* clang-format on */

json_t *record_parts(
	const char *name, const struct str *text, const struct json_pick *parts, struct error *err)
{
	json_t *record = json_pick(name, text->data, text->len, parts, err);

	if (record && record_check_form(record, name, err) != 0) {
		json_decref(record);
		record = NULL;
	}
	return record;
}

json_t *record_read_parts(
	const char *path, const struct json_pick *parts, struct str *room, struct error *err)
{
	char *file = record_path(path);
	json_t *record = plain_read(file, record_bytes_max, room, err) == 0
				 ? record_parts(file, room, parts, err)
				 : NULL;

	free(file);
	return record;
}
