/* SPDX-License-Identifier: Apache-2.0 */
/* What a node leaves of its ranks of a frame over several nodes: ranks.json, and after it the
 * evidence beside it in the form of parts.h. Whatever a node writes there, its ranks are no good
 * frame while no GCD's own picture of the whole stands beside them, and nothing outside of its
 * folder is named. */
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/json.h"
#include "base/str.h"
#include "cli/farm_frame_judge.h"
#include "tests/fuzz/parts.h"

static const char plan_text[] =
	"{\"scene\": \"square\", \"samples\": 16, \"seed\": 0, \"ranks\": ["
	"{\"rank\": 0, \"node\": \"blade\", \"bdf\": \"0000:c1:00.0\", \"first\": 0, \"count\": 8},"
	"{\"rank\": 1, \"node\": \"blade\", \"bdf\": \"0000:c6:00.0\", \"first\": 8, \"count\": "
	"8}]}";
static const char record_text[] = "{\"blender\": {\"version\": \"3.4.1\"}, \"scenes\": [{\"name\": "
				  "\"square\"}], \"attempts\": []}";

static const json_t *constant(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	assert(json);
	return json;
}

static void check_case(const json_t *judged)
{
	const json_t *rank;
	char *text = json_dumps(judged, JSON_ENSURE_ASCII);
	size_t i;

	assert(strcmp(json_text(judged, "outcome", "accepted"), "accepted") != 0);
	assert(json_array_size(json_object_get(judged, "ranks")) == 2);
	assert(text && !strstr(text, "\\u0000") && !strstr(text, "\\u001b"));
	json_array_foreach (json_object_get(judged, "ranks"), i, rank) {
		const char *folder = json_text(rank, "folder", "frame/nodes/blade/ranks/");

		assert(str_starts(folder, "frame/nodes/blade/ranks/") && !strstr(folder, ".."));
	}
	free(text);
}

/* Did the node's word of a rank follow from its facts? */
static bool has_sound_rank(const json_t *judged)
{
	const json_t *finding;
	size_t i, lost = 0;

	json_array_foreach (json_object_get(judged, "findings"), i, finding)
		lost += strcmp(json_text(finding, "code", ""), "rank-lost") == 0;
	return lost < 2;
}

static void judge(const char *place, json_t *ranks)
{
	static const json_t *plan, *record;
	struct farm_member node = { .name = (char *)"blade",
		.plan_sha256 = (char *)"",
		.ranks = ranks,
		.outcome = FARM_QUALIFIED };
	struct farm_run jobs = { .nodes = &node, .count = 1 };
	struct frame_view view = { .run = place, .jobs = &jobs, .records = &record };
	json_t *judged;

	plan = plan ? plan : constant(plan_text);
	record = record ? record : constant(record_text);
	judged = frame_judge(&view, plan);
	check_case(judged);
	fuzz_count(has_sound_rank(judged));
	json_decref(judged);
}

static void write_evidence(const char *place, const uint8_t *data, size_t size)
{
	char *folder = path_join(place, "frame/nodes/blade");
	int root;

	if (folder_make(folder, NULL) != 0)
		abort();
	root = open(folder, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	if (root < 0)
		abort();
	parts_write(root, data, size);
	close(root);
	free(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = part_next(data, size, 0);
	json_t *ranks = json_loadb((const char *)data, len, JSON_REJECT_DUPLICATES, NULL);
	char place[FUZZ_PLACE];

	if (!ranks) {
		fuzz_count(false);
		return 0;
	}
	fuzz_place(place);
	write_evidence(place, data + len, size - len);
	judge(place, ranks);
	folder_remove(place, NULL);
	json_decref(ranks);
	return 0;
}
