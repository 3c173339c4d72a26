/* SPDX-License-Identifier: Apache-2.0 */
/* Items, and their boxes in lanes, for the instructions that the file is compiled for. */
#ifndef BASELINE_SPLIT_ITEMS_H
#define BASELINE_SPLIT_ITEMS_H

#include <string.h>

#include "baseline/split.h"
#include "baseline/team.h"
#include "kernels/wide_lanes.h"

/* Where an item holds its number, and what is added so that it is no denormal float, with which
 * some CPUs are slow to calculate. */
enum { SPLIT_NUMBER = 3, SPLIT_NUMBER_BASE = 0x20000000 };

/* What a thread of a team must find to do; more threads than so many do not help a cut. */
enum { TEAM_ITEMS_MIN = 16384, TEAM_MAX = 64 };

static const struct split_box empty_box = { { -3e38f, -3e38f, -3e38f, 0, -3e38f, -3e38f, -3e38f,
	0 } };

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

#endif
