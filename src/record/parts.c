/* SPDX-License-Identifier: Apache-2.0 */
#include "record/parts.h"

#include "base/json_pick.h"
#include "record/record.h"

#define WHOLE(key)                                                                                 \
	{                                                                                          \
		key, NULL                                                                          \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, NULL                                                                         \
	}

static const struct json_pick no_member[] = { END };
static const struct json_pick of_gpu[] = { WHOLE("bdf"), WHOLE("gfx_target"), WHOLE("unique_id"),
	WHOLE("drm_render_minor"), WHOLE("hip_total"), WHOLE("vram_total"), END };
static const struct json_pick of_node[] = { WHOLE("name"), WHOLE("source"), { "gpus", of_gpu },
	END };
static const struct json_pick of_system[] = { WHOLE("amdgpu_driver"), WHOLE("rocm_release"), END };
static const struct json_pick of_tool[] = { WHOLE("version"), END };
static const struct json_pick of_run[] = { WHOLE("ended"), WHOLE("interrupted"), END };
static const struct json_pick of_blender[] = { WHOLE("version"), END };
static const struct json_pick of_scene[] = { WHOLE("name"), WHOLE("skipped"), END };
static const struct json_pick of_device[] = { WHOLE("bdf"), END };
static const struct json_pick of_rung[] = { WHOLE("answer"), END };
static const struct json_pick of_timing[] = { WHOLE("render_seconds"), END };
static const struct json_pick of_attempt[] = { WHOLE("number"), WHOLE("scene"), WHOLE("probe"),
	WHOLE("together"), { "device", of_device }, WHOLE("source"), WHOLE("verdict"),
	WHOLE("decided_by"), WHOLE("first_rung_not_yes"), { "timing", of_timing },
	{ "rungs", of_rung }, END };
static const struct json_pick of_record[] = { WHOLE("schema"), WHOLE("source"), { "tool", of_tool },
	{ "run", of_run }, { "node", of_node }, { "system", of_system }, { "blender", of_blender },
	{ "scenes", of_scene }, WHOLE("gcds"), { "attempts", of_attempt }, WHOLE("modules"),
	{ "files", no_member }, END };

json_t *record_parts(const char *name, const char *bytes, size_t len, struct error *err)
{
	json_t *record = json_pick(name, bytes, len, of_record, err);

	if (record && record_check_form(record, name, err) != 0) {
		json_decref(record);
		record = NULL;
	}
	return record;
}
