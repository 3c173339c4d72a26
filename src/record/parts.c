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
	WHOLE("hip_name"), WHOLE("hip_total"), END };
static const struct json_pick of_node[] = { WHOLE("name"), WHOLE("source"), { "gpus", of_gpu },
	END };
static const struct json_pick of_system[] = { WHOLE("amdgpu_driver"), WHOLE("rocm_release"),
	WHOLE("modules_power"), END };
static const struct json_pick of_tool[] = { WHOLE("version"), WHOLE("commit"), END };
static const struct json_pick of_run[] = { WHOLE("started"), WHOLE("ended"), WHOLE("interrupted"),
	END };
static const struct json_pick of_blender[] = { WHOLE("version"), WHOLE("sha256"), END };
static const struct json_pick of_scene[] = { WHOLE("name"), WHOLE("skipped"), WHOLE("settings"),
	WHOLE("tree_sha256"), END };
static const struct json_pick of_device[] = { WHOLE("bdf"), END };
static const struct json_pick of_rung[] = { WHOLE("answer"), END };
static const struct json_pick of_ending[] = { WHOLE("wall_seconds"), END };
static const struct json_pick of_attempt[] = { WHOLE("number"), WHOLE("scene"), WHOLE("probe"),
	WHOLE("together"), { "device", of_device }, WHOLE("source"), WHOLE("verdict"),
	WHOLE("decided_by"), WHOLE("first_rung_not_yes"), WHOLE("timing"), { "ending", of_ending },
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
