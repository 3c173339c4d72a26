/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "simhip/api.h"
#include "simhip/sim.h"

/* Device memory is host memory that is mapped, but not there before it is written: Cycles asks for
 * gigabytes of path states that no kernel of ours touches. Few hundred at a time, so a list does.
 */
struct allocation {
	struct allocation *next;
	char *base;
	size_t bytes;
	struct sim_device *device; /* NULL: pinned host memory, in no account */
};

static struct allocation *allocations;

enum { OUT_OF_MEMORY_BYTES = 64 << 20 };

static uint64_t free_bytes(struct sim_device *device)
{
	uint64_t limit = device->config->free_bytes;

	if (device->config->fault[SIM_OUT_OF_MEMORY] && limit > OUT_OF_MEMORY_BYTES)
		limit = OUT_OF_MEMORY_BYTES;
	return limit > device->used_bytes ? limit - device->used_bytes : 0;
}

static void account(struct sim_device *device, uint64_t used_bytes)
{
	struct sim_counters_row *row = sim_counters_of(device->row);

	device->used_bytes = used_bytes;
	if (used_bytes > row->vram_peak)
		row->vram_peak = used_bytes;
	sim_vram_write(&sim.config, device->row, used_bytes);
}

static int map(struct sim_device *device, size_t bytes, void **out)
{
	struct allocation *made = malloc(sizeof(*made));

	if (!made)
		return HIP_OUT_OF_MEMORY;
	made->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (made->base == MAP_FAILED) {
		free(made);
		return HIP_OUT_OF_MEMORY;
	}
	made->bytes = bytes;
	made->device = device;
	made->next = allocations;
	allocations = made;
	*out = made->base;
	return HIP_OK;
}

static int allocate_locked(struct sim_device *device, size_t bytes, void **out)
{
	int rc = sim_device_state(device);

	if (rc != HIP_OK)
		return rc;
	if (bytes > free_bytes(device))
		return HIP_OUT_OF_MEMORY;
	rc = map(device, bytes, out);
	if (rc != HIP_OK)
		return rc;
	sim_counters_of(device->row)->allocations++;
	account(device, device->used_bytes + bytes);
	return HIP_OK;
}

int sim_allocate(struct sim_device *device, size_t bytes, void **out)
{
	int rc;

	sim_lock();
	rc = allocate_locked(device, bytes, out);
	sim_unlock();
	return rc;
}

int sim_free(void *address)
{
	struct allocation **link, *found;

	if (!address)
		return HIP_OK;
	sim_lock();
	for (link = &allocations; (found = *link) != NULL; link = &found->next) {
		if (found->base != address)
			continue;
		*link = found->next;
		if (found->device)
			account(found->device, found->device->used_bytes - found->bytes);
		munmap(found->base, found->bytes);
		free(found);
		break;
	}
	sim_unlock();
	return found ? HIP_OK : HIP_INVALID_VALUE;
}

static const struct allocation *find_locked(const void *inside)
{
	const struct allocation *at;

	for (at = allocations; at; at = at->next)
		if ((const char *)inside >= at->base && (const char *)inside < at->base + at->bytes)
			return at;
	return NULL;
}

bool sim_range(const void *inside, void **base, size_t *bytes)
{
	const struct allocation *found;

	sim_lock();
	found = find_locked(inside);
	if (found) {
		*base = found->base;
		*bytes = found->bytes;
	}
	sim_unlock();
	return found != NULL;
}

int hipMemGetInfo(size_t *free_out, size_t *total_out)
{
	struct sim_device *device = sim_current();

	if (!device || !free_out || !total_out)
		return sim_result(device ? HIP_INVALID_VALUE : HIP_INVALID_DEVICE);
	sim_lock();
	*free_out = (size_t)free_bytes(device);
	*total_out = (size_t)device->config->total_bytes;
	sim_unlock();
	return HIP_OK;
}

int hipMalloc(void **address, size_t bytes)
{
	if (!address)
		return sim_result(HIP_INVALID_VALUE);
	*address = NULL;
	return bytes ? sim_result(sim_allocate(sim_current(), bytes, address)) : HIP_OK;
}

int hipMallocManaged(void **address, size_t bytes, unsigned int flags)
{
	(void)flags;
	return hipMalloc(address, bytes);
}

int hipMallocAsync(void **address, size_t bytes, void *stream)
{
	(void)stream;
	return hipMalloc(address, bytes);
}

int hipMemAllocPitch(
	void **address, size_t *pitch, size_t width, size_t height, unsigned int element)
{
	(void)element;
	if (!pitch || width > SIZE_MAX / 2 ||
		(height && (width + 255) / 256 * 256 > SIZE_MAX / height))
		return sim_result(HIP_INVALID_VALUE);
	*pitch = (width + 255) / 256 * 256;
	return hipMalloc(address, *pitch * height);
}

int hipFree(void *address)
{
	return sim_result(sim_free(address));
}

int hipFreeAsync(void *address, void *stream)
{
	(void)stream;
	return hipFree(address);
}

int hipMemGetAddressRange(void **base, size_t *bytes, void *inside)
{
	void *found_base = NULL;
	size_t found_bytes = 0;

	if (!sim_range(inside, &found_base, &found_bytes))
		return sim_result(HIP_INVALID_VALUE);
	if (base)
		*base = found_base;
	if (bytes)
		*bytes = found_bytes;
	return HIP_OK;
}

int hipPointerGetAttributes(struct hip_pointer_attributes *attributes, const void *address)
{
	const struct allocation *found;
	bool on_device = false;

	if (!attributes)
		return sim_result(HIP_INVALID_VALUE);
	sim_lock();
	found = find_locked(address);
	if (found) {
		on_device = found->device != NULL;
		memset(attributes, 0, sizeof(*attributes));
		attributes->type = on_device ? MEMORY_DEVICE : MEMORY_HOST;
		attributes->device = on_device ? (int)(found->device - sim.devices) : 0;
		attributes->device_pointer = (void *)(uintptr_t)address;
		attributes->host_pointer = on_device ? NULL : (void *)(uintptr_t)address;
	}
	sim_unlock();
	return sim_result(found ? HIP_OK : HIP_INVALID_VALUE);
}

/* Cycles falls back to pinned memory when the device is full: out of memory means that this ends
 * too. */
int hipHostMalloc(void **address, size_t bytes, unsigned int flags)
{
	const struct sim_device *device = sim_current();
	int rc;

	(void)flags;
	if (!address || !bytes)
		return sim_result(HIP_INVALID_VALUE);
	if (device && device->config->fault[SIM_OUT_OF_MEMORY])
		return sim_result(HIP_OUT_OF_MEMORY);
	sim_lock();
	rc = map(NULL, bytes, address);
	sim_unlock();
	return sim_result(rc);
}

int hipHostFree(void *address)
{
	return sim_result(sim_free(address));
}

int hipHostRegister(void *address, size_t bytes, unsigned int flags)
{
	(void)flags;
	return sim_result(address && bytes ? HIP_OK : HIP_INVALID_VALUE);
}

int hipHostUnregister(void *address)
{
	return sim_result(address ? HIP_OK : HIP_INVALID_VALUE);
}

int hipHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
	(void)flags;
	if (!device || !host)
		return sim_result(HIP_INVALID_VALUE);
	*device = host;
	return HIP_OK;
}

int hipHostGetFlags(unsigned int *flags, void *host)
{
	(void)host;
	*flags = 0;
	return HIP_OK;
}
