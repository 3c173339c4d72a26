/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/split.h"

#include <string.h>

#include "base/str.h"

typedef int split_int4 __attribute__((vector_size(16)));

/* So many planes are tried at most; few triangles are cut as well by fewer. */
enum { BINS_MAX = 32 };

struct bin {
	struct split_box box;
	kernel_u32 count;
};

struct plane {
	int axis; /* -1 none */
	int bin; /* the first on the far side */
	float cost;
};

static const struct split_box empty_box = { { 3e38f, 3e38f, 3e38f, 0 },
	{ -3e38f, -3e38f, -3e38f, 0 } };

static inline split_float4 choose(split_int4 mask, split_float4 a, split_float4 b)
{
	return (split_float4)((mask & (split_int4)a) | (~mask & (split_int4)b));
}

#if defined(__SSE__)
#include <xmmintrin.h>
#define min4(a, b) ((split_float4)_mm_min_ps((__m128)(a), (__m128)(b)))
#define max4(a, b) ((split_float4)_mm_max_ps((__m128)(a), (__m128)(b)))
#else
#define min4(a, b) choose((a) < (b), a, b)
#define max4(a, b) choose((a) > (b), a, b)
#endif

static inline void box_add(struct split_box *box, const struct split_box *other)
{
	box->lo = min4(box->lo, other->lo);
	box->hi = max4(box->hi, other->hi);
}

static inline void box_add_point(struct split_box *box, split_float4 p)
{
	box->lo = min4(box->lo, p);
	box->hi = max4(box->hi, p);
}

float split_half_area(const struct split_box *box)
{
	split_float4 size = box->hi - box->lo;

	return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

kernel_u32 split_item_triangle(const struct split_item *item)
{
	float bits = item->box.lo[3];
	kernel_u32 triangle;

	memcpy(&triangle, &bits, sizeof(triangle));
	return triangle;
}

static split_float4 corner_of(struct vec3 v)
{
	return (split_float4){ v.x, v.y, v.z, 0 };
}

/* Twice the centre; lane 3 may hold anything, also NaN, and is not looked at. */
static inline split_float4 centre_of(const struct split_item *item)
{
	return item->box.lo + item->box.hi;
}

static void item_fill(struct split_item *item, const struct kernel_triangle *t, kernel_u32 number)
{
	struct split_box box = empty_box;

	box_add_point(&box, corner_of(t->v0));
	box_add_point(&box, corner_of(t->v1));
	box_add_point(&box, corner_of(t->v2));
	item->box = box;
	memcpy((char *)&item->box.lo + 3 * sizeof(float), &number, sizeof(number));
}

struct split_item *split_items(const struct kernel_triangle *triangles, kernel_u32 count)
{
	struct split_item *items = xmalloc(((size_t)count + 1) * sizeof(*items));
	kernel_u32 i;

	for (i = 0; i < count; i++)
		item_fill(&items[i], &triangles[i], i);
	return items;
}

struct split_range split_range_of(
	const struct split_item *items, kernel_u32 first, kernel_u32 count)
{
	struct split_range range = { first, count, empty_box, empty_box };
	kernel_u32 i;

	for (i = first; i < first + count; i++) {
		box_add(&range.box, &items[i].box);
		box_add_point(&range.centres, centre_of(&items[i]));
	}
	return range;
}

/* Where bins lie: of a centre c the number is (c - origin) * scale, rounded down. An axis on which
 * the centres do not differ has scale 0: all are in bin 0. */
struct bins {
	split_float4 origin, scale;
	int count; /* per axis */
	struct bin at[3][BINS_MAX];
};

static void bins_place(struct bins *bins, const struct split_range *range)
{
	const struct split_box *centres = &range->centres;
	int axis, k;

	bins->count = range->count < 32 ? 8 : range->count < 256 ? 16 : BINS_MAX;
	bins->origin = centres->lo;
	bins->scale = (split_float4){ 0, 0, 0, 0 };
	for (axis = 0; axis < 3; axis++) {
		float scale =
			((float)bins->count - 0.01f) / (centres->hi[axis] - centres->lo[axis]);

		bins->scale[axis] = scale < 3e38f ? scale : 0;
		for (k = 0; k < bins->count; k++)
			bins->at[axis][k] = (struct bin){ empty_box, 0 };
	}
}

/* In which bin of each axis a centre lies; lane 3 holds anything. */
static inline split_int4 bins_at(const struct bins *bins, split_float4 centre)
{
	float last = (float)(bins->count - 1);
	split_float4 place = (centre - bins->origin) * bins->scale;

	return __builtin_convertvector(
		min4(place, ((split_float4){ last, last, last, last })), split_int4);
}

static inline void bin_add(struct bin *bin, const struct split_box *box)
{
	box_add(&bin->box, box);
	bin->count++;
}

static void bins_fill(struct bins *bins, const struct split_item *items, kernel_u32 count)
{
	kernel_u32 i;

	for (i = 0; i < count; i++) {
		split_int4 at = bins_at(bins, centre_of(&items[i]));
		struct split_box box = items[i].box;

		bin_add(&bins->at[0][at[0]], &box);
		bin_add(&bins->at[1][at[1]], &box);
		bin_add(&bins->at[2][at[2]], &box);
	}
}

/* What it costs to test so many triangles: as much as the slots of their leaves, of which between
 * none and all are full. */
static inline float cost_of(kernel_u32 count, kernel_u32 leaf, const struct split_box *box)
{
	return (float)(count + (count + leaf - 1) / leaf * leaf) * split_half_area(box);
}

/* Tries the planes between the bins of one axis against the best so far. */
static void try_axis(const struct bins *all, int axis, kernel_u32 leaf, struct plane *best)
{
	const struct bin *bins = all->at[axis];
	float far_cost[BINS_MAX];
	struct split_box box = empty_box;
	kernel_u32 count = 0;
	int k;

	for (k = all->count - 1; k > 0; k--) {
		box_add(&box, &bins[k].box);
		count += bins[k].count;
		far_cost[k] = count ? cost_of(count, leaf, &box) : -1;
	}
	box = empty_box;
	count = 0;
	for (k = 1; k < all->count; k++) {
		float cost;

		box_add(&box, &bins[k - 1].box);
		count += bins[k - 1].count;
		if (!count || far_cost[k] < 0)
			continue;
		cost = far_cost[k] + cost_of(count, leaf, &box);
		if (best->axis < 0 || cost < best->cost)
			*best = (struct plane){ axis, k, cost };
	}
}

/* What the bins on both sides of a plane hold. */
static void boxes_from(const struct bins *bins, struct plane plane, struct split_range parts[2])
{
	int k;

	for (k = 0; k < bins->count; k++) {
		const struct bin *bin = &bins->at[plane.axis][k];
		struct split_range *part = &parts[k >= plane.bin];

		box_add(&part->box, &bin->box);
		part->count += bin->count;
	}
}

/* Moves the near items to the front. Without a branch that depends on an item: which side it is on
 * cannot be foreseen. */
static void part(struct split_item *items, const struct split_range *range, const struct bins *bins,
	struct plane plane, struct split_range parts[2])
{
	struct split_item *low = items + range->first, *at, *end = low + range->count;
	struct split_box centres[2] = { empty_box, empty_box };
	parts[0] = parts[1] = (struct split_range){ range->first, 0, empty_box, empty_box };
	boxes_from(bins, plane, parts);
	parts[1].first += parts[0].count;
	for (at = low; at < end; at++) {
		struct split_item item = *at;
		split_float4 centre = centre_of(&item);
		int is_far = bins_at(bins, centre)[plane.axis] >= plane.bin;

		box_add_point(&centres[is_far], centre);
		*at = *low;
		*low = item;
		low += 1 - is_far;
	}
	parts[0].centres = centres[0];
	parts[1].centres = centres[1];
}

void split_range(struct split_item *items, const struct split_range *range, kernel_u32 leaf,
	bool halve, struct split_range parts[2])
{
	struct plane best = { -1, 0, 0 };
	struct bins bins;
	int axis;

	if (!halve) {
		bins_place(&bins, range);
		bins_fill(&bins, items + range->first, range->count);
		for (axis = 0; axis < 3; axis++)
			try_axis(&bins, axis, leaf, &best);
	}
	if (best.axis >= 0) {
		part(items, range, &bins, best, parts);
	} else {
		parts[0] = split_range_of(items, range->first, range->count / 2);
		parts[1] = split_range_of(
			items, range->first + range->count / 2, range->count - range->count / 2);
	}
}
