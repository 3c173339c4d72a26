/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt: one scene, one GCD (none for the control), one Blender, one probe, in a folder of
 * its own: job.json worker.json stdout.txt stderr.txt image.exr   and   home/ tmp/, in a sandbox
 * also sandbox.json and, on a replayed node, stand-in/
 *
 * planned -> attempt_start() -> running -> attempt_step() true -> ended -> attempt_judge() ->
 * judged. The GCD is isolated by ROCR_VISIBLE_DEVICES=GPU-<unique id>; masks of the caller that
 * would re-base it are unset. */
#ifndef BLENDER_ATTEMPT_H
#define BLENDER_ATTEMPT_H

#include <jansson.h>

#include "blender/build.h"
#include "blender/compiler.h"
#include "blender/log.h"
#include "blender/power.h"
#include "blender/reference_set.h"
#include "image/compare.h"
#include "base/cpus.h"
#include "node/affinity.h"
#include "node/health.h"
#include "node/kernel_log.h"
#include "node/node.h"
#include "node/replay.h"
#include "run/child.h"
#include "run/sandbox.h"
#include "scene/manifest.h"
#include "scene/spec.h"
#include "verdict/verdict.h"

/* No log or picture of an attempt may be larger, nor may it hold more files open. */
extern const uint64_t attempt_file_bytes_max, attempt_open_files_max;

/* A share of the samples of a frame: sample numbers first .. first + count - 1 of `total`. */
struct sample_range {
	unsigned first, count, total;
};

/* A scene, fingerprinted and unpacked. */
struct render_scene {
	struct scene_spec spec;
	struct manifest manifest;
	const struct manifest_entry *blend; /* of the manifest */
	char *folder; /* unpacked, absolute */
	struct reference_set references;
};

/* What all attempts of a run share. Borrowed by each. */
struct attempt_context {
	const struct node *node;
	const struct replay *replay; /* of a replayed node, else NULL */
	const struct affinity_list *affinity; /* NULL: attempts are not bound to CPUs */
	const struct blender_build *blender;
	const struct compiler *compiler; /* in its reach; read before the first is judged */
	const struct sandbox *sandbox; /* without a program: attempts are not confined */
	uint64_t memory_bytes_max; /* what Blender may write to; 0 no limit */
	struct kernel_log *kernel_log;
	const char *cache_folder; /* XDG_CACHE_HOME: the kernel cache of the run */
	int64_t deadline_ms;
	int threads; /* for what is rendered on the CPU */
};

struct attempt {
	/* the plan */
	const struct attempt_context *context;
	const struct render_scene *scene;
	const struct gpu *gpu; /* NULL for the control */
	enum probe probe;
	bool together; /* started with all other GCDs at once */
	unsigned repeat; /* of the same scene, GCD and probe, from 1 */
	struct sample_range range; /* of a rank (PROBE_RANK) */
	unsigned number; /* from 1 */
	char *folder; /* absolute, made new by attempt_start() */

	/* the run */
	bool started;
	struct child child;
	long program_pid; /* Blender's own, which the sandbox stands before; 0 not seen */
	long inner_pid; /* as Blender itself sees it */
	char started_utc[21];
	uint64_t started_us, ended_us; /* CLOCK_MONOTONIC, the kernel log's clock */
	struct known_u64 vram_peak; /* bytes; the child's own entry of KFD, highest seen */
	char vram_why[200];
	struct power power; /* of its module */
	bool bound; /* to the CPUs near to its GPU */
	struct cpus cpus; /* when bound: as the kernel says */
	char cpus_why[200]; /* why not */
	struct health_list counters; /* of its GPU, before the start */
	struct finding_list counted; /* what they did until it ended */
	char **argv;
	char **environ_edits;

	/* what was seen, after attempt_judge() */
	struct log log;
	json_t *worker; /* worker.json, or NULL */
	struct image image;
	bool image_read;
	struct image_check check;
	struct reference_match match;
	struct facts *facts;
	struct verdict verdict;
	bool judged;
	json_t *kept; /* its part of the record, once written; or of an earlier session of the run */
};

/* Fills the plan. */
void attempt_plan(struct attempt *attempt, const struct attempt_context *context,
	const struct render_scene *scene, const struct gpu *gpu, enum probe probe, unsigned number,
	const char *attempts_folder);

/* Makes the folder (it must not exist) and starts Blender. -1 when the folder cannot be written or
 * no process be made. */
int attempt_start(struct attempt *attempt, struct error *err);

/* Reads what KFD keeps of the child while it runs. */
void attempt_sample(struct attempt *attempt);

/* Looks without waiting. True once it has ended. */
bool attempt_step(struct attempt *attempt);

/* Reads what it left, fills facts and verdict, writes difference.png beside an image that can be
 * compared. */
void attempt_judge(struct attempt *attempt);

/* For one that is not run because `cause` settled it: same build, compiler and gfx target. Judged
 * at once. */
void attempt_settle(struct attempt *attempt, const struct attempt *cause);

/* For one that was never started because the run was interrupted. Judged at once: inconclusive. */
void attempt_not_run(struct attempt *attempt, const char *why);

/* Is the verdict one that every other GCD of the same gfx target must share, so that it need not be
 * repeated? */
bool attempt_settles_others(const struct attempt *attempt);

/* Why nothing was rendered when this Blender lacks what the scene asks for; NULL: it was not
 * skipped. Borrowed. */
const char *attempt_skipped(const struct attempt *attempt);

void attempt_release(struct attempt *attempt);

/* A new reference: everything but rungs and verdict (src/record adds those). */
json_t *attempt_json(const struct attempt *attempt);

#endif
