/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "record/diff_parts.h"
#include "record/record.h"

/* Which card of the other record a card is; NONE when none is. */
enum { NONE = -1 };

struct cards {
	const json_t *gpus;
	size_t count;
	int *mate;
};

static struct cards cards_of(const json_t *record)
{
	struct cards cards = { .gpus = json_object_get(json_object_get(record, "node"), "gpus") };
	size_t i;

	cards.count = json_array_size(cards.gpus);
	cards.mate = xcalloc(cards.count + 1, sizeof(*cards.mate));
	for (i = 0; i < cards.count; i++)
		cards.mate[i] = NONE;
	return cards;
}

static const char *text_at(const struct cards *cards, size_t i, const char *key)
{
	return json_fact_text(json_array_get(cards->gpus, i), key);
}

static const char *bdf_at(const struct cards *cards, size_t i)
{
	const char *bdf = text_at(cards, i, "bdf");

	return bdf ? bdf : "(no address)";
}

/* The only card that has this text; NONE when none or several do: an id that two cards claim tells
 * nothing. */
static int only_with(const struct cards *cards, const char *key, const char *text)
{
	int found = NONE;
	size_t i;

	for (i = 0; text && i < cards->count; i++) {
		const char *other = text_at(cards, i, key);

		if (!other || strcmp(other, text) != 0)
			continue;
		if (found != NONE)
			return NONE;
		found = (int)i;
	}
	return found;
}

static void pair(struct cards *a, struct cards *b, int i, int j)
{
	a->mate[i] = j;
	b->mate[j] = i;
}

/* By `key`, those that have no mate yet. */
static void match(struct cards *a, struct cards *b, const char *key)
{
	size_t i;

	for (i = 0; i < a->count; i++) {
		const char *text = text_at(a, i, key);
		int j = only_with(b, key, text);

		if (a->mate[i] == NONE && j != NONE && b->mate[j] == NONE &&
			only_with(a, key, text) == (int)i)
			pair(a, b, (int)i, j);
	}
}

/* --- what is said of a pair --- */

/* Names no verdict that can come of a card that works: accepted, or nobody knows. */
static const char *verdict_weight(const char *before, const char *after)
{
	if (strcmp(before, "accepted") == 0)
		return "worse";
	if (strcmp(after, "accepted") == 0)
		return "better";
	if (strcmp(before, "inconclusive") == 0)
		return "now-known";
	return strcmp(after, "inconclusive") == 0 ? "now-unknown" : "changed";
}

static void diff_verdict(
	struct diff *diff, const char *name, const json_t *before, const json_t *after)
{
	const char *a = json_text(before, "verdict", "not judged");
	const char *b = json_text(after, "verdict", "not judged");

	if (strcmp(a, b) != 0)
		diff_add(diff, "verdict", name, "verdict", json_string(a), json_string(b),
			verdict_weight(a, b), json_text(after, "evidence", NULL));
}

static const struct {
	const char *key, *what;
} facts[] = {
	{ "gfx_target", "gfx target" },
	{ "pci_device_id", "PCI device" },
	{ "hip_name", "name" },
	{ "hip_gcn_arch", "architecture" },
	{ "compute_units", "compute units" },
	{ "num_xcc", "XCCs" },
	{ "vram_total", "memory in KFD" },
	{ "hip_total", "memory in HIP" },
	{ "in_kfd", "in KFD" },
	{ "in_hip", "in HIP" },
};

static void diff_facts(
	struct diff *diff, const char *name, const json_t *before, const json_t *after)
{
	size_t i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		diff_fact(diff, "card", name, facts[i].what, json_object_get(before, facts[i].key),
			json_object_get(after, facts[i].key));
}

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static void diff_pair(struct diff *diff, const struct cards *a, const struct cards *b, size_t i)
{
	size_t j = (size_t)a->mate[i];
	const char *at = bdf_at(a, i), *now = bdf_at(b, j);
	const char *was_id = text_at(a, i, "unique_id"), *id = text_at(b, j, "unique_id");
	const json_t *before = json_array_get(a->gpus, i), *after = json_array_get(b->gpus, j);

	json_object_set_new(diff->cards_before, at, json_string(now));
	json_object_set_new(diff->cards_after, now, json_string(now));
	if (strcmp(at, now) != 0)
		diff_add(diff, "card", now, "moved", json_string(at), json_string(now), "changed",
			"the same unique id at another address");
	else if (was_id && id && strcmp(was_id, id) != 0)
		diff_add(diff, "card", now, "exchanged", text_or_null(was_id), text_or_null(id),
			"changed", "another card at the same address");
	else
		diff_fact(diff, "card", now, "unique id", json_object_get(before, "unique_id"),
			json_object_get(after, "unique_id"));
	diff_facts(diff, now, before, after);
	diff_verdict(diff, now, record_gcd(diff->before, at), record_gcd(diff->after, now));
}

/* A card on one side only. It keeps its address as its name, with a mark: at the same address may
 * stand another card. */
static void diff_lone(struct diff *diff, const struct cards *cards, size_t i, bool was)
{
	const char *bdf = bdf_at(cards, i);
	const json_t *gcd = record_gcd(was ? diff->before : diff->after, bdf);
	json_t *verdict = text_or_null(json_text(gcd, "verdict", NULL));
	char *name = xasprintf("%s (%s)", bdf, was ? "gone" : "new");

	json_object_set_new(was ? diff->cards_before : diff->cards_after, bdf, json_string(name));
	diff_add(diff, "card", bdf, was ? "gone" : "new", was ? verdict : json_null(),
		was ? json_null() : verdict, was ? "worse" : "changed",
		text_at(cards, i, "unique_id"));
	free(name);
}

void diff_cards(struct diff *diff)
{
	struct cards a = cards_of(diff->before), b = cards_of(diff->after);
	size_t i;

	match(&a, &b, "unique_id");
	match(&a, &b, "bdf");
	for (i = 0; i < a.count; i++)
		if (a.mate[i] != NONE)
			diff_pair(diff, &a, &b, i);
		else
			diff_lone(diff, &a, i, true);
	for (i = 0; i < b.count; i++)
		if (b.mate[i] == NONE)
			diff_lone(diff, &b, i, false);
	free(a.mate);
	free(b.mate);
}
