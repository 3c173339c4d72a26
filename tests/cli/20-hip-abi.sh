#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The layouts and numbers of src/node/hip_abi.h against Debian's own headers: HIP 5 of Debian 12, as installed, and HIP 6
# of its development release, unpacked beside the build.
. "$SOURCE/tests/cli/lib.sh"

cat >check.c <<'C'
#define __HIP_PLATFORM_AMD__ 1
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <hip/hip_runtime_api.h>
#include "node/hip_abi.h"
#include "simhip/api.h"

#if HIP_VERSION_MAJOR >= 6
typedef struct hip_properties_r0600 ours;
#else
typedef struct hip_properties_r0000 ours;
#endif

static int wrong, checked;

static void same(const char *what, long long theirs, long long mine)
{
	checked++;
	if (theirs == mine)
		return;
	wrong++;
	printf("%s: header %lld, ours %lld\n", what, theirs, mine);
}

#define FIELD(theirs, mine) same(#theirs, offsetof(hipDeviceProp_t, theirs), offsetof(ours, mine))
#define NUMBER(theirs, mine) same(#theirs, theirs, mine)
#define SIZE(theirs, mine) same(#theirs, sizeof(theirs), sizeof(mine))
#define MEMBER(type, theirs, our_type, mine) same(#type "." #theirs, offsetof(type, theirs), offsetof(our_type, mine))

int main(void)
{
	FIELD(name, name);
	FIELD(totalGlobalMem, total_global_mem);
	FIELD(sharedMemPerBlock, shared_mem_per_block);
	FIELD(regsPerBlock, regs_per_block);
	FIELD(warpSize, warp_size);
	FIELD(maxThreadsPerBlock, max_threads_per_block);
	FIELD(clockRate, clock_rate);
	FIELD(memoryClockRate, memory_clock_rate);
	FIELD(memoryBusWidth, memory_bus_width);
	FIELD(major, major);
	FIELD(minor, minor);
	FIELD(multiProcessorCount, multiprocessor_count);
	FIELD(l2CacheSize, l2_cache_size);
	FIELD(maxThreadsPerMultiProcessor, max_threads_per_multiprocessor);
	FIELD(concurrentKernels, concurrent_kernels);
	FIELD(pciDomainID, pci_domain_id);
	FIELD(pciBusID, pci_bus_id);
	FIELD(pciDeviceID, pci_device_id);
	FIELD(canMapHostMemory, can_map_host_memory);
	FIELD(gcnArchName, gcn_arch_name);
	FIELD(integrated, integrated);
	FIELD(maxTexture1D, max_texture_1d);
	FIELD(maxTexture2D, max_texture_2d);
	FIELD(maxTexture3D, max_texture_3d);
	FIELD(textureAlignment, texture_alignment);
	FIELD(texturePitchAlignment, texture_pitch_alignment);
	FIELD(ECCEnabled, ecc_enabled);
	FIELD(managedMemory, managed_memory);
	FIELD(asicRevision, asic_revision);
	SIZE(hipDeviceProp_t, ours);
	SIZE(hipUUID, struct hip_uuid);
	SIZE(HIP_ARRAY_DESCRIPTOR, struct hip_array_descriptor);
	SIZE(HIP_ARRAY3D_DESCRIPTOR, struct hip_array3d_descriptor);
	SIZE(hip_Memcpy2D, struct hip_memcpy2d);
	SIZE(HIP_MEMCPY3D, struct hip_memcpy3d);
	MEMBER(hip_Memcpy2D, dstPitch, struct hip_memcpy2d, dst_pitch);
	MEMBER(hip_Memcpy2D, WidthInBytes, struct hip_memcpy2d, width_bytes);
	MEMBER(HIP_MEMCPY3D, srcHost, struct hip_memcpy3d, src_host);
	MEMBER(HIP_MEMCPY3D, dstArray, struct hip_memcpy3d, dst_array);
	MEMBER(HIP_MEMCPY3D, WidthInBytes, struct hip_memcpy3d, width_bytes);
	MEMBER(HIP_ARRAY3D_DESCRIPTOR, Format, struct hip_array3d_descriptor, format);
	NUMBER(hipMemoryTypeHost, MEMORY_HOST);
	NUMBER(hipMemoryTypeDevice, MEMORY_DEVICE);
	NUMBER(hipMemoryTypeArray, MEMORY_ARRAY);
	NUMBER(hipErrorInvalidValue, HIP_INVALID_VALUE);
	NUMBER(hipErrorOutOfMemory, HIP_OUT_OF_MEMORY);
	NUMBER(hipErrorNoDevice, HIP_NO_DEVICES);
	NUMBER(hipErrorInvalidDevice, HIP_INVALID_DEVICE);
	NUMBER(hipErrorInvalidContext, HIP_INVALID_CONTEXT);
	NUMBER(hipErrorNoBinaryForGpu, HIP_NO_BINARY_FOR_GPU);
	NUMBER(hipErrorFileNotFound, HIP_FILE_NOT_FOUND);
	NUMBER(hipErrorInvalidHandle, HIP_INVALID_HANDLE);
	NUMBER(hipErrorNotFound, HIP_NOT_FOUND);
	NUMBER(hipErrorNotReady, HIP_NOT_READY);
	NUMBER(hipErrorLaunchFailure, HIP_LAUNCH_FAILURE);
	NUMBER(hipErrorNotSupported, HIP_NOT_SUPPORTED);
	NUMBER(hipErrorUnknown, HIP_UNKNOWN_ERROR);
	NUMBER(hipDeviceAttributeCanMapHostMemory, HIP_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
	NUMBER(hipDeviceAttributeClockRate, HIP_ATTRIBUTE_CLOCK_RATE);
	NUMBER(hipDeviceAttributeConcurrentKernels, HIP_ATTRIBUTE_CONCURRENT_KERNELS);
	NUMBER(hipDeviceAttributeIntegrated, HIP_ATTRIBUTE_INTEGRATED);
	NUMBER(hipDeviceAttributeKernelExecTimeout, HIP_ATTRIBUTE_KERNEL_EXEC_TIMEOUT);
	NUMBER(hipDeviceAttributeL2CacheSize, HIP_ATTRIBUTE_L2_CACHE_SIZE);
	NUMBER(hipDeviceAttributeComputeCapabilityMajor, HIP_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
	NUMBER(hipDeviceAttributeComputeCapabilityMinor, HIP_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
	NUMBER(hipDeviceAttributeManagedMemory, HIP_ATTRIBUTE_MANAGED_MEMORY);
	NUMBER(hipDeviceAttributeMaxThreadsPerBlock, HIP_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
	NUMBER(hipDeviceAttributeMaxThreadsPerMultiProcessor, HIP_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
	NUMBER(hipDeviceAttributeMemoryBusWidth, HIP_ATTRIBUTE_MEMORY_BUS_WIDTH);
	NUMBER(hipDeviceAttributeMemoryClockRate, HIP_ATTRIBUTE_MEMORY_CLOCK_RATE);
	NUMBER(hipDeviceAttributeMultiprocessorCount, HIP_ATTRIBUTE_MULTIPROCESSOR_COUNT);
	NUMBER(hipDeviceAttributePciBusId, HIP_ATTRIBUTE_PCI_BUS_ID);
	NUMBER(hipDeviceAttributePciDeviceId, HIP_ATTRIBUTE_PCI_DEVICE_ID);
	NUMBER(hipDeviceAttributePciDomainID, HIP_ATTRIBUTE_PCI_DOMAIN_ID);
	NUMBER(hipDeviceAttributeMaxRegistersPerBlock, HIP_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
	NUMBER(hipDeviceAttributeMaxSharedMemoryPerBlock, HIP_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
	NUMBER(hipDeviceAttributeTextureAlignment, HIP_ATTRIBUTE_TEXTURE_ALIGNMENT);
	NUMBER(hipDeviceAttributeTexturePitchAlignment, HIP_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT);
	NUMBER(hipDeviceAttributeWarpSize, HIP_ATTRIBUTE_WARP_SIZE);
	NUMBER(hipDeviceAttributeImageSupport, HIP_ATTRIBUTE_IMAGE_SUPPORT);
	printf("%d checked\n", checked);
	return wrong != 0;
}
C
# The stand-in's own prototypes clash with the header's: only its structures are wanted.
sed 's/^SIM_API.*;$//; /^SIM_API/,/;$/d' "$SOURCE/src/simhip/api.h" >api.h
mkdir -p simhip && mv api.h simhip/

compare() { # include folder
    header=$1/hip/hip_runtime_api.h
    major=$(sed -n 's/^#define HIP_VERSION_MAJOR //p' "$1/hip/hip_version.h")
    if cc -w -DSIMHIP_ABI="$major" -I. -I"$SOURCE/src" -isystem "$1" -o check check.c 2>cc.err; then
        pass "HIP $major: the comparison with its header compiles"
    else
        fail "HIP $major: the comparison with its header compiles" "$(head -20 cc.err)"
        return
    fi
    if ./check >said; then pass "HIP $major: every field and number that is used is the header's"; else
        fail "HIP $major: every field and number that is used is the header's" "$(cat said)"
    fi
    is "$(tail -n 1 said)" "80 checked" "HIP $major: none was left out"
}

if [ -f /usr/include/hip/hip_runtime_api.h ]; then
    compare /usr/include
    is "$major" 5 "the installed header is HIP 5's"
else
    skip "layout of HIP 5" "libamdhip64-dev is not installed"
fi
kept=$SOURCE/build/hip6-header
if "$SOURCE/tests/fetch-hip6-header" "$kept" >fetch.txt 2>&1; then
    compare "$kept/usr/include"
    if [ "$major" -ge 6 ]; then pass "the fetched header is HIP 6's or later"; else
        fail "the fetched header is HIP 6's or later" "HIP $major"
    fi
else
    skip "layout of HIP 6" "its header cannot be fetched: $(tail -n 1 fetch.txt)"
fi
finish
