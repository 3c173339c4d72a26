/* SPDX-License-Identifier: Apache-2.0 */
/* The text of one struct split_way, for the instructions that the file is compiled for. */
#ifndef BASELINE_SPLIT_BODY_H
#define BASELINE_SPLIT_BODY_H

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "baseline/split.h"
#include "baseline/team.h"
#include "kernels/wide_lanes.h"

/* So many planes are tried at most; few triangles are cut as well by fewer. */
enum { BINS_MAX = 32 };

/* From so many items on every other one goes to a set of bins of its own: neighbours fall into the
 * same bin, and the second need not wait until the first is stored. */
enum { TWO_SETS_MIN = 512 };

/* What a thread of a team must find to do. */
enum { TEAM_ITEMS_MIN = 16384 };

/* Where an item holds its number, and what is added so that it is no denormal float, with which
 * some CPUs are slow to calculate. */
enum { SPLIT_NUMBER = 3, SPLIT_NUMBER_BASE = 0x20000000 };

struct plane {
	int axis; /* -1 none */
	int bin; /* the first on the far side */
	float cost;
};

static const struct split_box empty_box = { { -3e38f, -3e38f, -3e38f, 0, -3e38f, -3e38f, -3e38f,
	0 } };

/* --- lanes ------------------------------------------------------------------------------------ */

/* The numbers of one item's bins. */
struct places {
	kernel_u32 on[3];
};

#if defined(__AVX2__)

/* The halves exchanged. */
#define lanes_turned(a) _mm256_permute2f128_ps(a, a, 1)

static inline struct places lanes_places(lanes a)
{
	__m128i numbers = _mm_cvttps_epi32(_mm256_castps256_ps128(a));

	return (struct places){ { (kernel_u32)_mm_cvtsi128_si32(numbers),
		(kernel_u32)_mm_extract_epi32(numbers, 1),
		(kernel_u32)_mm_extract_epi32(numbers, 2) } };
}

#else

static inline lanes lanes_turned(lanes a)
{
	lanes r;
	int i;

	for (i = 0; i < WIDE; i++)
		r.at[i] = a.at[i ^ 4];
	return r;
}

static inline struct places lanes_places(lanes a)
{
	return (struct places){ { (kernel_u32)a.at[0], (kernel_u32)a.at[1], (kernel_u32)a.at[2] } };
}

#endif

static inline void box_add(struct split_box *box, lanes other)
{
	lanes_store(box->at, lanes_max(lanes_load(box->at), other));
}

/* The box that holds the doubled centre alone. */
static inline lanes centre_of(lanes box)
{
	return lanes_sub(box, lanes_turned(box));
}

/* --- items ------------------------------------------------------------------------------------ */

/* Minus the vertex, and the vertex. */
static inline lanes vertex_box(struct vec3 v)
{
	const float at[8] = { -v.x, -v.y, -v.z, 0, v.x, v.y, v.z, 0 };

	return lanes_load(at);
}

static inline void item_fill(
	struct split_item *item, const struct kernel_triangle *t, kernel_u32 number)
{
	kernel_u32 bits = number + SPLIT_NUMBER_BASE;

	lanes_store(item->box.at,
		lanes_max(lanes_max(vertex_box(t->v0), vertex_box(t->v1)), vertex_box(t->v2)));
	memcpy(&item->box.at[SPLIT_NUMBER], &bits, sizeof(bits));
}

static struct split_range range_of(
	const struct split_item *items, kernel_u32 first, kernel_u32 count)
{
	struct split_range range = { first, count, empty_box, empty_box };
	lanes box = lanes_load(empty_box.at), centres = box;
	kernel_u32 i;

	for (i = first; i < first + count; i++) {
		lanes item = lanes_load(items[i].box.at);

		box = lanes_max(box, item);
		centres = lanes_max(centres, centre_of(item));
	}
	lanes_store(range.box.at, box);
	lanes_store(range.centres.at, centres);
	return range;
}

struct items_work {
	struct split_item *items;
	const struct kernel_triangle *triangles;
	kernel_u32 count;
	struct split_range ranges[TEAM_MAX];
};

static void items_part(void *data, unsigned part, unsigned parts)
{
	struct items_work *work = data;
	kernel_u32 first = team_begin(work->count, part, parts);
	kernel_u32 end = team_begin(work->count, part + 1, parts), i;

	for (i = first; i < end; i++)
		item_fill(&work->items[i], &work->triangles[i], i);
	work->ranges[part] = range_of(work->items, first, end - first);
}

static unsigned team_parts(kernel_u32 count, unsigned threads)
{
	unsigned most = count / TEAM_ITEMS_MIN < TEAM_MAX ? count / TEAM_ITEMS_MIN : TEAM_MAX;

	return threads < 2 || most < 2 ? 1 : threads < most ? threads : most;
}

static struct split_range split_items(struct split_item *items,
	const struct kernel_triangle *triangles, kernel_u32 count, unsigned threads)
{
	struct items_work work = { .items = items, .triangles = triangles, .count = count };
	unsigned parts = team_parts(count, threads), i;

	team_run(parts, items_part, &work);
	for (i = 1; i < parts; i++) {
		box_add(&work.ranges[0].box, lanes_load(work.ranges[i].box.at));
		box_add(&work.ranges[0].centres, lanes_load(work.ranges[i].centres.at));
	}
	work.ranges[0].count = count;
	return work.ranges[0];
}

/* --- bins ------------------------------------------------------------------------------------- */

struct bin_set {
	struct split_box box[3][BINS_MAX];
	kernel_u32 count[3][BINS_MAX];
};

/* Where bins lie: of a centre c the number is (c - origin) * scale, rounded down; all three are
 * kept with their signs turned, as the centre is. An axis on which the centres do not differ has
 * scale 0: all are in bin 0. */
struct bins {
	struct split_box origin, scale;
	int count; /* per axis */
	struct bin_set set[2]; /* the second is used by bins_fill() only */
};

static void bins_clear(struct bins *bins, int set)
{
	lanes empty = lanes_load(empty_box.at);
	int axis, k;

	for (axis = 0; axis < 3; axis++)
		for (k = 0; k < bins->count; k++) {
			lanes_store(bins->set[set].box[axis][k].at, empty);
			bins->set[set].count[axis][k] = 0;
		}
}

/* The last bin ends a little behind the last centre, so that rounding puts none beyond it. */
static void bins_place(struct bins *bins, const struct split_range *range)
{
	int axis;

	bins->count = range->count < 32 ? 8 : range->count < 256 ? 16 : BINS_MAX;
	memset(&bins->scale, 0, sizeof(bins->scale));
	bins->origin = bins->scale;
	for (axis = 0; axis < 3; axis++) {
		float low = SPLIT_LOW(&range->centres, axis);
		float scale =
			((float)bins->count - 0.01f) / (SPLIT_HIGH(&range->centres, axis) - low);

		bins->origin.at[axis] = -low;
		bins->scale.at[axis] = scale < 3e38f ? -scale : 0;
	}
	bins_clear(bins, 0);
}

static inline void bin_add(
	struct bin_set *set, const struct split_item *item, lanes origin, lanes scale)
{
	lanes box = lanes_load(item->box.at);
	struct places at = lanes_places(lanes_mul(lanes_sub(centre_of(box), origin), scale));
	int axis;

	for (axis = 0; axis < 3; axis++) {
		box_add(&set->box[axis][at.on[axis]], box);
		set->count[axis][at.on[axis]]++;
	}
}

static void bins_merge(struct bins *bins, const struct bin_set *other)
{
	int axis, k;

	for (axis = 0; axis < 3; axis++)
		for (k = 0; k < bins->count; k++) {
			box_add(&bins->set[0].box[axis][k], lanes_load(other->box[axis][k].at));
			bins->set[0].count[axis][k] += other->count[axis][k];
		}
}

static void bins_fill(struct bins *bins, const struct split_item *items, kernel_u32 count)
{
	lanes origin = lanes_load(bins->origin.at), scale = lanes_load(bins->scale.at);
	kernel_u32 i = 0;

	if (count >= TWO_SETS_MIN) {
		bins_clear(bins, 1);
		for (; i + 1 < count; i += 2) {
			bin_add(&bins->set[0], &items[i], origin, scale);
			bin_add(&bins->set[1], &items[i + 1], origin, scale);
		}
		bins_merge(bins, &bins->set[1]);
	}
	for (; i < count; i++)
		bin_add(&bins->set[0], &items[i], origin, scale);
}

struct fill_work {
	const struct split_item *items;
	kernel_u32 count;
	struct bins *bins; /* one a part */
};

static void fill_part(void *data, unsigned part, unsigned parts)
{
	const struct fill_work *work = data;
	kernel_u32 first = team_begin(work->count, part, parts);

	bins_fill(&work->bins[part], work->items + first,
		team_begin(work->count, part + 1, parts) - first);
}

static void bins_fill_by_team(
	struct bins *bins, const struct split_item *items, kernel_u32 count, unsigned parts)
{
	struct fill_work work = { items, count, xmalloc(parts * sizeof(*bins)) };
	unsigned i;

	for (i = 0; i < parts; i++)
		work.bins[i] = *bins;
	team_run(parts, fill_part, &work);
	for (i = 0; i < parts; i++)
		bins_merge(bins, &work.bins[i].set[0]);
	free(work.bins);
}

/* --- planes ----------------------------------------------------------------------------------- */

/* What it costs to test so many triangles: as much as the slots of their leaves, of which between
 * none and all are full. */
static inline float cost_of(kernel_u32 count, kernel_u32 leaf, lanes box)
{
	float at[8], x, y, z;

	lanes_store(at, box);
	x = at[0] + at[4];
	y = at[1] + at[5];
	z = at[2] + at[6];
	return (float)(count + (count + leaf - 1) / leaf * leaf) * (x * y + y * z + z * x);
}

/* Tries the planes between the bins of one axis against the best so far. */
static void try_axis(const struct bins *all, int axis, kernel_u32 leaf, struct plane *best)
{
	const struct split_box *boxes = all->set[0].box[axis];
	const kernel_u32 *counts = all->set[0].count[axis];
	float far_cost[BINS_MAX];
	lanes box = lanes_load(empty_box.at);
	kernel_u32 count = 0;
	int k;

	for (k = all->count - 1; k > 0; k--) {
		box = lanes_max(box, lanes_load(boxes[k].at));
		count += counts[k];
		far_cost[k] = count ? cost_of(count, leaf, box) : -1;
	}
	box = lanes_load(empty_box.at);
	count = 0;
	for (k = 1; k < all->count; k++) {
		float cost;

		box = lanes_max(box, lanes_load(boxes[k - 1].at));
		count += counts[k - 1];
		if (!count || far_cost[k] < 0)
			continue;
		cost = far_cost[k] + cost_of(count, leaf, box);
		if (best->axis < 0 || cost < best->cost)
			*best = (struct plane){ axis, k, cost };
	}
}

/* --- parts ------------------------------------------------------------------------------------ */

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
