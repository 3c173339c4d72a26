/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/prediction_json.h"

#include "base/json.h"

static json_t *value_json(const struct predicted *value)
{
	if (!value->value[0])
		return fact_unknown(value->basis);
	return fact_text(value->value, "predicted", value->basis);
}

json_t *prediction_json(const struct prediction *p)
{
	const struct {
		const char *key;
		const struct predicted *value;
	} rows[] = {
		{ "compute_capability", &p->capability },
		{ "architecture", &p->architecture },
		{ "driver", &p->driver },
		{ "listing", &p->listing },
		{ "libraries_tried", &p->libraries },
		{ "prebuilt_kernel", &p->prebuilt },
		{ "kernel_build", &p->build },
		{ "verdict", &p->verdict },
	};
	json_t *json = json_pack("{s:o, s:o}", "gfx_target", json_printable_text(p->gfx), "blender",
		json_sprintf("%d.%d", p->major, p->minor));
	char range[24] = "";
	size_t i;

	if (p->range)
		prediction_range_text(p->range, range);
	json_object_set_new(json, "table_row", p->range ? json_string(range) : json_null());
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		json_object_set_new(json, rows[i].key, value_json(rows[i].value));
	return json;
}
