/* SPDX-License-Identifier: Apache-2.0 */
/* The exported functions. Handles are opaque pointers and enumerations ints, which is the same
 * binary interface; every function returns an enum hip_error. */
#ifndef SIMHIP_API_H
#define SIMHIP_API_H

#include <stddef.h>
#include <stdint.h>

#include "node/hip_abi.h"

#ifndef SIMHIP_ABI
#define SIMHIP_ABI 5
#endif

#define SIM_API __attribute__((visibility("default")))

/* The structures that calls pass in. Up to ROCm 5, HIP_MEMCPY3D counts in unsigned int. */
#if SIMHIP_ABI >= 6
typedef size_t sim_copy_size;
enum {
	MEMORY_HOST = HIP6_MEMORY_HOST,
	MEMORY_DEVICE = HIP6_MEMORY_DEVICE,
	MEMORY_ARRAY = HIP6_MEMORY_ARRAY
};
#else
typedef unsigned int sim_copy_size;
enum {
	MEMORY_HOST = HIP5_MEMORY_HOST,
	MEMORY_DEVICE = HIP5_MEMORY_DEVICE,
	MEMORY_ARRAY = HIP5_MEMORY_ARRAY
};
#endif

struct sim_array; /* a device allocation with a shape */

struct hip_memcpy2d {
	size_t src_x, src_y;
	int src_type;
	const void *src_host;
	void *src_device;
	struct sim_array *src_array;
	size_t src_pitch;
	size_t dst_x, dst_y;
	int dst_type;
	void *dst_host;
	void *dst_device;
	struct sim_array *dst_array;
	size_t dst_pitch;
	size_t width_bytes, height;
};

struct hip_memcpy3d {
	sim_copy_size src_x, src_y, src_z, src_lod;
	int src_type;
	const void *src_host;
	void *src_device;
	struct sim_array *src_array;
	sim_copy_size src_pitch, src_height;
	sim_copy_size dst_x, dst_y, dst_z, dst_lod;
	int dst_type;
	void *dst_host;
	void *dst_device;
	struct sim_array *dst_array;
	sim_copy_size dst_pitch, dst_height;
	sim_copy_size width_bytes, height, depth;
};

struct hip_array_descriptor {
	size_t width, height;
	int format;
	unsigned int channels;
};

struct hip_array3d_descriptor {
	size_t width, height, depth;
	int format;
	unsigned int channels, flags;
};

struct hip_pointer_attributes {
	int type, device;
	void *device_pointer, *host_pointer;
	int is_managed;
	unsigned int flags;
};

/* device.c */
SIM_API int hipInit(unsigned int flags);
SIM_API int hipDriverGetVersion(int *version);
SIM_API int hipRuntimeGetVersion(int *version);
SIM_API int hipGetDeviceCount(int *count);
SIM_API int hipGetDevice(int *device);
SIM_API int hipSetDevice(int device);
SIM_API int hipDeviceGet(int *device, int ordinal);
SIM_API int hipDeviceGetName(char *name, int len, int device);
SIM_API int hipDeviceGetUuid(struct hip_uuid *uuid, int device);
SIM_API int hipDeviceGetAttribute(int *value, int attribute, int device);
SIM_API int hipDeviceComputeCapability(int *major, int *minor, int device);
SIM_API int hipDeviceGetPCIBusId(char *text, int len, int device);
SIM_API int hipDeviceGetByPCIBusId(int *device, const char *text);
SIM_API int hipDeviceTotalMem(size_t *bytes, int device);
SIM_API int hipDeviceGetLimit(size_t *value, int limit);
SIM_API int hipDeviceSetLimit(int limit, size_t value);
SIM_API int hipDeviceCanAccessPeer(int *can, int device, int peer);
SIM_API int hipDeviceEnablePeerAccess(int peer, unsigned int flags);
SIM_API int hipDeviceDisablePeerAccess(int peer);
SIM_API int hipDeviceGetP2PAttribute(int *value, int attribute, int from, int to);
SIM_API int hipGetDeviceProperties(struct hip_properties_r0000 *properties, int device);
#if SIMHIP_ABI >= 6
SIM_API int hipGetDevicePropertiesR0000(struct hip_properties_r0000 *properties, int device);
SIM_API int hipGetDevicePropertiesR0600(struct hip_properties_r0600 *properties, int device);
#endif

/* errors.c */
SIM_API const char *hipGetErrorName(int code);
SIM_API const char *hipGetErrorString(int code);
SIM_API int hipDrvGetErrorName(int code, const char **text);
SIM_API int hipDrvGetErrorString(int code, const char **text);
SIM_API int hipGetLastError(void);
SIM_API int hipPeekAtLastError(void);

/* context.c */
SIM_API int hipCtxCreate(void **context, unsigned int flags, int device);
SIM_API int hipCtxDestroy(void *context);
SIM_API int hipCtxPushCurrent(void *context);
SIM_API int hipCtxPopCurrent(void **context);
SIM_API int hipCtxSetCurrent(void *context);
SIM_API int hipCtxGetCurrent(void **context);
SIM_API int hipCtxGetDevice(int *device);
SIM_API int hipCtxGetFlags(unsigned int *flags);
SIM_API int hipCtxGetApiVersion(void *context, int *version);
SIM_API int hipCtxSynchronize(void);
SIM_API int hipCtxGetCacheConfig(int *config);
SIM_API int hipCtxSetCacheConfig(int config);
SIM_API int hipCtxGetSharedMemConfig(int *config);
SIM_API int hipCtxSetSharedMemConfig(int config);
SIM_API int hipCtxEnablePeerAccess(void *peer, unsigned int flags);
SIM_API int hipCtxDisablePeerAccess(void *peer);
SIM_API int hipDevicePrimaryCtxRetain(void **context, int device);
SIM_API int hipDevicePrimaryCtxRelease(int device);
SIM_API int hipDevicePrimaryCtxSetFlags(int device, unsigned int flags);
SIM_API int hipDevicePrimaryCtxGetState(int device, unsigned int *flags, int *active);
SIM_API int hipDevicePrimaryCtxReset(int device);
SIM_API int hipDeviceSynchronize(void);
SIM_API int hipDeviceReset(void);

/* memory.c */
SIM_API int hipMemGetInfo(size_t *free_bytes, size_t *total_bytes);
SIM_API int hipMalloc(void **address, size_t bytes);
SIM_API int hipMallocManaged(void **address, size_t bytes, unsigned int flags);
SIM_API int hipMallocAsync(void **address, size_t bytes, void *stream);
SIM_API int hipMemAllocPitch(
	void **address, size_t *pitch, size_t width, size_t height, unsigned int element);
SIM_API int hipFree(void *address);
SIM_API int hipFreeAsync(void *address, void *stream);
SIM_API int hipMemGetAddressRange(void **base, size_t *bytes, void *inside);
SIM_API int hipPointerGetAttributes(struct hip_pointer_attributes *attributes, const void *address);
SIM_API int hipHostMalloc(void **address, size_t bytes, unsigned int flags);
SIM_API int hipHostFree(void *address);
SIM_API int hipHostRegister(void *address, size_t bytes, unsigned int flags);
SIM_API int hipHostUnregister(void *address);
SIM_API int hipHostGetDevicePointer(void **device, void *host, unsigned int flags);
SIM_API int hipHostGetFlags(unsigned int *flags, void *host);

/* copy.c */
SIM_API int hipMemcpy(void *to, const void *from, size_t bytes, int kind);
SIM_API int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
SIM_API int hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
SIM_API int hipMemcpyHtoD(void *to, void *from, size_t bytes);
SIM_API int hipMemcpyDtoH(void *to, void *from, size_t bytes);
SIM_API int hipMemcpyDtoD(void *to, void *from, size_t bytes);
SIM_API int hipMemcpyHtoDAsync(void *to, void *from, size_t bytes, void *stream);
SIM_API int hipMemcpyDtoHAsync(void *to, void *from, size_t bytes, void *stream);
SIM_API int hipMemcpyDtoDAsync(void *to, void *from, size_t bytes, void *stream);
SIM_API int hipMemcpyParam2D(const struct hip_memcpy2d *copy);
SIM_API int hipMemcpyParam2DAsync(const struct hip_memcpy2d *copy, void *stream);
SIM_API int hipDrvMemcpy2DUnaligned(const struct hip_memcpy2d *copy);
SIM_API int hipDrvMemcpy3D(const struct hip_memcpy3d *copy);
SIM_API int hipDrvMemcpy3DAsync(const struct hip_memcpy3d *copy, void *stream);
SIM_API int hipMemset(void *to, int value, size_t bytes);
SIM_API int hipMemsetAsync(void *to, int value, size_t bytes, void *stream);
SIM_API int hipMemsetD8(void *to, unsigned char value, size_t count);
SIM_API int hipMemsetD16(void *to, unsigned short value, size_t count);
SIM_API int hipMemsetD32(void *to, int value, size_t count);
SIM_API int hipMemsetD8Async(void *to, unsigned char value, size_t count, void *stream);
SIM_API int hipMemsetD16Async(void *to, unsigned short value, size_t count, void *stream);
SIM_API int hipMemsetD32Async(void *to, int value, size_t count, void *stream);

/* texture.c */
SIM_API int hipArrayCreate(struct sim_array **array, const struct hip_array_descriptor *shape);
SIM_API int hipArray3DCreate(struct sim_array **array, const struct hip_array3d_descriptor *shape);
SIM_API int hipArrayDestroy(struct sim_array *array);
SIM_API int hipFreeArray(struct sim_array *array);
SIM_API int hipTexObjectCreate(
	void **texture, const void *resource, const void *sampling, const void *view);
SIM_API int hipTexObjectDestroy(void *texture);
char *sim_array_bytes(struct sim_array *array, size_t *pitch, size_t *height);

/* module.c */
SIM_API int hipModuleLoad(void **module, const char *path);
SIM_API int hipModuleLoadData(void **module, const void *image);
SIM_API int hipModuleLoadDataEx(
	void **module, const void *image, unsigned int count, void *options, void **values);
SIM_API int hipModuleUnload(void *module);
SIM_API int hipModuleGetFunction(void **function, void *module, const char *name);
SIM_API int hipModuleGetGlobal(void **address, size_t *bytes, void *module, const char *name);
SIM_API int hipModuleGetTexRef(void **texture, void *module, const char *name);
SIM_API int hipFuncGetAttribute(int *value, int attribute, void *function);
SIM_API int hipFuncSetAttribute(const void *function, int attribute, int value);
SIM_API int hipFuncSetCacheConfig(void *function, int config);
SIM_API int hipModuleOccupancyMaxPotentialBlockSize(
	int *grid, int *block, void *function, size_t shared, int limit);
SIM_API int hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
	int *grid, int *block, void *function, size_t shared, int limit, unsigned int flags);
SIM_API int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, void *function, int block, size_t shared);
SIM_API int hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, void *function, int block, size_t shared, unsigned int flags);
SIM_API int hipDrvOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, void *function, int block, size_t shared);
SIM_API int hipDrvOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, void *function, int block, size_t shared, unsigned int flags);
SIM_API int hipModuleLaunchKernel(void *function, unsigned int grid_x, unsigned int grid_y,
	unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z,
	unsigned int shared, void *stream, void **arguments, void **extra);

/* stream.c */
SIM_API int hipStreamCreate(void **stream);
SIM_API int hipStreamCreateWithFlags(void **stream, unsigned int flags);
SIM_API int hipStreamCreateWithPriority(void **stream, unsigned int flags, int priority);
SIM_API int hipStreamDestroy(void *stream);
SIM_API int hipStreamSynchronize(void *stream);
SIM_API int hipStreamQuery(void *stream);
SIM_API int hipStreamWaitEvent(void *stream, void *event, unsigned int flags);
SIM_API int hipStreamGetFlags(void *stream, unsigned int *flags);
SIM_API int hipStreamGetPriority(void *stream, int *priority);
SIM_API int hipStreamAddCallback(
	void *stream, void (*callback)(void *, int, void *), void *data, unsigned int flags);
SIM_API int hipEventCreate(void **event);
SIM_API int hipEventCreateWithFlags(void **event, unsigned int flags);
SIM_API int hipEventRecord(void *event, void *stream);
SIM_API int hipEventQuery(void *event);
SIM_API int hipEventSynchronize(void *event);
SIM_API int hipEventDestroy(void *event);
SIM_API int hipEventElapsedTime(float *ms, void *start, void *stop);

#endif
