/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols that Blender's loader looks up and whose absence stops it, but which it does not need for
 * a render. */
#include "simhip/api.h"

#define UNSUPPORTED(name)                                                                          \
	SIM_API int name(void);                                                                    \
	int name(void)                                                                             \
	{                                                                                          \
		return HIP_NOT_SUPPORTED;                                                          \
	}

UNSUPPORTED(hipTexRefSetArray)
UNSUPPORTED(hipTexRefSetAddress)
UNSUPPORTED(hipTexRefSetAddress2D)
UNSUPPORTED(hipTexRefSetFormat)
UNSUPPORTED(hipTexRefSetAddressMode)
UNSUPPORTED(hipTexRefSetFilterMode)
UNSUPPORTED(hipTexRefSetFlags)
UNSUPPORTED(hipTexRefGetAddress)
UNSUPPORTED(hipTexRefGetArray)
UNSUPPORTED(hipTexRefGetAddressMode)
UNSUPPORTED(hipGraphicsUnregisterResource)
UNSUPPORTED(hipGraphicsMapResources)
UNSUPPORTED(hipGraphicsUnmapResources)
UNSUPPORTED(hipGraphicsResourceGetMappedPointer)
UNSUPPORTED(hipGraphicsGLRegisterBuffer)
UNSUPPORTED(hipGLGetDevices)
UNSUPPORTED(hipImportExternalMemory)
UNSUPPORTED(hipExternalMemoryGetMappedBuffer)
UNSUPPORTED(hipDestroyExternalMemory)
