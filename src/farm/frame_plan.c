/* SPDX-License-Identifier: Apache-2.0 */
#include "farm/frame_plan.h"

#include <string.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/str.h"

enum { PLAN_BYTES = 64 << 20 };

static const json_int_t samples_max = 1048576; /* as of a scene */

const char frame_plan_schema[] = "oamqual-farm-frame/1";
const char frame_ranks_schema[] = "oamqual-farm-ranks/1";

json_t *frame_plan_read(const char *path, const char *sha256, struct error *err)
{
	char hex[65];
	json_t *plan;

	if (digest_file(path, hex, NULL, err) != 0)
		return NULL;
	if (strcmp(hex, sha256) != 0) {
		error_set(err, "%s: not the plan that the job was made for: its SHA-256 is %s",
			path, hex);
		return NULL;
	}
	plan = json_read(path, PLAN_BYTES, err);
	if (plan && strcmp(json_text(plan, "schema", ""), frame_plan_schema) != 0) {
		error_set(err, "%s: not a plan: \"schema\" is not \"%s\"", path, frame_plan_schema);
		json_decref(plan);
		plan = NULL;
	}
	return plan;
}

static bool read_rank(const json_t *json, unsigned total, struct plan_rank *rank)
{
	json_int_t number = json_integer_of(json, "rank", -1),
		   first = json_integer_of(json, "first", -1),
		   count = json_integer_of(json, "count", -1);
	const char *node = json_text(json, "node", ""), *bdf = json_text(json, "bdf", "");

	if (number < 0 || number >= samples_max || first < 0 || count < 1 || first >= total ||
		count > total - first || !node[0] || strlen(node) >= PLAN_NODE || !bdf[0] ||
		strlen(bdf) >= PLAN_BDF)
		return false;
	rank->number = (unsigned)number;
	rank->first = (unsigned)first;
	rank->count = (unsigned)count;
	str_copy(rank->node, sizeof(rank->node), node);
	str_copy(rank->bdf, sizeof(rank->bdf), bdf);
	return true;
}

size_t plan_ranks(const json_t *one, const char *node, unsigned *total, struct plan_rank **ranks)
{
	const json_t *list = json_object_get(one, "ranks"), *json;
	json_int_t samples = json_integer_of(one, "samples", 0);
	struct plan_rank rank;
	size_t i, count = 0;

	*total = samples < 1 || samples > samples_max ? 0 : (unsigned)samples;
	*ranks = xcalloc(json_array_size(list) + 1, sizeof(**ranks));
	json_array_foreach (list, i, json)
		if (read_rank(json, *total, &rank) && (!node || strcmp(rank.node, node) == 0))
			(*ranks)[count++] = rank;
	return count;
}

size_t plan_take(const size_t *available, size_t nodes, size_t most, size_t *taken)
{
	size_t sum = 0, before, i;

	memset(taken, 0, nodes * sizeof(*taken));
	do {
		before = sum;
		for (i = 0; i < nodes && sum < most; i++)
			if (taken[i] < available[i]) {
				taken[i]++;
				sum++;
			}
	} while (sum > before && sum < most);
	return sum;
}
