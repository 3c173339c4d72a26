/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strptime, timegm */
#include "record/history.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "record/cases.h"
#include "record/diff.h"
#include "record/history_parts.h"
#include "record/parts.h"
#include "record/record.h"
#include "record/spread.h"

/* --- a part of a record --- */

static int read_time(const char *text, double *seconds)
{
	struct tm when;
	const char *end;

	memset(&when, 0, sizeof(when));
	end = text ? strptime(text, "%Y-%m-%dT%H:%M:%SZ", &when) : NULL;
	if (!end || *end)
		return -1;
	*seconds = (double)timegm(&when);
	return 0;
}

static bool claimed_twice(const json_t *gpus, const char *id)
{
	const json_t *gpu;
	size_t i, count = 0;

	json_array_foreach (gpus, i, gpu) {
		const char *other = json_fact_text(gpu, "unique_id");

		count += other && strcmp(other, id) == 0;
	}
	return count > 1;
}

/* Address -> the card's id. */
static json_t *cards_of(const json_t *record)
{
	const json_t *gpus = json_object_get(json_object_get(record, "node"), "gpus"), *gpu;
	json_t *cards = json_object();
	size_t i;

	json_array_foreach (gpus, i, gpu) {
		const char *bdf = json_fact_text(gpu, "bdf"),
			   *id = json_fact_text(gpu, "unique_id");

		bdf = bdf ? bdf : "(no address)";
		json_object_set_new(cards, bdf,
			json_string(id && id[0] && !claimed_twice(gpus, id) ? id : bdf));
	}
	return cards;
}

/* Without the provenance of references, which is long. */
static json_t *slim_scenes(const json_t *record)
{
	json_t *scenes = json_deep_copy(json_object_get(record, "scenes")), *scene, *reference;
	size_t i, j;

	json_array_foreach (scenes, i, scene) {
		json_object_del(scene, "reference");
		json_array_foreach (json_object_get(scene, "references"), j, reference)
			json_object_del(reference, "provenance");
	}
	return scenes ? scenes : json_array();
}

json_t *history_part(const json_t *record, const char *path, struct error *err)
{
	static const char *const kept[] = { "source", "tool", "run", "node", "system", "host",
		"blender", "isolation", "counts", "gcds" };
	const char *contradiction = record_contradiction(record);
	const char *started = json_text(json_object_get(record, "run"), "started", NULL);
	json_t *part, *cards;
	double seconds;
	size_t i;

	if (contradiction) {
		error_set(err, "it contradicts itself: %s", contradiction);
		return NULL;
	}
	if (read_time(started, &seconds) != 0) {
		error_set(err, "it does not say when its run was started");
		return NULL;
	}
	cards = cards_of(record);
	part = json_pack("{s:o, s:f, s:o, s:o, s:O}", "path", json_printable_text(path), "time",
		seconds, "scenes", slim_scenes(record), "cases", cases_of(record, cards), "cards",
		cards);
	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		json_object_set(part, kept[i], json_object_get(record, kept[i]));
	json_decref(cards);
	return part;
}

json_t *history_read(const char *path, struct str *room, struct error *err)
{
	json_t *record = record_read_parts(path, record_for_history, room, err);
	json_t *part = record ? history_part(record, path, err) : NULL;

	json_decref(record);
	return part;
}

const char *history_card(const json_t *part, const char *bdf)
{
	return json_text(json_object_get(part, "cards"), bdf, bdf);
}

const char *history_bdf(const json_t *part, const char *card)
{
	const char *bdf;
	json_t *id;

	json_object_foreach (json_object_get(part, "cards"), bdf, id)
		if (strcmp(json_string_value(id), card) == 0)
			return bdf;
	return NULL;
}

json_t *history_between(const json_t *before, const json_t *after)
{
	return diff_surroundings(before, after);
}

void history_add(struct timeline *line, struct event event)
{
	const char *bdf = event.card ? history_bdf(event.part, event.card) : NULL;

	json_array_append_new(line->events,
		json_pack("{s:s, s:s, s:s*, s:s*, s:s*, s:O, s:o*, s:o*, s:o*, s:s*, s:b}", "kind",
			event.kind, "weight", event.weight, "card", event.card, "bdf", bdf, "case",
			event.which, "at",
			json_object_get(json_object_get(event.part, "run"), "started"), "before",
			event.before, "after", event.after, "came_with", event.came_with, "note",
			event.note, "standing", event.standing));
}

/* --- which node --- */

static const char *name_of(const json_t *part)
{
	return json_text(json_object_get(part, "node"), "name", "?");
}

/* Has it cards that are known by more than their address? */
static bool has_ids(const json_t *cards)
{
	const char *bdf;
	json_t *id;

	json_object_foreach ((json_t *)(uintptr_t)cards, bdf, id)
		if (strcmp(bdf, json_string_value(id)) != 0)
			return true;
	return false;
}

static bool shares_card(const json_t *ids, const json_t *cards)
{
	const char *bdf;
	json_t *id;

	json_object_foreach ((json_t *)(uintptr_t)cards, bdf, id)
		if (strcmp(bdf, json_string_value(id)) != 0 &&
			json_object_get(ids, json_string_value(id)))
			return true;
	return false;
}

/* Same name and kind, and a card in common; without ids on one side the name has to do. */
static bool is_of_node(const json_t *node, const json_t *part)
{
	const json_t *ids = json_object_get(node, "ids"), *cards = json_object_get(part, "cards");

	if (strcmp(json_text(node, "name", ""), name_of(part)) != 0 ||
		strcmp(json_text(node, "source", ""), json_text(part, "source", "")) != 0)
		return false;
	return !has_ids(cards) || json_object_size(ids) == 0 || shares_card(ids, cards);
}

static void add_to_node(json_t *node, json_t *part)
{
	json_t *ids = json_object_get(node, "ids"), *id;
	const char *bdf;

	json_array_append(json_object_get(node, "parts"), part);
	json_object_foreach (json_object_get(part, "cards"), bdf, id)
		if (strcmp(bdf, json_string_value(id)) != 0)
			json_object_set_new(ids, json_string_value(id), json_true());
}

/* The one that the part is of, made when there is none yet. Borrowed. */
static json_t *node_of(json_t *nodes, const json_t *part)
{
	json_t *node = NULL;
	size_t i;

	for (i = 0; i < json_array_size(nodes); i++)
		if (is_of_node(json_array_get(nodes, i), part))
			return json_array_get(nodes, i);
	node = json_pack("{s:s, s:s, s:{}, s:[]}", "name", name_of(part), "source",
		json_text(part, "source", "?"), "ids", "parts");
	json_array_append_new(nodes, node);
	return node;
}

/* {"name", "source", "ids", "parts"} each; parts in their order of time. */
static json_t *group(json_t *const *sorted, size_t count)
{
	json_t *nodes = json_array();
	size_t i;

	for (i = 0; i < count; i++)
		add_to_node(node_of(nodes, sorted[i]), sorted[i]);
	return nodes;
}

/* --- one node --- */

static void set_environments(struct timeline *line)
{
	size_t *first = xcalloc(line->count + 1, sizeof(*first)), i, e;

	for (i = 0; i < line->count; i++) {
		for (e = 0; e < line->environments; e++) {
			json_t *changes = history_between(line->parts[first[e]], line->parts[i]);
			bool same = json_array_size(changes) == 0;

			json_decref(changes);
			if (same)
				break;
		}
		if (e == line->environments)
			first[line->environments++] = i;
		line->environment[i] = e;
	}
	free(first);
}

static struct timeline timeline_of(const json_t *parts)
{
	struct timeline line = { .count = json_array_size(parts), .events = json_array() };
	size_t i;

	line.parts = xcalloc(line.count + 1, sizeof(*line.parts));
	line.days = xcalloc(line.count + 1, sizeof(*line.days));
	line.environment = xcalloc(line.count + 1, sizeof(*line.environment));
	for (i = 0; i < line.count; i++) {
		line.parts[i] = json_array_get(parts, i);
		line.days[i] = (json_real_of(line.parts[i], "time", 0) -
				       json_real_of(line.parts[0], "time", 0)) /
			       86400;
	}
	set_environments(&line);
	return line;
}

static json_t *value_at(const json_t *object, const char *key)
{
	return json_object_get(json_object_get(object, key), "value");
}

static json_t *record_row(const struct timeline *line, size_t i)
{
	const json_t *part = line->parts[i], *run = json_object_get(part, "run"), *gcd;
	const json_t *gcds = json_object_get(part, "gcds"),
		     *system = json_object_get(part, "system");
	size_t j, workers = 0;

	json_array_foreach (gcds, j, gcd)
		workers += json_is_true(json_object_get(gcd, "render_worker"));
	return json_pack("{s:O, s:O, s:O*, s:O*, s:O*, s:I, s:I, s:b, s:I, s:o}", "path",
		json_object_get(part, "path"), "started", json_object_get(run, "started"),
		"blender", json_object_get(json_object_get(part, "blender"), "version"),
		"amdgpu_driver", value_at(system, "amdgpu_driver"), "kernel",
		value_at(system, "kernel"), "workers", (json_int_t)workers, "gcds",
		(json_int_t)json_array_size(gcds), "interrupted",
		json_is_true(json_object_get(run, "interrupted")), "environment",
		(json_int_t)line->environment[i], "changed",
		i && line->environment[i] != line->environment[i - 1]
			? history_between(line->parts[i - 1], part)
			: json_array());
}

static json_t *node_history(const json_t *node)
{
	struct timeline line = timeline_of(json_object_get(node, "parts"));
	json_t *records = json_array(), *result;
	size_t i, series;

	for (i = 0; i < line.count; i++)
		json_array_append_new(records, record_row(&line, i));
	history_verdicts(&line);
	series = history_numbers(&line);
	result = json_pack("{s:O, s:O, s:O, s:o, s:o, s:I}", "name", json_object_get(node, "name"),
		"source", json_object_get(node, "source"), "cards",
		json_object_get(line.parts[line.count - 1], "cards"), "records", records, "events",
		line.events, "series", (json_int_t)series);
	free(line.parts);
	free(line.days);
	free(line.environment);
	return result;
}

/* --- all --- */

static int by_time(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	double s = json_real_of(x, "time", 0), t = json_real_of(y, "time", 0);

	return s < t ? -1 : s > t ? 1 : strcmp(json_text(x, "path", ""), json_text(y, "path", ""));
}

/* A copy of a record counts once. */
static bool is_copy(const json_t *a, const json_t *b)
{
	static const char *const same[] = { "time", "run", "node", "gcds", "cases", "blender" };
	size_t i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (!json_equal(json_object_get(a, same[i]), json_object_get(b, same[i])))
			return false;
	return true;
}

static size_t drop_copies(json_t **sorted, size_t count, json_t *twice)
{
	size_t kept = 0, i, j;

	for (i = 0; i < count; i++) {
		double time = json_real_of(sorted[i], "time", 0);

		for (j = kept; j > 0 && json_real_of(sorted[j - 1], "time", 0) >= time; j--)
			if (is_copy(sorted[j - 1], sorted[i]))
				break;
		if (j > 0 && json_real_of(sorted[j - 1], "time", 0) >= time)
			json_array_append(twice, json_object_get(sorted[i], "path"));
		else
			sorted[kept++] = sorted[i];
	}
	return kept;
}

static json_t *rules(void)
{
	return json_pack("{s:s, s:s, s:s}", "step", spread_rule(), "drift",
		"ten runs or more in the same surroundings: Mann-Kendall p below 0.01 divided by "
		"the number "
		"of series of the node, and a Theil-Sen slope of more than 3 % over the whole span",
		"flap",
		"accepted, not and again accepted (or the other way) in the same surroundings");
}

json_t *history_of(const json_t *parts)
{
	size_t count = json_array_size(parts), i;
	json_t **sorted = xcalloc(count + 1, sizeof(*sorted));
	json_t *twice = json_array(), *nodes, *node, *result = json_array();

	for (i = 0; i < count; i++)
		sorted[i] = json_array_get(parts, i);
	qsort(sorted, count, sizeof(*sorted), by_time);
	count = drop_copies(sorted, count, twice);
	nodes = group(sorted, count);
	json_array_foreach (nodes, i, node)
		json_array_append_new(result, node_history(node));
	json_decref(nodes);
	free(sorted);
	return json_pack("{s:s, s:o, s:o, s:o}", "schema", "oamqual-history/1", "nodes", result,
		"same_twice", twice, "rules", rules());
}

int history_is_worse(const json_t *history)
{
	const json_t *node, *event;
	size_t i, j;

	json_array_foreach (json_object_get(history, "nodes"), i, node)
		json_array_foreach (json_object_get(node, "events"), j, event)
			if (strcmp(json_text(event, "weight", ""), "worse") == 0 &&
				json_is_true(json_object_get(event, "standing")))
				return 1;
	return 0;
}
