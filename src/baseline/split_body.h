/* SPDX-License-Identifier: Apache-2.0 */
/* The text of one struct split_way, for the instructions that the file is compiled for. */
#ifndef BASELINE_SPLIT_BODY_H
#define BASELINE_SPLIT_BODY_H

#include "baseline/split_bins.h"

/* What the bins on both sides of a plane hold. */
static void parts_from(const struct bins *bins, struct plane plane, struct split_range parts[2])
{
	int k;

	for (k = 0; k < bins->count; k++) {
		struct split_range *part = &parts[k >= plane.bin];

		box_add(&part->box, lanes_load(bins->set[0].box[plane.axis][k].at));
		part->count += bins->set[0].count[plane.axis][k];
	}
}

/* Moves the near ones of `count` items to the front; returns how many, and the boxes of both sides'
 * centres. Without a branch that depends on an item: which side it is on cannot be foreseen. */
static kernel_u32 part(struct split_item *items, kernel_u32 count, const struct bins *bins,
	struct plane plane, struct split_box centres[2])
{
	static const float nowhere[2] = { 0, -3e38f };
	const float origin = bins->origin.at[plane.axis], scale = bins->scale.at[plane.axis];
	const float from = (float)plane.bin;
	struct split_item *low = items, *at, *end = items + count;
	lanes near_ones = lanes_load(empty_box.at), far_ones = near_ones;

	for (at = items; at < end; at++) {
		const float *bounds = at->box.at + plane.axis;
		unsigned is_far = ((bounds[0] - bounds[4]) - origin) * scale >= from;
		lanes item = lanes_load(at->box.at), centre = centre_of(item);

		near_ones = lanes_max(near_ones, lanes_add(centre, lanes_all(nowhere[is_far])));
		far_ones = lanes_max(far_ones, lanes_add(centre, lanes_all(nowhere[1 - is_far])));
		lanes_store(at->box.at, lanes_load(low->box.at));
		lanes_store(low->box.at, item);
		low += 1 - is_far;
	}
	lanes_store(centres[0].at, near_ones);
	lanes_store(centres[1].at, far_ones);
	return (kernel_u32)(low - items);
}

struct part_work {
	struct split_item *items;
	kernel_u32 count;
	const struct bins *bins;
	struct plane plane;
	kernel_u32 near_count[TEAM_MAX];
	struct split_box centres[TEAM_MAX][2];
};

static void part_part(void *data, unsigned number, unsigned parts)
{
	struct part_work *work = data;
	kernel_u32 first = team_begin(work->count, number, parts);

	work->near_count[number] =
		part(work->items + first, team_begin(work->count, number + 1, parts) - first,
			work->bins, work->plane, work->centres[number]);
}

/* Exchanges the far items that stand before place `middle` with the near ones behind it: there are
 * as many of these as of those. */
static void exchange(struct part_work *work, kernel_u32 middle, unsigned parts)
{
	kernel_u32 behind = 0, end = 0;
	unsigned i, next = 0;

	for (i = 0; i < parts; i++) {
		kernel_u32 last = team_begin(work->count, i + 1, parts);
		kernel_u32 at = team_begin(work->count, i, parts) + work->near_count[i];

		for (; at < last && at < middle; at++, behind++) {
			struct split_item item = work->items[at];

			while (behind >= end) {
				kernel_u32 first = team_begin(work->count, next, parts);

				end = first + work->near_count[next++];
				behind = first > middle ? first : middle;
			}
			work->items[at] = work->items[behind];
			work->items[behind] = item;
		}
	}
}

static void part_by_team(
	struct part_work *work, kernel_u32 middle, unsigned parts, struct split_box centres[2])
{
	unsigned i;

	team_run(parts, part_part, work);
	centres[0] = centres[1] = empty_box;
	for (i = 0; i < parts; i++) {
		box_add(&centres[0], lanes_load(work->centres[i][0].at));
		box_add(&centres[1], lanes_load(work->centres[i][1].at));
	}
	exchange(work, middle, parts);
}

static void part_range(struct split_item *items, const struct split_range *range,
	const struct bins *bins, struct plane plane, unsigned team, struct split_range parts[2])
{
	struct split_box centres[2];

	parts[0] = parts[1] = (struct split_range){ range->first, 0, empty_box, empty_box };
	parts_from(bins, plane, parts);
	parts[1].first += parts[0].count;
	if (team > 1) {
		struct part_work work = { .items = items + range->first,
			.count = range->count,
			.bins = bins,
			.plane = plane };

		part_by_team(&work, parts[0].count, team, centres);
	} else {
		part(items + range->first, range->count, bins, plane, centres);
	}
	parts[0].centres = centres[0];
	parts[1].centres = centres[1];
}

static void split_range(struct split_item *items, const struct split_range *range, kernel_u32 leaf,
	bool halve, unsigned threads, struct split_range parts[2])
{
	unsigned team = team_parts(range->count, threads);
	struct plane best = { -1, 0, 0 };
	struct bins bins;
	int axis;

	if (!halve) {
		bins_place(&bins, range);
		if (team > 1)
			bins_fill_by_team(&bins, items + range->first, range->count, team);
		else
			bins_fill(&bins, items + range->first, range->count);
		for (axis = 0; axis < 3; axis++)
			try_axis(&bins, axis, leaf, &best);
	}
	if (best.axis >= 0) {
		part_range(items, range, &bins, best, team, parts);
	} else {
		parts[0] = range_of(items, range->first, range->count / 2);
		parts[1] = range_of(
			items, range->first + range->count / 2, range->count - range->count / 2);
	}
}

#define SPLIT_WAY                                                                                  \
	{                                                                                          \
		split_items, split_range                                                           \
	}

#endif
