/* SPDX-License-Identifier: Apache-2.0 */
#include "report/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "report/show.h"

bool view_is_simulated(const json_t *record_or_attempt)
{
	return strcmp(json_text(record_or_attempt, "source", ""), "observed") != 0;
}

const char *view_mark(const json_t *record_or_attempt)
{
	return view_is_simulated(record_or_attempt) ? "SIMULATED " : "";
}

bool view_is_worker(const json_t *gcd)
{
	return json_is_true(json_object_get(gcd, "render_worker")) &&
	       strcmp(json_text(gcd, "verdict", ""), "accepted") == 0;
}

size_t view_count_gcds(const json_t *record)
{
	return json_array_size(json_object_get(record, "gcds"));
}

size_t view_count_workers(const json_t *record)
{
	const json_t *gcd;
	size_t i, workers = 0;

	json_array_foreach (json_object_get(record, "gcds"), i, gcd)
		workers += view_is_worker(gcd);
	return workers;
}

bool view_was_interrupted(const json_t *record)
{
	return json_is_true(json_object_get(json_object_get(record, "run"), "interrupted"));
}

char *view_decision(const json_t *record)
{
	size_t count = view_count_gcds(record);

	if (!count)
		return xstrdup("No GCD was judged");
	return xasprintf("%zu of %zu %s", view_count_workers(record), count,
		count == 1 ? "GCD is a render worker" : "GCDs are render workers");
}

const char *view_no_gcd_remedy(void)
{
	return "the amdgpu driver makes /dev/kfd and its topology: load it (dmesg says why it did "
	       "not come up), and give a container or job /dev/kfd and /dev/dri; 'oamqual node' "
	       "shows what is there";
}

const char *view_gcd_name(const json_t *gcd)
{
	return json_text(gcd, "bdf", "(no address)");
}

bool view_is_control(const json_t *attempt)
{
	return strcmp(json_text(attempt, "probe", ""), "control") == 0;
}

const char *view_attempt_device(const json_t *attempt)
{
	return view_is_control(attempt)
		       ? "CPU"
		       : json_text(json_object_get(attempt, "device"), "bdf", "(no address)");
}

const char *view_target(const json_t *record, const json_t *gcd)
{
	const json_t *gpus = json_object_get(json_object_get(record, "node"), "gpus"), *gpu;
	const char *wanted = json_text(gcd, "bdf", NULL);
	size_t i;

	json_array_foreach (gpus, i, gpu) {
		const char *bdf = json_fact_text(gpu, "bdf"),
			   *target = json_fact_text(gpu, "gfx_target");

		if (wanted && bdf && strcmp(bdf, wanted) == 0)
			return target ? target : "unknown";
	}
	return "unknown";
}

static bool is_of(const json_t *attempt, const json_t *gcd, const char *probe)
{
	const char *wanted = json_text(gcd, "bdf", NULL);
	const char *bdf = json_text(json_object_get(attempt, "device"), "bdf", NULL);

	return wanted && bdf && strcmp(bdf, wanted) == 0 &&
	       strcmp(json_text(attempt, "probe", ""), probe) == 0;
}

static void add_case(struct str *list, const json_t *attempt)
{
	bool together = json_is_true(json_object_get(attempt, "together"));

	str_addf(list, "%s%s%s: %s", list->len ? ", " : "", json_text(attempt, "scene", "?"),
		together ? " (all at once)" : "", json_text(attempt, "verdict", "?"));
}

char *view_verdicts(const json_t *record, const json_t *gcd, const char *probe)
{
	const char *first = NULL;
	const json_t *attempt;
	struct str list = STR_INIT;
	bool agree = true;
	size_t i;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt) {
		if (!is_of(attempt, gcd, probe))
			continue;
		first = first ? first : json_text(attempt, "verdict", "?");
		agree = agree && strcmp(first, json_text(attempt, "verdict", "?")) == 0;
		add_case(&list, attempt);
	}
	if (first && !agree)
		return str_detach(&list);
	str_release(&list);
	return xstrdup(first ? first : "not run");
}

static char *rung_text(const json_t *rung, const char *before)
{
	return xasprintf("%s%lld %s", before, (long long)json_integer_of(rung, "rung", 0),
		json_text(rung, "name", "?"));
}

char *view_first_rung(const json_t *attempt)
{
	const json_t *rung = json_object_get(attempt, "first_rung_not_yes");

	if (json_is_object(rung))
		return rung_text(rung, "");
	return xstrdup(json_is_null(rung) ? "none" : "not in the record");
}

char *view_deciding_rung(const json_t *gcd)
{
	const json_t *decided = json_object_get(gcd, "decided_at");
	const json_t *first = json_object_get(gcd, "first_rung_not_yes");

	if (json_is_object(decided))
		return rung_text(decided, "");
	if (json_integer_of(gcd, "attempts", 1) == 0)
		return xstrdup("not attempted");
	if (json_is_object(first))
		return rung_text(first, "ended before ");
	return xstrdup(json_is_null(first) ? "none" : "not in the record");
}

const char *view_evidence(const json_t *attempt)
{
	return json_text(json_object_get(attempt, "decided_by"), "evidence", "");
}

char *view_words(const json_t *words)
{
	struct str line = STR_INIT;
	const json_t *word;
	size_t i;

	json_array_foreach (words, i, word) {
		str_add(&line, line.len ? " " : "");
		show_add_shell_word(&line, json_is_string(word) ? json_string_value(word) : "?");
	}
	return str_detach(&line);
}

char *view_command(const json_t *record)
{
	char *words = view_words(json_object_get(json_object_get(record, "run"), "command"));
	char *line = *words ? xasprintf("oamqual %s", words) : xstrdup("not in the record");

	free(words);
	return line;
}

static char *list_text(const json_t *array)
{
	struct str list = STR_INIT;
	const json_t *item;
	size_t i;

	json_array_foreach (array, i, item) {
		char *text = view_value(item);

		str_addf(&list, "%s%s", i ? ", " : "", text);
		free(text);
	}
	return json_array_size(array) ? str_detach(&list) : xstrdup("none");
}

static bool is_list_of_scalars(const json_t *value)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(value))
		return false;
	json_array_foreach (value, i, item)
		if (json_is_array(item) || json_is_object(item))
			return false;
	return true;
}

static char *compact(const json_t *value)
{
	char *dump = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	char *text = xstrdup(dump ? dump : "?");

	free(dump);
	return text;
}

char *view_value(const json_t *value)
{
	if (!value)
		return xstrdup("not in the record");
	if (json_is_null(value))
		return xstrdup("null");
	if (json_is_string(value))
		return xstrdup(json_string_value(value));
	if (json_is_integer(value))
		return xasprintf("%lld", (long long)json_integer_value(value));
	if (json_is_real(value))
		return xasprintf("%.6g", json_real_value(value));
	if (json_is_boolean(value))
		return xstrdup(json_is_true(value) ? "yes" : "no");
	return is_list_of_scalars(value) ? list_text(value) : compact(value);
}

bool view_is_fact(const json_t *value)
{
	return json_is_string(json_object_get(value, "class")) && json_object_get(value, "value");
}

const char *view_class(const json_t *fact)
{
	static const char *const classes[] = { "published", "declared", "observed", "simulated",
		"unknown" };
	const char *class = json_text(fact, "class", "");
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strcmp(class, classes[i]) == 0)
			return classes[i];
	return NULL;
}

const char *view_file_digest(const json_t *record, const char *path)
{
	const json_t *file;
	size_t i;

	json_array_foreach (json_object_get(record, "files"), i, file)
		if (strcmp(json_text(file, "path", ""), path) == 0)
			return json_text(file, "sha256", NULL);
	return NULL;
}
