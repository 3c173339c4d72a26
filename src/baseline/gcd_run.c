/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/gcd_run.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "baseline/gcd_cache.h"
#include "baseline/gcd_job.h"
#include "node/hip_abi.h"
#include "node/hip_calls.h"
#include "node/sim_abi.h"

#define CALLS(X)                                                                                   \
	HIP_DEVICE_CALLS(X)                                                                        \
	HIP_MEMORY_CALLS(X)                                                                        \
	X(hipModuleLoadData, (void **module, const void *image))                                   \
	X(hipModuleUnload, (void *module))                                                         \
	X(hipModuleGetFunction, (void **function, void *module, const char *name))                 \
	X(hipModuleLaunchKernel,                                                                   \
		(void *function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,    \
			unsigned int block_x, unsigned int block_y, unsigned int block_z,          \
			unsigned int shared, void *stream, void **arguments, void **extra))        \
	X(hipEventCreate, (void **event))                                                          \
	X(hipEventRecord, (void *event, void *stream))                                             \
	X(hipEventSynchronize, (void *event))                                                      \
	X(hipEventElapsedTime, (float *ms, void *start, void *stop))                               \
	X(hipEventDestroy, (void *event))

enum { ROUNDS_MAX = 100000 };

struct calls {
	CALLS(HIP_MEMBER)
	hip_error_name_fn *hipGetErrorName;
};

/* In the order of the kernel's arguments: scene's arrays, room, pixels. */
enum buffer { NODES, TRIANGLES, MATERIALS, LIGHTS, ROOM, PIXELS, BUFFERS };

struct pass {
	kernel_u32 samples;
	double ms;
};

struct work {
	const struct gcd_run_request *request;
	struct calls hip;
	struct gcd_job job;
	void *buffers[BUFFERS];
	void *module, *function, *start, *stop;
	char *picture, *first; /* of the device, as read back */
	size_t picture_bytes;
	struct pass *passes;
	size_t pass_count;
	unsigned long long launches;
	json_t *out;
};

/* --- what failed ------------------------------------------------------------------------------ */

static int fail(struct work *work, const char *state, const char *why)
{
	json_object_set_new(work->out, "state", json_string(state));
	json_object_set_new(work->out, "why", json_printable_text(why));
	return -1;
}

static int failed_call(struct work *work, const char *call, int code)
{
	char text[HIP_CALL_TEXT];

	hip_load_call_text(call, code, work->hip.hipGetErrorName, text);
	return fail(work,
		code == HIP_NO_DEVICES && !work->launches && !work->module ? "no-device" : "failed",
		text);
}

/* Calls it and returns from this function when it fails. */
#define TRY(work, name, ...)                                                                       \
	do {                                                                                       \
		int code_ = (work)->hip.name(__VA_ARGS__);                                         \
		if (code_ != HIP_OK)                                                               \
			return failed_call(work, #name, code_);                                    \
	} while (0)

/* --- setting up ------------------------------------------------------------------------------- */

static const char *bind_calls(struct calls *hip, void *library)
{
	static const struct hip_symbol rows[] = { CALLS(HIP_ROW) HIP_ERROR_NAME_ROW };

	return hip_load_bind(library, rows, sizeof(rows) / sizeof(rows[0]), hip);
}

static int open_library(struct work *work)
{
	json_t *tried = json_array();
	void *library = hip_load(work->request->library, tried);
	char *failure = library ? NULL : hip_load_failure(tried), text[200];
	const char *absent = library ? bind_calls(&work->hip, library) : NULL;
	bool stand_in = library && dlsym(library, SIM_MARKER);

	json_decref(tried);
	if (!library) {
		fail(work, "missing", failure);
		free(failure);
		return -1;
	}
	json_object_set_new(work->out, "library", hip_load_path(library));
	json_object_set_new(work->out, "stand_in", json_boolean(stand_in));
	if (stand_in && !getenv("OAMQUAL_SIM"))
		return fail(work, "unusable",
			"this library is oamqual's own stand-in runtime, and this node is not "
			"replayed");
	if (!absent)
		return 0;
	snprintf(text, sizeof(text), "the library has no %s", absent);
	return fail(work, "unusable", text);
}

/* Only a process that sees exactly one device measures that one. */
static int open_device(struct work *work)
{
	char text[100], bdf[64] = "";
	int count = 0;

	TRY(work, hipInit, 0);
	TRY(work, hipGetDeviceCount, &count);
	if (count != 1) {
		snprintf(text, sizeof(text), "%d devices are visible where one was to be isolated",
			count);
		return fail(work, "unusable", text);
	}
	TRY(work, hipSetDevice, 0);
	TRY(work, hipDeviceGetPCIBusId, bdf, (int)sizeof(bdf) - 1, 0);
	json_object_set_new(work->out, "bdf", json_printable_text(bdf));
	return 0;
}

static int load_kernel(struct work *work)
{
	struct str code = STR_INIT;
	struct error err;
	int rc;

	if (gcd_cache_read(work->request->kernel, &code, &err) != 0)
		return fail(work, "failed", err.text);
	rc = work->hip.hipModuleLoadData(&work->module, code.data);
	str_release(&code);
	if (rc != HIP_OK)
		return failed_call(work, "hipModuleLoadData", rc);
	TRY(work, hipModuleGetFunction, &work->function, work->module, GCD_KERNEL);
	TRY(work, hipEventCreate, &work->start);
	TRY(work, hipEventCreate, &work->stop);
	return 0;
}

/* Empty arrays get some bytes all the same: the kernel takes their address. */
static int allocate(struct work *work)
{
	const struct gcd_job *job = &work->job;
	kernel_u32 blocks = gcd_job_launch_blocks(&job->params);
	const struct {
		const void *from;
		size_t bytes;
	} rows[BUFFERS] = {
		[NODES] = { job->scene.nodes, job->node_count * sizeof(*job->scene.nodes) },
		[TRIANGLES] = { job->scene.triangles,
			job->triangle_count * sizeof(*job->scene.triangles) },
		[MATERIALS] = { job->scene.materials,
			job->material_count * sizeof(*job->scene.materials) },
		[LIGHTS] = { job->scene.lights, job->light_count * sizeof(*job->scene.lights) },
		[ROOM] = { NULL, (size_t)blocks * GCD_BLOCK * GCD_ROOM * sizeof(kernel_u32) },
		[PIXELS] = { NULL, work->picture_bytes },
	};
	size_t total = 0, i;

	for (i = 0; i < BUFFERS; i++) {
		size_t bytes = rows[i].bytes ? rows[i].bytes : 256;

		TRY(work, hipMalloc, &work->buffers[i], bytes);
		total += bytes;
		if (rows[i].from && rows[i].bytes)
			TRY(work, hipMemcpy, work->buffers[i], rows[i].from, bytes, HIP_TO_DEVICE);
		else
			TRY(work, hipMemset, work->buffers[i], GCD_POISON_DEVICE, bytes);
	}
	json_object_set_new(work->out, "device_bytes", json_integer((json_int_t)total));
	return 0;
}

/* --- rendering -------------------------------------------------------------------------------- */

static int launch(struct work *work, const struct kernel_params *params, kernel_u32 first_tile,
	kernel_u32 blocks, float *ms)
{
	struct kernel_params copy = *params;
	void *arguments[] = { &work->buffers[NODES], &work->buffers[TRIANGLES],
		&work->buffers[MATERIALS], &work->buffers[LIGHTS], &copy, &first_tile, &blocks,
		&work->buffers[ROOM], &work->buffers[PIXELS] };

	*ms = 0;
	TRY(work, hipEventRecord, work->start, NULL);
	TRY(work, hipModuleLaunchKernel, work->function, blocks, 1, 1, GCD_BLOCK, 1, 1, 0, NULL,
		arguments, NULL);
	TRY(work, hipEventRecord, work->stop, NULL);
	TRY(work, hipEventSynchronize, work->stop);
	TRY(work, hipEventElapsedTime, ms, work->start, work->stop);
	work->launches++;
	return 0;
}

static void add_pass(struct work *work, kernel_u32 samples, double ms)
{
	work->passes = xrealloc(work->passes, (work->pass_count + 1) * sizeof(*work->passes));
	work->passes[work->pass_count++] = (struct pass){ samples, ms };
}

/* The whole picture: pass after pass of some samples, each in launches over all blocks. */
static int render(struct work *work)
{
	struct kernel_params params = work->job.params;
	kernel_u32 all = params.sample_count, tiles = gcd_job_tiles(&params);
	kernel_u32 at_once = gcd_job_launch_blocks(&params), tile;
	kernel_u32 samples = gcd_job_launch_samples(&params);

	for (params.first_sample = 0; params.first_sample < all;
		params.first_sample += params.sample_count) {
		double total = 0;
		float ms;

		params.sample_count =
			all - params.first_sample < samples ? all - params.first_sample : samples;
		for (tile = 0; tile < tiles; tile += at_once) {
			kernel_u32 blocks = tiles - tile < at_once ? tiles - tile : at_once;

			if (launch(work, &params, tile, blocks, &ms) != 0)
				return -1;
			total += (double)ms;
		}
		add_pass(work, params.sample_count, total);
	}
	return 0;
}

static int read_back(struct work *work)
{
	int code = work->hip.hipDeviceSynchronize();

	if (code != HIP_OK)
		return failed_call(work, "hipDeviceSynchronize", code);
	memset(work->picture, GCD_POISON_HOST, work->picture_bytes);
	TRY(work, hipMemcpy, work->picture, work->buffers[PIXELS], work->picture_bytes,
		HIP_TO_HOST);
	return 0;
}

static int write_picture(struct work *work, const char *ending)
{
	char *path = xasprintf("%s%s", work->request->pixels, ending);
	struct error err;
	int rc = file_write(path, work->picture, work->picture_bytes, &err);

	free(path);
	return rc == 0 ? 0 : fail(work, "failed", err.text);
}

static void add_times(struct work *work, double wall_s)
{
	double ms = 0;
	size_t i;

	for (i = 0; i < work->pass_count; i++)
		ms += work->passes[i].ms;
	json_object_set_new(work->out, "device_seconds", json_real(ms * 1e-3));
	json_object_set_new(work->out, "wall_seconds", json_real(wall_s));
}

/* The first round is what is compared and timed; the others are to be the same. */
static int first_round(struct work *work)
{
	double start = clock_monotonic_s();

	if (render(work) != 0)
		return -1;
	add_times(work, clock_monotonic_s() - start);
	if (read_back(work) != 0 || write_picture(work, "") != 0)
		return -1;
	memcpy(work->first, work->picture, work->picture_bytes);
	return 0;
}

static int other_rounds(struct work *work)
{
	double start = clock_monotonic_s();
	json_int_t rounds = 1;

	while (clock_monotonic_s() - start < work->request->at_least_s && rounds < ROUNDS_MAX) {
		TRY(work, hipMemset, work->buffers[PIXELS], GCD_POISON_DEVICE, work->picture_bytes);
		if (render(work) != 0 || read_back(work) != 0)
			return -1;
		rounds++;
		if (memcmp(work->first, work->picture, work->picture_bytes) == 0)
			continue;
		json_object_set_new(work->out, "round_differs", json_integer(rounds));
		if (write_picture(work, ".differs") != 0)
			return -1;
		break;
	}
	json_object_set_new(work->out, "rounds", json_integer(rounds));
	return 0;
}

/* --- the answer ------------------------------------------------------------------------------- */

static json_t *pass_json(const struct pass *passes, size_t count)
{
	struct pass sum = { 0, 0 };
	size_t i;

	for (i = 0; i < count; i++) {
		sum.samples += passes[i].samples;
		sum.ms += passes[i].ms;
	}
	return json_pack("{s:I, s:f}", "samples", (json_int_t)sum.samples, "device_ms", sum.ms);
}

static void add_passes(struct work *work)
{
	size_t half = work->pass_count - work->pass_count / 2, i;
	json_t *all = json_array();

	for (i = 0; i < work->pass_count && i < GCD_PASSES_SHOWN; i++)
		json_array_append_new(all, pass_json(&work->passes[i], 1));
	json_object_set_new(work->out, "passes", all);
	json_object_set_new(work->out, "launches", json_integer((json_int_t)work->launches));
	if (work->pass_count < 2)
		return;
	json_object_set_new(work->out, "first", pass_json(work->passes, 1));
	json_object_set_new(
		work->out, "sustained", pass_json(work->passes + half, work->pass_count - half));
}

static int run_job(struct work *work)
{
	struct error err;

	if (gcd_job_read(work->request->job, &work->job, &err) != 0)
		return fail(work, "failed", err.text);
	work->picture_bytes =
		(size_t)work->job.params.width * work->job.params.height * sizeof(struct gcd_pixel);
	work->picture = xmalloc(work->picture_bytes);
	work->first = xmalloc(work->picture_bytes);
	if (open_library(work) != 0 || open_device(work) != 0 || load_kernel(work) != 0 ||
		allocate(work) != 0)
		return -1;
	return first_round(work) == 0 ? other_rounds(work) : -1;
}

static int let_go(struct work *work)
{
	size_t i;

	for (i = 0; i < BUFFERS; i++)
		TRY(work, hipFree, work->buffers[i]);
	TRY(work, hipEventDestroy, work->start);
	TRY(work, hipEventDestroy, work->stop);
	TRY(work, hipModuleUnload, work->module);
	return 0;
}

json_t *gcd_run_json(const struct gcd_run_request *request)
{
	static const char *const keys[] = { "why", "library", "stand_in", "bdf", "device_bytes",
		"first", "sustained", "device_seconds", "wall_seconds", "rounds", "round_differs" };
	/* A device that failed is not touched again, as that may never return: what it still holds
	 * goes with the process. Static, so that it is not taken for a leak. */
	static struct work work;
	size_t i;

	work = (struct work){ .request = request, .out = json_object() };
	json_object_set_new(work.out, "schema", json_string("oamqual-hip-render/1"));
	json_object_set_new(work.out, "state", json_string("missing"));
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_object_set_new(work.out, keys[i], json_null());
	if (run_job(&work) == 0 && let_go(&work) == 0)
		json_object_set_new(work.out, "state", json_string("done"));
	add_passes(&work);
	gcd_job_release(&work.job);
	free(work.passes);
	free(work.picture);
	free(work.first);
	return work.out;
}
