/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a frame over several nodes: who takes part, and what of a plan is a rank. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "distributed/rank.h"
#include "farm/frame_plan.h"
#include "tap.h"

static void test_take(void)
{
	const size_t available[] = { 8, 2, 0, 8 };
	size_t taken[4];

	tap_number((long long)plan_take(available, 4, 100, taken), 18,
		"all of all when there is room");
	tap_ok(taken[0] == 8 && taken[1] == 2 && taken[2] == 0 && taken[3] == 8,
		"each all of its own");
	tap_number((long long)plan_take(available, 4, 8, taken), 8, "eight samples: eight GCDs");
	tap_ok(taken[0] == 3 && taken[1] == 2 && taken[2] == 0 && taken[3] == 3,
		"in turn, so that no node takes them all");
	tap_number((long long)plan_take(available, 4, 1, taken), 1, "one sample: one GCD");
	tap_number((long long)plan_take(available, 0, 4, taken), 0, "no node: none");
}

static const char *const refused[] = {
	"{\"rank\": -1, \"node\": \"a\", \"bdf\": \"b\", \"first\": 0, \"count\": 1}",
	"{\"rank\": 0, \"node\": \"\", \"bdf\": \"b\", \"first\": 0, \"count\": 1}",
	"{\"rank\": 0, \"node\": \"a\", \"first\": 0, \"count\": 1}",
	"{\"rank\": 0, \"node\": \"a\", \"bdf\": \"b\", \"first\": 16, \"count\": 1}",
	"{\"rank\": 0, \"node\": \"a\", \"bdf\": \"b\", \"first\": 9, \"count\": 8}",
	"{\"rank\": 0, \"node\": \"a\", \"bdf\": \"b\", \"first\": 0, \"count\": 0}",
	"{\"rank\": 0, \"node\": \"a\", \"bdf\": \"0000:0000:0000:0000:0000:0\", \"first\": 0, "
	"\"count\": 1}",
	"{\"rank\": 0, \"node\": \"a\", \"bdf\": \"b\", \"first\": 1, \"count\": "
	"9223372036854775807}",
	"[]",
	"7",
};

static size_t count_of(const char *rank, const char *node)
{
	char *text = xasprintf("{\"samples\": 16, \"ranks\": [%s]}", rank);
	json_t *one = json_loads(text, 0, NULL);
	struct plan_rank *ranks;
	unsigned total;
	size_t count = plan_ranks(one, node, &total, &ranks);

	free(ranks);
	json_decref(one);
	free(text);
	return count;
}

static void test_ranks(void)
{
	static const char good[] =
		"{\"rank\": 1, \"node\": \"a\", \"bdf\": \"b\", \"first\": 8, \"count\": 8}";
	size_t i;

	tap_number((long long)count_of(good, NULL), 1, "a rank is one");
	tap_number((long long)count_of(good, "a"), 1, "of its node");
	tap_number((long long)count_of(good, "b"), 0, "and of no other");
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		tap_number((long long)count_of(refused[i], NULL), 0, refused[i]);
}

static void test_read(void)
{
	static const char text[] = "{\"schema\": \"oamqual-farm-frame/1\", \"cases\": []}\n",
			  other[] = "{\"schema\": \"oamqual-farm/1\"}\n";
	char hex[65];
	struct error err;
	json_t *plan;

	file_write("plan.json", text, strlen(text), NULL);
	digest_file("plan.json", hex, NULL, NULL);
	plan = frame_plan_read("plan.json", hex, &err);
	tap_ok(plan != NULL, "a plan of the right digest is read");
	json_decref(plan);
	hex[0] = hex[0] == '0' ? '1' : '0';
	tap_ok(!frame_plan_read("plan.json", hex, &err), "one of another digest is not");
	tap_ok(strstr(err.text, "plan.json: not the plan") != NULL, "and the file is named");
	file_write("plan.json", other, strlen(other), NULL);
	digest_file("plan.json", hex, NULL, NULL);
	tap_ok(!frame_plan_read("plan.json", hex, &err), "nor is another document");
	unlink("plan.json");
}

static void test_label(void)
{
	struct rank rank = { .number = 2, .node = "node01", .bdf = "0000:c9:00.0" };
	char label[RANK_LABEL];

	rank_label(&rank, label);
	tap_text(label, "rank 2 (0000:c9:00.0)", "on one node a rank is called by its GCD");
	rank.names_node = true;
	rank_label(&rank, label);
	tap_text(label, "rank 2 (node01 0000:c9:00.0)", "on several by its node, too");
}

int main(void)
{
	test_take();
	test_ranks();
	test_read();
	test_label();
	return tap_done();
}
