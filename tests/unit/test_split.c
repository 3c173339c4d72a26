/* SPDX-License-Identifier: Apache-2.0 */
/* How runs of triangles are cut: each build of it, on one thread and by a team, against the same
 * heuristic in double precision, and against the triangles themselves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/block.h"
#include "baseline/cpu.h"
#include "baseline/split.h"
#include "baseline/team.h"
#include "tap.h"

static float random_float(kernel_u32 *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (float)(*state >> 8) / (1 << 24);
}

static struct vec3 random_vertex(kernel_u32 *state, struct vec3 near, float by)
{
	float x = random_float(state), y = random_float(state), z = random_float(state);

	return vec3_make(near.x + by * x, near.y + by * y, near.z + by * z);
}

/* Small triangles strewn over a long room. */
static struct kernel_triangle *strewn(kernel_u32 count)
{
	struct kernel_triangle *triangles = calloc(count, sizeof(*triangles));
	kernel_u32 state = 7, i;

	for (i = 0; i < count; i++) {
		struct vec3 at = vec3_make(40 * random_float(&state) - 20, 5 * random_float(&state),
			random_float(&state) - 3);

		triangles[i].v0 = random_vertex(&state, at, 0.1f);
		triangles[i].v1 = random_vertex(&state, at, 0.1f);
		triangles[i].v2 = random_vertex(&state, at, 0.1f);
	}
	return triangles;
}

static double corner_of(const struct kernel_triangle *t, int corner, int axis)
{
	const struct vec3 *v = corner == 0 ? &t->v0 : corner == 1 ? &t->v1 : &t->v2;

	return axis == 0 ? v->x : axis == 1 ? v->y : v->z;
}

struct bounds {
	double low[3], high[3];
};

static void bounds_add(struct bounds *b, const struct kernel_triangle *t)
{
	int axis, corner;

	for (axis = 0; axis < 3; axis++)
		for (corner = 0; corner < 3; corner++) {
			b->low[axis] = fmin(b->low[axis], corner_of(t, corner, axis));
			b->high[axis] = fmax(b->high[axis], corner_of(t, corner, axis));
		}
}

static struct bounds bounds_of(const struct kernel_triangle *triangles,
	const struct split_item *items, const struct split_range *range)
{
	struct bounds b = { { 1e30, 1e30, 1e30 }, { -1e30, -1e30, -1e30 } };
	kernel_u32 i;

	for (i = range->first; i < range->first + range->count; i++)
		bounds_add(&b, &triangles[split_item_triangle(&items[i])]);
	return b;
}

static double cost_of(const struct bounds *b, kernel_u32 count, kernel_u32 leaf)
{
	double x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];

	return (count + ceil((double)count / leaf) * leaf) * (x * y + y * z + z * x);
}

static double doubled_centre(const struct kernel_triangle *t, int axis)
{
	struct bounds b = { { 1e30, 1e30, 1e30 }, { -1e30, -1e30, -1e30 } };

	bounds_add(&b, t);
	return b.low[axis] + b.high[axis];
}

/* Around the doubled centres of a range. */
static struct bounds centres_of(const struct kernel_triangle *triangles,
	const struct split_item *items, const struct split_range *range)
{
	struct bounds b = { { 1e30, 1e30, 1e30 }, { -1e30, -1e30, -1e30 } };
	kernel_u32 i;
	int axis;

	for (i = range->first; i < range->first + range->count; i++)
		for (axis = 0; axis < 3; axis++) {
			double at =
				doubled_centre(&triangles[split_item_triangle(&items[i])], axis);

			b.low[axis] = fmin(b.low[axis], at);
			b.high[axis] = fmax(b.high[axis], at);
		}
	return b;
}

/* The cost of the best of the planes between `bins` bins on each axis. */
static double least_cost(
	const struct kernel_triangle *triangles, kernel_u32 count, kernel_u32 leaf, int bins)
{
	double least = 1e300;
	int axis, k;
	kernel_u32 i;

	for (axis = 0; axis < 3; axis++) {
		double low = 1e30, high = -1e30;

		for (i = 0; i < count; i++) {
			low = fmin(low, doubled_centre(&triangles[i], axis));
			high = fmax(high, doubled_centre(&triangles[i], axis));
		}
		for (k = 1; k < bins; k++) {
			struct bounds sides[2] = { { { 1e30, 1e30, 1e30 },
							   { -1e30, -1e30, -1e30 } },
				{ { 1e30, 1e30, 1e30 }, { -1e30, -1e30, -1e30 } } };
			kernel_u32 counts[2] = { 0, 0 };

			for (i = 0; i < count; i++) {
				double at = (doubled_centre(&triangles[i], axis) - low) *
					    (bins - 0.01) / (high - low);

				bounds_add(&sides[at >= k], &triangles[i]);
				counts[at >= k]++;
			}
			if (counts[0] && counts[1])
				least = fmin(least, cost_of(&sides[0], counts[0], leaf) +
							    cost_of(&sides[1], counts[1], leaf));
		}
	}
	return least;
}

struct way_row {
	const char *name;
	const struct split_way *way;
	unsigned threads;
};

static const struct way_row ways[] = {
	{ "portable", &split_portable, 1 },
	{ "portable, by three", &split_portable, 3 },
	{ "avx2", &split_avx2, 1 },
	{ "avx2, by three", &split_avx2, 3 },
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static bool is_usable(const struct way_row *row)
{
	return row->way != &split_avx2 || cpu_has_avx2();
}

static void check_box(const char *what, const struct split_box *box, const struct bounds *b)
{
	int axis, right = 0;

	for (axis = 0; axis < 3; axis++)
		right += SPLIT_LOW(box, axis) == (float)b->low[axis] &&
			 SPLIT_HIGH(box, axis) == (float)b->high[axis];
	tap_number(right, 3, what);
}

/* Each number once. */
static bool is_whole(const struct split_item *items, kernel_u32 count)
{
	char *seen = calloc(count, 1);
	kernel_u32 i, once = 0;

	for (i = 0; i < count; i++) {
		kernel_u32 number = split_item_triangle(&items[i]);

		if (number < count && !seen[number]) {
			seen[number] = 1;
			once++;
		}
	}
	free(seen);
	return once == count;
}

static void check_way(const struct way_row *row, kernel_u32 count, kernel_u32 leaf, int bins)
{
	struct kernel_triangle *triangles = strewn(count);
	struct split_item *items = malloc(count * sizeof(*items));
	struct split_range all, parts[2];
	struct bounds whole, sides[2], centres;
	double cost, least = least_cost(triangles, count, leaf, bins);

	all = row->way->items(items, triangles, count, row->threads);
	whole = bounds_of(triangles, items, &all);
	check_box("the box of all is that of the vertices", &all.box, &whole);
	row->way->range(items, &all, leaf, false, row->threads, parts);
	tap_ok(parts[0].first == 0 && parts[0].count && parts[1].first == parts[0].count &&
			parts[1].count && parts[0].count + parts[1].count == count,
		"%s: %u are cut into %u and %u", row->name, count, parts[0].count, parts[1].count);
	tap_ok(is_whole(items, count), "  none is lost");
	sides[0] = bounds_of(triangles, items, &parts[0]);
	sides[1] = bounds_of(triangles, items, &parts[1]);
	check_box("  the near box is that of the vertices", &parts[0].box, &sides[0]);
	check_box("  and so is the far one", &parts[1].box, &sides[1]);
	centres = centres_of(triangles, items, &parts[0]);
	check_box("  the near centres' box is theirs", &parts[0].centres, &centres);
	centres = centres_of(triangles, items, &parts[1]);
	check_box("  and so is the far centres'", &parts[1].centres, &centres);
	cost = cost_of(&sides[0], parts[0].count, leaf) + cost_of(&sides[1], parts[1].count, leaf);
	tap_ok(fabs(cost / least - 1) < 1e-3, "  at the least cost of all planes: %.6f of it",
		cost / least);
	row->way->range(items, &all, leaf, true, row->threads, parts);
	tap_ok(parts[0].count == count / 2 && parts[1].count == count - count / 2 &&
			is_whole(items, count),
		"  halved by count: %u and %u", parts[0].count, parts[1].count);
	free(items);
	free(triangles);
}

static void test_ways(void)
{
	int i;

	for (i = 0; i < WAYS; i++)
		if (is_usable(&ways[i])) {
			check_way(&ways[i], 2, 8, 8);
			check_way(&ways[i], 21, 1, 8);
			check_way(&ways[i], 200, 8, 16);
			check_way(&ways[i], 3001, 8, 32);
			check_way(&ways[i], 100003, 8, 32);
		}
}

static int by_number(const void *a, const void *b)
{
	kernel_u32 x = split_item_triangle(a), y = split_item_triangle(b);

	return x < y ? -1 : x > y;
}

/* Every way puts the same triangles on the same side. */
static void test_ways_agree(void)
{
	enum { COUNT = 70001 };
	struct kernel_triangle *triangles = strewn(COUNT);
	struct split_item *items = malloc(2 * COUNT * sizeof(*items));
	struct split_range all, parts[2][2];
	int i;

	for (i = 0; i < WAYS; i++) {
		struct split_item *mine = items + (i ? COUNT : 0);

		if (!is_usable(&ways[i]))
			continue;
		all = ways[i].way->items(mine, triangles, COUNT, ways[i].threads);
		ways[i].way->range(mine, &all, 8, false, ways[i].threads, parts[i > 0]);
		qsort(mine, parts[i > 0][0].count, sizeof(*mine), by_number);
		qsort(mine + parts[i > 0][1].first, parts[i > 0][1].count, sizeof(*mine),
			by_number);
		tap_ok(i == 0 || (memcmp(items, mine, COUNT * sizeof(*items)) == 0 &&
					 memcmp(&parts[0], &parts[1], sizeof(parts[0])) == 0),
			"%s cuts as the first way does", ways[i].name);
	}
	free(items);
	free(triangles);
}

/* --- teams and blocks ------------------------------------------------------------------------- */

enum { TEAM_PARTS = 64 };

static void count_part(void *work, unsigned part, unsigned parts)
{
	unsigned *calls = work;

	__atomic_fetch_add(&calls[part], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&calls[TEAM_PARTS], parts, __ATOMIC_RELAXED);
}

static void test_team(void)
{
	unsigned calls[TEAM_PARTS + 1] = { 0 }, once = 0, i;

	team_run(TEAM_PARTS, count_part, calls);
	for (i = 0; i < TEAM_PARTS; i++)
		once += calls[i] == 1;
	tap_number(once, TEAM_PARTS, "each part of a team's work is done once");
	tap_number(calls[TEAM_PARTS], TEAM_PARTS * TEAM_PARTS, "  and told how many there are");
	tap_number(team_begin(10, 0, 3), 0, "ten things in three parts: the first begins at 0");
	tap_number(team_begin(10, 1, 3), 3, "  the second at 3");
	tap_number(team_begin(10, 3, 3), 10, "  and the end is 10");
	tap_number(team_begin(4000000000u, 1, 2), 2000000000u, "  also of many");
}

static void test_block(void)
{
	size_t bytes = (5 << 20) + 3, i, zeros = 0;
	unsigned char *block = block_new(bytes);

	for (i = 0; i < bytes; i++)
		zeros += block[i] == 0;
	tap_ok(zeros == bytes, "a block starts at zero");
	memset(block, 7, bytes);
	block_shrink(block, bytes, 3 << 20);
	tap_ok(block[(3 << 20) - 1] == 7, "  keeps what it holds when it shrinks");
	block_free(block, 3 << 20);
	block_free(NULL, 100);
}

int main(void)
{
	test_ways();
	test_ways_agree();
	test_team();
	test_block();
	return tap_done();
}
