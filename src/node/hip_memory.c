/* SPDX-License-Identifier: Apache-2.0 */
#include "node/hip_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "node/hip_abi.h"
#include "node/hip_calls.h"

#define CALLS(X)                                                                                   \
	HIP_DEVICE_CALLS(X)                                                                        \
	X(hipMemGetInfo, (size_t * free_bytes, size_t * total_bytes))                              \
	HIP_MEMORY_CALLS(X)

struct calls {
	CALLS(HIP_MEMBER)
	hip_error_name_fn *hipGetErrorName;
};

/* Chunks keep a failing allocation small; blocks are what is copied at once. Not whole: the first
 * block of each stride and the last of the chunk hold the pattern, the rest one byte that is looked
 * at between them. */
#define CHUNK_BYTES (1ULL << 30)
#define STRIDE_BYTES (64ULL << 20)

enum { BLOCK_BYTES = 1 << 20, BLOCK_WORDS = BLOCK_BYTES / 8, CHUNKS_MAX = 4096, FILL = 0xa5 };

struct chunk {
	void *address;
	uint64_t start,
		bytes; /* start: offset in all that was allocated; both multiples of a block */
};

struct control {
	const struct hip_memory_request *request;
	struct calls hip;
	struct chunk *chunks;
	size_t chunk_count;
	uint64_t *block; /* of BLOCK_WORDS */
	uint64_t allocated, checked;
	uint64_t bad_words, bad_offset, bad_wrote, bad_read;
	char stopped[HIP_CALL_TEXT]; /* the call that failed */
};

uint64_t hip_memory_word(uint64_t index)
{
	uint64_t word = index + 0x9e3779b97f4a7c15ULL;

	word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
	word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
	return word ^ (word >> 31);
}

static int stop(struct control *control, const char *call, int code)
{
	if (!control->stopped[0])
		hip_load_call_text(call, code, control->hip.hipGetErrorName, control->stopped);
	return -1;
}

/* --- the work ------------------------------------------------------------------------------- */

static int allocate(struct control *control, uint64_t wanted)
{
	while (control->allocated < wanted && control->chunk_count < CHUNKS_MAX) {
		struct chunk *chunk = &control->chunks[control->chunk_count];
		uint64_t rest = wanted - control->allocated;
		int code;

		chunk->bytes = rest < CHUNK_BYTES ? rest : CHUNK_BYTES;
		chunk->start = control->allocated;
		chunk->address = NULL;
		code = control->hip.hipMalloc(&chunk->address, chunk->bytes);
		if (code != HIP_OK || !chunk->address)
			return stop(control, "hipMalloc", code);
		control->chunk_count++;
		control->allocated += chunk->bytes;
	}
	return 0;
}

/* Is the block at `offset` of the chunk one that holds the pattern? */
static bool is_sampled(const struct control *control, const struct chunk *chunk, uint64_t offset)
{
	return control->request->whole || offset % STRIDE_BYTES == 0 ||
	       offset + BLOCK_BYTES == chunk->bytes;
}

static int write_chunk(struct control *control, const struct chunk *chunk)
{
	uint64_t offset, i;
	int code;

	code = control->request->whole ? HIP_OK
				       : control->hip.hipMemset(chunk->address, FILL, chunk->bytes);
	if (code != HIP_OK)
		return stop(control, "hipMemset", code);
	for (offset = 0; offset < chunk->bytes; offset += BLOCK_BYTES) {
		if (!is_sampled(control, chunk, offset))
			continue;
		for (i = 0; i < BLOCK_WORDS; i++)
			control->block[i] = hip_memory_word((chunk->start + offset) / 8 + i);
		code = control->hip.hipMemcpy((char *)chunk->address + offset, control->block,
			BLOCK_BYTES, HIP_TO_DEVICE);
		if (code != HIP_OK)
			return stop(control, "hipMemcpy to the device", code);
	}
	return 0;
}

static void check_words(struct control *control, uint64_t start, bool is_pattern)
{
	uint64_t fill, i;

	memset(&fill, FILL, sizeof(fill));
	for (i = 0; i < BLOCK_WORDS; i++) {
		uint64_t want = is_pattern ? hip_memory_word(start / 8 + i) : fill;

		if (control->block[i] == want)
			continue;
		if (!control->bad_words++) {
			control->bad_offset = start + 8 * i;
			control->bad_wrote = want;
			control->bad_read = control->block[i];
		}
	}
	control->checked += BLOCK_BYTES;
}

/* The buffer is spoilt before each copy: one that did nothing would else look like a match. */
static int check_chunk(struct control *control, const struct chunk *chunk)
{
	uint64_t offset;

	for (offset = 0; offset < chunk->bytes; offset += BLOCK_BYTES) {
		bool sampled = is_sampled(control, chunk, offset);
		int code;

		if (!sampled && offset % STRIDE_BYTES != STRIDE_BYTES / 2)
			continue;
		memset(control->block, 0x3c, BLOCK_BYTES);
		code = control->hip.hipMemcpy(
			control->block, (char *)chunk->address + offset, BLOCK_BYTES, HIP_TO_HOST);
		if (code != HIP_OK)
			return stop(control, "hipMemcpy to the host", code);
		check_words(control, chunk->start + offset, sampled);
	}
	return 0;
}

/* All is written before anything is read: two addresses of one cell then show. */
static void fill_and_check(struct control *control)
{
	size_t i;
	int rc = 0, code;

	for (i = 0; rc == 0 && i < control->chunk_count; i++)
		rc = write_chunk(control, &control->chunks[i]);
	code = rc == 0 ? control->hip.hipDeviceSynchronize() : HIP_OK;
	if (code != HIP_OK)
		rc = stop(control, "hipDeviceSynchronize", code);
	for (i = 0; rc == 0 && i < control->chunk_count; i++)
		rc = check_chunk(control, &control->chunks[i]);
}

static void free_all(struct control *control)
{
	while (control->chunk_count) {
		int code = control->hip.hipFree(control->chunks[--control->chunk_count].address);

		if (code != HIP_OK)
			stop(control, "hipFree", code);
	}
}

/* More than the whole domain: what is refused does not depend on what else is in it. */
static json_t *ask_boundary(struct control *control, uint64_t total)
{
	uint64_t asked = total + CHUNK_BYTES;
	void *address = NULL;
	const char *name;
	int code;

	code = control->hip.hipMalloc(&address, asked);
	if (code == HIP_OK && address)
		control->hip.hipFree(address);
	name = control->hip.hipGetErrorName ? control->hip.hipGetErrorName(code) : NULL;
	return json_pack(
		"{s:I, s:i, s:s?}", "asked", (json_int_t)asked, "code", code, "name", name);
}

/* --- the answer ----------------------------------------------------------------------------- */

static void set_state(json_t *out, const char *state, const char *why)
{
	json_object_set_new(out, "state", json_string(state));
	json_object_set_new(out, "why", why ? json_printable_text(why) : json_null());
}

static const char *bind_calls(struct calls *hip, void *library)
{
	static const struct hip_symbol rows[] = { CALLS(HIP_ROW) HIP_ERROR_NAME_ROW };

	return hip_load_bind(library, rows, sizeof(rows) / sizeof(rows[0]), hip);
}

/* -1 after setting the state: only a process that sees exactly one device measures that one. */
static int open_device(struct control *control, json_t *out)
{
	char text[200], bdf[64] = "";
	int count = 0, code = control->hip.hipInit(0);
	const char *call = "hipInit";

	if (code == HIP_OK) {
		call = "hipGetDeviceCount";
		code = control->hip.hipGetDeviceCount(&count);
	}
	if (code == HIP_OK && count == 1) {
		call = "hipSetDevice";
		code = control->hip.hipSetDevice(0);
	}
	if (code != HIP_OK) {
		hip_load_call_text(call, code, control->hip.hipGetErrorName, text);
		set_state(out,
			code == HIP_NO_DEVICES || code == HIP_INVALID_DEVICE ? "no-device"
									     : "unusable",
			text);
		return -1;
	}
	if (count != 1) {
		snprintf(text, sizeof(text), "%d devices are visible where one was to be isolated",
			count);
		set_state(out, "unusable", text);
		return -1;
	}
	if (control->hip.hipDeviceGetPCIBusId(bdf, sizeof(bdf) - 1, 0) == HIP_OK)
		json_object_set_new(out, "bdf", json_printable_text(bdf));
	return 0;
}

static uint64_t add_free(struct control *control, json_t *out, const char *key, uint64_t *total_out)
{
	size_t free_bytes = 0, total = 0;

	if (control->hip.hipMemGetInfo(&free_bytes, &total) != HIP_OK)
		return 0;
	json_object_set_new(out, key, json_integer((json_int_t)free_bytes));
	if (total_out) {
		json_object_set_new(out, "total", json_integer((json_int_t)total));
		*total_out = total;
	}
	return free_bytes;
}

static uint64_t wanted_bytes(const struct hip_memory_request *request, uint64_t free_bytes)
{
	uint64_t wanted =
		free_bytes > request->margin_bytes ? free_bytes - request->margin_bytes : 0;

	if (request->limit_bytes && wanted > request->limit_bytes)
		wanted = request->limit_bytes;
	return wanted / BLOCK_BYTES * BLOCK_BYTES;
}

static void add_bad(const struct control *control, json_t *out)
{
	char wrote[24], got[24];

	if (!control->bad_words)
		return;
	snprintf(wrote, sizeof(wrote), "0x%016llx", (unsigned long long)control->bad_wrote);
	snprintf(got, sizeof(got), "0x%016llx", (unsigned long long)control->bad_read);
	json_object_set_new(out, "bad",
		json_pack("{s:I, s:s, s:s, s:I}", "offset", (json_int_t)control->bad_offset,
			"wrote", wrote, "read", got, "words", (json_int_t)control->bad_words));
}

static void run_control(struct control *control, json_t *out)
{
	uint64_t total = 0, free_bytes, wanted;

	if (open_device(control, out) != 0)
		return;
	free_bytes = add_free(control, out, "free_before", &total);
	if (!total) {
		set_state(out, "unusable", "hipMemGetInfo does not tell the size of the domain");
		return;
	}
	wanted = wanted_bytes(control->request, free_bytes);
	json_object_set_new(out, "wanted", json_integer((json_int_t)wanted));
	if (allocate(control, wanted) == 0)
		fill_and_check(control);
	add_free(control, out, "free_held", NULL);
	json_object_set_new(out, "allocated", json_integer((json_int_t)control->allocated));
	json_object_set_new(out, "checked", json_integer((json_int_t)control->checked));
	json_object_set_new(out, "boundary", ask_boundary(control, total));
	free_all(control);
	add_free(control, out, "free_after", NULL);
	add_bad(control, out);
	json_object_set_new(out, "stopped",
		control->stopped[0] ? json_printable_text(control->stopped) : json_null());
	set_state(out, "done", NULL);
}

static json_t *empty_answer(void)
{
	static const char *const keys[] = { "library", "bdf", "total", "free_before", "free_held",
		"free_after", "wanted", "allocated", "checked", "stopped", "bad", "boundary" };
	json_t *out = json_object();
	size_t i;

	json_object_set_new(out, "schema", json_string("oamqual-hip-memory/1"));
	set_state(out, "missing", NULL);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_object_set_new(out, keys[i], json_null());
	return out;
}

static void run_with(void *library, const struct hip_memory_request *request, json_t *out)
{
	struct control control = { .request = request };
	const char *absent = bind_calls(&control.hip, library);
	char *why;

	json_object_set_new(out, "library", hip_load_path(library));
	if (absent) {
		why = xasprintf("the library has no %s", absent);
		set_state(out, "unusable", why);
		free(why);
		return;
	}
	control.chunks = xcalloc(CHUNKS_MAX, sizeof(*control.chunks));
	control.block = xmalloc(BLOCK_BYTES);
	run_control(&control, out);
	free(control.block);
	free(control.chunks);
}

json_t *hip_memory_json(const struct hip_memory_request *request)
{
	json_t *out = empty_answer(), *tried = json_array();
	void *library = hip_load(request->library, tried);
	char *why;

	if (library) {
		run_with(library, request, out);
	} else {
		why = hip_load_failure(tried);
		set_state(out, "missing", why);
		free(why);
	}
	json_decref(tried);
	return out;
}
