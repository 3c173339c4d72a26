/* SPDX-License-Identifier: Apache-2.0 */
#include "node/hip_peers.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "node/hip_abi.h"
#include "node/hip_calls.h"
#include "node/hip_memory.h"

#define CALLS(X)                                                                                   \
	HIP_DEVICE_CALLS(X)                                                                        \
	X(hipDeviceCanAccessPeer, (int *can, int device, int peer))                                \
	X(hipDeviceEnablePeerAccess, (int peer, unsigned int flags))                               \
	X(hipDeviceDisablePeerAccess, (int peer))                                                  \
	HIP_MEMORY_CALLS(X)                                                                        \
	X(hipMemcpyPeer, (void *to, int to_device, const void *from, int from_device, size_t bytes))

struct calls {
	CALLS(HIP_MEMBER)
	hip_error_name_fn *hipGetErrorName;
};

enum { SPOILT = 0x3c, NO_DEVICE = -1 };

struct peers {
	const struct hip_peers_request *request;
	struct calls hip;
	int *devices; /* HIP's index of each GCD asked for, or NO_DEVICE */
	uint64_t *words; /* of request->bytes */
	FILE *to;
};

/* One ordered pair. */
struct pair {
	size_t number;
	int from, to; /* HIP's indices */
	void *source, *target;
	bool enabled;
	char stopped[HIP_CALL_TEXT];
};

static void print_line(const struct peers *peers, json_t *line_stolen)
{
	json_dumpf(line_stolen, peers->to, JSON_COMPACT);
	fputc('\n', peers->to);
	fflush(peers->to);
	json_decref(line_stolen);
}

/* 0 when the call succeeded, else -1 and the first failure is kept. */
static int check(const struct peers *peers, struct pair *pair, const char *call, int code)
{
	if (code == HIP_OK)
		return 0;
	if (!pair->stopped[0])
		hip_load_call_text(call, code, peers->hip.hipGetErrorName, pair->stopped);
	return -1;
}

/* --- one pair --------------------------------------------------------------------------------- */

static void ask_access(struct peers *peers, struct pair *pair, json_t *line)
{
	int can = 0, code = peers->hip.hipDeviceCanAccessPeer(&can, pair->from, pair->to);

	json_object_set_new(line, "can_access", code == HIP_OK ? json_boolean(can) : json_null());
	json_object_set_new(line, "enable_code", json_null());
	if (check(peers, pair, "hipDeviceCanAccessPeer", code) != 0 || !can)
		return;
	code = peers->hip.hipSetDevice(pair->from);
	if (check(peers, pair, "hipSetDevice", code) != 0)
		return;
	code = peers->hip.hipDeviceEnablePeerAccess(pair->to, 0);
	json_object_set_new(line, "enable_code", json_integer(code));
	pair->enabled = code == HIP_OK || code == HIP_PEER_ACCESS_ALREADY_ENABLED;
	if (!pair->enabled)
		check(peers, pair, "hipDeviceEnablePeerAccess", code);
}

/* Each pair has words of its own, so that what an earlier copy left is never right. */
static uint64_t word_of(const struct pair *pair, uint64_t index)
{
	return hip_memory_word(((uint64_t)pair->number + 1) << 40 | index);
}

static int prepare(struct peers *peers, struct pair *pair)
{
	uint64_t bytes = peers->request->bytes, i;
	const struct calls *hip = &peers->hip;

	for (i = 0; i < bytes / 8; i++)
		peers->words[i] = word_of(pair, i);
	if (check(peers, pair, "hipSetDevice", hip->hipSetDevice(pair->from)) != 0 ||
		check(peers, pair, "hipMalloc on the source",
			hip->hipMalloc(&pair->source, bytes)) != 0 ||
		check(peers, pair, "hipMemcpy to the source",
			hip->hipMemcpy(pair->source, peers->words, bytes, HIP_TO_DEVICE)) != 0 ||
		check(peers, pair, "hipSetDevice", hip->hipSetDevice(pair->to)) != 0 ||
		check(peers, pair, "hipMalloc on the target",
			hip->hipMalloc(&pair->target, bytes)) != 0 ||
		check(peers, pair, "hipMemset of the target",
			hip->hipMemset(pair->target, SPOILT, bytes)) != 0)
		return -1;
	return check(peers, pair, "hipDeviceSynchronize", hip->hipDeviceSynchronize());
}

static int copy(struct peers *peers, struct pair *pair, unsigned times)
{
	unsigned i;
	int rc = check(peers, pair, "hipSetDevice", peers->hip.hipSetDevice(pair->from));

	for (i = 0; rc == 0 && i < times; i++)
		rc = check(peers, pair, "hipMemcpyPeer",
			peers->hip.hipMemcpyPeer(pair->target, pair->to, pair->source, pair->from,
				peers->request->bytes));
	return rc == 0 ? check(peers, pair, "hipDeviceSynchronize",
				 peers->hip.hipDeviceSynchronize())
		       : -1;
}

static json_t *bad_json(const struct peers *peers, const struct pair *pair)
{
	uint64_t bad = 0, first = 0, i;
	char wrote[24], got[24];

	for (i = 0; i < peers->request->bytes / 8; i++)
		if (peers->words[i] != word_of(pair, i) && !bad++)
			first = i;
	if (!bad)
		return json_null();
	snprintf(wrote, sizeof(wrote), "0x%016llx", (unsigned long long)word_of(pair, first));
	snprintf(got, sizeof(got), "0x%016llx", (unsigned long long)peers->words[first]);
	return json_pack("{s:I, s:s, s:s, s:I}", "offset", (json_int_t)(8 * first), "wrote", wrote,
		"read", got, "words", (json_int_t)bad);
}

static void copy_and_check(struct peers *peers, struct pair *pair, json_t *line)
{
	const struct calls *hip = &peers->hip;
	uint64_t bytes = peers->request->bytes;
	double begun;
	json_t *bad;

	if (prepare(peers, pair) != 0 || copy(peers, pair, 1) != 0)
		return;
	memset(peers->words, SPOILT, bytes);
	if (check(peers, pair, "hipSetDevice", hip->hipSetDevice(pair->to)) != 0 ||
		check(peers, pair, "hipMemcpy from the target",
			hip->hipMemcpy(peers->words, pair->target, bytes, HIP_TO_HOST)) != 0)
		return;
	bad = bad_json(peers, pair);
	json_object_set_new(line, "right", json_boolean(json_is_null(bad)));
	json_object_set_new(line, "bad", bad);
	begun = clock_monotonic_s();
	if (copy(peers, pair, peers->request->repeats) == 0)
		json_object_set_new(line, "seconds", json_real(clock_monotonic_s() - begun));
}

static void give_back(struct peers *peers, struct pair *pair)
{
	if (pair->source)
		check(peers, pair, "hipFree", peers->hip.hipFree(pair->source));
	if (pair->target)
		check(peers, pair, "hipFree", peers->hip.hipFree(pair->target));
	if (pair->enabled && peers->hip.hipSetDevice(pair->from) == HIP_OK)
		check(peers, pair, "hipDeviceDisablePeerAccess",
			peers->hip.hipDeviceDisablePeerAccess(pair->to));
}

static void run_pair(struct peers *peers, size_t number, size_t from, size_t to)
{
	const struct hip_peers_request *request = peers->request;
	struct pair pair = {
		.number = number, .from = peers->devices[from], .to = peers->devices[to]
	};
	json_t *line = json_pack("{s:I, s:s, s:s, s:n, s:n, s:I, s:i, s:n}", "pair",
		(json_int_t)number, "from", request->gcds[from], "to", request->gcds[to], "right",
		"bad", "bytes", (json_int_t)request->bytes, "repeats", (int)request->repeats,
		"seconds");

	print_line(peers, json_pack("{s:I, s:s, s:s}", "begin", (json_int_t)number, "from",
				  request->gcds[from], "to", request->gcds[to]));
	if (pair.from == NO_DEVICE || pair.to == NO_DEVICE) {
		snprintf(pair.stopped, sizeof(pair.stopped), "HIP enumerates no device at %.40s",
			request->gcds[pair.from == NO_DEVICE ? from : to]);
		json_object_set_new(line, "can_access", json_null());
		json_object_set_new(line, "enable_code", json_null());
	} else {
		ask_access(peers, &pair, line);
		copy_and_check(peers, &pair, line);
		give_back(peers, &pair);
	}
	json_object_set_new(line, "enabled", json_boolean(pair.enabled));
	json_object_set_new(
		line, "stopped", pair.stopped[0] ? json_printable_text(pair.stopped) : json_null());
	print_line(peers, line);
}

static void run_pairs(struct peers *peers)
{
	size_t count = peers->request->gcd_count, number = 0, from, to;

	for (from = 0; from < count; from++)
		for (to = 0; to < count; to++) {
			if (from == to)
				continue;
			if (number >= peers->request->first)
				run_pair(peers, number, from, to);
			number++;
		}
}

/* --- the runtime ------------------------------------------------------------------------------ */

static void print_state(
	const struct peers *peers, const char *state, const char *why, void *library)
{
	print_line(peers, json_pack("{s:s, s:o, s:o}", "state", state, "why",
				  why ? json_printable_text(why) : json_null(), "library",
				  library ? hip_load_path(library) : json_null()));
}

static int find_devices(struct peers *peers, struct pair *about)
{
	const struct hip_peers_request *request = peers->request;
	int count = 0, code = peers->hip.hipInit(0), device;
	char bdf[64];
	size_t i;

	if (check(peers, about, "hipInit", code) != 0)
		return code;
	code = peers->hip.hipGetDeviceCount(&count);
	if (check(peers, about, "hipGetDeviceCount", code) != 0)
		return code;
	peers->devices = xcalloc(request->gcd_count + 1, sizeof(*peers->devices));
	for (i = 0; i < request->gcd_count; i++)
		peers->devices[i] = NO_DEVICE;
	for (device = 0; device < count; device++) {
		bdf[0] = bdf[sizeof(bdf) - 1] = '\0';
		if (peers->hip.hipDeviceGetPCIBusId(bdf, sizeof(bdf) - 1, device) != HIP_OK)
			continue;
		for (i = 0; i < request->gcd_count; i++)
			if (strcasecmp(bdf, request->gcds[i]) == 0)
				peers->devices[i] = device;
	}
	return HIP_OK;
}

static const char *bind_calls(struct calls *hip, void *library)
{
	static const struct hip_symbol rows[] = { CALLS(HIP_ROW) HIP_ERROR_NAME_ROW };

	return hip_load_bind(library, rows, sizeof(rows) / sizeof(rows[0]), hip);
}

static void run_with(struct peers *peers, void *library)
{
	const char *absent = bind_calls(&peers->hip, library);
	struct pair about = { 0 };
	char why[200];
	int code;

	if (absent) {
		snprintf(why, sizeof(why), "the library has no %s", absent);
		print_state(peers, "unusable", why, library);
		return;
	}
	code = find_devices(peers, &about);
	if (code != HIP_OK) {
		print_state(peers,
			code == HIP_NO_DEVICES || code == HIP_INVALID_DEVICE ? "no-device"
									     : "unusable",
			about.stopped, library);
		return;
	}
	print_state(peers, "ready", NULL, library);
	peers->words = xmalloc(peers->request->bytes);
	run_pairs(peers);
	print_line(peers, json_pack("{s:b}", "done", 1));
	free(peers->words);
	free(peers->devices);
}

void hip_peers_print(const struct hip_peers_request *request, FILE *to)
{
	struct peers peers = { .request = request, .to = to };
	json_t *tried = json_array();
	void *library = hip_load(request->library, tried);
	char *why;

	if (library) {
		run_with(&peers, library);
	} else {
		why = hip_load_failure(tried);
		print_state(&peers, "missing", why, NULL);
		free(why);
	}
	json_decref(tried);
}
