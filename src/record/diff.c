/* SPDX-License-Identifier: Apache-2.0 */
#include "record/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "record/diff_parts.h"
#include "record/spread.h"

void diff_add(struct diff *diff, const char *area, const char *subject, const char *what,
	json_t *before_stolen, json_t *after_stolen, const char *weight, const char *note)
{
	json_array_append_new(diff->changes,
		json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:o}", "area", area, "subject", subject,
			"what", what, "before", before_stolen, "after", after_stolen, "weight",
			weight, "note", note ? json_printable_text(note) : json_null()));
}

static json_t *copy(const json_t *value)
{
	return value ? json_deep_copy(value) : json_null();
}

void diff_fact(struct diff *diff, const char *area, const char *subject, const char *what,
	const json_t *before, const json_t *after)
{
	const json_t *a = json_object_get(before, "value"), *b = json_object_get(after, "value");
	bool known_a = a && !json_is_null(a), known_b = b && !json_is_null(b);

	if (known_a && known_b && !json_equal(a, b))
		diff_add(diff, area, subject, what, copy(a), copy(b), "changed", NULL);
	else if (known_a && !known_b)
		diff_add(diff, area, subject, what, copy(a), json_null(), "now-unknown",
			json_text(after, "why", "not in the record"));
	else if (!known_a && known_b)
		diff_add(diff, area, subject, what, json_null(), copy(b), "now-known",
			json_text(before, "why", "not in the record"));
}

void diff_value(struct diff *diff, const char *area, const char *subject, const char *what,
	const json_t *before, const json_t *after)
{
	json_t *a = copy(before), *b = copy(after);

	if (json_equal(a, b)) {
		json_decref(a);
		json_decref(b);
		return;
	}
	diff_add(diff, area, subject, what, a, b, "changed", NULL);
}

/* --- build, driver, system, run --- */

static const json_t *member(const json_t *record, const char *path)
{
	const char *at = path;
	char key[40];

	while (*at) {
		size_t len = strcspn(at, ".");

		if (len >= sizeof(key))
			return NULL;
		memcpy(key, at, len);
		key[len] = '\0';
		record = json_object_get(record, key);
		at += len + (at[len] == '.');
	}
	return record;
}

typedef void compare_fn(struct diff *diff, const char *area, const char *subject, const char *what,
	const json_t *before, const json_t *after);

static const struct row {
	const char *area, *what, *path;
	compare_fn *compare;
} rows[] = {
	{ "build", "Blender", "blender.version", diff_value },
	{ "build", "Blender's SHA-256", "blender.sha256", diff_value },
	{ "build", "hipcc", "blender.hipcc.release", diff_fact },
	{ "build", "oamqual", "tool.version", diff_value },
	{ "build", "oamqual's commit", "tool.commit", diff_value },
	{ "driver", "amdgpu", "system.amdgpu_driver", diff_fact },
	{ "driver", "ROCm", "system.rocm_release", diff_fact },
	{ "driver", "HIP", "node.hip.state", diff_fact },
	{ "driver", "HIP driver", "node.hip.driver_version", diff_fact },
	{ "driver", "HIP runtime", "node.hip.runtime_version", diff_fact },
	{ "system", "kernel", "system.kernel", diff_fact },
	{ "system", "operating system", "system.os", diff_fact },
	{ "system", "CPU", "system.cpu", diff_fact },
	{ "system", "NUMA", "system.numa", diff_fact },
	{ "system", "enclosure", "system.enclosure", diff_fact },
	{ "system", "BIOS", "system.bios", diff_fact },
	{ "system", "cooling", "system.cooling", diff_fact },
	{ "system", "container", "system.container", diff_fact },
	{ "system", "container's digest", "system.container_digest", diff_fact },
	{ "system", "logical CPUs", "host.logical_cpus", diff_fact },
	{ "run", "source", "source", diff_value },
	{ "run", "suite", "run.suite", diff_value },
	{ "run", "repeats", "run.repeats", diff_value },
	{ "run", "deadline in seconds", "run.deadline_seconds", diff_value },
	{ "run", "sandbox", "isolation.sandbox", diff_value },
	{ "run", "root of Blender", "isolation.root", diff_value },
	{ "run", "inherited variables", "run.inherited", diff_value },
	{ "run", "masks", "counts.masks", diff_value },
};

/* What does not belong to what a run stood on. */
static const struct row other_rows[] = {
	{ "counts", "GPUs that KFD has", "counts.kfd", diff_fact },
	{ "counts", "GPUs on PCI", "counts.pci", diff_fact },
	{ "counts", "GPUs that HIP has", "counts.hip", diff_fact },
	{ "counts", "GPUs that can be opened", "counts.openable", diff_fact },
	{ "counts", "GPUs that Cycles lists", "counts.cycles", diff_fact },
	{ "other", "inference artifact", "inference_artifact", diff_fact },
	{ "other", "copies between GCDs", "peer_and_collective_transport.peers.outcome",
		diff_value },
	{ "other", "sum over all GCDs", "peer_and_collective_transport.collective.outcome",
		diff_value },
	{ "other", "one frame over several GCDs", "distributed.outcome", diff_value },
};

static void compare_rows(struct diff *diff, const struct row *from, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		from[i].compare(diff, from[i].area, "", from[i].what,
			member(diff->before, from[i].path), member(diff->after, from[i].path));
}

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static void diff_node(struct diff *diff)
{
	const json_t *a = member(diff->before, "node.name"), *b = member(diff->after, "node.name");

	if (!json_equal(a, b))
		diff_add(diff, "node", "", "name", copy(a), copy(b), "changed",
			"these may be records of two nodes");
}

static void diff_ending(struct diff *diff)
{
	bool a = json_is_true(member(diff->before, "run.interrupted"));
	bool b = json_is_true(member(diff->after, "run.interrupted"));

	if (a != b)
		diff_add(diff, "run", "", "interrupted", json_boolean(a), json_boolean(b),
			b ? "worse" : "better", NULL);
}

/* --- the whole --- */

static json_t *about(const json_t *record)
{
	const json_t *gcd;
	size_t i, workers = 0;

	json_array_foreach (json_object_get(record, "gcds"), i, gcd)
		workers += json_is_true(json_object_get(gcd, "render_worker"));
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I}", "node",
		copy(member(record, "node.name")), "source", copy(member(record, "source")),
		"started", copy(member(record, "run.started")), "blender",
		copy(member(record, "blender.version")), "workers", (json_int_t)workers, "gcds",
		(json_int_t)json_array_size(json_object_get(record, "gcds")));
}

/* Members that no part above knows, and that differ: said, rather than passed over. */
static json_t *not_compared(const json_t *before, const json_t *after)
{
	static const char *const known[] = { "schema", "source", "tool", "run", "node", "system",
		"host", "blender", "scenes", "gcds", "attempts", "notes", "inference_artifact",
		"modules", "counts", "findings", "published", "peer_and_collective_transport",
		"distributed", "isolation", "files", "kernel_cache", "baseline" };
	json_t *names = json_array(), *all = json_object(), *value;
	const char *key;
	size_t i;

	json_object_update(all, (json_t *)(uintptr_t)after);
	json_object_update(all, (json_t *)(uintptr_t)before);
	json_object_foreach (all, key, value) {
		for (i = 0; i < COUNT(known) && strcmp(known[i], key) != 0; i++)
			;
		if (i == COUNT(known) &&
			!json_equal(json_object_get(before, key), json_object_get(after, key)))
			json_array_append_new(names, json_string(key));
	}
	json_decref(all);
	return names;
}

static bool any_worse(const json_t *changes)
{
	const json_t *change;
	size_t i;

	json_array_foreach (changes, i, change)
		if (strcmp(json_text(change, "weight", ""), "worse") == 0)
			return true;
	return false;
}

json_t *diff_surroundings(const json_t *before, const json_t *after)
{
	struct diff diff = { .before = before, .after = after, .changes = json_array() };

	compare_rows(&diff, rows, COUNT(rows));
	diff_scenes(&diff);
	return diff.changes;
}

json_t *diff_records(const json_t *before, const json_t *after)
{
	struct diff diff = { before, after, json_array(), json_object(), json_object() };

	diff_node(&diff);
	diff_cards(&diff);
	diff_cases(&diff);
	diff_ending(&diff);
	diff_findings(&diff);
	compare_rows(&diff, rows, COUNT(rows));
	diff_scenes(&diff);
	compare_rows(&diff, other_rows, COUNT(other_rows));
	json_decref(diff.cards_before);
	json_decref(diff.cards_after);
	return json_pack("{s:s, s:o, s:o, s:b, s:o, s:o, s:s}", "schema", "oamqual-diff/1",
		"before", about(before), "after", about(after), "worse", any_worse(diff.changes),
		"changes", diff.changes, "not_compared", not_compared(before, after), "rule",
		spread_rule());
}
