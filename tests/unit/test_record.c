/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "record/record.h"
#include "tap.h"

/* "strict/cornell/accepted" with a trailing '+' when together; all on the GCD c1. */
static json_t *attempts_of(const char *const *words)
{
	json_t *attempts = json_array();
	char probe[16], scene[16], verdict[32], plus[2];

	for (; *words; words++) {
		plus[0] = '\0';
		sscanf(*words, "%15[^/]/%15[^/]/%31[^+]%1[+]", probe, scene, verdict, plus);
		json_array_append_new(attempts,
			json_pack(
				"{s:i, s:s, s:[{s:s}], s:s, s:s, s:s, s:b, s:o, s:{s:s, s:n}, s:n}",
				"number", (int)json_array_size(attempts) + 1, "source", "observed",
				"rungs", "answer", "yes", "probe", probe, "scene", scene, "verdict",
				verdict, "together", plus[0] == '+', "device",
				strcmp(probe, "control") == 0
					? json_null()
					: json_pack("{s:s}", "bdf", "0000:c1:00.0"),
				"decided_by", "evidence", "because", "rung", "first_rung_not_yes"));
	}
	return attempts;
}

static json_t *judge(const char *const *words)
{
	json_t *node = json_pack("{s:[{s:{s:s}}]}", "gpus", "bdf", "value", "0000:c1:00.0");
	json_t *scenes = json_pack("[{s:s}]", "name", "cornell");
	json_t *attempts = attempts_of(words), *gcds = record_gcds(node, attempts, scenes);
	json_t *gcd = json_incref(json_array_get(gcds, 0));

	json_decref(node);
	json_decref(scenes);
	json_decref(attempts);
	json_decref(gcds);
	return gcd;
}

static void check(const char *const *words, const char *want, const char *title)
{
	json_t *gcd = judge(words);
	bool worker = json_is_true(json_object_get(gcd, "render_worker"));

	tap_text(json_text(gcd, "verdict", ""), want, title);
	tap_ok(worker == (strcmp(want, "accepted") == 0), "and render_worker says the same");
	json_decref(gcd);
}

static void test_gcds(void)
{
	static const char *const all[] = { "strict/cornell/accepted", "as-farm/cornell/accepted",
		"strict/cornell/accepted+", "control/cornell/accepted", NULL };
	static const char *const no_control[] = { "strict/cornell/accepted",
		"as-farm/cornell/accepted", "strict/cornell/accepted+",
		"control/cornell/image-differs", NULL };
	static const char *const alone[] = { "strict/cornell/accepted", "as-farm/cornell/accepted",
		NULL };
	static const char *const one_way[] = { "strict/cornell/accepted",
		"strict/cornell/accepted+", NULL };
	static const char *const other_scene[] = { "strict/glass/accepted",
		"as-farm/glass/accepted", "strict/glass/accepted+", NULL };
	static const char *const farm_first[] = { "as-farm/cornell/cpu-fallback",
		"strict/cornell/not-listed", NULL };
	static const char *const farm_only[] = { "strict/cornell/accepted",
		"as-farm/cornell/cpu-fallback", "strict/cornell/accepted+", NULL };
	static const char *const together[] = { "strict/cornell/accepted",
		"as-farm/cornell/accepted", "strict/cornell/device-error+", NULL };
	static const char *const none[] = { NULL };

	check(all, "accepted", "every case accepted");
	check(no_control, "inconclusive", "a build that fails its own control judges nothing");
	check(alone, "inconclusive", "without all GCDs at once it is not decided");
	check(one_way, "inconclusive", "one probe alone decides nothing");
	check(other_scene, "inconclusive", "a scene that is not the record's does not count");
	check(farm_first, "not-listed", "the strict probe names the reason");
	check(farm_only, "cpu-fallback", "a fallback of the farm's probe is enough");
	check(together, "device-error", "so is a failure of all GCDs at once");
	check(none, "inconclusive", "nothing attempted is not decided");
}

/* A record of one GCD whose decision another version may have worded otherwise. */
static void check_wording(
	const char *const *words, const char *change, bool sound, const char *title)
{
	json_t *gcd = judge(words), *others = json_loads(change, 0, NULL), *record;

	json_object_update(gcd, others);
	record = json_pack("{s:s, s:{s:s, s:[{s:{s:s}}]}, s:[{s:s}], s:o, s:[O]}", "source",
		"observed", "node", "source", "live", "gpus", "bdf", "value", "0000:c1:00.0",
		"scenes", "name", "cornell", "attempts", attempts_of(words), "gcds", gcd);
	tap_ok(!record_contradiction(record) == sound, "%s: %s", title,
		sound ? "no contradiction" : "a contradiction");
	json_decref(record);
	json_decref(others);
	json_decref(gcd);
}

static void test_wording(void)
{
	static const char *const alone[] = { "strict/cornell/accepted", "as-farm/cornell/accepted",
		NULL };
	static const char *const farm_only[] = { "strict/cornell/device-error", NULL };

	check_wording(alone, "{}", true, "as it was made");
	check_wording(alone, "{\"missing_case\": \"so\", \"evidence\": \"so\"}", true,
		"what is missing in other words");
	check_wording(alone, "{\"evidence\": \"so\"}", false, "which its evidence does not repeat");
	check_wording(alone, "{\"missing_case\": null}", false, "nothing missing");
	check_wording(alone,
		"{\"missing_case\": \"so\", \"evidence\": \"so\", \"verdict\": \"accepted\"}",
		false, "other words and another verdict");
	check_wording(alone, "{\"render_worker\": true}", false, "a render worker all the same");
	check_wording(alone, "{\"evidence\": 1}", false, "evidence that is no sentence");
	check_wording(farm_only, "{}", true, "decided by an attempt");
	check_wording(
		farm_only, "{\"evidence\": \"so\"}", false, "whose evidence is in other words");
	check_wording(farm_only, "{\"missing_case\": \"so\"}", false, "and a case missing besides");
}

static void write_text(const char *path, const char *text)
{
	struct error err;

	file_write(path, text, strlen(text), &err);
}

static void write_record(const char *files)
{
	char text[1000];

	snprintf(text, sizeof(text),
		"{\"schema\": \"oamqual-record/1\", \"attempts\": [], \"gcds\": [], \"files\": "
		"[%s]}",
		files);
	write_text("run/record.json", text);
}

static const char *first_problem(size_t *count)
{
	static char text[600];
	struct error err;
	json_t *problems = record_check_files("run", &err);

	*count = json_array_size(problems);
	snprintf(text, sizeof(text), "%s",
		*count ? json_string_value(json_array_get(problems, 0)) : "none");
	json_decref(problems);
	return text;
}

static void test_files(void)
{
	/* sha256sum of "abc\n" */
	const char *abc = "{\"path\": \"a.txt\", \"sha256\": "
			  "\"edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb\"}";
	struct error err;
	json_t *files;
	size_t count;

	folder_make("run", &err);
	write_text("run/a.txt", "abc\n");
	write_record(abc);
	tap_text(first_problem(&count), "none", "intact evidence");
	files = record_files("run", &err);
	tap_text(json_text(json_array_get(files, 0), "sha256", ""),
		"edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb",
		"files are recorded with their digest");
	tap_number(json_array_size(files), 1, "and the record leaves itself out");
	json_decref(files);
	write_text("run/b.txt", "new");
	tap_text(first_problem(&count), "b.txt: not in the record", "a stranger is found");
	unlink("run/b.txt");
	folder_make("run/node/sim/lib", &err);
	folder_make("run/node/sim/bin", &err);
	if (symlink("/nowhere", "run/node/sim/lib/libamdhip64.so.5") != 0 ||
		symlink("/nowhere", "run/node/sim/bin/hipcc") != 0)
		tap_ok(false, "links can be made");
	tap_text(first_problem(&count), "none", "links of the stand-in are no evidence");
	if (symlink("/nowhere", "run/node/sim/bin/other") != 0)
		tap_ok(false, "links can be made");
	first_problem(&count);
	tap_number(count, 1, "another link is a stranger");
	unlink("run/node/sim/bin/other");
	write_text("run/a.txt", "abd\n");
	tap_text(first_problem(&count), "a.txt: its content is not what was recorded",
		"so is a changed file");
	unlink("run/a.txt");
	first_problem(&count);
	tap_number(count, 1, "and a missing one");
	write_record("{\"path\": \"../../etc/passwd\", \"sha256\": \"00\"}");
	tap_text(first_problem(&count), "../../etc/passwd: leaves the record's folder",
		"a record from elsewhere reads nothing outside");
	tap_ok(folder_remove("run", &err) == 0, "and nothing is left");
}

/* docs/record.schema.json: a live node's record is observed, a simulated node's simulated. */
static void test_source(void)
{
	static const struct {
		const char *record, *node, *attempt;
		bool sound;
	} rows[] = {
		{ "observed", "live", "observed", true },
		{ "simulated", "simulated", "simulated", true },
		{ "observed", "simulated", "observed", false },
		{ "simulated", "live", "simulated", false },
		{ "observed", "live", "simulated", false },
		{ "simulated", "simulated", "observed", false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *record = json_pack("{s:s, s:{s:s, s:[]}, s:[], s:[], s:[{s:{}, s:s}]}",
			"source", rows[i].record, "node", "source", rows[i].node, "gpus", "gcds",
			"scenes", "attempts", "device", "source", rows[i].attempt);

		tap_ok(!record_contradiction(record) == rows[i].sound,
			"record %s, node %s, attempt %s: %s", rows[i].record, rows[i].node,
			rows[i].attempt, rows[i].sound ? "sound" : "not sound");
		json_decref(record);
	}
}

int main(void)
{
	test_gcds();
	test_wording();
	test_source();
	test_files();
	return tap_done();
}
