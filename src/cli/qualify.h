/* SPDX-License-Identifier: Apache-2.0 */
/* The main job: node, scenes, attempts, baseline, record, report. */
#ifndef CLI_QUALIFY_H
#define CLI_QUALIFY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "blender/attempt.h"
#include "cli/node_open.h"
#include "run/sandbox.h"

struct qualify_request {
	const char *node_folder; /* NULL: this machine */
	const char *out; /* folder of the run; new or empty */
	const char *blender; /* NULL: in PATH */
	const char *expected; /* NULL: the program's own */
	const char *kernel_cache; /* folder with kernel files to take along, or NULL */
	const char *hip_library;
	const char *sandbox; /* "auto", "require" or "none" */
	uint64_t memory_bytes; /* what a Blender may write to; 0 all of the machine's */
	const char **scenes; /* archives or scene folders; the program's own when none */
	size_t scene_count;
	enum scene_suite suite; /* of the program's own */
	const char **gcds; /* only these (node_find); all when none */
	size_t gcd_count;
	struct scene_settings settings; /* of archives without scene.json */
	bool strict, as_farm;
	bool baseline;
	bool distributed; /* one frame over several GCDs, after all else */
	bool quiet, json, silent;
	bool resume; /* `out` holds a run that was begun */
	size_t jobs;
	size_t repeats; /* of each strict attempt on a GCD alone */
	unsigned deadline_s;
	char *const *argv; /* for the record */
};

/* All that a run holds. Between qualify_prepare() and qualify_release(). */
struct qualify {
	const struct qualify_request *request;
	char *out; /* absolute */
	bool made_out;
	struct open_node open;
	struct affinity_list affinity;
	struct sandbox sandbox;
	struct blender_build blender;
	struct compiler compiler; /* after qualify_prepare_judging() */
	struct render_scene *scenes;
	size_t scene_count;
	const struct gpu **gpus; /* to attempt; borrowed from the node */
	size_t gpu_count;
	char *cache_folder, *attempts_folder;
	json_t *kernel_cache; /* what was taken along */
	json_t *notes; /* texts: what could not be attempted, and why */
	struct kernel_log *kernel_log;
	struct attempt_context context;
	struct attempt *attempts;
	size_t attempt_count;
	char started_utc[21];
	json_t *resumed; /* [{at, redone: [texts]}], each time that it was */
	json_t *unfinished; /* of this time: what is done anew, and why */
	json_t *distributed; /* what the ranks did, or NULL */
	json_t *transport; /* between the GCDs, apart from rendering, or NULL */
	bool can_judge; /* qualify_prepare_judging() was done */
	struct error failed; /* why the state of an attempt could not be kept; "" none */
	bool interrupted;
};

/* The whole command by its words, without its summary on stdout. Returns the exit status. */
int qualify_silently(char **words);

/* Are these the words of a command that could begin? STATUS_ACCEPTED, or STATUS_USAGE once what is
 * wrong was printed. Nothing is read or made. */
int qualify_check_words(char **words);

/* Hands the request that the words make to `use` instead of running it, and returns what that
 * returns; STATUS_USAGE once what is wrong was printed. */
typedef int qualify_use_fn(const struct qualify_request *request, void *data);
int qualify_with(char **words, qualify_use_fn *use, void *data);

/* Makes `out` unless it is there and empty: a run never writes into an older one. */
int qualify_make_new(const char *out, struct error *err);

/* By the word of --sandbox: NULL and "auto" use it when it works, "none" leaves it out. */
void qualify_choose_sandbox(const char *mode, const char *folder, struct sandbox *out);

/* Reads and checks everything before anything is rendered: on failure the out folder is as it was
 * before. */
int qualify_prepare(const struct qualify_request *request, struct qualify *run, struct error *err);

/* Names them, checks their digests and unpacks them. Scenes of the program's own that the suite
 * leaves out are named in the notes. */
int qualify_prepare_scenes(struct qualify *run, struct error *err);

/* Reads references, the digest of Blender and the release of hipcc: a second that qualify_attempt()
 * spends while the first attempt runs. A run that is resumed needs them to see whether they
 * changed. */
int qualify_prepare_judging(struct qualify *run, struct error *err);

/* Where the copy of a scene's reference lies in the run's folder; `what` "" for the picture,
 * ".noise" for its noise model. The caller frees it. */
char *qualify_reference_copy(
	const char *scene, const struct reference *reference, const char *what);

/* `limit` in bytes; a larger file is an error. */
int qualify_copy_file(const char *from, const char *to, size_t limit, struct error *err);

/* Plans and runs the attempts: first one strict attempt for each gfx target (it may compile the
 * kernel for all), then the rest, then all GCDs at once when some were accepted alone. */
int qualify_attempt(struct qualify *run, struct error *err);

/* By the control of the scene, the same Blender without any GPU: what it skips, none of them could
 * show. NULL: it was not skipped, or not run. Borrowed. */
const char *qualify_why_skipped(const struct qualify *run, const struct render_scene *scene);

/* Runs the baseline on the CPU and the chosen GCDs; a new reference, what the record says of it. */
json_t *qualify_baseline(struct qualify *run);

/* Adds a finding for each GCD whose baseline is wrong. */
void qualify_baseline_findings(const json_t *baseline, json_t *findings);

/* Cycles on the CPU, as it rendered the program's own Cornell scene as a control, and the baseline's
 * kernel on the same scene, size, samples and number of threads: facts side by side, or a fact that
 * is unknown and says why. A new reference. */
json_t *qualify_beside_cycles(const struct qualify *run);

/* Runs the baseline, writes record.json and the reports. A new reference to the record, or NULL. */
json_t *qualify_record(struct qualify *run, struct error *err);

void qualify_release(struct qualify *run);

#endif
