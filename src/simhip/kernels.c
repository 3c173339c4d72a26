/* SPDX-License-Identifier: Apache-2.0 */
/* The project's own kernels, run on the CPU. Kernels of others do nothing. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "kernels/kernel_gcd.h"
#include "simhip/sim.h"

enum { THREADS_MAX = 16, TILE = 16 };

/* --- the baseline ----------------------------------------------------------------------------- */

/* The arguments of kernels/kernel_hip.hip in their order. */
struct launch {
	struct kernel_scene scene;
	struct kernel_params params;
	kernel_u32 first_tile, blocks;
	kernel_u32 *room;
	struct gcd_pixel *pixels;
	kernel_u32 lost; /* a block that does nothing, or `blocks` */
	atomic_uint next;
};

static void read_arguments(void **arguments, struct launch *launch)
{
	void *const to[] = { &launch->scene.nodes, &launch->scene.triangles,
		&launch->scene.materials, &launch->scene.lights, &launch->params,
		&launch->first_tile, &launch->blocks, &launch->room, &launch->pixels };
	static const size_t bytes[] = { sizeof(void *), sizeof(void *), sizeof(void *),
		sizeof(void *), sizeof(struct kernel_params), sizeof(kernel_u32),
		sizeof(kernel_u32), sizeof(void *), sizeof(void *) };
	size_t i;

	for (i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		memcpy(to[i], arguments[i], bytes[i]);
}

static void run_block(const struct launch *launch, kernel_u32 block)
{
	kernel_u32 near[GCD_STACK * GCD_BLOCK];
	struct trace_stack stack = { near, launch->room + block * GCD_BLOCK,
		launch->blocks * GCD_BLOCK, 0 };

	for (; stack.lane < GCD_BLOCK; stack.lane++)
		gcd_block(&launch->scene, &launch->params, stack, launch->first_tile + block,
			launch->pixels);
}

static void *work(void *pointer)
{
	struct launch *launch = pointer;
	kernel_u32 block;

	while ((block = atomic_fetch_add(&launch->next, 1)) < launch->blocks)
		if (block != launch->lost)
			run_block(launch, block);
	return NULL;
}

static void run_all(struct launch *launch)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[THREADS_MAX];
	int count = 0, wanted = cpus > THREADS_MAX ? THREADS_MAX : (int)cpus - 1;

	while (count < wanted && pthread_create(&threads[count], NULL, work, launch) == 0)
		count++;
	work(launch);
	while (count)
		pthread_join(threads[--count], NULL);
}

/* Off by half of what one sample may add, in the tile at the middle of the picture. */
static void spoil_tile(const struct launch *launch)
{
	const struct kernel_params *params = &launch->params;
	kernel_u32 left = params->width / 2 / TILE * TILE, top = params->height / 2 / TILE * TILE;
	kernel_u32 x, y;

	for (y = top; y < top + TILE && y < params->height; y++)
		for (x = left; x < left + TILE && x < params->width; x++)
			launch->pixels[(size_t)y * params->width + x].sum.x +=
				0.5f * (float)params->sample_count;
}

/* One bit of one float, once. */
static void flip_bit(const struct launch *launch, unsigned int bit)
{
	static atomic_flag is_done = ATOMIC_FLAG_INIT;
	const struct kernel_params *params = &launch->params;
	size_t pixel = (size_t)(params->height / 3) * params->width + params->width / 3;
	kernel_u32 bits;

	if (atomic_flag_test_and_set(&is_done))
		return;
	memcpy(&bits, &launch->pixels[pixel].sum.y, sizeof(bits));
	bits ^= 1u << bit;
	memcpy(&launch->pixels[pixel].sum.y, &bits, sizeof(bits));
}

static void run_baseline(struct sim_device *device, unsigned int grid, void **arguments)
{
	struct launch launch;

	memset(&launch, 0, sizeof(launch));
	read_arguments(arguments, &launch);
	if (launch.blocks > grid)
		launch.blocks = grid;
	launch.lost = sim_fault_due(device, SIM_LOST_WAVEFRONT) ? launch.blocks / 2 : launch.blocks;
	run_all(&launch);
	if (sim_fault_due(device, SIM_WRONG_TILE))
		spoil_tile(&launch);
	if (sim_fault_due(device, SIM_FLIPPED_BIT))
		flip_bit(&launch, 12);
	if (sim_fault_due(device, SIM_LAST_BIT))
		flip_bit(&launch, 0);
}

/* --- the registry ----------------------------------------------------------------------------- */

static const struct sim_kernel kernels[] = {
	{ GCD_KERNEL, run_baseline },
};

const struct sim_kernel *sim_kernel_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (strcmp(kernels[i].name, name) == 0)
			return &kernels[i];
	return NULL;
}
