/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers are those that a C compiler gives for the public headers of HIP 5.2.3 and 6.2.2 on
 * x86-64; for the headers of the installed package tests/cli/20-hip-abi.sh asks the compiler
 * afresh. */
#include "node/hip_abi.h"

#include "tap.h"

struct pinned {
	const char *field;
	size_t got, want;
};

#define R0000(field, want)                                                                         \
	{                                                                                          \
#field, offsetof(struct hip_properties_r0000, field), want                         \
	}
#define R0600(field, want)                                                                         \
	{                                                                                          \
#field, offsetof(struct hip_properties_r0600, field), want                         \
	}

static const struct pinned r0000[] = {
	R0000(name, 0),
	R0000(total_global_mem, 256),
	R0000(shared_mem_per_block, 264),
	R0000(warp_size, 276),
	R0000(max_threads_per_block, 280),
	R0000(clock_rate, 308),
	R0000(major, 328),
	R0000(minor, 332),
	R0000(multiprocessor_count, 336),
	R0000(l2_cache_size, 340),
	R0000(max_threads_per_multiprocessor, 344),
	R0000(concurrent_kernels, 360),
	R0000(pci_domain_id, 364),
	R0000(pci_bus_id, 368),
	R0000(pci_device_id, 372),
	R0000(max_shared_memory_per_multiprocessor, 376),
	R0000(can_map_host_memory, 388),
	R0000(gcn_arch_name, 396),
	R0000(integrated, 652),
	R0000(max_texture_1d, 668),
	R0000(max_texture_2d, 672),
	R0000(max_texture_3d, 680),
	R0000(mem_pitch, 712),
	R0000(texture_alignment, 720),
	R0000(texture_pitch_alignment, 728),
	R0000(ecc_enabled, 740),
	R0000(is_large_bar, 764),
	R0000(managed_memory, 772),
	R0000(pageable_uses_host_page_tables, 788),
};

static const struct pinned r0600[] = {
	R0600(name, 0),
	R0600(uuid, 256),
	R0600(total_global_mem, 288),
	R0600(shared_mem_per_block, 296),
	R0600(warp_size, 308),
	R0600(mem_pitch, 312),
	R0600(max_threads_per_block, 320),
	R0600(clock_rate, 348),
	R0600(major, 360),
	R0600(minor, 364),
	R0600(texture_alignment, 368),
	R0600(texture_pitch_alignment, 376),
	R0600(multiprocessor_count, 388),
	R0600(integrated, 396),
	R0600(can_map_host_memory, 400),
	R0600(max_texture_1d, 408),
	R0600(max_texture_2d, 420),
	R0600(max_texture_3d, 456),
	R0600(surface_alignment, 568),
	R0600(concurrent_kernels, 576),
	R0600(ecc_enabled, 580),
	R0600(pci_bus_id, 584),
	R0600(pci_device_id, 588),
	R0600(pci_domain_id, 592),
	R0600(l2_cache_size, 616),
	R0600(max_threads_per_multiprocessor, 624),
	R0600(shared_mem_per_multiprocessor, 640),
	R0600(regs_per_multiprocessor, 648),
	R0600(managed_memory, 652),
	R0600(pageable_uses_host_page_tables, 704),
	R0600(reserved_shared_mem_per_block, 720),
	R0600(host_register_supported, 728),
	R0600(gcn_arch_name, 1160),
	R0600(max_shared_memory_per_multiprocessor, 1416),
	R0600(is_large_bar, 1464),
	R0600(asic_revision, 1468),
};

static void check(const struct pinned *rows, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		tap_number(rows[i].got, (long long)rows[i].want, rows[i].field);
}

int main(void)
{
	check(r0000, sizeof(r0000) / sizeof(r0000[0]));
	tap_number(sizeof(struct hip_properties_r0000), 792, "size of R0000");
	check(r0600, sizeof(r0600) / sizeof(r0600[0]));
	tap_number(sizeof(struct hip_properties_r0600), 1472, "size of R0600");
	return tap_done();
}
