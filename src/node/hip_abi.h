/* SPDX-License-Identifier: Apache-2.0 */
/* The binary interface of libamdhip64 as far as this project calls it (src/node/hip_probe.c) or
 * answers it (src/simhip): structure layouts, numbers, error codes. Types only.
 *
 * ROCm 6 replaced the properties structure. The layout of ROCm 5 is called R0000 here; the new one
 * is what hipGetDevicePropertiesR0600 fills. Both are pinned by tests/unit/test_hip_abi.c.
 * Attribute numbers that are used here did not move between the majors; the memory type numbers
 * did. */
#ifndef NODE_HIP_ABI_H
#define NODE_HIP_ABI_H

#include <stddef.h>

enum hip_error {
	HIP_OK = 0,
	HIP_INVALID_VALUE = 1,
	HIP_OUT_OF_MEMORY = 2,
	HIP_NOT_INITIALIZED = 3,
	HIP_DEINITIALIZED = 4,
	HIP_INSUFFICIENT_DRIVER = 35,
	HIP_NO_DEVICES = 100,
	HIP_INVALID_DEVICE = 101,
	HIP_INVALID_IMAGE = 200,
	HIP_INVALID_CONTEXT = 201,
	HIP_NO_BINARY_FOR_GPU = 209,
	HIP_PEER_ACCESS_UNSUPPORTED = 217,
	HIP_FILE_NOT_FOUND = 301,
	HIP_INVALID_HANDLE = 400,
	HIP_NOT_FOUND = 500,
	HIP_NOT_READY = 600,
	HIP_ILLEGAL_ADDRESS = 700,
	HIP_PEER_ACCESS_ALREADY_ENABLED = 704,
	HIP_PEER_ACCESS_NOT_ENABLED = 705,
	HIP_LAUNCH_FAILURE = 719,
	HIP_NOT_SUPPORTED = 801,
	HIP_UNKNOWN_ERROR = 999
};

/* hipDeviceAttribute_t: the same numbers in 5.2 and 6.2. */
enum hip_attribute {
	HIP_ATTRIBUTE_ECC_ENABLED = 0,
	HIP_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 3,
	HIP_ATTRIBUTE_CLOCK_RATE = 5,
	HIP_ATTRIBUTE_CONCURRENT_KERNELS = 8,
	HIP_ATTRIBUTE_INTEGRATED = 16,
	HIP_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 18,
	HIP_ATTRIBUTE_L2_CACHE_SIZE = 19,
	HIP_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 23,
	HIP_ATTRIBUTE_MANAGED_MEMORY = 24,
	HIP_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 56,
	HIP_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 57,
	HIP_ATTRIBUTE_MEMORY_BUS_WIDTH = 59,
	HIP_ATTRIBUTE_MEMORY_CLOCK_RATE = 60,
	HIP_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 61,
	HIP_ATTRIBUTE_MULTIPROCESSOR_COUNT = 63,
	HIP_ATTRIBUTE_PCI_BUS_ID = 67,
	HIP_ATTRIBUTE_PCI_DEVICE_ID = 68,
	HIP_ATTRIBUTE_PCI_DOMAIN_ID = 69,
	HIP_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 71,
	HIP_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 74,
	HIP_ATTRIBUTE_TEXTURE_ALIGNMENT = 81,
	HIP_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT = 82,
	HIP_ATTRIBUTE_WARP_SIZE = 87,
	HIP_ATTRIBUTE_IMAGE_SUPPORT = 10014
};

/* hipMemoryType of HIP_MEMCPY3D and hip_Memcpy2D; ROCm 6 renumbered it. */
enum hip_memory_type_5 { HIP5_MEMORY_HOST = 0, HIP5_MEMORY_DEVICE = 1, HIP5_MEMORY_ARRAY = 2 };
enum hip_memory_type_6 { HIP6_MEMORY_HOST = 1, HIP6_MEMORY_DEVICE = 2, HIP6_MEMORY_ARRAY = 10 };

/* Bytes of one channel of an array: hipArray_Format. */
enum hip_array_format {
	HIP_FORMAT_UINT8 = 0x01,
	HIP_FORMAT_UINT16 = 0x02,
	HIP_FORMAT_UINT32 = 0x03,
	HIP_FORMAT_SINT8 = 0x08,
	HIP_FORMAT_SINT16 = 0x09,
	HIP_FORMAT_SINT32 = 0x0a,
	HIP_FORMAT_HALF = 0x10,
	HIP_FORMAT_FLOAT = 0x20
};

/* The runtime writes 16 ASCII hex digits of the unique id, without NUL. */
struct hip_uuid {
	char bytes[16];
};

/* hipDeviceProp_t of ROCm 5. */
struct hip_properties_r0000 {
	char name[256];
	size_t total_global_mem;
	size_t shared_mem_per_block;
	int regs_per_block;
	int warp_size;
	int max_threads_per_block;
	int max_threads_dim[3];
	int max_grid_size[3];
	int clock_rate; /* kHz */
	int memory_clock_rate;
	int memory_bus_width;
	size_t total_const_mem;
	int major;
	int minor;
	int multiprocessor_count;
	int l2_cache_size;
	int max_threads_per_multiprocessor;
	int compute_mode;
	int clock_instruction_rate;
	unsigned int arch_flags;
	int concurrent_kernels;
	int pci_domain_id;
	int pci_bus_id;
	int pci_device_id;
	size_t max_shared_memory_per_multiprocessor;
	int is_multi_gpu_board;
	int can_map_host_memory;
	int gcn_arch; /* 910 for gfx90a: no use */
	char gcn_arch_name[256];
	int integrated;
	int cooperative_launch;
	int cooperative_multi_device_launch;
	int max_texture_1d_linear;
	int max_texture_1d;
	int max_texture_2d[2];
	int max_texture_3d[3];
	void *hdp_mem_flush;
	void *hdp_reg_flush;
	size_t mem_pitch;
	size_t texture_alignment;
	size_t texture_pitch_alignment;
	int kernel_exec_timeout;
	int ecc_enabled;
	int tcc_driver;
	int cooperative_unmatched[4];
	int is_large_bar;
	int asic_revision;
	int managed_memory;
	int direct_managed_access_from_host;
	int concurrent_managed_access;
	int pageable_memory_access;
	int pageable_uses_host_page_tables;
};

/* hipDeviceProp_t from ROCm 6 on, reached through hipGetDevicePropertiesR0600. */
struct hip_properties_r0600 {
	char name[256];
	struct hip_uuid uuid;
	char luid[8];
	unsigned int luid_device_node_mask;
	size_t total_global_mem;
	size_t shared_mem_per_block;
	int regs_per_block;
	int warp_size;
	size_t mem_pitch;
	int max_threads_per_block;
	int max_threads_dim[3];
	int max_grid_size[3];
	int clock_rate; /* kHz */
	size_t total_const_mem;
	int major;
	int minor;
	size_t texture_alignment;
	size_t texture_pitch_alignment;
	int device_overlap;
	int multiprocessor_count;
	int kernel_exec_timeout;
	int integrated;
	int can_map_host_memory;
	int compute_mode;
	int max_texture_1d;
	int max_texture_1d_mipmap;
	int max_texture_1d_linear;
	int max_texture_2d[2];
	int max_texture_2d_other[7]; /* mipmap 2, linear 3, gather 2 */
	int max_texture_3d[3];
	int max_texture_other[11]; /* 3-D alternative 3, cube 1, layered 2 3 2 */
	int max_surface[14]; /* 1 2 3, layered 2 3, cube 1, layered cube 2 */
	size_t surface_alignment;
	int concurrent_kernels;
	int ecc_enabled;
	int pci_bus_id;
	int pci_device_id;
	int pci_domain_id;
	int tcc_driver;
	int async_engine_count;
	int unified_addressing;
	int memory_clock_rate;
	int memory_bus_width;
	int l2_cache_size;
	int persisting_l2_cache_max_size;
	int max_threads_per_multiprocessor;
	int stream_priorities_supported;
	int global_l1_cache_supported;
	int local_l1_cache_supported;
	size_t shared_mem_per_multiprocessor;
	int regs_per_multiprocessor;
	int managed_memory;
	int is_multi_gpu_board;
	int multi_gpu_board_group;
	int host_native_atomic_supported;
	int single_to_double_ratio;
	int pageable_memory_access;
	int concurrent_managed_access;
	int compute_preemption_supported;
	int can_use_host_pointer;
	int cooperative_launch;
	int cooperative_multi_device_launch;
	size_t shared_mem_per_block_optin;
	int pageable_uses_host_page_tables;
	int direct_managed_access_from_host;
	int max_blocks_per_multiprocessor;
	int access_policy_max_window_size;
	size_t reserved_shared_mem_per_block;
	int host_register_supported;
	int capabilities[12]; /* sparse arrays to unified function pointers */
	int reserved[63];
	int hip_reserved[32];
	char gcn_arch_name[256];
	size_t max_shared_memory_per_multiprocessor;
	int clock_instruction_rate;
	unsigned int arch_flags;
	void *hdp_mem_flush;
	void *hdp_reg_flush;
	int cooperative_unmatched[4];
	int is_large_bar;
	int asic_revision;
};

#endif
