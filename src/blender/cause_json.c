/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "blender/cause.h"
#include "blender/prediction_json.h"

static json_t *list_json(const struct cause *causes, size_t count)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < count; i++)
		json_array_append_new(list,
			json_pack("{s:s, s:o, s:s, s:s}", "what", cause_help(causes[i].id)->name,
				"evidence", json_printable_text(causes[i].evidence), "source",
				causes[i].source, "class", causes[i].class));
	return list;
}

static json_t *remedy_json(enum remedy_id id)
{
	const struct remedy_help *help = remedy_help(id);

	return json_pack("{s:s, s:s}", "class", help->name, "text", help->text);
}

/* From what was known before it ran. False for the control and for a target that is not known. */
static bool predict(const struct attempt *attempt, const struct surroundings *around,
	struct prediction *out, const char **why)
{
	const struct node *node = attempt->context->node;
	const struct prediction_input in = {
		.gfx = attempt->gpu ? attempt->gpu->gfx_target : "",
		.major = attempt->context->blender->major,
		.minor = attempt->context->blender->minor,
		.driver = { node->hip_driver_version.known && node->hip_driver_version.value > 0,
			(uint64_t)node->hip_driver_version.value },
		.prebuilt = KNOWN_UNKNOWN,
		.hipcc = around->hipcc,
	};
	struct error err;

	*why = attempt->gpu ? "the gfx target is not known"
			    : "the control renders on the CPU: nothing is predicted of it";
	return prediction_make(&in, out, &err) == 0;
}

void attempt_add_causes(json_t *json, const struct attempt *attempt)
{
	struct prediction prediction;
	struct surroundings around;
	struct causes causes;
	const char *why;
	bool predicted;

	surroundings_read(attempt, &around);
	predicted = predict(attempt, &around, &prediction, &why);
	causes_of(attempt, predicted ? &prediction : NULL, &around, &causes);
	json_object_set_new(
		json, "prediction", predicted ? prediction_json(&prediction) : fact_unknown(why));
	json_object_set_new(json, "causes",
		json_pack("{s:o, s:o}", "chain", list_json(causes.chain, causes.chain_count),
			"candidates", list_json(causes.candidates, causes.candidate_count)));
	json_object_set_new(json, "remedy", remedy_json(causes.remedy));
}
