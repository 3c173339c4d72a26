/* SPDX-License-Identifier: Apache-2.0 */
/* What Blender and Cycles printed, as classified events. The text is untrusted: any bytes, any
 * length of line. A line is a witness, never a judge: src/blender/witness.c weighs it against the
 * others. */
#ifndef BLENDER_LOG_H
#define BLENDER_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum log_event {
	LOG_HIP_LIBRARY_FAILED,
	LOG_HIP_LIBRARY_LOADED,
	LOG_HIP_INIT_FAILED,
	LOG_DRIVER_TOO_OLD,
	LOG_NO_KERNELS_NO_COMPILER,
	LOG_FOUND_COMPILER,
	LOG_FOUND_PRECOMPILED,
	LOG_DEVICE_ADDED,
	LOG_NO_DEVICE_OF_TYPE,
	LOG_DEVICE_WORD_UNKNOWN,
	LOG_KERNEL_READY,
	LOG_KERNEL_COMPILING,
	LOG_KERNEL_NOT_FOUND,
	LOG_COMPILER_ERROR,
	LOG_KERNEL_BUILD_FAILED,
	LOG_KERNEL_LOAD_FAILED,
	LOG_KERNELS_WERE_LOADED,
	LOG_ARCHITECTURE_REFUSED,
	LOG_OUT_OF_MEMORY,
	LOG_MEMORY_FAULT,
	LOG_GPU_EXCEPTION, /* ROCm: a hang or an exception of the hardware, then abort() */
	LOG_NO_CODE_OBJECT, /* a part of the program has no code for this GPU, then abort() */
	LOG_INVALID_DEVICE_FUNCTION, /* HIP's own log: a kernel that is not there was launched */
	LOG_HIP_CALL_FAILED,
	LOG_OPTION_AS_FILE, /* an option before the "--" that Blender took for a .blend */
	LOG_SCENE_UNREADABLE,
	LOG_SCENE_NEWER,
	LOG_DISPLAY_NEEDED,
	LOG_DENOISER_MISSING,
	LOG_SAVED,
	LOG_SAVE_FAILED,
	LOG_CRASH_FILE, /* Blender's own handler writes where it crashed */
	LOG_ERROR, /* any other line that says it is an error and names a reason */
	LOG_EVENT_COUNT
};

enum { LOG_TEXT = 300, LOG_TRACED_MAX = 32 };

struct log_entry {
	size_t count;
	size_t first_line; /* from 1, through all files read */
	char text[LOG_TEXT]; /* of the first one, printable, without the logger's prefix */
};

/* One device of a `Path tracing on:` list: a device that worked, by Cycles' own account. */
struct log_traced {
	char kind[16]; /* "CPU", "HIP", "CUDA" ... */
	char id[128]; /* "HIP_AMD Instinct MI250X_0000:c1:00", "CPU" */
	char text[LOG_TEXT];
};

struct log {
	struct log_entry event[LOG_EVENT_COUNT];
	struct log_traced traced[LOG_TRACED_MAX];
	size_t traced_count; /* all of them, also those beyond LOG_TRACED_MAX */
	double compile_seconds; /* of "Kernel compilation finished in", 0 when there was none */
	long frame, other_frame; /* of the first "Fra:N" and of the first that differs; -1 none */
	long samples; /* of "Rendered N samples in T seconds", Cycles' own account; -1 none, -2 two
			 that differ */
	size_t lines, bytes;
	bool in_devices; /* the line before named a device of such a list */
};

void log_init(struct log *log);

/* Adds one file. -1 when it cannot be read. */
int log_read(struct log *log, const char *path, struct error *err);

/* Adds one line (without newline). */
void log_line(struct log *log, const char *line, size_t len);

/* NULL when it was not seen. Borrowed. */
const struct log_entry *log_seen(const struct log *log, enum log_event event);

/* The first of these by line, so that the cause stands before its echoes. */
const struct log_entry *log_first_seen(
	const struct log *log, const enum log_event *events, size_t count);

/* The earliest of the events that end a render on a GPU; the others may be its echoes: after a
 * failed launch Cycles says "System is out of GPU memory" for each buffer, after a failed compile
 * "Invalid value in hipModuleGetGlobal". LOG_EVENT_COUNT when there is none. Files count in the
 * order read. */
enum log_event log_first_failure(const struct log *log);

/* "hip-library-failed": stable names. Static. */
const char *log_event_name(enum log_event event);

/* Does a Cycles id name this PCI address? The id has no function: "…_0000:c1:00" for 0000:c1:00.0.
 */
bool log_id_is_at(const char *id, const char *bdf);

/* The last "Sample 3/16" in the tail of a growing stdout file; false when there is none yet. */
bool log_progress(const char *path, unsigned *done, unsigned *all);

#endif
