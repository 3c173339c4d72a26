/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/log.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/text.h"

/* Only this much of a line is looked at; the rest is counted and dropped. */
enum { LINE_BYTES = 4096 };

struct pattern {
	const char *text;
	enum log_event event;
};

/* clang-format off */
/* The first pattern that a line contains classifies it, so the special stands before the general. */
static const struct pattern patterns[] = {
	{ "File written by newer Blender binary",                 LOG_SCENE_NEWER },
	{ "Cannot read file",                                     LOG_SCENE_UNREADABLE },
	{ "File format is not supported in file",                 LOG_SCENE_UNREADABLE },
	{ "HIPEW initialization failed",                          LOG_HIP_LIBRARY_FAILED },
	{ "HIP hipInit:",                                         LOG_HIP_INIT_FAILED },
	{ "Driver version is too old",                            LOG_DRIVER_TOO_OLD },
	{ "Neither precompiled kernels nor HIPCC was found",      LOG_NO_KERNELS_NO_COMPILER },
	{ "Found HIPCC",                                          LOG_FOUND_COMPILER },
	{ "Found precompiled kernels",                            LOG_FOUND_PRECOMPILED },
	{ "Added device",                                         LOG_DEVICE_ADDED },
	{ "Found no Cycles device of the specified type",         LOG_NO_DEVICE_OF_TYPE },
	{ "is not a valid Cycles device",                         LOG_DEVICE_WORD_UNKNOWN },
	{ "Using precompiled kernel",                             LOG_KERNEL_READY },
	{ "Using locally compiled kernel",                        LOG_KERNEL_READY },
	{ "Kernel compilation finished in",                       LOG_KERNEL_READY },
	{ "Compiling HIP kernel",                                 LOG_KERNEL_COMPILING },
	{ "HIP binary kernel for this graphics card compute capability", LOG_KERNEL_NOT_FOUND },
	{ "HIP hipcc compiler not found",                         LOG_KERNEL_NOT_FOUND },
	{ "unhandled SGPR spill to memory",                       LOG_COMPILER_ERROR },
	{ "explicitly marked unavailable",                        LOG_COMPILER_ERROR },
	{ "The image/texture API not supported on the device",    LOG_COMPILER_ERROR },
	{ "HIP kernel compilation failed",                        LOG_KERNEL_BUILD_FAILED },
	{ "Failed to execute compilation command",                LOG_KERNEL_BUILD_FAILED },
	{ "Failed to load HIP kernel",                            LOG_KERNEL_LOAD_FAILED },
	{ "HIP backend requires AMD RDNA graphics card",          LOG_ARCHITECTURE_REFUSED },
	{ "System is out of GPU memory",                          LOG_OUT_OF_MEMORY },
	{ "System is out of GPU and shared host memory",          LOG_OUT_OF_MEMORY },
	{ "available GPU memory was likely exceeded",             LOG_OUT_OF_MEMORY },
	{ "Memory access fault by GPU",                           LOG_MEMORY_FAULT },
	{ "Failed to create HIP context",                         LOG_HIP_CALL_FAILED },
	{ " in hipMem",                                            LOG_HIP_CALL_FAILED },
	{ " in hipCtx",                                            LOG_HIP_CALL_FAILED },
	{ " in hipStream",                                         LOG_HIP_CALL_FAILED },
	{ " in hipModule",                                         LOG_HIP_CALL_FAILED },
	{ " in hipLaunch",                                         LOG_HIP_CALL_FAILED },
	{ " in hipEvent",                                          LOG_HIP_CALL_FAILED },
	{ " in hipFunc",                                           LOG_HIP_CALL_FAILED },
	{ " in hipGet",                                            LOG_HIP_CALL_FAILED },
	{ " in hipDevice",                                         LOG_HIP_CALL_FAILED },
	{ " in hipTex",                                            LOG_HIP_CALL_FAILED },
	{ " in hipArray",                                          LOG_HIP_CALL_FAILED },
	{ " in hipInit",                                           LOG_HIP_CALL_FAILED },
	{ " in queue_",                                           LOG_HIP_CALL_FAILED },
	{ "Unable to open a display",                             LOG_DISPLAY_NEEDED },
	{ "Build without OpenImageDenoiser",                      LOG_DENOISER_MISSING },
	{ "build has no OpenImageDenoise support",                LOG_DENOISER_MISSING },
	{ "cannot save: '",                                       LOG_SAVE_FAILED },
	{ "Error:",                                               LOG_ERROR },
};
/* clang-format on */

static const char *const names[LOG_EVENT_COUNT] = {
	[LOG_HIP_LIBRARY_FAILED] = "hip-library-failed",
	[LOG_HIP_INIT_FAILED] = "hip-init-failed",
	[LOG_DRIVER_TOO_OLD] = "driver-too-old",
	[LOG_NO_KERNELS_NO_COMPILER] = "no-kernels-no-compiler",
	[LOG_FOUND_COMPILER] = "found-compiler",
	[LOG_FOUND_PRECOMPILED] = "found-precompiled",
	[LOG_DEVICE_ADDED] = "device-added",
	[LOG_NO_DEVICE_OF_TYPE] = "no-device-of-type",
	[LOG_DEVICE_WORD_UNKNOWN] = "device-word-unknown",
	[LOG_KERNEL_READY] = "kernel-ready",
	[LOG_KERNEL_COMPILING] = "kernel-compiling",
	[LOG_KERNEL_NOT_FOUND] = "kernel-not-found",
	[LOG_COMPILER_ERROR] = "compiler-error",
	[LOG_KERNEL_BUILD_FAILED] = "kernel-build-failed",
	[LOG_KERNEL_LOAD_FAILED] = "kernel-load-failed",
	[LOG_KERNELS_WERE_LOADED] = "kernels-were-loaded",
	[LOG_ARCHITECTURE_REFUSED] = "architecture-refused",
	[LOG_OUT_OF_MEMORY] = "out-of-memory",
	[LOG_MEMORY_FAULT] = "memory-fault",
	[LOG_HIP_CALL_FAILED] = "hip-call-failed",
	[LOG_SCENE_UNREADABLE] = "scene-unreadable",
	[LOG_SCENE_NEWER] = "scene-newer",
	[LOG_DISPLAY_NEEDED] = "display-needed",
	[LOG_DENOISER_MISSING] = "denoiser-missing",
	[LOG_SAVED] = "saved",
	[LOG_SAVE_FAILED] = "save-failed",
	[LOG_ERROR] = "error",
};

const char *log_event_name(enum log_event event)
{
	return names[event];
}

void log_init(struct log *log)
{
	memset(log, 0, sizeof(*log));
}

/* "I1130 02:16:07.736569  4897 device.cpp:56] text" (glog) or "00:01.687  cycles | text" (5.x). */
static const char *without_prefix(const char *line)
{
	const char *end;

	if (line[0] && strchr("IWEF", line[0]) && isdigit((unsigned char)line[1])) {
		end = strstr(line, "] ");
		if (end && end - line < 80)
			return end + 2;
	}
	if (isdigit((unsigned char)line[0])) {
		end = strstr(line, " | ");
		if (end && end - line < 40)
			return end + 3;
	}
	return line;
}

static void enter(struct log *log, enum log_event event, const char *line)
{
	struct log_entry *entry = &log->event[event];

	if (entry->count++)
		return;
	entry->first_line = log->lines;
	str_copy(entry->text, sizeof(entry->text), without_prefix(line));
}

/* "Path tracing on: NAME (KIND) [ID]" or "... NAME (CPU) (2 threads) [CPU]". The name may hold
 * brackets, so the id is what the last pair holds, and the kind is read off the id. */
static void enter_traced(struct log *log, const char *line)
{
	struct log_traced *traced;
	const char *open = strrchr(line, '['), *close = strrchr(line, ']');
	size_t len;

	if (log->traced_count++ >= LOG_TRACED_MAX)
		return;
	traced = &log->traced[log->traced_count - 1];
	str_copy(traced->text, sizeof(traced->text), without_prefix(line));
	if (!open || !close || close < open) {
		str_copy(traced->kind, sizeof(traced->kind), "unknown");
		return;
	}
	len = (size_t)(close - open - 1);
	snprintf(traced->id, sizeof(traced->id), "%.*s", (int)len, open + 1);
	len = strcspn(open + 1, "_]");
	snprintf(traced->kind, sizeof(traced->kind), "%.*s", (int)len, open + 1);
}

/* Lines that carry the names of files. What a name holds must not be taken for what Cycles says, so
 * such a line is this one event or none. */
static bool classify_names(struct log *log, const char *line, const char *text)
{
	static const char *const names_only[] = { "Read blend: ", "Testing for ",
		"Info: ", "Warning: " };
	size_t i;

	if (str_starts(text, "Saved: '")) {
		enter(log, LOG_SAVED, line);
		return true;
	}
	for (i = 0; i < sizeof(names_only) / sizeof(names_only[0]); i++)
		if (str_starts(text, names_only[i]))
			return true;
	if (!str_starts(text, "Fra:"))
		return false;
	if (strstr(text, "| Updating Scene"))
		enter(log, LOG_KERNELS_WERE_LOADED, line);
	return true;
}

static void classify(struct log *log, const char *line)
{
	const char *found, *text = without_prefix(line);
	size_t i;

	if (str_starts(text, "Path tracing on: ")) {
		enter_traced(log, text);
		return;
	}
	if (classify_names(log, line, text))
		return;
	found = strstr(line, "Kernel compilation finished in ");
	if (found)
		log->compile_seconds =
			strtod(found + strlen("Kernel compilation finished in "), NULL);
	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		if (strstr(line, patterns[i].text)) {
			enter(log, patterns[i].event, line);
			return;
		}
	}
}

void log_line(struct log *log, const char *line, size_t len)
{
	char *shown = text_printable(line, len < LINE_BYTES ? len : LINE_BYTES);

	log->lines++;
	classify(log, shown);
	free(shown);
}

int log_read(struct log *log, const char *path, struct error *err)
{
	FILE *file = fopen(path, "re");
	char line[LINE_BYTES];
	size_t len = 0;
	int c;

	if (!file)
		return error_errno(err, "%s", path);
	while ((c = getc(file)) != EOF) {
		log->bytes++;
		if (c == '\n' || c == '\r') {
			log_line(log, line, len);
			len = 0;
		} else if (len < sizeof(line)) {
			line[len++] = (char)c;
		}
	}
	if (len)
		log_line(log, line, len);
	if (ferror(file)) {
		error_errno(err, "%s", path);
		fclose(file);
		return -1;
	}
	fclose(file);
	return 0;
}

bool log_id_is_at(const char *id, const char *bdf)
{
	const char *dot = strchr(bdf, '.');
	char tail[64];

	if (!dot || str_starts(id, "CPU"))
		return false;
	snprintf(tail, sizeof(tail), "_%.*s", (int)(dot - bdf), bdf);
	return str_ends(id, tail);
}

bool log_progress(const char *path, unsigned *done, unsigned *all)
{
	char tail[1025];
	const char *at, *last = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	if (lseek(fd, -(off_t)(sizeof(tail) - 1), SEEK_END) < 0)
		lseek(fd, 0, SEEK_SET);
	got = read(fd, tail, sizeof(tail) - 1);
	close(fd);
	if (got <= 0)
		return false;
	tail[got] = '\0';
	for (at = strstr(tail, "Sample "); at; at = strstr(at + 1, "Sample "))
		last = at;
	return last && sscanf(last, "Sample %u/%u", done, all) == 2;
}
