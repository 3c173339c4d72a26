/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/log.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "base/str.h"
#include "base/text.h"

/* Only this much of a line is looked at; the rest is counted and dropped. The shortest line that
 * could say something is LINE_SHORTEST bytes long. */
enum { LINE_BYTES = 4096, LINE_SHORTEST = 7, BLOCK_BYTES = 65536 };

/* Where in what a line says the text must be. Begins is the rule, for a line may quote the names of
 * files, and those may hold any text. */
enum place { BEGINS, ENDS, ANYWHERE };

struct pattern {
	const char *text;
	enum place place;
	enum log_event event;
};

/* clang-format off */
/* The first pattern that fits classifies a line, so the special stands before the general. Where no
 * version is named, Blender 3.4, 4.3 and 5.2 were seen to say it, or their sources do. */
static const struct pattern patterns[] = {
	{ "unknown argument, loading as file: ",                  BEGINS, LOG_OPTION_AS_FILE },
	{ "File written by newer Blender binary",                 BEGINS, LOG_SCENE_NEWER },
	{ "Cannot read file",                                     BEGINS, LOG_SCENE_UNREADABLE },
	{ "Failed to read blend file",                            BEGINS, LOG_SCENE_UNREADABLE },
	{ "File format is not supported in file",                 BEGINS, LOG_SCENE_UNREADABLE },
	{ "HIPEW initialization failed: Driver version too old",  BEGINS, LOG_DRIVER_TOO_OLD },
	{ "HIPEW initialization failed",                          BEGINS, LOG_HIP_LIBRARY_FAILED },
	{ "HIPEW initialization succeeded",                       BEGINS, LOG_HIP_LIBRARY_LOADED },
	{ "HIP hipInit:",                                         BEGINS, LOG_HIP_INIT_FAILED },
	{ "HIP hipGetDeviceCount:",                               BEGINS, LOG_HIP_INIT_FAILED },
	{ "Error getting driver version",                         BEGINS, LOG_HIP_INIT_FAILED },
	{ "Driver version is too old",                            BEGINS, LOG_DRIVER_TOO_OLD },
	{ "Neither precompiled kernels nor HIPCC was found",      BEGINS, LOG_NO_KERNELS_NO_COMPILER },
	{ "Found HIPCC",                                          BEGINS, LOG_FOUND_COMPILER },
	{ "Found precompiled kernels",                            BEGINS, LOG_FOUND_PRECOMPILED },
	{ "Added device \"",                                      BEGINS, LOG_DEVICE_ADDED },
	{ "Found no Cycles device of the specified type",         BEGINS, LOG_NO_DEVICE_OF_TYPE },
	{ " is not a valid Cycles device.",                       ENDS,   LOG_DEVICE_WORD_UNKNOWN },
	{ "Using precompiled kernel",                             BEGINS, LOG_KERNEL_READY },
	{ "Using locally compiled kernel",                        BEGINS, LOG_KERNEL_READY },
	{ "Kernel compilation finished in ",                      BEGINS, LOG_KERNEL_READY },
	{ "Compiling HIP kernel",                                 BEGINS, LOG_KERNEL_COMPILING },
	{ "Compiling adaptive HIP kernel",                        BEGINS, LOG_KERNEL_COMPILING },
	{ "Local memory reserved ",                               BEGINS, LOG_KERNELS_WERE_LOADED },
	{ "HIP binary kernel for this graphics card compute capability", BEGINS, LOG_KERNEL_NOT_FOUND },
	{ "HIP hipcc compiler not found",                         BEGINS, LOG_KERNEL_NOT_FOUND },
	{ "unhandled SGPR spill to memory",                       ENDS,   LOG_COMPILER_ERROR },
	{ "explicitly marked unavailable",                        ANYWHERE, LOG_COMPILER_ERROR },
	{ "The image/texture API not supported on the device",    ENDS,   LOG_COMPILER_ERROR },
	{ "HIP kernel compilation failed",                        BEGINS, LOG_KERNEL_BUILD_FAILED },
	{ "Failed to execute compilation command",                BEGINS, LOG_KERNEL_BUILD_FAILED },
	{ "Failed to load HIP kernel",                            BEGINS, LOG_KERNEL_LOAD_FAILED },
	{ "HIP backend requires AMD RDNA graphics card",          BEGINS, LOG_ARCHITECTURE_REFUSED },
	{ "System is out of GPU memory",                          BEGINS, LOG_OUT_OF_MEMORY },
	{ "System is out of GPU and shared host memory",          BEGINS, LOG_OUT_OF_MEMORY },
	{ "Failed to create texture. Maximum GPU texture size",   BEGINS, LOG_OUT_OF_MEMORY },
	{ "Failed to create image. Maximum GPU image size",       BEGINS, LOG_OUT_OF_MEMORY },
	{ "Memory access fault by GPU",                           BEGINS, LOG_MEMORY_FAULT },
	{ "HW Exception by GPU",                                  BEGINS, LOG_GPU_EXCEPTION },
	{ "Unable to find code object for all current devices",   ANYWHERE, LOG_NO_CODE_OBJECT },
	{ "hipErrorInvalidDeviceFunction",                        ANYWHERE, LOG_INVALID_DEVICE_FUNCTION },
	{ "Failed to create HIP context",                         BEGINS, LOG_HIP_CALL_FAILED },
	{ "Failed to get HIP device handle",                      BEGINS, LOG_HIP_CALL_FAILED },
	{ "Invalid context",                                      BEGINS, LOG_HIP_CALL_FAILED },
	{ "Unable to open a display",                             BEGINS, LOG_DISPLAY_NEEDED },
	{ "Build without OpenImageDenoiser",                      BEGINS, LOG_DENOISER_MISSING },
	{ "Failed to denoise, build has no OpenImageDenoise support", BEGINS, LOG_DENOISER_MISSING },
	{ "Render error (",                                       BEGINS, LOG_SAVE_FAILED },
};
/* clang-format on */

static const char traced_words[] = "Path tracing on: ";

/* Said as an error, and no reason for anything: how Python's report begins, advice, and a leak at
 * the end. */
static const char *const empty_errors[] = { "Python: Traceback",
	"Refer to the Cycles GPU rendering documentation", "Not freed memory blocks" };

static const char *const names[LOG_EVENT_COUNT] = {
	[LOG_HIP_LIBRARY_FAILED] = "hip-library-failed",
	[LOG_HIP_LIBRARY_LOADED] = "hip-library-loaded",
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
	[LOG_GPU_EXCEPTION] = "gpu-exception",
	[LOG_NO_CODE_OBJECT] = "no-code-object",
	[LOG_INVALID_DEVICE_FUNCTION] = "invalid-device-function",
	[LOG_HIP_CALL_FAILED] = "hip-call-failed",
	[LOG_OPTION_AS_FILE] = "option-taken-for-file",
	[LOG_SCENE_UNREADABLE] = "scene-unreadable",
	[LOG_SCENE_NEWER] = "scene-newer",
	[LOG_DISPLAY_NEEDED] = "display-needed",
	[LOG_DENOISER_MISSING] = "denoiser-missing",
	[LOG_SAVED] = "saved",
	[LOG_SAVE_FAILED] = "save-failed",
	[LOG_CRASH_FILE] = "crash-file",
	[LOG_ERROR] = "error",
};

const char *log_event_name(enum log_event event)
{
	return names[event];
}

void log_init(struct log *log)
{
	memset(log, 0, sizeof(*log));
	log->frame = log->other_frame = log->samples = -1;
}

/* "Fra:1 Mem:10.28M ...", up to Blender 4.x. */
static void enter_frame(struct log *log, const char *number)
{
	char *end;
	long frame = strtol(number, &end, 10);

	if (end == number || frame < 0)
		return;
	if (log->frame < 0)
		log->frame = frame;
	else if (frame != log->frame && log->other_frame < 0)
		log->other_frame = frame;
}

/* Three generations: "I1130 02:16:07.736569  4897 device.cpp:56] text" up to 4.x, and in 5.x
 * "00:01.687  cycles           | text", whose further lines begin with blanks and the bar. */
static const char *without_prefix(const char *line)
{
	size_t blanks = strspn(line, " ");
	const char *end;

	if (line[0] && strchr("IWEF", line[0]) && isdigit((unsigned char)line[1])) {
		end = strstr(line, "] ");
		if (end && end - line < 80)
			return end + 2;
	}
	if (isdigit((unsigned char)line[0]) && strspn(line, "0123456789:.") >= 9) {
		end = strstr(line, " | ");
		if (end && end - line < 60)
			return end + 3;
	}
	if (blanks >= 16 && blanks < 60 && strncmp(line + blanks, "| ", 2) == 0)
		return line + blanks + 2;
	return line;
}

/* What is said, behind the words for how bad it is. */
static const char *without_level(const char *text, bool *is_error)
{
	static const char *const words[] = { "RuntimeError: Error:", "Error:", "ERROR ", "error:" };
	size_t i;

	*is_error = false;
	if (str_starts(text, "WARNING "))
		return text + strlen("WARNING ");
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!str_starts(text, words[i]))
			continue;
		*is_error = true;
		text += strlen(words[i]);
		return text + strspn(text, " ");
	}
	return text;
}

static void enter(struct log *log, enum log_event event, const char *text)
{
	struct log_entry *entry = &log->event[event];

	if (entry->count++)
		return;
	entry->first_line = log->lines;
	str_copy(entry->text, sizeof(entry->text), text);
}

/* "Path tracing on: NAME (KIND) [ID]" or "... NAME (CPU) (2 threads) [CPU]". The name may hold
 * brackets, so the id is what the last pair holds, and the kind is read off the id. */
static void enter_traced(struct log *log, const char *text)
{
	struct log_traced *traced;
	const char *open = strrchr(text, '['), *close = strrchr(text, ']');
	size_t len;

	if (log->traced_count++ >= LOG_TRACED_MAX)
		return;
	traced = &log->traced[log->traced_count - 1];
	str_copy(traced->text, sizeof(traced->text), text);
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
 * such a line is this one event or none. A status line repeats errors that have a line of their
 * own. */
static bool classify_names(struct log *log, const char *text)
{
	static const char *const names_only[] = { "Read blend: ", "Testing for ",
		"Info: ", "Warning: ", "hipcc ", "Found hipcc ", "Fra:", "File \"", "  File \"" };
	size_t i;

	if (str_starts(text, "Fra:"))
		enter_frame(log, text + strlen("Fra:"));
	if (str_starts(text, "Saved: '")) {
		enter(log, LOG_SAVED, text);
		return true;
	}
	if (str_starts(text, "Writing: ")) {
		if (str_ends(text, ".crash.txt"))
			enter(log, LOG_CRASH_FILE, text);
		return true;
	}
	for (i = 0; i < sizeof(names_only) / sizeof(names_only[0]); i++)
		if (str_starts(text, names_only[i]))
			return true;
	return false;
}

/* "Launch failed in hipMemcpyHtoD(..." or "Out of memory in HIP queue enqueue (...": what HIP calls
 * the error, which is words, and the call. */
static bool is_failed_call(const char *said)
{
	static const char *const calls[] = { " in HIP queue ", " in queue_", " in hip" };
	static const char words[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_,.()";
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const char *at = strstr(said, calls[i]);
		const char *call = at ? at + strlen(calls[i]) : NULL;

		if (!at || at == said || strspn(said, words) < (size_t)(call - said))
			continue;
		if (i < 2 || (isupper((unsigned char)call[0]) && strchr(call, '(')))
			return true;
	}
	return false;
}

static bool fits(const struct pattern *pattern, const char *said)
{
	switch (pattern->place) {
	case BEGINS:
		return str_starts(said, pattern->text);
	case ENDS:
		return str_ends(said, pattern->text);
	case ANYWHERE:
		return strstr(said, pattern->text) != NULL;
	}
	return false;
}

static bool is_empty_error(const char *said)
{
	size_t i;

	for (i = 0; i < sizeof(empty_errors) / sizeof(empty_errors[0]); i++)
		if (str_starts(said, empty_errors[i]))
			return true;
	return false;
}

/* The account at the end, "Rendered 8 samples in 0.539958 seconds". The lines on the way say more
 * behind it. Of two that differ neither counts. */
static void enter_samples(struct log *log, const char *text)
{
	long samples = -1;
	int used = 0;

	if (sscanf(text, "Rendered %9ld samples in %*f seconds%n", &samples, &used) != 1 || !used ||
		text[used] || samples < 0)
		return;
	log->samples = log->samples == -1 || log->samples == samples ? samples : -2;
}

static void classify_said(struct log *log, const char *text)
{
	static const char finished[] = "Kernel compilation finished in ";
	bool is_error;
	const char *said = without_level(text, &is_error);
	size_t i;

	enter_samples(log, said);
	if (str_starts(said, finished))
		log->compile_seconds = strtod(said + strlen(finished), NULL);
	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		if (fits(&patterns[i], said)) {
			enter(log, patterns[i].event, text);
			return;
		}
	}
	if (is_failed_call(said))
		enter(log, LOG_HIP_CALL_FAILED, text);
	else if (is_error && !is_empty_error(said))
		enter(log, LOG_ERROR, text);
}

/* The second and further devices stand below the first, without the words. */
static bool is_next_device(struct log *log, const char *text)
{
	size_t blanks = strspn(text, " ");

	log->in_devices = log->in_devices && blanks >= strlen(traced_words);
	return log->in_devices && str_ends(text, "]");
}

static void classify(struct log *log, const char *line)
{
	const char *text = without_prefix(line);

	if (str_starts(text, traced_words)) {
		enter_traced(log, text);
		log->in_devices = true;
	} else if (is_next_device(log, text)) {
		enter_traced(log, text + strspn(text, " "));
	} else if (!classify_names(log, text)) {
		classify_said(log, text);
	}
}

void log_line(struct log *log, const char *line, size_t len)
{
	char *shown;

	log->lines++;
	if (len < LINE_SHORTEST) {
		log->in_devices = false;
		return;
	}
	shown = text_printable(line, len < LINE_BYTES ? len : LINE_BYTES);
	classify(log, shown);
	free(shown);
}

/* A line that is split over blocks, as far as it is looked at. */
struct pending {
	char line[LINE_BYTES];
	size_t len;
	bool any;
};

static void pend(struct pending *pending, const char *bytes, size_t len)
{
	size_t room = sizeof(pending->line) - pending->len;
	size_t kept = len < room ? len : room;

	memcpy(pending->line + pending->len, bytes, kept);
	pending->len += kept;
	pending->any = true;
}

static void end_line(struct log *log, struct pending *pending)
{
	log_line(log, pending->line, pending->len);
	pending->len = 0;
	pending->any = false;
}

/* Lines end with LF or CR; the CR before an LF makes an empty line, which says nothing. */
static void read_block(struct log *log, struct pending *pending, const char *block, size_t got)
{
	const char *at = block, *end = block + got;

	log->bytes += got;
	while (at < end) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		const char *stop = lf ? lf : end;
		const char *cr = memchr(at, '\r', (size_t)(stop - at));

		if (cr)
			stop = cr;
		if (stop > at)
			pend(pending, at, (size_t)(stop - at));
		if (stop == end)
			return;
		end_line(log, pending);
		at = stop + 1;
	}
}

int log_read(struct log *log, const char *path, struct error *err)
{
	static const size_t block_bytes = BLOCK_BYTES;
	int fd = plain_open(path);
	struct pending pending = { .len = 0 };
	char *block;
	ssize_t got;

	if (fd < 0)
		return error_errno(err, "%s", path);
	block = xmalloc(block_bytes);
	while ((got = read(fd, block, block_bytes)) > 0)
		read_block(log, &pending, block, (size_t)got);
	if (got < 0)
		error_errno(err, "%s", path);
	if (pending.any)
		end_line(log, &pending);
	free(block);
	close(fd);
	return got < 0 ? -1 : 0;
}

const struct log_entry *log_seen(const struct log *log, enum log_event event)
{
	return log->event[event].count ? &log->event[event] : NULL;
}

const struct log_entry *log_first_seen(
	const struct log *log, const enum log_event *events, size_t count)
{
	const struct log_entry *first = NULL, *entry;
	size_t i;

	for (i = 0; i < count; i++) {
		entry = log_seen(log, events[i]);
		if (entry && (!first || entry->first_line < first->first_line))
			first = entry;
	}
	return first;
}

enum log_event log_first_failure(const struct log *log)
{
	static const enum log_event failures[] = { LOG_KERNEL_NOT_FOUND, LOG_COMPILER_ERROR,
		LOG_KERNEL_BUILD_FAILED, LOG_KERNEL_LOAD_FAILED, LOG_OUT_OF_MEMORY,
		LOG_MEMORY_FAULT, LOG_GPU_EXCEPTION, LOG_NO_CODE_OBJECT,
		LOG_INVALID_DEVICE_FUNCTION, LOG_HIP_CALL_FAILED };
	enum log_event first = LOG_EVENT_COUNT;
	size_t i;

	for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		const struct log_entry *entry = &log->event[failures[i]];

		if (entry->count && (first == LOG_EVENT_COUNT ||
					    entry->first_line < log->event[first].first_line))
			first = failures[i];
	}
	return first;
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
	int fd = plain_open(path);
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
