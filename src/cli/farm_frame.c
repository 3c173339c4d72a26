/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/farm_frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "cli/qualify_distributed.h"

bool farm_frame_is_asked(const struct farm_run *run)
{
	const json_t *word;
	size_t i;

	json_array_foreach (json_object_get(run->manifest, "qualify"), i, word)
		if (json_is_string(word) && strcmp(json_string_value(word), "--distributed") == 0)
			return true;
	return false;
}

/* --- farm.json -------------------------------------------------------------------------------- */

/* Each node in the order that was asked; one without a record has nothing to say. */
static json_t *nodes_json(const struct farm_run *run)
{
	json_t *nodes = json_array();
	size_t i;

	for (i = 0; i < run->count; i++) {
		const struct farm_member *node = &run->nodes[i];
		const json_t *own = node->outcome == FARM_QUALIFIED ? node->distributed : NULL;
		json_t *cases = json_object_get(own, "cases");

		json_array_append_new(
			nodes, json_pack("{s:s, s:s, s:o}", "node", node->name, "outcome",
				       json_text(own, "outcome", "not-run"), "cases",
				       cases ? json_incref(cases) : json_array()));
	}
	return nodes;
}

json_t *farm_frame(struct farm_run *run)
{
	json_t *json;

	if (!farm_frame_is_asked(run))
		return NULL;
	json = json_pack("{s:o, s:o}", "nodes", nodes_json(run), "cases", json_array());
	json_object_set_new(json, "outcome", json_string(qualify_distributed_outcome(json)));
	return json;
}

static int status_of(const char *outcome)
{
	if (strcmp(outcome, "accepted") == 0)
		return STATUS_ACCEPTED;
	return strcmp(outcome, "failed") == 0 ? STATUS_NOT_ACCEPTED : STATUS_CANNOT_JUDGE;
}

/* A node with one GCD has no frame of its own: that is no failing of the farm's. */
int farm_frame_status(const json_t *distributed)
{
	const json_t *node;
	int worst, status;
	size_t i;

	if (!distributed)
		return STATUS_ACCEPTED;
	worst = status_of(json_text(distributed, "outcome", ""));
	json_array_foreach (json_object_get(distributed, "nodes"), i, node) {
		const char *outcome = json_text(node, "outcome", "");

		status = strcmp(outcome, "not-run") == 0 ? STATUS_ACCEPTED : status_of(outcome);
		worst = status > worst ? status : worst;
	}
	return worst;
}
