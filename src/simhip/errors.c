/* SPDX-License-Identifier: Apache-2.0 */
#include "simhip/api.h"

struct error_name {
	int code;
	const char *name, *text;
};

static const struct error_name names[] = {
	{ HIP_OK, "hipSuccess", "no error" },
	{ HIP_INVALID_VALUE, "hipErrorInvalidValue", "invalid argument" },
	{ HIP_OUT_OF_MEMORY, "hipErrorOutOfMemory", "out of memory" },
	{ HIP_NOT_INITIALIZED, "hipErrorNotInitialized", "initialization error" },
	{ HIP_DEINITIALIZED, "hipErrorDeinitialized", "driver shutting down" },
	{ HIP_INSUFFICIENT_DRIVER, "hipErrorInsufficientDriver", "driver version is insufficient" },
	{ HIP_NO_DEVICES, "hipErrorNoDevice", "no ROCm-capable device is detected" },
	{ HIP_INVALID_DEVICE, "hipErrorInvalidDevice", "invalid device ordinal" },
	{ HIP_INVALID_IMAGE, "hipErrorInvalidImage", "device kernel image is invalid" },
	{ HIP_INVALID_CONTEXT, "hipErrorInvalidContext", "invalid device context" },
	{ HIP_NO_BINARY_FOR_GPU, "hipErrorNoBinaryForGpu",
		"no kernel image is available for the device" },
	{ HIP_FILE_NOT_FOUND, "hipErrorFileNotFound", "file not found" },
	{ HIP_INVALID_HANDLE, "hipErrorInvalidHandle", "invalid resource handle" },
	{ HIP_NOT_FOUND, "hipErrorNotFound", "named symbol not found" },
	{ HIP_NOT_READY, "hipErrorNotReady", "device not ready" },
	{ HIP_ILLEGAL_ADDRESS, "hipErrorIllegalAddress",
		"an illegal memory access was encountered" },
	{ HIP_LAUNCH_FAILURE, "hipErrorLaunchFailure", "unspecified launch failure" },
	{ HIP_NOT_SUPPORTED, "hipErrorNotSupported", "operation not supported" },
	{ HIP_UNKNOWN_ERROR, "hipErrorUnknown", "unknown error" },
};

static const struct error_name *find(int code)
{
	const unsigned int count = sizeof(names) / sizeof(names[0]);
	unsigned int i;

	for (i = 0; i < count; i++)
		if (names[i].code == code)
			return &names[i];
	return &names[count - 1];
}

const char *hipGetErrorName(int code)
{
	return find(code)->name;
}

const char *hipGetErrorString(int code)
{
	return find(code)->text;
}

int hipDrvGetErrorName(int code, const char **text)
{
	*text = find(code)->name;
	return HIP_OK;
}

int hipDrvGetErrorString(int code, const char **text)
{
	*text = find(code)->text;
	return HIP_OK;
}
