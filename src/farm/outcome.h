/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a node of a farm run: one of a fixed list of names, which are part of farm.json
 * and never change. A node is in the list whatever happened to it. */
#ifndef FARM_OUTCOME_H
#define FARM_OUTCOME_H

#include <stdbool.h>

#include "base/str.h"
#include "farm/slurm_text.h"

enum farm_outcome {
	FARM_QUALIFIED, /* its record is there and reads; the verdicts are in it */
	FARM_ARTIFACT_MISMATCH, /* it received something else than the manifest names */
	FARM_NODE_DOWN,
	FARM_DRAINED,
	FARM_TIMED_OUT,
	FARM_LOST, /* the node failed while the job ran */
	FARM_JOB_FAILED,
	FARM_NOT_RUN, /* not submitted, or still in the queue */
	FARM_CANCELLED,
	FARM_NO_RECORD, /* the job ended and left none that can be used */
	FARM_RUNNING,
	FARM_OUTCOME_COUNT
};

/* "qualified", "artifact-mismatch", ...; and what it means, in one sentence. Static. */
const char *farm_outcome_name(enum farm_outcome outcome);
const char *farm_outcome_help(enum farm_outcome outcome);

/* FARM_OUTCOME_COUNT when there is none of that name. */
enum farm_outcome farm_outcome_find(const char *name);

/* Exit statuses of a node's job beside 0 (its record was delivered). They travel through Slurm, so
 * they arrive when nothing can be written to the shared folder. */
enum farm_exit {
	FARM_EXIT_CANNOT_JUDGE = 3, /* `qualify` did not come to a record */
	FARM_EXIT_MISMATCH = 70,
	FARM_EXIT_NOT_WRITABLE = 71, /* the shared folder; the evidence stays on the node */
	FARM_EXIT_FULL = 72, /* no room in the shared folder; the same */
	FARM_EXIT_NO_MANIFEST = 73, /* the shared folder is not there on the node */
	FARM_EXIT_NO_TOOL = 74, /* the program is not there on the node */
	FARM_EXIT_INTERRUPTED = 75, /* it was told to end */
	FARM_EXIT_WRONG_NODE = 76 /* the job runs on another node than it was made for */
};

/* What such a status says, or NULL. Static. */
const char *farm_exit_help(int code);

/* All that is known of one node. Texts are borrowed; NULL: none. */
struct farm_facts {
	bool record_there, record_good;
	const char *record_why; /* why a record that is there is not used */
	bool mismatch; /* the node said so, or the record names other artifacts */
	const char *mismatch_why;
	bool submitted;
	const char *submit_why; /* sbatch's own words */
	struct slurm_job job;
	bool given_up; /* we cancelled it, since its node cannot run it */
	enum slurm_node_state node; /* as last seen */
	const char *node_word, *node_reason;
};

/* Pure. Appends to `why` what there is to be said beside the name: "" for a qualified node. */
enum farm_outcome farm_decide(const struct farm_facts *facts, struct str *why);

#endif
