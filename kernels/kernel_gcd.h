/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel on a GCD: one thread a pixel, 64 threads a block, a block a square of 8x8 pixels. The
 * same text for HIP and OpenCL C; the entry files name it.
 *
 * What decides how many wavefronts run at once is registers: at most 80 for six on each SIMD of
 * CDNA2. So a thread that traces a ray holds only that ray; the path it belongs to waits in memory,
 * in `room`, and what the walk still has to visit lies in LDS, its rare rest in `room` too. Nothing
 * needs scratch memory. */
#ifndef KERNELS_KERNEL_GCD_H
#define KERNELS_KERNEL_GCD_H

#include "kernels/gcd.h"

#define TRACE_STACK

/* Word i of a thread is at room[i * threads + thread], so that neighbours read neighbours. */
struct trace_stack {
	KERNEL_LOCAL kernel_u32
		*near; /* of the block: entry i of a thread at [i * GCD_BLOCK + lane] */
	KERNEL_GLOBAL kernel_u32 *room; /* of the block's first thread */
	kernel_u32 threads, lane;
};

KERNEL_FN KERNEL_GLOBAL kernel_u32 *gcd_room(const struct trace_stack *stack, kernel_u32 slot)
{
	return &(stack->room + slot * (unsigned long)stack->threads)[stack->lane];
}

KERNEL_FN void trace_push(struct trace_stack *stack, kernel_u32 depth, kernel_u32 ref)
{
	if (depth < GCD_STACK)
		stack->near[depth * GCD_BLOCK + stack->lane] = ref;
	else
		*gcd_room(stack, GCD_KEPT + depth - GCD_STACK) = ref;
}

KERNEL_FN kernel_u32 trace_pop(const struct trace_stack *stack, kernel_u32 depth)
{
	if (depth < GCD_STACK)
		return stack->near[depth * GCD_BLOCK + stack->lane];
	return *gcd_room(stack, GCD_KEPT + depth - GCD_STACK);
}

#include "kernels/path.h"

/* Everything in `room` is a word: a compiler that knew floats from entries of a stack would keep
 * the floats in registers after all. */
union gcd_word {
	float value;
	kernel_u32 bits;
};

KERNEL_FN void gcd_keep(struct trace_stack *stack, kernel_u32 slot, float value)
{
	union gcd_word word;

	word.value = value;
	*gcd_room(stack, slot) = word.bits;
}

KERNEL_FN float gcd_kept(const struct trace_stack *stack, kernel_u32 slot)
{
	union gcd_word word;

	word.bits = *gcd_room(stack, slot);
	return word.value;
}

KERNEL_FN void gcd_keep3(struct trace_stack *stack, kernel_u32 slot, struct vec3 v)
{
	gcd_keep(stack, slot, v.x);
	gcd_keep(stack, slot + 1, v.y);
	gcd_keep(stack, slot + 2, v.z);
}

KERNEL_FN struct vec3 gcd_kept3(const struct trace_stack *stack, kernel_u32 slot)
{
	return vec3_make(
		gcd_kept(stack, slot), gcd_kept(stack, slot + 1), gcd_kept(stack, slot + 2));
}

/* What waits in `room` while a ray is traced: its slots. */
enum {
	GCD_RADIANCE = 0,
	GCD_WAITING = 3,
	GCD_THROUGHPUT = 6,
	GCD_DIRECTION = 9, /* of the path's next ray; it starts where the shadow ray does */
	GCD_DENSITY = 12
};

struct gcd_place {
	kernel_u32 x, y; /* pixel */
	kernel_u32 index; /* of the pixel in the picture */
};

KERNEL_FN struct gcd_place gcd_place_of(
	const struct kernel_params *params, kernel_u32 tile, kernel_u32 lane)
{
	kernel_u32 across = GCD_TILES(params->width);
	struct gcd_place place;

	place.x = tile % across * GCD_SIDE + lane % GCD_SIDE;
	place.y = tile / across * GCD_SIDE + lane / GCD_SIDE;
	place.index = place.y * params->width + place.x;
	return place;
}

KERNEL_FN KERNEL_GLOBAL struct gcd_pixel *gcd_at(
	KERNEL_GLOBAL struct gcd_pixel *pixels, struct gcd_place place)
{
	return &pixels[place.index];
}

/* A thread's place in its work: the ray it traces, and how far the path is. */
struct gcd_walk {
	struct kernel_ray ray;
	kernel_u32 sample, bounce;
	int todo; /* PATH_SHADOW: `ray` is the shadow ray; PATH_GOES_ON: another follows */
};

/* After the shadow ray: the path's own ray is next. */
KERNEL_FN void gcd_lit(struct trace_stack *stack, struct gcd_walk *walk, int is_blocked)
{
	if (!is_blocked)
		gcd_keep3(stack, GCD_RADIANCE,
			vec3_add(gcd_kept3(stack, GCD_RADIANCE), gcd_kept3(stack, GCD_WAITING)));
	walk->ray.direction = gcd_kept3(stack, GCD_DIRECTION);
	walk->ray.t_max = TRACE_MISS;
	walk->todo &= ~PATH_SHADOW;
}

/* After the path's own ray. */
KERNEL_FN void gcd_shade(const struct kernel_scene *scene, const struct kernel_params *params,
	struct trace_stack *stack, struct gcd_walk *walk, struct kernel_hit hit, struct rng_key key)
{
	struct kernel_ray shadow;
	struct path path;

	path.key = key;
	path.bounce = walk->bounce;
	path.radiance = gcd_kept3(stack, GCD_RADIANCE);
	path.throughput = gcd_kept3(stack, GCD_THROUGHPUT);
	path.density = gcd_kept(stack, GCD_DENSITY);
	path.waiting = path.radiance;
	walk->ray.direction = gcd_kept3(stack, GCD_DIRECTION);
	walk->todo = path_hit(scene, params, hit,
		rng_pair(key, path_dimension(&path, PATH_DIM_LIGHT)),
		rng_pair(key, path_dimension(&path, PATH_DIM_BOUNCE)), &path, &walk->ray, &shadow);
	walk->bounce = path.bounce;
	gcd_keep3(stack, GCD_RADIANCE, path.radiance);
	gcd_keep3(stack, GCD_THROUGHPUT, path.throughput);
	gcd_keep3(stack, GCD_DIRECTION, walk->ray.direction);
	gcd_keep(stack, GCD_DENSITY, path.density);
	if (walk->todo & PATH_SHADOW) {
		gcd_keep3(stack, GCD_WAITING, path.waiting);
		walk->ray = shadow;
	}
}

KERNEL_FN void gcd_start(const struct kernel_params *params, struct trace_stack *stack,
	struct gcd_walk *walk, struct gcd_place place)
{
	struct path path;

	path_start(params, place.x, place.y, walk->sample, &path, &walk->ray);
	gcd_keep3(stack, GCD_RADIANCE, path.radiance);
	gcd_keep3(stack, GCD_THROUGHPUT, path.throughput);
	gcd_keep3(stack, GCD_DIRECTION, walk->ray.direction);
	gcd_keep(stack, GCD_DENSITY, path.density);
	walk->bounce = path.bounce;
	walk->todo = PATH_GOES_ON;
}

/* One ray a turn, of whichever kind is next, so that threads of a wavefront whose paths are at
 * different places trace together, and one whose path is over begins its next sample. The order of
 * a path's own steps is that of path_sample(). The first launch writes without reading: what it
 * does not write keeps the host's poison. */
KERNEL_FN void gcd_block(const struct kernel_scene *scene, const struct kernel_params *params,
	struct trace_stack stack, kernel_u32 tile, KERNEL_GLOBAL struct gcd_pixel *pixels)
{
	kernel_u32 end = params->first_sample + params->sample_count;
	struct gcd_place place = gcd_place_of(params, tile, stack.lane);
	struct gcd_walk walk;
	struct kernel_hit hit;

	if (place.x >= params->width || place.y >= params->height)
		return;
	if (!params->first_sample) {
		gcd_at(pixels, place)->sum = vec3_make(0, 0, 0);
		gcd_at(pixels, place)->closest = 0;
		gcd_at(pixels, place)->shadow = 0;
		gcd_at(pixels, place)->samples = 0;
	}
	walk.sample = params->first_sample;
	walk.todo = 0;
	for (;;) {
		KERNEL_OPAQUE(stack.lane);
		KERNEL_OPAQUE_UNIFORM(stack.threads);
		place = gcd_place_of(params, tile, stack.lane);
		if (!walk.todo) {
			if (walk.sample >= end)
				return;
			gcd_start(params, &stack, &walk, place);
		}
		trace_scene(scene, &stack, walk.ray, walk.todo & PATH_SHADOW, &hit);
		KERNEL_OPAQUE(stack.lane);
		KERNEL_OPAQUE_UNIFORM(stack.threads);
		place = gcd_place_of(params, tile, stack.lane);
		if (walk.todo & PATH_SHADOW) {
			gcd_at(pixels, place)->shadow++;
			gcd_lit(&stack, &walk, hit.triangle != KERNEL_NOTHING);
		} else {
			gcd_at(pixels, place)->closest++;
			gcd_shade(scene, params, &stack, &walk, hit,
				rng_key_of(params->seed, place.x, place.y, walk.sample));
		}
		if (!walk.todo) {
			gcd_at(pixels, place)->sum = vec3_add(
				gcd_at(pixels, place)->sum, gcd_kept3(&stack, GCD_RADIANCE));
			gcd_at(pixels, place)->samples = ++walk.sample;
		}
	}
}

#endif
