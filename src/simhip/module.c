/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simhip/api.h"
#include "simhip/sim.h"

/* Any image is a module, any name in it a kernel: one of ours, or one that does nothing. Functions
 * live as long as their module. */
struct sim_function {
	struct sim_function *next;
	struct sim_device *device;
	const struct sim_kernel *kernel; /* NULL: does nothing */
	char name[];
};

struct sim_module {
	struct sim_device *device;
	struct sim_function *functions;
	void *global; /* every named global is this one block: Cycles has kernel_params alone */
};

enum { GLOBAL_BYTES = 1 << 20, BLOCK_THREADS = 1024 };

int hipModuleLoadData(void **module, const void *image)
{
	struct sim_device *device = sim_current();
	struct sim_module *made;
	int rc = sim_device_state(device);

	if (!module || !image)
		rc = HIP_INVALID_VALUE;
	if (rc == HIP_OK && sim_fault_due(device, SIM_LOAD_ERROR))
		rc = HIP_NO_BINARY_FOR_GPU;
	if (rc != HIP_OK)
		return sim_result(rc);
	made = calloc(1, sizeof(*made));
	if (!made)
		return sim_result(HIP_OUT_OF_MEMORY);
	made->device = device;
	rc = sim_allocate(device, GLOBAL_BYTES, &made->global);
	if (rc != HIP_OK) {
		free(made);
		return sim_result(rc);
	}
	__atomic_add_fetch(&sim_counters_of(device->row)->modules, 1, __ATOMIC_RELAXED);
	*module = made;
	return HIP_OK;
}

int hipModuleLoadDataEx(
	void **module, const void *image, unsigned int count, void *options, void **values)
{
	(void)count;
	(void)options;
	(void)values;
	return hipModuleLoadData(module, image);
}

int hipModuleLoad(void **module, const char *path)
{
	if (!path || access(path, R_OK) != 0)
		return sim_result(path ? HIP_FILE_NOT_FOUND : HIP_INVALID_VALUE);
	return hipModuleLoadData(module, path);
}

int hipModuleUnload(void *handle)
{
	struct sim_module *module = handle;

	if (!module)
		return sim_result(HIP_INVALID_HANDLE);
	while (module->functions) {
		struct sim_function *next = module->functions->next;

		free(module->functions);
		module->functions = next;
	}
	sim_free(module->global);
	free(module);
	return HIP_OK;
}

int hipModuleGetFunction(void **function, void *handle, const char *name)
{
	struct sim_module *module = handle;
	struct sim_function *made;

	if (!function || !module || !name)
		return sim_result(HIP_INVALID_VALUE);
	made = malloc(sizeof(*made) + strlen(name) + 1);
	if (!made)
		return sim_result(HIP_OUT_OF_MEMORY);
	strcpy(made->name, name);
	made->device = module->device;
	made->kernel = sim_kernel_find(name);
	sim_lock();
	made->next = module->functions;
	module->functions = made;
	sim_unlock();
	*function = made;
	return HIP_OK;
}

int hipModuleGetGlobal(void **address, size_t *bytes, void *handle, const char *name)
{
	struct sim_module *module = handle;

	if (!module || !name)
		return sim_result(HIP_INVALID_VALUE);
	if (address)
		*address = module->global;
	if (bytes)
		*bytes = GLOBAL_BYTES;
	return HIP_OK;
}

int hipModuleGetTexRef(void **texture, void *module, const char *name)
{
	(void)texture;
	(void)module;
	(void)name;
	return sim_result(HIP_NOT_SUPPORTED);
}

int hipFuncGetAttribute(int *value, int attribute, void *function)
{
	enum { MAX_THREADS = 0, REGISTERS = 4 };

	if (!value || !function)
		return sim_result(HIP_INVALID_VALUE);
	*value = attribute == MAX_THREADS ? BLOCK_THREADS : attribute == REGISTERS ? 64 : 0;
	return HIP_OK;
}

int hipFuncSetAttribute(const void *function, int attribute, int value)
{
	(void)attribute;
	(void)value;
	return sim_result(function ? HIP_OK : HIP_INVALID_VALUE);
}

int hipFuncSetCacheConfig(void *function, int config)
{
	(void)config;
	return sim_result(function ? HIP_OK : HIP_INVALID_VALUE);
}

int hipModuleOccupancyMaxPotentialBlockSize(
	int *grid, int *block, void *handle, size_t shared, int limit)
{
	const struct sim_function *function = handle;

	(void)shared;
	if (!grid || !block || !function)
		return sim_result(HIP_INVALID_VALUE);
	*grid = (int)function->device->config->multiprocessors;
	*block = limit > 0 && limit < BLOCK_THREADS ? limit : BLOCK_THREADS;
	return HIP_OK;
}

int hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
	int *grid, int *block, void *function, size_t shared, int limit, unsigned int flags)
{
	(void)flags;
	return hipModuleOccupancyMaxPotentialBlockSize(grid, block, function, shared, limit);
}

int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, void *function, int block, size_t shared)
{
	(void)shared;
	if (!blocks || !function || block <= 0)
		return sim_result(HIP_INVALID_VALUE);
	*blocks = 2048 / block;
	return HIP_OK;
}

int hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, void *function, int block, size_t shared, unsigned int flags)
{
	(void)flags;
	return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, shared);
}

int hipDrvOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, void *function, int block, size_t shared)
{
	return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, shared);
}

int hipDrvOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, void *function, int block, size_t shared, unsigned int flags)
{
	(void)flags;
	return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, shared);
}

/* The faults that a launch can have. The line of a memory fault is the one the real runtime prints
 * before it aborts the process. */
static void play_launch_fault(struct sim_device *device)
{
	while (sim_fault_due(device, SIM_LAUNCH_HANG))
		pause();
	if (sim_fault_due(device, SIM_LAUNCH_CRASH)) {
		fprintf(stderr,
			"Memory access fault by GPU node-%llu (Agent handle: %p) on address "
			"0x7f0000000000. "
			"Reason: Page not present or supervisor privilege.\n",
			(unsigned long long)device->config->kfd_node, (void *)device);
		fflush(stderr);
		abort();
	}
	if (sim_fault_due(device, SIM_LAUNCH_ERROR))
		device->failed = true;
	if (sim_fault_due(device, SIM_DEVICE_LOST))
		device->lost = true;
}

/* What Cycles hands to its kernel that begins paths at the camera: an array of work tiles in device
 * memory, and how many. KernelWorkTile of kernel/types.h, 3.0 to 5.2, as far as it is read. */
struct work_tile {
	uint32_t x, y, w, h;
	uint32_t start_sample, num_samples, sample_offset;
};

enum { TILE_BYTES = 44 };

static void note_tile(struct sim_counters_row *row, const struct work_tile *tile)
{
	uint64_t end = (uint64_t)tile->start_sample + tile->num_samples;

	if (!row->end_sample || tile->start_sample < row->first_sample)
		row->first_sample = tile->start_sample;
	if (end > row->end_sample)
		row->end_sample = end;
}

/* The samples that this process renders, by what the device is told to do. */
static void note_samples(const struct sim_function *function, void **arguments)
{
	struct work_tile tile;
	size_t bytes = 0, at;
	void *base = NULL;
	char *tiles;
	int i, count;

	if (!strstr(function->name, "integrator_init_from_camera") || !arguments || !arguments[0] ||
		!arguments[1])
		return;
	tiles = *(char **)arguments[0];
	count = *(int *)arguments[1];
	if (!sim_range(tiles, &base, &bytes))
		return;
	at = (size_t)(tiles - (char *)base);
	for (i = 0; i < count && at + TILE_BYTES <= bytes; i++, at += TILE_BYTES) {
		memcpy(&tile, (char *)base + at, sizeof(tile));
		note_tile(sim_counters_of(function->device->row), &tile);
	}
}

int hipModuleLaunchKernel(void *handle, unsigned int grid_x, unsigned int grid_y,
	unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z,
	unsigned int shared, void *stream, void **arguments, void **extra)
{
	struct sim_function *function = handle;

	(void)shared;
	(void)stream;
	(void)extra;
	if (!function)
		return sim_result(HIP_INVALID_HANDLE);
	if (!grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z ||
		(function->kernel && !arguments))
		return sim_result(HIP_INVALID_VALUE);
	play_launch_fault(function->device);
	note_samples(function, arguments);
	__atomic_add_fetch(&sim_counters_of(function->device->row)->launches, 1, __ATOMIC_RELAXED);
	if (function->kernel && sim_device_state(function->device) == HIP_OK)
		function->kernel->run(function->device, grid_x, arguments);
	return sim_result(sim_device_state(function->device));
}
