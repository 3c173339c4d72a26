/* SPDX-License-Identifier: Apache-2.0 */
/* Bins of items and the planes between them. */
#ifndef BASELINE_SPLIT_BINS_H
#define BASELINE_SPLIT_BINS_H

#include <stdlib.h>

#include "base/str.h"
#include "baseline/split_items.h"

/* So many planes are tried at most; few triangles are cut as well by fewer. */
enum { BINS_MAX = 32 };

/* From so many items on every other one goes to a set of bins of its own: neighbours fall into the
 * same bin, and the second need not wait until the first is stored. */
enum { TWO_SETS_MIN = 512 };

struct plane {
	int axis; /* -1 none */
	int bin; /* the first on the far side */
	float cost;
};

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

/* What it costs to test so many triangles: as much as the slots of their leaves, of which between
 * none and all are full. */
static inline float cost_of(kernel_u32 count, kernel_u32 leaf, lanes box)
{
	struct split_box around;

	lanes_store(around.at, box);
	return (float)(count + (count + leaf - 1) / leaf * leaf) * split_half_area(&around);
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

#endif
