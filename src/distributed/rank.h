/* SPDX-License-Identifier: Apache-2.0 */
/* One rank of a frame that several GCDs render together: the share of the samples that it was
 * given, and what its own evidence says that it did. The two are kept apart: a rank map that
 * repeats what was asked proves nothing. */
#ifndef DISTRIBUTED_RANK_H
#define DISTRIBUTED_RANK_H

#include <jansson.h>

#include "blender/attempt.h"
#include "node/survey.h"

enum { RANK_TEXT = 300, RANK_ID = 128, RANK_PATTERN = 48, RANK_LABEL = 320 };

struct rank {
	/* what it was given */
	unsigned number; /* from 0 */
	struct sample_range asked;
	int seed;
	char node[NODE_NAME];
	bool names_node; /* ranks of several nodes: its label has the node, too */
	char bdf[NODE_BDF];
	struct known_u64 unique_id, kfd_gpu_id, numa_node;
	const struct module *module; /* borrowed; NULL unknown */

	/* what its evidence says */
	enum known rendered; /* every rung of its ladder that a share of a frame has */
	char ended[RANK_TEXT]; /* its verdict and why */
	struct known_u64 first, count; /* the samples that Blender held that it rendered, read back
					  after it did */
	struct known_u64 by_log; /* how many Cycles' log says were rendered */
	struct known_u64 by_file; /* how many the picture's own metadata names */
	bool by_file_is_total; /* the metadata of this Blender names those of the whole frame */
	struct known_u64 runtime_first,
		runtime_count; /* what the stand-in runtime was told to render */
	struct known_u64 seed_seen;
	enum known adaptive; /* was adaptive sampling on? */
	char pattern[RANK_PATTERN]; /* sampling pattern, as Blender calls it; "" unknown */
	bool pattern_varies; /* by its scrambling, with the number of samples */
	struct known_u64 bounces; /* additions of light on one path, at most */
	char traced_on[RANK_ID]; /* Cycles' own id of the one device it worked on; "" unknown */
	struct known_u64 vram_peak; /* bytes of KFD's entry of this process on this GCD */
	struct known_u64 pid, pid_seen; /* as the child has it where it runs; as Blender says */
	long system_pid; /* the same process as the kernel and KFD know it; 0 unknown */
	uint64_t started_us, ended_us; /* CLOCK_MONOTONIC */
	char picture_sha256[65]; /* of its pixels; "" none */
};

/* The share of rank `number` of `count`: whole samples, the first ones get one more where they do
 * not come out even. */
struct sample_range rank_range(unsigned total, unsigned count, unsigned number);

/* Reads what a judged attempt of probe "rank" left. `modules` may be NULL; what is borrowed is the
 * module. */
void rank_read(const struct attempt *attempt, const struct module_list *modules, struct rank *out);

/* Do shares of this kind have the very noise of the whole frame? Up to Blender 4.3 a rank is a
 * frame of fewer samples that begins later, and a pattern whose table is as long as the frame has
 * samples is then another one (Cycles, Integrator::device_update: 256 to 8192, the next power of
 * two). From 4.4 on it is a part of the frame. */
bool rank_has_noise_of_whole(const struct rank *rank);

/* What came of it, by the verdict of its ladder: sets `rendered` and `ended`. */
void rank_note_verdict(const struct verdict *verdict, const struct facts *facts, struct rank *out);

/* The same as rank_read(), but for the verdict and what only the node can know, from the files that
 * an attempt of probe "rank" left in `folder`: worker.json, stdout.txt, stderr.txt, image.exr. True
 * when the picture was read; *image is then the caller's to release. Fields whose file is not there
 * stay unknown. */
bool rank_read_files(const char *folder, struct rank *out, struct image *image);

/* "rank 2 (0000:c9:00.0)", or with its node "rank 2 (node01 0000:c9:00.0)". */
void rank_label(const struct rank *rank, char label[RANK_LABEL]);

/* A new reference: the rank's line of the map. `class` is that of what the node showed. */
json_t *rank_json(const struct rank *rank, const struct node *node);

/* The same where there is no node: `module` is taken over, `class` as of a fact (base/json.h). */
json_t *rank_line_json(const struct rank *rank, json_t *module_stolen, const char *class);

#endif
