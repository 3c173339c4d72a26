/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* dladdr */
#include "baseline/gcd_compile.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "baseline/gcd_cache.h"
#include "baseline/gcd_source.h"
#include "node/hip_load.h"

/* hiprtc.h of ROCm: a result is 0 or an error, a program an opaque handle. */
#define CALLS(X)                                                                                   \
	X(hiprtcVersion, (int *major, int *minor))                                                 \
	X(hiprtcCreateProgram, (void **program, const char *source, const char *name, int headers, \
				       const char **texts, const char **names))                    \
	X(hiprtcCompileProgram, (void *program, int count, const char **options))                  \
	X(hiprtcGetProgramLogSize, (void *program, size_t *size))                                  \
	X(hiprtcGetProgramLog, (void *program, char *text))                                        \
	X(hiprtcGetCodeSize, (void *program, size_t *size))                                        \
	X(hiprtcGetCode, (void *program, char *code))                                              \
	X(hiprtcDestroyProgram, (void **program))

enum { LOG_SHOWN = 4000, CODE_MAX = 64 << 20, OPTIONS = 3 };

struct calls {
#define MEMBER(name, args) int(*name) args;
	CALLS(MEMBER)
#undef MEMBER
};

struct work {
	const struct gcd_compile_request *request;
	struct calls rtc;
	char *options[OPTIONS];
	char *source;
	void *program;
	json_t *out;
};

static int fail(struct work *work, const char *state, char *why)
{
	json_object_set_new(work->out, "state", json_string(state));
	json_object_set_new(work->out, "why", json_printable_text(why));
	free(why);
	return -1;
}

static int failed_call(struct work *work, const char *call, int code)
{
	return fail(work, "failed", xasprintf("%s returned %d", call, code));
}

/* --- the library ------------------------------------------------------------------------------ */

static void *open_library(const char *wanted)
{
	static const char *const names[] = { "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
		"libhiprtc.so", "/opt/rocm/lib/libhiprtc.so.7", "/opt/rocm/lib/libhiprtc.so.6",
		"/opt/rocm/lib/libhiprtc.so.5", "/opt/rocm/lib/libhiprtc.so", NULL };
	void *library = wanted ? dlopen(wanted, RTLD_NOW | RTLD_LOCAL) : NULL;
	json_t *tried;
	size_t i;

	for (i = 0; !wanted && !library && names[i]; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (library || wanted)
		return library;
	tried = json_array();
	library = hip_load(NULL, tried);
	json_decref(tried);
	return library;
}

/* The name of a function that is not there, or NULL. */
static const char *bind_calls(struct calls *rtc, void *library)
{
	static const struct hip_symbol rows[] = {
#define ROW(name, args) { #name, offsetof(struct calls, name), false },
		CALLS(ROW)
#undef ROW
	};

	return hip_load_bind(library, rows, sizeof(rows) / sizeof(rows[0]), rtc);
}

/* The version that hiprtc tells has stayed 9.0 over many releases, so the file counts too. */
static char *compiler_of(struct work *work)
{
	int major = 0, minor = 0;
	char *path, *text;
	struct stat info;
	void *address;
	Dl_info where;

	memcpy(&address, &work->rtc.hiprtcVersion, sizeof(address));
	if (work->rtc.hiprtcVersion(&major, &minor) != 0 || !dladdr(address, &where))
		return NULL;
	path = realpath(where.dli_fname, NULL);
	if (!path)
		return NULL;
	if (stat(path, &info) != 0)
		memset(&info, 0, sizeof(info));
	json_object_set_new(work->out, "library", json_printable_text(path));
	text = xasprintf("hiprtc %d.%d, %s of %lld bytes", major, minor, path_base(path),
		(long long)info.st_size);
	json_object_set_new(work->out, "compiler", json_printable_text(text));
	free(path);
	return text;
}

static int open_compiler(struct work *work, char **compiler)
{
	void *library = open_library(work->request->library);
	const char *absent;

	if (!library)
		return fail(work, "missing",
			xasprintf("no libhiprtc and no libamdhip64 could be loaded"));
	absent = bind_calls(&work->rtc, library);
	if (absent)
		return fail(work, "missing", xasprintf("the library has no %s", absent));
	*compiler = compiler_of(work);
	return *compiler ? 0 : fail(work, "failed", xasprintf("hiprtcVersion does not answer"));
}

/* --- compiling -------------------------------------------------------------------------------- */

static void key_of(const struct work *work, const char *compiler, char key[65])
{
	struct digest *digest = digest_new();
	size_t i;

	digest_add(digest, work->source, strlen(work->source) + 1);
	digest_add(digest, compiler, strlen(compiler) + 1);
	for (i = 0; i < OPTIONS; i++)
		digest_add(digest, work->options[i], strlen(work->options[i]) + 1);
	digest_finish(digest, key);
}

static void add_log(struct work *work)
{
	size_t size = 0;
	char *text;

	if (work->rtc.hiprtcGetProgramLogSize(work->program, &size) != 0 || size < 2 ||
		size > CODE_MAX)
		return;
	text = xcalloc(1, size + 1);
	if (work->rtc.hiprtcGetProgramLog(work->program, text) == 0)
		json_object_set_new(work->out, "log",
			json_printable(text, strlen(text) < LOG_SHOWN ? strlen(text) : LOG_SHOWN));
	free(text);
}

static int take_code(struct work *work, struct str *code)
{
	size_t size = 0;
	char *bytes;
	int rc = work->rtc.hiprtcGetCodeSize(work->program, &size);

	if (rc != 0 || !size || size > CODE_MAX)
		return failed_call(work, "hiprtcGetCodeSize", rc);
	bytes = xcalloc(1, size);
	rc = work->rtc.hiprtcGetCode(work->program, bytes);
	if (rc == 0)
		str_add_bytes(code, bytes, size);
	free(bytes);
	return rc == 0 ? 0 : failed_call(work, "hiprtcGetCode", rc);
}

static int compile(struct work *work, struct str *code)
{
	double start = clock_monotonic_s();
	int rc = work->rtc.hiprtcCreateProgram(
		&work->program, work->source, "oamqual_baseline.hip", 0, NULL, NULL);

	if (rc != 0)
		return failed_call(work, "hiprtcCreateProgram", rc);
	rc = work->rtc.hiprtcCompileProgram(work->program, OPTIONS, (const char **)work->options);
	add_log(work);
	if (rc != 0)
		rc = failed_call(work, "hiprtcCompileProgram", rc);
	else
		rc = take_code(work, code);
	work->rtc.hiprtcDestroyProgram(&work->program);
	json_object_set_new(work->out, "seconds", json_real(clock_monotonic_s() - start));
	return rc;
}

static void make_kernel(struct work *work, const char *path)
{
	struct str code = STR_INIT;
	struct error err = { "" };
	const char *state = "cached";
	int rc = gcd_cache_read(path, &code, &err);

	if (rc != 0) {
		if (errno != ENOENT)
			json_object_set_new(work->out, "damaged", json_printable_text(err.text));
		state = "compiled";
		rc = compile(work, &code);
		if (rc == 0 && gcd_cache_write(path, code.data, code.len, &err) != 0)
			rc = fail(work, "failed", xstrdup(err.text));
	}
	if (rc == 0) {
		json_object_set_new(work->out, "state", json_string(state));
		json_object_set_new(work->out, "path", json_printable_text(path));
		json_object_set_new(work->out, "bytes", json_integer((json_int_t)code.len));
	}
	str_release(&code);
}

static json_t *empty_answer(const struct work *work)
{
	static const char *const keys[] = { "why", "library", "compiler", "key", "path", "bytes",
		"damaged", "seconds", "log" };
	json_t *out = json_object(), *options = json_array();
	size_t i;

	json_object_set_new(out, "schema", json_string("oamqual-hip-compile/1"));
	json_object_set_new(out, "state", json_string("missing"));
	json_object_set_new(out, "target", json_printable_text(work->request->target));
	for (i = 0; i < OPTIONS; i++)
		json_array_append_new(options, json_printable_text(work->options[i]));
	json_object_set_new(out, "options", options);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_object_set_new(out, keys[i], json_null());
	return out;
}

json_t *gcd_compile_json(const struct gcd_compile_request *request)
{
	struct work work = { .request = request, .source = gcd_source() };
	char key[65], *compiler = NULL, *path, *name;
	size_t i;

	work.options[0] = xasprintf("--gpu-architecture=%s", request->target);
	work.options[1] = xstrdup("-ffp-contract=off");
	work.options[2] = xstrdup("-O3");
	work.out = empty_answer(&work);
	if (open_compiler(&work, &compiler) == 0) {
		key_of(&work, compiler, key);
		json_object_set_new(work.out, "key", json_string(key));
		name = xasprintf("%s.kernel", key);
		path = path_join(request->folder, name);
		make_kernel(&work, path);
		free(path);
		free(name);
	}
	free(compiler);
	for (i = 0; i < OPTIONS; i++)
		free(work.options[i]);
	free(work.source);
	return work.out;
}
