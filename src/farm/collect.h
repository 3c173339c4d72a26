/* SPDX-License-Identifier: Apache-2.0 */
/* From the files of a farm run and what Slurm says to farm.json, "oamqual-farm/1"
 * (docs/farm.schema.json). Nothing here judges a GCD: that is in the records. */
#ifndef FARM_COLLECT_H
#define FARM_COLLECT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "farm/outcome.h"

extern const char farm_schema[]; /* "oamqual-farm/1" */

/* One node of a run, while it is followed. */
struct farm_member {
	char *name;
	uint64_t gpus; /* asked of Slurm */
	char *partition; /* "" the default one */
	struct farm_facts facts; /* its texts are those below */
	struct slurm_node seen; /* sinfo's last line of it */
	char *submit_why, *record_why, *mismatch_why;
	char *plan_sha256; /* it renders ranks of that frame (farm/frame_plan.h), and what it leaves
			      is no record but ranks.json; NULL: it is qualified */
	json_t *ranks; /* ranks.json, once it is used */
	bool had_record; /* from before this session: nothing to do */
	int64_t ended_ms; /* when its job was first seen to have ended without a record; 0 never */
	bool settled; /* its outcome changes no more in this session */
	enum farm_outcome outcome;
	struct str why;
	/* Of a record that is used: */
	bool simulated;
	size_t gcds, workers; /* workers: GCDs that are render workers */
	char *first; /* address and verdict of the first GCD that is none; "" none */
	json_t *distributed; /* what came of its own frames over several GCDs: {outcome, cases};
				NULL: none was asked for */
};

/* From the manifest's "nodes". *count may be 0. -1 when one is malformed or named twice. */
int farm_nodes_read(
	const json_t *manifest, struct farm_member **nodes, size_t *count, struct error *err);
void farm_nodes_free(struct farm_member *nodes, size_t count);

/* Reads what lies in the run's folder of the node: its record with all its files, and its own word;
 * then decides its outcome. */
void farm_collect(const char *run, const json_t *manifest, struct farm_member *node);

/* Decides it anew from the facts. */
void farm_settle(struct farm_member *node);

/* A new reference: farm.json of the nodes. `tool` is taken over, and `distributed` unless it is
 * NULL. */
json_t *farm_json(const char *run, const json_t *manifest, const char *manifest_sha256,
	json_t *tool_stolen, json_t *distributed_stolen, const struct farm_member *nodes,
	size_t count);

/* What the nodes come to. */
struct farm_sums {
	size_t by_outcome[FARM_OUTCOME_COUNT];
	size_t nodes, gcds, workers;
	size_t accepted_nodes; /* all of their GCDs are render workers, and there is one */
	bool simulated;
};

void farm_sum(const struct farm_member *nodes, size_t count, struct farm_sums *sums);

#endif
