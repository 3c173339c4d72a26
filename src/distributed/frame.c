/* SPDX-License-Identifier: Apache-2.0 */
#include "distributed/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/str.h"
#include "distributed/merge.h"

/* The first rank without which there is no frame, or NULL. */
static const struct rank *first_gap(const struct frame_parts *parts)
{
	size_t i;

	for (i = 0; i < parts->count; i++)
		if (parts->ranks[i].rendered != KNOWN_YES || !parts->ranks[i].count.value ||
			parts->ranks[i].count.value > UINT32_MAX || !parts->images[i].pixels)
			return &parts->ranks[i];
	return NULL;
}

static int merge(const struct frame_parts *parts, struct image *out, struct error *err)
{
	unsigned *samples = xcalloc(parts->count, sizeof(*samples));
	size_t i;
	int rc;

	for (i = 0; i < parts->count; i++)
		samples[i] = (unsigned)parts->ranks[i].count.value;
	rc = merge_parts(parts->images, samples, parts->count, out, err);
	free(samples);
	return rc;
}

static bool has_noise_of_whole(const struct frame_parts *parts)
{
	size_t i;

	for (i = 0; i < parts->count; i++)
		if (!rank_has_noise_of_whole(&parts->ranks[i]))
			return false;
	return true;
}

/* The rank whose worst tile is farthest from the whole picture: where to look first, no proof. */
static void name_farthest(
	const struct frame_parts *parts, const struct image *whole, char *text, size_t size)
{
	struct comparison comparison;
	double worst = -1;
	char label[RANK_LABEL];
	size_t i;

	text[0] = '\0';
	for (i = 0; i < parts->count; i++) {
		image_compare(&parts->images[i], whole, NULL, &comparison);
		if (!comparison.compared || comparison.tile_error <= worst)
			continue;
		worst = comparison.tile_error;
		rank_label(&parts->ranks[i], label);
		snprintf(text, size,
			"; the share of %s is farthest from it, %.3g in its worst tile", label,
			worst);
	}
}

/* The same samples, summed in another order. With other noise the difference says nothing: then
 * the reference alone judges. */
static json_t *compare_with_whole(const struct frame_parts *parts, const struct image *merged,
	const struct image *whole, struct finding_list *findings)
{
	const struct compare_limits *limits = reference_set_limits(parts->references);
	const struct known_u64 additions = parts->ranks[0].bounces;
	bool same_noise = has_noise_of_whole(parts);
	struct comparison comparison;
	struct merge_difference difference;
	json_t *json = json_pack("{s:b}", "same_noise", same_noise);
	char farthest[RANK_LABEL + 100];

	image_compare(merged, whole, limits, &comparison);
	json_object_set_new(json, "comparison", comparison_json(&comparison, limits));
	json_object_set_new(json, "sums", json_null());
	if (same_noise && !comparison.within) {
		name_farthest(parts, whole, farthest, sizeof(farthest));
		finding_add(findings, "merged-differs", FINDING_FAULT, "", NULL,
			"the merged picture is not that of one GCD alone: %s%s", comparison.why,
			farthest);
	}
	if (!same_noise)
		finding_add(findings, "other-noise", FINDING_NOTE, "", NULL,
			"shares of this sampling pattern have other noise than the whole frame, so "
			"only the reference judges the merged picture");
	if (!additions.known ||
		merge_compare(merged, whole, merge_bound(parts->total, (unsigned)additions.value),
			&difference, NULL) != 0)
		return json;
	json_object_set_new(json, "sums", merge_difference_json(&difference));
	if (same_noise && comparison.within && !difference.within)
		finding_add(findings, "sums-differ", FINDING_NOTE, "", NULL,
			"merged and whole picture differ by %.3g of the value at most, more than "
			"the order of summation explains (%.3g): some sample came out otherwise",
			difference.relative, difference.bound);
	return json;
}

static json_t *match_references(
	const struct frame_parts *parts, const struct image *merged, struct finding_list *findings)
{
	struct reference_match match;

	reference_match(parts->references, merged, &match);
	if (!match.basis)
		finding_add(findings, "merged-no-reference", FINDING_FAULT, "", NULL,
			"the merged picture is not the reference's: %s", match.why);
	return match.reference ? reference_match_json(&match) : json_null();
}

static json_t *judge(const struct frame_parts *parts, const struct image *merged, const char *path,
	struct finding_list *findings, struct error *err)
{
	struct image whole;
	char hex[65];
	json_t *json;

	if (image_write_exr(path, merged, err) != 0 || digest_file(path, hex, NULL, err) != 0 ||
		image_read(parts->whole, &whole, err) != 0)
		return NULL;
	json = json_pack("{s:s, s:o}", "sha256", hex, "whole",
		compare_with_whole(parts, merged, &whole, findings));
	json_object_set_new(json, "match", match_references(parts, merged, findings));
	image_release(&whole);
	return json;
}

json_t *frame_merge(const struct frame_parts *parts, const char *path,
	struct finding_list *findings, struct error *err)
{
	const struct rank *gap = first_gap(parts);
	struct image merged;
	struct error why;
	char label[RANK_LABEL];
	json_t *json;

	if (gap) {
		rank_label(gap, label);
		finding_add(findings, "not-merged", FINDING_WARNING, "", NULL,
			"the shares were not merged: that of %s is not there", label);
		return json_null();
	}
	if (merge(parts, &merged, &why) != 0) {
		finding_add(findings, "not-merged", FINDING_FAULT, "", NULL,
			"the shares cannot be merged: %s", why.text);
		return json_null();
	}
	json = judge(parts, &merged, path, findings, err);
	image_release(&merged);
	return json;
}

const char *frame_outcome(const struct finding_list *findings)
{
	static const char *const outcomes[] = { [FINDING_NOTE] = "accepted",
		[FINDING_WARNING] = "inconclusive",
		[FINDING_FAULT] = "failed" };

	return outcomes[finding_worst(findings)];
}

json_t *frame_why_json(const struct finding_list *findings)
{
	enum finding_weight worst = finding_worst(findings);
	size_t i;

	for (i = 0; i < findings->count && worst != FINDING_NOTE; i++)
		if (findings->items[i].weight == worst)
			return json_string(findings->items[i].text);
	return json_null();
}
