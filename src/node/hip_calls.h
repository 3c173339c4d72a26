/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libamdhip64 that more than one of the children calls, as lists of X(name,
 * arguments); each returns an hip_error. A child has a `struct calls` of pointers to those that it
 * needs:
 *
 *   #define CALLS(X) HIP_DEVICE_CALLS(X) X(hipMemGetInfo, (size_t *free, size_t *total))
 *   struct calls {
 *           CALLS(HIP_MEMBER)
 *           hip_error_name_fn *hipGetErrorName;
 *   };
 *   static const struct hip_symbol rows[] = { CALLS(HIP_ROW) HIP_ERROR_NAME_ROW };
 *
 * for hip_load_bind(). */
#ifndef NODE_HIP_CALLS_H
#define NODE_HIP_CALLS_H

#include <stddef.h>

#include "node/hip_load.h"

#define HIP_DEVICE_CALLS(X)                                                                        \
	X(hipInit, (unsigned int flags))                                                           \
	X(hipGetDeviceCount, (int *count))                                                         \
	X(hipSetDevice, (int device))                                                              \
	X(hipDeviceGetPCIBusId, (char *text, int len, int device))                                 \
	X(hipDeviceSynchronize, (void))

#define HIP_MEMORY_CALLS(X)                                                                        \
	X(hipMalloc, (void **address, size_t bytes))                                               \
	X(hipFree, (void *address))                                                                \
	X(hipMemset, (void *to, int value, size_t bytes))                                          \
	X(hipMemcpy, (void *to, const void *from, size_t bytes, int kind))

/* hipMemcpy's `kind`. */
enum { HIP_TO_DEVICE = 1, HIP_TO_HOST = 2 };

#define HIP_MEMBER(name, args) int(*name) args;
#define HIP_ROW(name, args) { #name, offsetof(struct calls, name), false },
#define HIP_ERROR_NAME_ROW                                                                         \
	{                                                                                          \
		"hipGetErrorName", offsetof(struct calls, hipGetErrorName), true                   \
	}

#endif
