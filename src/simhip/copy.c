/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* madvise */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "simhip/api.h"
#include "simhip/sim.h"

enum { KIND_DEVICE_TO_HOST = 2, LAZY_BYTES = 1 << 20, BAD_OFFSET = 8195, BAD_BIT = 0x10 };

/* What all copies ask first. */
static int ready(const void *to, const void *from, size_t bytes)
{
	if (bytes && (!to || !from))
		return HIP_INVALID_VALUE;
	return sim_device_state(sim_current());
}

static int copy(void *to, const void *from, size_t bytes)
{
	int rc = ready(to, from, bytes);

	if (rc == HIP_OK && bytes)
		memmove(to, from, bytes);
	return sim_result(rc);
}

/* bad-memory: one cell of each allocation does not keep what was written. */
static void spoil(void *to, const void *from, size_t bytes)
{
	size_t base_bytes, offset;
	void *base;

	if (!sim_range(from, &base, &base_bytes))
		return;
	offset = (size_t)((const char *)from - (const char *)base);
	if (offset <= BAD_OFFSET && BAD_OFFSET - offset < bytes &&
		sim_fault_due(sim_current(), SIM_BAD_MEMORY))
		((unsigned char *)to)[BAD_OFFSET - offset] ^= BAD_BIT;
}

int hipMemcpyDtoH(void *to, void *from, size_t bytes)
{
	int rc = copy(to, from, bytes);

	if (rc == HIP_OK)
		spoil(to, from, bytes);
	if (rc == HIP_OK)
		sim_playback(&sim, sim_current(), to, bytes);
	return rc;
}

int hipMemcpyHtoD(void *to, void *from, size_t bytes)
{
	return copy(to, from, bytes);
}

int hipMemcpyDtoD(void *to, void *from, size_t bytes)
{
	return copy(to, from, bytes);
}

int hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
	if (kind == KIND_DEVICE_TO_HOST)
		return hipMemcpyDtoH(to, (void *)(uintptr_t)from, bytes);
	return copy(to, from, bytes);
}

int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream)
{
	(void)stream;
	return hipMemcpy(to, from, bytes, kind);
}

int hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
	struct sim_device *at = sim_device_at(to_device);
	int rc;

	if (!at || !sim_device_at(from_device))
		return sim_result(HIP_INVALID_DEVICE);
	while (sim_fault_due(at, SIM_PEER_HANG))
		pause();
	rc = copy(to, from, bytes);
	if (rc == HIP_OK && bytes > BAD_OFFSET && sim_fault_due(at, SIM_PEER_WRONG))
		((unsigned char *)to)[BAD_OFFSET] ^= BAD_BIT;
	return rc;
}

int hipMemcpyHtoDAsync(void *to, void *from, size_t bytes, void *stream)
{
	(void)stream;
	return hipMemcpyHtoD(to, from, bytes);
}

int hipMemcpyDtoHAsync(void *to, void *from, size_t bytes, void *stream)
{
	(void)stream;
	return hipMemcpyDtoH(to, from, bytes);
}

int hipMemcpyDtoDAsync(void *to, void *from, size_t bytes, void *stream)
{
	(void)stream;
	return hipMemcpyDtoD(to, from, bytes);
}

/* --- shaped copies --------------------------------------------------------------------------- */

struct side {
	char *bytes; /* NULL: nothing usable was given */
	size_t pitch, height;
};

static struct side side_of(int type, const void *host, void *device, struct sim_array *array,
	size_t pitch, size_t height)
{
	struct side side = { NULL, pitch, height };

	if (type == MEMORY_HOST)
		side.bytes = (char *)(uintptr_t)host;
	else if (type == MEMORY_ARRAY && array)
		side.bytes = sim_array_bytes(array, &side.pitch, &side.height);
	else
		side.bytes = device;
	return side;
}

/* One box from side to side, row by row. */
static int copy_box(struct side to, struct side from, size_t width, size_t height, size_t depth)
{
	int rc = ready(to.bytes, from.bytes, width * height * depth);
	size_t y, z;

	for (z = 0; rc == HIP_OK && z < depth; z++)
		for (y = 0; y < height; y++)
			memmove(to.bytes + (z * to.height + y) * to.pitch,
				from.bytes + (z * from.height + y) * from.pitch, width);
	return sim_result(rc);
}

int hipMemcpyParam2D(const struct hip_memcpy2d *c)
{
	struct side to, from;

	if (!c)
		return sim_result(HIP_INVALID_VALUE);
	from = side_of(
		c->src_type, c->src_host, c->src_device, c->src_array, c->src_pitch, c->height);
	to = side_of(
		c->dst_type, c->dst_host, c->dst_device, c->dst_array, c->dst_pitch, c->height);
	if (from.bytes)
		from.bytes += c->src_y * from.pitch + c->src_x;
	if (to.bytes)
		to.bytes += c->dst_y * to.pitch + c->dst_x;
	return copy_box(to, from, c->width_bytes, c->height, 1);
}

int hipMemcpyParam2DAsync(const struct hip_memcpy2d *c, void *stream)
{
	(void)stream;
	return hipMemcpyParam2D(c);
}

int hipDrvMemcpy2DUnaligned(const struct hip_memcpy2d *c)
{
	return hipMemcpyParam2D(c);
}

int hipDrvMemcpy3D(const struct hip_memcpy3d *c)
{
	struct side to, from;

	if (!c)
		return sim_result(HIP_INVALID_VALUE);
	from = side_of(c->src_type, c->src_host, c->src_device, c->src_array, c->src_pitch,
		c->src_height ? c->src_height : c->height);
	to = side_of(c->dst_type, c->dst_host, c->dst_device, c->dst_array, c->dst_pitch,
		c->dst_height ? c->dst_height : c->height);
	if (from.bytes)
		from.bytes += (c->src_z * from.height + c->src_y) * from.pitch + c->src_x;
	if (to.bytes)
		to.bytes += (c->dst_z * to.height + c->dst_y) * to.pitch + c->dst_x;
	return copy_box(to, from, c->width_bytes, c->height, c->depth);
}

int hipDrvMemcpy3DAsync(const struct hip_memcpy3d *c, void *stream)
{
	(void)stream;
	return hipDrvMemcpy3D(c);
}

/* --- filling ------------------------------------------------------------------------------- */

/* Gigabytes that are set to zero are given back instead: they read as zero and cost nothing. */
static bool zero_lazily(char *to, size_t bytes)
{
	const uintptr_t page = 4096;
	uintptr_t start = ((uintptr_t)to + page - 1) / page * page;
	uintptr_t end = ((uintptr_t)to + bytes) / page * page;
	void *base;
	size_t whole;

	if (bytes < LAZY_BYTES || !sim_range(to, &base, &whole) ||
		(size_t)(to - (char *)base) + bytes > whole)
		return false;
	memset(to, 0, start - (uintptr_t)to);
	memset((char *)end, 0, (uintptr_t)to + bytes - end);
	return madvise((void *)start, end - start, MADV_DONTNEED) == 0;
}

int hipMemsetD8(void *to, unsigned char value, size_t count)
{
	int rc = ready(to, to, count);

	if (rc == HIP_OK && count && !(value == 0 && zero_lazily(to, count)))
		memset(to, value, count);
	return sim_result(rc);
}

int hipMemsetD16(void *to, unsigned short value, size_t count)
{
	int rc = ready(to, to, count);
	size_t i;

	if (rc == HIP_OK && count && value == 0 && count <= SIZE_MAX / 2)
		return hipMemsetD8(to, 0, count * 2);
	for (i = 0; rc == HIP_OK && i < count; i++)
		memcpy((char *)to + 2 * i, &value, 2);
	return sim_result(rc);
}

int hipMemsetD32(void *to, int value, size_t count)
{
	int rc = ready(to, to, count);
	size_t i;

	if (rc == HIP_OK && count && value == 0 && count <= SIZE_MAX / 4)
		return hipMemsetD8(to, 0, count * 4);
	for (i = 0; rc == HIP_OK && i < count; i++)
		memcpy((char *)to + 4 * i, &value, 4);
	return sim_result(rc);
}

int hipMemset(void *to, int value, size_t bytes)
{
	return hipMemsetD8(to, (unsigned char)value, bytes);
}

int hipMemsetAsync(void *to, int value, size_t bytes, void *stream)
{
	(void)stream;
	return hipMemset(to, value, bytes);
}

int hipMemsetD8Async(void *to, unsigned char value, size_t count, void *stream)
{
	(void)stream;
	return hipMemsetD8(to, value, count);
}

int hipMemsetD16Async(void *to, unsigned short value, size_t count, void *stream)
{
	(void)stream;
	return hipMemsetD16(to, value, count);
}

int hipMemsetD32Async(void *to, int value, size_t count, void *stream)
{
	(void)stream;
	return hipMemsetD32(to, value, count);
}
