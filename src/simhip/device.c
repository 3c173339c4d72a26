/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "simhip/api.h"
#include "simhip/sim.h"

/* Alike for all the parts that the stand-in plays. */
enum {
	WAVE_FRONT = 64,
	THREADS_PER_BLOCK = 1024,
	THREADS_PER_UNIT = 2048,
	REGISTERS = 65536,
	SHARED_BYTES = 65536,
	TEXTURE_ALIGNMENT = 256,
	TEXTURE_SIZE = 16384
};

/* "gfx90a:..." has capability 9.0: all digits but the last two are the major, then minor and step
 * in hex. */
static void capability(const struct sim_device_config *config, int *major, int *minor)
{
	const char *digits =
		strncmp(config->gcn_arch, "gfx", 3) == 0 ? config->gcn_arch + 3 : "000";
	int len = 0, i;

	while (isalnum((unsigned char)digits[len]))
		len++;
	*major = *minor = 0;
	for (i = 0; i + 2 < len; i++)
		*major = *major * 10 + (digits[i] - '0');
	if (len >= 3)
		sscanf((char[]){ digits[len - 2], 0 }, "%x", (unsigned int *)minor);
}

int hipInit(unsigned int flags)
{
	(void)flags;
	return sim_result(sim_start());
}

int hipDriverGetVersion(int *version)
{
	sim_start();
	if (!version)
		return sim_result(HIP_INVALID_VALUE);
	*version = (int)sim.config.driver_version;
	return HIP_OK;
}

int hipRuntimeGetVersion(int *version)
{
	sim_start();
	if (!version)
		return sim_result(HIP_INVALID_VALUE);
	*version = (int)sim.config.runtime_version;
	return HIP_OK;
}

int hipGetDeviceCount(int *count)
{
	int rc = sim_start();

	if (!count)
		return sim_result(HIP_INVALID_VALUE);
	*count = sim.device_count;
	if (rc == HIP_UNKNOWN_ERROR)
		return sim_result(rc);
	return sim_result(sim.device_count ? HIP_OK : HIP_NO_DEVICES);
}

int hipGetDevice(int *device)
{
	if (!device)
		return sim_result(HIP_INVALID_VALUE);
	*device = sim_current_index() < 0 ? 0 : sim_current_index();
	return sim_result(sim_current() ? HIP_OK : HIP_NO_DEVICES);
}

int hipSetDevice(int device)
{
	sim_start();
	if (!sim_device_at(device))
		return sim_result(HIP_INVALID_DEVICE);
	sim_set_current(device);
	return HIP_OK;
}

int hipDeviceGet(int *device, int ordinal)
{
	if (!device || !sim_device_at(ordinal))
		return sim_result(device ? HIP_INVALID_DEVICE : HIP_INVALID_VALUE);
	*device = ordinal;
	return HIP_OK;
}

int hipDeviceGetName(char *name, int len, int device)
{
	const struct sim_device *at = sim_device_at(device);

	if (!at || !name || len <= 0)
		return sim_result(at ? HIP_INVALID_VALUE : HIP_INVALID_DEVICE);
	snprintf(name, (size_t)len, "%s", at->config->name);
	return HIP_OK;
}

int hipDeviceGetUuid(struct hip_uuid *uuid, int device)
{
	const struct sim_device *at = sim_device_at(device);

	if (!at || !uuid)
		return sim_result(at ? HIP_INVALID_VALUE : HIP_INVALID_DEVICE);
	memcpy(uuid->bytes, at->config->unique_id, sizeof(uuid->bytes));
	return HIP_OK;
}

struct attribute {
	int number;
	int value;
};

int hipDeviceGetAttribute(int *value, int attribute, int device)
{
	const struct sim_device *at = sim_device_at(device);
	const struct sim_device_config *config = at ? at->config : NULL;
	int major, minor;
	size_t i;

	if (!at || !value)
		return sim_result(at ? HIP_INVALID_VALUE : HIP_INVALID_DEVICE);
	capability(config, &major, &minor);
	const struct attribute attributes[] = {
		{ HIP_ATTRIBUTE_ECC_ENABLED, 1 },
		{ HIP_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1 },
		{ HIP_ATTRIBUTE_CLOCK_RATE, (int)config->clock_khz },
		{ HIP_ATTRIBUTE_CONCURRENT_KERNELS, 1 },
		{ HIP_ATTRIBUTE_L2_CACHE_SIZE, (int)config->l2_bytes },
		{ HIP_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major },
		{ HIP_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor },
		{ HIP_ATTRIBUTE_MANAGED_MEMORY, 1 },
		{ HIP_ATTRIBUTE_MAX_THREADS_PER_BLOCK, THREADS_PER_BLOCK },
		{ HIP_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, THREADS_PER_UNIT },
		{ HIP_ATTRIBUTE_MEMORY_BUS_WIDTH, (int)config->memory_bus_bits },
		{ HIP_ATTRIBUTE_MEMORY_CLOCK_RATE, (int)config->memory_clock_khz },
		{ HIP_ATTRIBUTE_MULTIPROCESSOR_COUNT, (int)config->multiprocessors },
		{ HIP_ATTRIBUTE_PCI_BUS_ID, (int)config->bus },
		{ HIP_ATTRIBUTE_PCI_DEVICE_ID, (int)config->slot },
		{ HIP_ATTRIBUTE_PCI_DOMAIN_ID, (int)config->domain },
		{ HIP_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, REGISTERS },
		{ HIP_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, SHARED_BYTES },
		{ HIP_ATTRIBUTE_TEXTURE_ALIGNMENT, TEXTURE_ALIGNMENT },
		{ HIP_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, TEXTURE_ALIGNMENT },
		{ HIP_ATTRIBUTE_WARP_SIZE, WAVE_FRONT },
		{ HIP_ATTRIBUTE_IMAGE_SUPPORT, strncmp(config->gcn_arch, "gfx94", 5) != 0 },
	};
	*value = 0;
	for (i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (attributes[i].number == attribute)
			*value = attributes[i].value;
	return HIP_OK;
}

int hipDeviceComputeCapability(int *major, int *minor, int device)
{
	const struct sim_device *at = sim_device_at(device);

	if (!at || !major || !minor)
		return sim_result(at ? HIP_INVALID_VALUE : HIP_INVALID_DEVICE);
	capability(at->config, major, minor);
	return HIP_OK;
}

int hipDeviceGetPCIBusId(char *text, int len, int device)
{
	const struct sim_device *at = sim_device_at(device);

	if (!at || !text || len <= 0)
		return sim_result(at ? HIP_INVALID_VALUE : HIP_INVALID_DEVICE);
	snprintf(text, (size_t)len, "%s", at->config->bdf);
	return HIP_OK;
}

int hipDeviceGetByPCIBusId(int *device, const char *text)
{
	unsigned int domain, bus, slot, function;
	int i;

	if (!device || !text || sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
		return sim_result(HIP_INVALID_VALUE);
	for (i = 0; i < sim.device_count; i++) {
		const struct sim_device_config *config = sim.devices[i].config;

		if (config->domain == domain && config->bus == bus && config->slot == slot) {
			*device = i;
			return HIP_OK;
		}
	}
	return sim_result(HIP_INVALID_VALUE);
}

int hipDeviceTotalMem(size_t *bytes, int device)
{
	const struct sim_device *at = sim_device_at(device);

	if (!at || !bytes)
		return sim_result(at ? HIP_INVALID_VALUE : HIP_INVALID_DEVICE);
	*bytes = (size_t)at->config->total_bytes;
	return HIP_OK;
}

int hipDeviceGetLimit(size_t *value, int limit)
{
	(void)limit;
	if (!value)
		return sim_result(HIP_INVALID_VALUE);
	*value = 0;
	return HIP_OK;
}

int hipDeviceSetLimit(int limit, size_t value)
{
	(void)limit;
	(void)value;
	return HIP_OK;
}

int hipDeviceCanAccessPeer(int *can, int device, int peer)
{
	if (!can || !sim_device_at(device) || !sim_device_at(peer))
		return sim_result(can ? HIP_INVALID_DEVICE : HIP_INVALID_VALUE);
	*can = device != peer && !sim_device_at(peer)->config->fault[SIM_PEER_NO_ACCESS];
	return HIP_OK;
}

int hipDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	struct sim_device *device = sim_current();
	uint64_t bit = UINT64_C(1) << (peer & 63);
	int can = 0, rc = hipDeviceCanAccessPeer(&can, sim_current_index(), peer);

	if (rc == HIP_OK && (flags || !device))
		rc = HIP_INVALID_VALUE;
	if (rc == HIP_OK && !can)
		rc = HIP_PEER_ACCESS_UNSUPPORTED;
	if (rc == HIP_OK && (device->peers & bit))
		rc = HIP_PEER_ACCESS_ALREADY_ENABLED;
	if (rc == HIP_OK)
		device->peers |= bit;
	return sim_result(rc);
}

int hipDeviceDisablePeerAccess(int peer)
{
	struct sim_device *device = sim_current();
	uint64_t bit = UINT64_C(1) << (peer & 63);

	if (!device || !sim_device_at(peer))
		return sim_result(HIP_INVALID_DEVICE);
	if (!(device->peers & bit))
		return sim_result(HIP_PEER_ACCESS_NOT_ENABLED);
	device->peers &= ~bit;
	return HIP_OK;
}

int hipDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
	(void)attribute;
	return hipDeviceCanAccessPeer(value, from, to);
}

/* The fields that both layouts have, under the same names. */
#define FILL_PROPERTIES(to, config)                                                                \
	do {                                                                                       \
		memset(to, 0, sizeof(*(to)));                                                      \
		snprintf((to)->name, sizeof((to)->name), "%s", (config)->name);                    \
		snprintf((to)->gcn_arch_name, sizeof((to)->gcn_arch_name), "%s",                   \
			(config)->gcn_arch);                                                       \
		capability(config, &(to)->major, &(to)->minor);                                    \
		(to)->total_global_mem = (size_t)(config)->total_bytes;                            \
		(to)->shared_mem_per_block = SHARED_BYTES;                                         \
		(to)->regs_per_block = REGISTERS;                                                  \
		(to)->warp_size = WAVE_FRONT;                                                      \
		(to)->max_threads_per_block = THREADS_PER_BLOCK;                                   \
		(to)->max_threads_per_multiprocessor = THREADS_PER_UNIT;                           \
		(to)->multiprocessor_count = (int)(config)->multiprocessors;                       \
		(to)->clock_rate = (int)(config)->clock_khz;                                       \
		(to)->memory_clock_rate = (int)(config)->memory_clock_khz;                         \
		(to)->memory_bus_width = (int)(config)->memory_bus_bits;                           \
		(to)->l2_cache_size = (int)(config)->l2_bytes;                                     \
		(to)->concurrent_kernels = 1;                                                      \
		(to)->can_map_host_memory = 1;                                                     \
		(to)->ecc_enabled = 1;                                                             \
		(to)->managed_memory = 1;                                                          \
		(to)->pci_domain_id = (int)(config)->domain;                                       \
		(to)->pci_bus_id = (int)(config)->bus;                                             \
		(to)->pci_device_id = (int)(config)->slot;                                         \
		(to)->texture_alignment = TEXTURE_ALIGNMENT;                                       \
		(to)->texture_pitch_alignment = TEXTURE_ALIGNMENT;                                 \
		(to)->max_texture_1d = (to)->max_texture_2d[0] = (to)->max_texture_2d[1] =         \
			TEXTURE_SIZE;                                                              \
		(to)->max_texture_3d[0] = (to)->max_texture_3d[1] = (to)->max_texture_3d[2] =      \
			TEXTURE_SIZE;                                                              \
	} while (0)

int hipGetDeviceProperties(struct hip_properties_r0000 *properties, int device)
{
	const struct sim_device *at = sim_device_at(device);

	if (!at || !properties)
		return sim_result(at ? HIP_INVALID_VALUE : HIP_INVALID_DEVICE);
	FILL_PROPERTIES(properties, at->config);
	return HIP_OK;
}

#if SIMHIP_ABI >= 6
/* The name without a suffix stays the old layout in the libraries of ROCm 6 and 7, for programs
 * linked before. */
int hipGetDevicePropertiesR0000(struct hip_properties_r0000 *properties, int device)
{
	return hipGetDeviceProperties(properties, device);
}

int hipGetDevicePropertiesR0600(struct hip_properties_r0600 *properties, int device)
{
	const struct sim_device *at = sim_device_at(device);

	if (!at || !properties)
		return sim_result(at ? HIP_INVALID_VALUE : HIP_INVALID_DEVICE);
	FILL_PROPERTIES(properties, at->config);
	memcpy(properties->uuid.bytes, at->config->unique_id, sizeof(properties->uuid.bytes));
	return HIP_OK;
}
#endif
