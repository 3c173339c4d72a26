/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* dladdr */
#include "node/hip_collective.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "node/hip_abi.h"
#include "node/hip_calls.h"

#define HIP_CALLS(X)                                                                               \
	HIP_DEVICE_CALLS(X)                                                                        \
	HIP_MEMORY_CALLS(X)

/* rccl.h, the same in all its releases. */
#define RCCL_CALLS(X)                                                                              \
	X(ncclGetVersion, (int *version))                                                          \
	X(ncclCommInitAll, (void **comms, int count, const int *devices))                          \
	X(ncclGroupStart, (void))                                                                  \
	X(ncclGroupEnd, (void))                                                                    \
	X(ncclAllReduce, (const void *from, void *to, size_t count, int type, int operation,       \
				 void *comm, void *stream))                                        \
	X(ncclCommDestroy, (void *comm))

enum { NCCL_SUCCESS = 0, NCCL_SUM = 0, NCCL_FLOAT32 = 7 };
enum { SPOILT = 0x3c, DEVICES_MAX = 64 };

struct calls {
	HIP_CALLS(HIP_MEMBER)
	RCCL_CALLS(HIP_MEMBER)
};

struct collective {
	const struct hip_collective_request *request;
	struct calls call;
	size_t count;
	int devices[DEVICES_MAX];
	void *comms[DEVICES_MAX], *from[DEVICES_MAX], *to[DEVICES_MAX];
	float *host;
	size_t elements;
	char stopped[HIP_CALL_TEXT];
};

static int check(struct collective *c, const char *call, int code)
{
	if (code == HIP_OK)
		return 0;
	if (!c->stopped[0])
		hip_load_call_text(call, code, NULL, c->stopped);
	return -1;
}

/* What device `rank` adds, at most 1000; and the sum of all. */
static float part_of(size_t rank, size_t element)
{
	return (float)((element * 7 + rank * 13) % 1000);
}

static float sum_of(size_t count, size_t element)
{
	float sum = 0;
	size_t rank;

	for (rank = 0; rank < count; rank++)
		sum += part_of(rank, element);
	return sum;
}

static int fill(struct collective *c, size_t rank)
{
	size_t bytes = c->elements * sizeof(float), i;

	for (i = 0; i < c->elements; i++)
		c->host[i] = part_of(rank, i);
	if (check(c, "hipSetDevice", c->call.hipSetDevice(c->devices[rank])) != 0 ||
		check(c, "hipMalloc", c->call.hipMalloc(&c->from[rank], bytes)) != 0 ||
		check(c, "hipMalloc", c->call.hipMalloc(&c->to[rank], bytes)) != 0 ||
		check(c, "hipMemcpy to the device",
			c->call.hipMemcpy(c->from[rank], c->host, bytes, HIP_TO_DEVICE)) != 0 ||
		check(c, "hipMemset", c->call.hipMemset(c->to[rank], SPOILT, bytes)) != 0)
		return -1;
	return check(c, "hipDeviceSynchronize", c->call.hipDeviceSynchronize());
}

static int synchronize(struct collective *c)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < c->count; i++) {
		rc = check(c, "hipSetDevice", c->call.hipSetDevice(c->devices[i]));
		if (rc == 0)
			rc = check(c, "hipDeviceSynchronize", c->call.hipDeviceSynchronize());
	}
	return rc;
}

static int reduce(struct collective *c, unsigned times)
{
	unsigned t;
	size_t i;
	int rc = 0;

	for (t = 0; rc == 0 && t < times; t++) {
		rc = check(c, "ncclGroupStart", c->call.ncclGroupStart());
		for (i = 0; rc == 0 && i < c->count; i++)
			rc = check(c, "ncclAllReduce",
				c->call.ncclAllReduce(c->from[i], c->to[i], c->elements,
					NCCL_FLOAT32, NCCL_SUM, c->comms[i], NULL));
		if (check(c, "ncclGroupEnd", c->call.ncclGroupEnd()) != 0)
			rc = -1;
	}
	return rc == 0 ? synchronize(c) : -1;
}

/* The first element that is not the sum, over all devices; null when all are. */
static int find_bad(struct collective *c, json_t **bad)
{
	size_t bytes = c->elements * sizeof(float), rank, i, wrong = 0, at = 0, where = 0;
	float got = 0;

	for (rank = 0; rank < c->count; rank++) {
		memset(c->host, 0, bytes);
		if (check(c, "hipSetDevice", c->call.hipSetDevice(c->devices[rank])) != 0 ||
			check(c, "hipMemcpy from the device",
				c->call.hipMemcpy(c->host, c->to[rank], bytes, HIP_TO_HOST)) != 0)
			return -1;
		for (i = 0; i < c->elements; i++) {
			if (c->host[i] == sum_of(c->count, i) || wrong++)
				continue;
			at = i;
			where = rank;
			got = c->host[i];
		}
	}
	*bad = !wrong ? json_null()
		      : json_pack("{s:s, s:I, s:f, s:f, s:I}", "gcd", c->request->gcds[where],
				"element", (json_int_t)at, "want", (double)sum_of(c->count, at),
				"got", (double)got, "elements", (json_int_t)wrong);
	return 0;
}

static void run_sum(struct collective *c, json_t *out)
{
	json_t *bad = NULL;
	double begun;
	size_t i;
	int rc = check(
		c, "ncclCommInitAll", c->call.ncclCommInitAll(c->comms, (int)c->count, c->devices));

	for (i = 0; rc == 0 && i < c->count; i++)
		rc = fill(c, i);
	if (rc != 0 || reduce(c, 1) != 0 || find_bad(c, &bad) != 0)
		return;
	json_object_set_new(out, "right", json_boolean(json_is_null(bad)));
	json_object_set_new(out, "bad", bad);
	begun = clock_monotonic_s();
	if (reduce(c, c->request->repeats) == 0)
		json_object_set_new(out, "seconds", json_real(clock_monotonic_s() - begun));
}

static void give_back(struct collective *c)
{
	size_t i;

	for (i = 0; i < c->count; i++) {
		if (c->call.hipSetDevice(c->devices[i]) != HIP_OK)
			continue;
		if (c->from[i])
			c->call.hipFree(c->from[i]);
		if (c->to[i])
			c->call.hipFree(c->to[i]);
		if (c->comms[i])
			check(c, "ncclCommDestroy", c->call.ncclCommDestroy(c->comms[i]));
	}
}

/* --- libraries and devices -------------------------------------------------------------------- */

static void set_state(json_t *out, const char *state, const char *why)
{
	json_object_set_new(out, "state", json_string(state));
	json_object_set_new(out, "why", why ? json_printable_text(why) : json_null());
}

static void *load_rccl(const char *wanted, const char **why)
{
	static const char *const names[] = { "librccl.so.1", "librccl.so",
		"/opt/rocm/lib/librccl.so.1", "/opt/rocm/lib/librccl.so", NULL };
	void *library = wanted ? dlopen(wanted, RTLD_NOW | RTLD_LOCAL) : NULL;
	size_t i;

	for (i = 0; !wanted && !library && names[i]; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	*why = library ? NULL : dlerror();
	return library;
}

static const char *bind_calls(struct calls *call, void *hip, void *rccl)
{
	static const struct hip_symbol hip_rows[] = { HIP_CALLS(HIP_ROW) };
	static const struct hip_symbol rccl_rows[] = { RCCL_CALLS(HIP_ROW) };
	const char *absent =
		hip_load_bind(hip, hip_rows, sizeof(hip_rows) / sizeof(hip_rows[0]), call);
	const char *other =
		hip_load_bind(rccl, rccl_rows, sizeof(rccl_rows) / sizeof(rccl_rows[0]), call);

	return absent ? absent : other;
}

/* -1 after setting the state. */
static int find_devices(struct collective *c, json_t *out)
{
	const struct hip_collective_request *request = c->request;
	int count = 0, device, code = c->call.hipInit(0);
	char bdf[64] = "", why[200];
	size_t i;

	if (code == HIP_OK)
		code = c->call.hipGetDeviceCount(&count);
	if (code != HIP_OK) {
		snprintf(why, sizeof(why), "HIP enumerates no device: error %d", code);
		set_state(out, "no-device", why);
		return -1;
	}
	for (i = 0; i < request->gcd_count && i < DEVICES_MAX; i++) {
		for (device = 0; device < count; device++)
			if (c->call.hipDeviceGetPCIBusId(bdf, sizeof(bdf) - 1, device) == HIP_OK &&
				strcasecmp(bdf, request->gcds[i]) == 0)
				break;
		if (device == count) {
			snprintf(why, sizeof(why), "HIP enumerates no device at %.40s",
				request->gcds[i]);
			set_state(out, "no-device", why);
			return -1;
		}
		c->devices[c->count++] = device;
	}
	return 0;
}

static void run_with(struct collective *c, void *hip, void *rccl, json_t *out)
{
	const char *absent = bind_calls(&c->call, hip, rccl);
	char why[200];
	int version = 0;

	if (absent) {
		snprintf(why, sizeof(why), "the libraries have no %s", absent);
		set_state(out, "unusable", why);
		return;
	}
	if (c->call.ncclGetVersion(&version) == NCCL_SUCCESS)
		json_object_set_new(out, "version", json_integer(version));
	if (find_devices(c, out) != 0)
		return;
	c->elements = (size_t)(c->request->bytes / sizeof(float));
	c->host = xmalloc(c->elements * sizeof(float));
	run_sum(c, out);
	give_back(c);
	free(c->host);
	json_object_set_new(
		out, "stopped", c->stopped[0] ? json_printable_text(c->stopped) : json_null());
	set_state(out, "done", NULL);
}

static json_t *path_of(void *library)
{
	void *address = dlsym(library, "ncclGetVersion");
	Dl_info info;

	return address && dladdr(address, &info) && info.dli_fname
		       ? json_printable_text(info.dli_fname)
		       : json_null();
}

json_t *hip_collective_json(const struct hip_collective_request *request)
{
	struct collective c = { .request = request };
	json_t *out = json_pack("{s:s, s:n, s:n, s:n, s:n, s:n, s:I, s:i, s:n}", "schema",
		"oamqual-hip-collective/1", "library", "version", "right", "bad", "stopped",
		"bytes", (json_int_t)request->bytes, "repeats", (int)request->repeats, "seconds");
	json_t *tried = json_array();
	void *hip = hip_load(request->hip_library, tried), *rccl;
	const char *why = NULL;
	char *failure;

	rccl = hip ? load_rccl(request->rccl_library, &why) : NULL;
	if (!hip) {
		failure = hip_load_failure(tried);
		set_state(out, "missing", failure);
		free(failure);
	} else if (!rccl) {
		set_state(out, "no-rccl", why ? why : "librccl cannot be loaded");
	} else {
		json_object_set_new(out, "library", path_of(rccl));
		run_with(&c, hip, rccl, out);
	}
	json_decref(tried);
	return out;
}
