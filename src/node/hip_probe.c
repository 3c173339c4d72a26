/* SPDX-License-Identifier: Apache-2.0 */
#include "node/hip_probe.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "node/hip_abi.h"
#include "node/hip_load.h"
#include "node/sim_abi.h"

/* Every function that is called, once: required ones make a library unusable when they are absent.
 */
#define HIP_CALLS(X)                                                                               \
	X(REQUIRED, int, hipInit, (unsigned int flags))                                            \
	X(REQUIRED, int, hipGetDeviceCount, (int *count))                                          \
	X(OPTIONAL, const char *, hipGetErrorName, (int code))                                     \
	X(OPTIONAL, int, hipDriverGetVersion, (int *version))                                      \
	X(OPTIONAL, int, hipRuntimeGetVersion, (int *version))                                     \
	X(OPTIONAL, int, hipDeviceGetName, (char *name, int len, int device))                      \
	X(OPTIONAL, int, hipDeviceGetPCIBusId, (char *text, int len, int device))                  \
	X(OPTIONAL, int, hipDeviceGetUuid, (struct hip_uuid * uuid, int device))                   \
	X(OPTIONAL, int, hipDeviceTotalMem, (size_t * bytes, int device))                          \
	X(OPTIONAL, int, hipSetDevice, (int device))                                               \
	X(OPTIONAL, int, hipMemGetInfo, (size_t * free_bytes, size_t * total_bytes))               \
	X(OPTIONAL, int, hipGetDeviceProperties, (void *properties, int device))                   \
	X(OPTIONAL, int, hipGetDevicePropertiesR0600, (void *properties, int device))

struct hip {
	void *library;
#define HIP_MEMBER(need, type, name, args) type(*name) args;
	HIP_CALLS(HIP_MEMBER)
#undef HIP_MEMBER
};

enum { REQUIRED, OPTIONAL };

static const struct hip_symbol symbols[] = {
#define HIP_SYMBOL(need, type, name, args)                                                         \
	{ #name, offsetof(struct hip, name), (need) == OPTIONAL },
	HIP_CALLS(HIP_SYMBOL)
#undef HIP_SYMBOL
};

enum { MAX_DEVICES = 1024, PROPERTIES_BYTES = 65536 };

static void set_state(json_t *out, const char *state, const char *why)
{
	json_object_set_new(out, "state", json_string(state));
	json_object_set_new(out, "why", why ? json_printable_text(why) : json_null());
}

/* --- asking --------------------------------------------------------------------------------- */

static json_t *version_of(int (*ask)(int *))
{
	int version = 0;

	return ask && ask(&version) == HIP_OK ? json_integer(version) : json_null();
}

static json_t *text_of(int (*ask)(char *, int, int), int device)
{
	char text[512] = "";

	if (!ask || ask(text, sizeof(text) - 1, device) != HIP_OK)
		return json_null();
	text[sizeof(text) - 1] = '\0';
	return text[0] ? json_printable_text(text) : json_null();
}

static json_t *uuid_of(const struct hip *hip, int device)
{
	char text[sizeof(struct hip_uuid) + 1] = "";
	unsigned long long id;
	struct hip_uuid uuid;

	memset(&uuid, 0, sizeof(uuid));
	if (!hip->hipDeviceGetUuid || hip->hipDeviceGetUuid(&uuid, device) != HIP_OK)
		return json_null();
	memcpy(text, uuid.bytes, sizeof(uuid));
	return strlen(text) == 16 && text_u64(text, 16, &id) ? json_string(text) : json_null();
}

/* The only thing that no call but the properties tells. The library writes into room to spare: a
 * later layout may be longer than the one known here. */
static json_t *gcn_arch_of(const struct hip *hip, int device)
{
	char *room = xcalloc(1, PROPERTIES_BYTES);
	const char *name = NULL;
	json_t *arch = json_null();

	if (hip->hipGetDevicePropertiesR0600) {
		if (hip->hipGetDevicePropertiesR0600(room, device) == HIP_OK)
			name = ((struct hip_properties_r0600 *)(void *)room)->gcn_arch_name;
	} else if (hip->hipGetDeviceProperties &&
		   hip->hipGetDeviceProperties(room, device) == HIP_OK) {
		name = ((struct hip_properties_r0000 *)(void *)room)->gcn_arch_name;
	}
	if (name && str_starts(name, "gfx") && memchr(name, '\0', 256))
		arch = json_printable_text(name);
	free(room);
	return arch;
}

static void add_memory(const struct hip *hip, int device, json_t *to)
{
	size_t total = 0, free_bytes = 0, whole = 0;
	bool free_known = hip->hipSetDevice && hip->hipMemGetInfo &&
			  hip->hipSetDevice(device) == HIP_OK &&
			  hip->hipMemGetInfo(&free_bytes, &whole) == HIP_OK;
	bool total_known =
		hip->hipDeviceTotalMem && hip->hipDeviceTotalMem(&total, device) == HIP_OK;

	json_object_set_new(
		to, "total", total_known ? json_integer((json_int_t)total) : json_null());
	json_object_set_new(
		to, "free", free_known ? json_integer((json_int_t)free_bytes) : json_null());
}

static json_t *device_of(const struct hip *hip, int device)
{
	json_t *json = json_object();

	json_object_set_new(json, "index", json_integer(device));
	json_object_set_new(json, "bdf", text_of(hip->hipDeviceGetPCIBusId, device));
	json_object_set_new(json, "uuid", uuid_of(hip, device));
	json_object_set_new(json, "name", text_of(hip->hipDeviceGetName, device));
	json_object_set_new(json, "gcn_arch", gcn_arch_of(hip, device));
	add_memory(hip, device, json);
	return json;
}

static void failed_call(
	const struct hip *hip, json_t *out, const char *state, const char *call, int code)
{
	char why[HIP_CALL_TEXT];

	hip_load_call_text(call, code, hip->hipGetErrorName, why);
	set_state(out, state, why);
}

static bool means_no_device(int code)
{
	return code == HIP_NO_DEVICES || code == HIP_INVALID_DEVICE;
}

static void ask(const struct hip *hip, json_t *out)
{
	json_t *devices = json_object_get(out, "devices");
	int count = 0, device, code = hip->hipInit(0);

	json_object_set_new(out, "driver_version", version_of(hip->hipDriverGetVersion));
	json_object_set_new(out, "runtime_version", version_of(hip->hipRuntimeGetVersion));
	if (code != HIP_OK) {
		failed_call(hip, out, means_no_device(code) ? "no-device" : "unusable", "hipInit",
			code);
		return;
	}
	code = hip->hipGetDeviceCount(&count);
	if (code != HIP_OK) {
		failed_call(hip, out, means_no_device(code) ? "no-device" : "unusable",
			"hipGetDeviceCount", code);
		return;
	}
	if (count <= 0 || count > MAX_DEVICES) {
		char *why = xasprintf("hipGetDeviceCount says %d", count);

		set_state(out, count == 0 ? "no-device" : "unusable", why);
		free(why);
		return;
	}
	for (device = 0; device < count; device++)
		json_array_append_new(devices, device_of(hip, device));
	set_state(out, "answered", NULL);
}

json_t *hip_probe_json(const char *library)
{
	json_t *out = json_object(), *tried = json_array();
	const char *absent;
	struct hip hip;

	memset(&hip, 0, sizeof(hip));
	json_object_set_new(out, "schema", json_string("oamqual-hip-probe/1"));
	set_state(out, "missing", NULL);
	json_object_set_new(out, "library", json_null());
	json_object_set_new(out, "driver_version", json_null());
	json_object_set_new(out, "runtime_version", json_null());
	json_object_set_new(out, "layout", json_null());
	json_object_set_new(out, "devices", json_array());
	json_object_set_new(out, "tried", tried);
	hip.library = hip_load(library, tried);
	if (!hip.library) {
		char *why = hip_load_failure(tried);

		set_state(out, "missing", why);
		free(why);
		return out;
	}
	json_object_set_new(out, "library", hip_load_path(hip.library));
	if (dlsym(hip.library, SIM_MARKER) && !getenv("OAMQUAL_SIM")) {
		set_state(out, "unusable",
			"this library is oamqual's own stand-in runtime, and this node is not "
			"replayed");
		return out;
	}
	absent = hip_load_bind(hip.library, symbols, sizeof(symbols) / sizeof(symbols[0]), &hip);
	if (absent) {
		char *why = xasprintf("the library has no %s", absent);

		set_state(out, "unusable", why);
		free(why);
		return out;
	}
	json_object_set_new(
		out, "layout", json_string(hip.hipGetDevicePropertiesR0600 ? "R0600" : "R0000"));
	ask(&hip, out);
	return out;
}
