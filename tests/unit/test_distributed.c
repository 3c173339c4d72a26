/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of a frame: how samples are split, what a rank map finds, how parts are merged. */
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "distributed/merge.h"
#include "distributed/rank_map.h"
#include "tap.h"

/* --- splitting ---------------------------------------------------------------------------------
 */

/* Every sample once, in order, and no two shares apart by more than one. */
static bool splits_well(unsigned total, unsigned count)
{
	unsigned at = 0, i, least = total, most = 0;

	for (i = 0; i < count; i++) {
		struct sample_range range = rank_range(total, count, i);

		if (range.first != at || !range.count || range.total != total)
			return false;
		at += range.count;
		least = range.count < least ? range.count : least;
		most = range.count > most ? range.count : most;
	}
	return at == total && most - least <= 1;
}

static void test_split(void)
{
	struct sample_range range = rank_range(16, 3, 1);
	unsigned total, count;
	bool all = true;

	tap_number(range.first, 6, "16 samples over 3: the second begins at 6");
	tap_number(range.count, 5, "and has 5");
	for (total = 1; total <= 64; total++)
		for (count = 1; count <= total; count++)
			all = all && splits_well(total, count);
	tap_ok(all, "every split of up to 64 samples has each sample once");
}

/* --- the map -----------------------------------------------------------------------------------
 */

static void good_rank(struct rank *rank, unsigned number, unsigned count)
{
	memset(rank, 0, sizeof(*rank));
	rank->number = number;
	rank->asked = rank_range(16, count, number);
	rank->seed = 7;
	str_copy(rank->node, sizeof(rank->node), "node");
	snprintf(rank->bdf, sizeof(rank->bdf), "0000:0%u:00.0", number + 1);
	snprintf(rank->traced_on, sizeof(rank->traced_on), "HIP_X_0000:0%u:00", number + 1);
	snprintf(rank->picture_sha256, sizeof(rank->picture_sha256), "%064u", number);
	rank->rendered = KNOWN_YES;
	rank->first = known_u64(rank->asked.first);
	rank->count = rank->by_log = rank->by_file = known_u64(rank->asked.count);
	rank->seed_seen = known_u64(7);
	rank->adaptive = KNOWN_NO;
	rank->kfd_gpu_id = known_u64(100 + number);
	rank->vram_peak = known_u64(1);
	rank->pid = rank->pid_seen = known_u64(1000 + number);
}

enum { RANKS = 3 };
static struct rank ranks[RANKS];

static void good_ranks(void)
{
	unsigned i;

	for (i = 0; i < RANKS; i++)
		good_rank(&ranks[i], i, RANKS);
}

/* The codes of all findings, in their order. */
static void found(const char *want, enum finding_weight worst, const char *title)
{
	struct finding_list findings = { NULL, 0 };
	struct str codes = STR_INIT;
	size_t i;

	rank_map_judge(ranks, RANKS, 16, &findings);
	for (i = 0; i < findings.count; i++)
		str_addf(&codes, "%s%s", codes.len ? " " : "", findings.items[i].code);
	tap_text(codes.data ? codes.data : "", want, title);
	tap_ok(finding_worst(&findings) == worst, "%s: as heavy as it should be", title);
	finding_list_release(&findings);
	str_release(&codes);
}

static void test_map(void)
{
	good_ranks();
	found("", FINDING_NOTE, "three ranks with a share each");
	ranks[1].rendered = KNOWN_NO;
	found("rank-lost range-missing", FINDING_FAULT, "a lost rank, and so its samples");
	good_ranks();
	ranks[2].first = known_u64(5);
	found("range-differs range-twice range-twice range-missing", FINDING_FAULT,
		"a share that reaches into both others");
	good_ranks();
	ranks[1].count.known = false;
	found("range-unproven range-missing", FINDING_WARNING, "a share that nobody tells");
	good_ranks();
	ranks[1].seed_seen.known = false;
	found("range-unproven", FINDING_WARNING, "a share whose seed nobody tells");
	good_ranks();
	ranks[1].pid_seen.known = false;
	found("pid-differs", FINDING_WARNING, "a report that does not say whose it is");
	good_ranks();
	ranks[0].by_log.value = 5;
	found("samples-disagree", FINDING_FAULT, "a log that counts otherwise");
	good_ranks();
	ranks[0].by_file.value = 16;
	found("samples-disagree", FINDING_FAULT,
		"metadata that count the whole frame where the share's belong");
	ranks[0].by_file_is_total = true;
	found("", FINDING_NOTE, "and where this Blender names the whole frame's");
	good_ranks();
	ranks[1].runtime_first = known_u64(0);
	ranks[1].runtime_count = ranks[1].count;
	found("samples-disagree", FINDING_FAULT, "a device that was told to render other samples");
	good_ranks();
	str_copy(ranks[2].traced_on, sizeof(ranks[2].traced_on), ranks[0].traced_on);
	ranks[2].vram_peak.known = false;
	ranks[2].vram_peak.value = 0;
	found("gcd-twice", FINDING_FAULT, "two ranks on one GCD");
	ranks[2].vram_peak = known_u64(1);
	found("", FINDING_NOTE, "partitions of a card share Cycles' id, and KFD tells them apart");
	str_copy(ranks[2].node, sizeof(ranks[2].node), "other");
	ranks[2].vram_peak.value = 0;
	found("", FINDING_NOTE, "the same address on another node is another GCD");
	good_ranks();
	str_copy(ranks[1].picture_sha256, sizeof(ranks[1].picture_sha256), ranks[0].picture_sha256);
	found("picture-twice", FINDING_FAULT, "two shares that are one picture");
	good_ranks();
	ranks[0].first = known_u64(UINT64_MAX);
	ranks[0].count = ranks[0].by_log = ranks[0].by_file = known_u64(UINT64_MAX);
	found("range-unproven range-missing", FINDING_WARNING,
		"numbers that no frame has prove nothing");
}

static void test_overlap(void)
{
	good_ranks();
	tap_ok(!rank_map_overlaps(ranks, RANKS), "without times nothing ran at once");
	ranks[0].started_us = 10;
	ranks[0].ended_us = 30;
	ranks[1].started_us = 20;
	ranks[1].ended_us = 40;
	ranks[2].started_us = 25;
	ranks[2].ended_us = 50;
	tap_ok(rank_map_overlaps(ranks, RANKS), "all ran at 25");
	ranks[2].started_us = 35;
	tap_ok(!rank_map_overlaps(ranks, RANKS), "two of three at a time are not all");
}

static void test_noise(void)
{
	struct rank rank;

	good_rank(&rank, 0, 2);
	str_copy(rank.pattern, sizeof(rank.pattern), "TABULATED_SOBOL");
	tap_ok(rank_has_noise_of_whole(&rank), "8 of 16: both tables have 256 samples");
	rank.asked = rank_range(1024, 8, 0);
	tap_ok(!rank_has_noise_of_whole(&rank), "128 of 1024: 256 beside 1024");
	str_copy(rank.pattern, sizeof(rank.pattern), "SOBOL_BURLEY");
	tap_ok(rank_has_noise_of_whole(&rank), "a pattern without a table");
	rank.pattern_varies = true;
	tap_ok(!rank_has_noise_of_whole(&rank), "unless its scrambling varies");
	rank.by_file_is_total = true;
	tap_ok(rank_has_noise_of_whole(&rank), "a part of the frame, as 4.4 and later have it");
	str_copy(rank.pattern, sizeof(rank.pattern), "BLUE_NOISE");
	rank.by_file_is_total = rank.pattern_varies = false;
	tap_ok(!rank_has_noise_of_whole(&rank), "a pattern that is not known to be alike");
}

/* --- merging -----------------------------------------------------------------------------------
 */

static struct image picture(int width, float value)
{
	struct image like = { .channels = 1, .names = { "R" } }, image;
	int i;

	image_new(&image, width, 1, &like);
	for (i = 0; i < width; i++)
		image.pixels[i] = value + (float)i;
	return image;
}

static void test_merge(void)
{
	struct image parts[3] = { picture(4, 1), picture(4, 2), picture(4, 10) }, merged = { 0 };
	struct image wide = picture(5, 1);
	unsigned samples[3] = { 6, 5, 5 };
	struct merge_difference difference;
	struct error err = { "" };

	tap_number(merge_parts(parts, samples, 3, &merged, &err), 0, "three parts are merged");
	tap_ok(merged.pixels[2] == 2 + (float)((6 + 10 + 50) / 16.0), "each by its samples");
	tap_number(merge_compare(&merged, &merged, merge_bound(16, 44), &difference, &err), 0,
		"compared");
	tap_ok(difference.within && difference.largest == 0, "with itself");
	parts[0].pixels[1] = NAN;
	merge_compare(&parts[0], &merged, 1, &difference, &err);
	tap_ok(!difference.within, "not a number is never within");
	image_release(&merged);
	samples[1] = 0;
	tap_number(merge_parts(parts, samples, 3, &merged, &err), -1, "a part without samples");
	tap_text(err.text, "part 1: has no samples", "is refused");
	samples[1] = 5;
	image_release(&parts[2]);
	parts[2] = wide;
	tap_number(merge_parts(parts, samples, 3, &merged, &err), -1, "a part of another size");
	tap_text(err.text, "part 2: 5x1 pixels beside 4x1", "is refused");
	tap_ok(merged.pixels == NULL, "and nothing is made");
	tap_number(merge_compare(&wide, &parts[0], 1, &difference, &err), -1, "nor compared");
	image_release(&parts[0]);
	image_release(&parts[1]);
	image_release(&parts[2]);
}

/* Higham's bound for n terms, twice, and two roundings each. */
static void test_bound(void)
{
	const double u = 1.0 / 16777216;

	tap_ok(fabs(merge_bound(16, 44) - 2 * (705 * u / (1 - 705 * u) + 2 * u)) < 1e-15,
		"16 samples of 44 additions");
	tap_ok(merge_bound(1U << 24, 4096) == 1, "so many that it says nothing");
}

static void names(const char *metadata, long long want, const char *title)
{
	struct image image = { .metadata = (char *)(size_t)metadata };
	struct known_u64 named = merge_samples_named(&image);

	tap_number(named.known ? (long long)named.value : -1, want, title);
}

static void test_named(void)
{
	names(NULL, -1, "no metadata");
	names("File\tx\ncycles.ViewLayer.samples\t16\nScene\ty\n", 16, "as Blender writes it");
	names("cycles.A.samples\t8\ncycles.B.samples\t8", 8, "two layers alike");
	names("cycles.A.samples\t8\ncycles.B.samples\t9", -1, "two layers that differ");
	names("cycles.A.samples\t-8", -1, "no number");
	names("cycles.samples\t8", -1, "no layer");
	names("cycles.A.samples\t99999999999999999999999999", -1, "too long");
	names("xcycles.A.samples\t8\ncycles.A.samples", -1, "another name, and no value");
}

int main(void)
{
	test_split();
	test_map();
	test_overlap();
	test_noise();
	test_merge();
	test_bound();
	test_named();
	return tap_done();
}
