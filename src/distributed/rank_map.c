/* SPDX-License-Identifier: Apache-2.0 */
#include "distributed/rank_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define FAULT FINDING_FAULT
#define UNPROVEN FINDING_WARNING

static unsigned long long last_of(const struct rank *rank)
{
	return (unsigned long long)(rank->first.value + rank->count.value - 1);
}

static bool is_proven(const struct rank *rank)
{
	return rank->first.known && rank->count.known && rank->count.value > 0 &&
	       rank->first.value <= UINT32_MAX && rank->count.value <= UINT32_MAX;
}

/* --- each by itself --------------------------------------------------------------------------- */

static void judge_ending(const struct rank *rank, const char *label, struct finding_list *findings)
{
	if (rank->rendered == KNOWN_NO)
		finding_add(findings, "rank-lost", FAULT, label, NULL, "%s is lost: %s", label,
			rank->ended);
	else if (rank->rendered == KNOWN_UNKNOWN)
		finding_add(findings, "rank-inconclusive", UNPROVEN, label, NULL,
			"%s is not known to have rendered: %s", label, rank->ended);
}

static void judge_range(const struct rank *rank, const char *label, struct finding_list *findings)
{
	if (!is_proven(rank)) {
		if (rank->rendered == KNOWN_YES)
			finding_add(findings, "range-unproven", UNPROVEN, label, NULL,
				"%s: nothing that it left says which samples it rendered", label);
		return;
	}
	if (rank->first.value != rank->asked.first || rank->count.value != rank->asked.count)
		finding_add(findings, "range-differs", FAULT, label, NULL,
			"%s was given samples %u to %u and rendered %llu to %llu", label,
			rank->asked.first, rank->asked.first + rank->asked.count - 1,
			(unsigned long long)rank->first.value, last_of(rank));
	if (rank->seed_seen.known && rank->seed_seen.value != (uint64_t)rank->seed)
		finding_add(findings, "seed-differs", FAULT, label, NULL,
			"%s was given the seed %d and rendered with %llu", label, rank->seed,
			(unsigned long long)rank->seed_seen.value);
	else if (!rank->seed_seen.known && rank->rendered == KNOWN_YES)
		finding_add(findings, "range-unproven", UNPROVEN, label, NULL,
			"%s: nothing that it left says with which seed it rendered", label);
	if (rank->adaptive != KNOWN_NO)
		finding_add(findings, "adaptive-sampling",
			rank->adaptive == KNOWN_YES ? FAULT : UNPROVEN, label, NULL,
			"%s: adaptive sampling %s, so pixels may have fewer samples than counted",
			label, rank->adaptive == KNOWN_YES ? "was on" : "is not known to be off");
}

/* The metadata of a share says what this series of Blender puts there. */
static void judge_counts(const struct rank *rank, const char *label, struct finding_list *findings)
{
	uint64_t in_file = rank->by_file_is_total ? (uint64_t)rank->asked.total : rank->count.value;

	if (!is_proven(rank) || rank->rendered != KNOWN_YES)
		return;
	if (!rank->by_log.known)
		finding_add(findings, "range-unproven", UNPROVEN, label, NULL,
			"%s: Cycles' log does not say how many samples were rendered", label);
	else if (rank->by_log.value != rank->count.value)
		finding_add(findings, "samples-disagree", FAULT, label, NULL,
			"%s: Blender holds that it rendered %llu samples, and Cycles' log counts "
			"%llu",
			label, (unsigned long long)rank->count.value,
			(unsigned long long)rank->by_log.value);
	if (!rank->by_file.known)
		finding_add(findings, "range-unproven", UNPROVEN, label, NULL,
			"%s: its picture's metadata does not name a number of samples", label);
	else if (rank->by_file.value != in_file)
		finding_add(findings, "samples-disagree", FAULT, label, NULL,
			"%s: its picture's metadata names %llu samples, and %llu would be right",
			label, (unsigned long long)rank->by_file.value,
			(unsigned long long)in_file);
}

/* The stand-in sees which samples the device is told to begin; no real runtime tells. */
static void judge_runtime(const struct rank *rank, const char *label, struct finding_list *findings)
{
	if (rank->runtime_count.known && is_proven(rank) &&
		(rank->runtime_first.value != rank->first.value ||
			rank->runtime_count.value != rank->count.value))
		finding_add(findings, "samples-disagree", FAULT, label, NULL,
			"%s: Blender holds that it rendered samples %llu to %llu, and the device "
			"was "
			"told to render %llu from %llu on",
			label, (unsigned long long)rank->first.value, last_of(rank),
			(unsigned long long)rank->runtime_count.value,
			(unsigned long long)rank->runtime_first.value);
}

static void judge_process(const struct rank *rank, const char *label, struct finding_list *findings)
{
	if (rank->pid.known && !rank->pid_seen.known && rank->rendered == KNOWN_YES)
		finding_add(findings, "pid-differs", UNPROVEN, label, NULL,
			"%s: its report does not say which process left it", label);
	if (rank->pid.known && rank->pid_seen.known && rank->pid.value != rank->pid_seen.value)
		finding_add(findings, "pid-differs", FAULT, label, NULL,
			"%s: process %llu was started, and process %llu left the report", label,
			(unsigned long long)rank->pid.value,
			(unsigned long long)rank->pid_seen.value);
}

/* --- two of them ------------------------------------------------------------------------------ */

/* Cycles' id has no PCI function. KFD's entries tell the partitions of a card apart. */
static bool is_same_gcd(const struct rank *one, const struct rank *other)
{
	bool apart = one->vram_peak.value && other->vram_peak.value && one->kfd_gpu_id.known &&
		     other->kfd_gpu_id.known && one->kfd_gpu_id.value != other->kfd_gpu_id.value;

	return one->traced_on[0] && strcmp(one->node, other->node) == 0 &&
	       strcmp(one->traced_on, other->traced_on) == 0 && !apart;
}

static bool do_overlap(const struct rank *one, const struct rank *other)
{
	return is_proven(one) && is_proven(other) && one->first.value <= last_of(other) &&
	       other->first.value <= last_of(one);
}

static void judge_pair(
	const struct rank *one, const struct rank *other, struct finding_list *findings)
{
	char label[RANK_LABEL], second[RANK_LABEL];

	rank_label(one, label);
	rank_label(other, second);
	if (do_overlap(one, other))
		finding_add(findings, "range-twice", FAULT, second, NULL,
			"%s and %s both rendered samples %llu to %llu", label, second,
			(unsigned long long)(one->first.value > other->first.value
						     ? one->first.value
						     : other->first.value),
			last_of(one) < last_of(other) ? last_of(one) : last_of(other));
	if (is_same_gcd(one, other))
		finding_add(findings, "gcd-twice", FAULT, second, NULL,
			"%s and %s both worked on %s", label, second, one->traced_on);
	if (one->picture_sha256[0] && strcmp(one->picture_sha256, other->picture_sha256) == 0)
		finding_add(findings, "picture-twice", FAULT, second, NULL,
			"%s and %s made the same picture to the bit, which two shares of samples "
			"never are",
			label, second);
}

/* --- all of them ------------------------------------------------------------------------------ */

static void note_missing(
	unsigned from, unsigned to, unsigned total, bool proven, struct finding_list *findings)
{
	finding_add(findings, "range-missing", proven ? FAULT : UNPROVEN, "", NULL,
		"samples %u to %u of the frame's %u were rendered by no rank", from, to - 1, total);
}

/* By what was rendered and is there, not by what was asked. */
static void judge_cover(
	const struct rank *ranks, size_t count, unsigned total, struct finding_list *findings)
{
	unsigned char *seen = xcalloc(total ? total : 1, 1);
	bool proven = true; /* one that does not say what it rendered may have rendered these */
	uint64_t at, end;
	unsigned from;
	size_t i;

	for (i = 0; i < count; i++) {
		if (ranks[i].rendered == KNOWN_NO)
			continue;
		if (!is_proven(&ranks[i])) {
			proven = false;
			continue;
		}
		end = ranks[i].first.value + ranks[i].count.value;
		for (at = ranks[i].first.value; at < end && at < total; at++)
			seen[at] = 1;
	}
	for (from = 0, at = 0; at <= total; at++) {
		if (at < total && !seen[at])
			continue;
		if (at > from)
			note_missing(from, (unsigned)at, total, proven, findings);
		from = (unsigned)at + 1;
	}
	free(seen);
}

void rank_map_judge(
	const struct rank *ranks, size_t count, unsigned total, struct finding_list *findings)
{
	char label[RANK_LABEL];
	size_t i, j;

	for (i = 0; i < count; i++) {
		rank_label(&ranks[i], label);
		judge_ending(&ranks[i], label, findings);
		judge_range(&ranks[i], label, findings);
		judge_counts(&ranks[i], label, findings);
		judge_runtime(&ranks[i], label, findings);
		judge_process(&ranks[i], label, findings);
		for (j = 0; j < i; j++)
			judge_pair(&ranks[j], &ranks[i], findings);
	}
	judge_cover(ranks, count, total, findings);
}

bool rank_map_overlaps(const struct rank *ranks, size_t count)
{
	uint64_t begun = 0, ended = UINT64_MAX;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!ranks[i].started_us || !ranks[i].ended_us)
			return false;
		begun = ranks[i].started_us > begun ? ranks[i].started_us : begun;
		ended = ranks[i].ended_us < ended ? ranks[i].ended_us : ended;
	}
	return count > 0 && begun < ended;
}
