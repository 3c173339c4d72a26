/* SPDX-License-Identifier: Apache-2.0 */
/* A farm run from its beginning to its report. */
#ifndef CLI_FARM_H
#define CLI_FARM_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "cli/options.h"
#include "farm/collect.h"
#include "farm/slurm.h"

struct farm_request {
	const struct options *options; /* of a new run */
	const char *nodes, *partition; /* NULL: not given */
	const char *share, *name;
	const char *tool, *local;
	const char *node_folder; /* "DIR" or "DIR/%N"; NULL: the real nodes */
	unsigned long long minutes; /* time limit of a job */
	unsigned long long poll_s;
	bool dry_run, json, quiet;
};

struct farm_run {
	struct slurm slurm;
	char *folder; /* absolute */
	json_t *manifest;
	char manifest_sha256[65];
	char *job_name;
	struct farm_member *nodes;
	size_t count;
	int lock;
	unsigned poll_s;
	bool quiet;
	bool left; /* by Ctrl-C: what runs goes on */
	bool unwritten; /* farm.json could not be written */
	struct farm_run *frame; /* the jobs of a frame over several nodes, or NULL */
	char silent_why[300]; /* Slurm's last error when it did not answer; "" it did */
};

/* Asks Slurm for the nodes, fingerprints what they must have and makes the run's folder; with
 * dry_run prints the script and the submissions and makes nothing. */
int farm_prepare(const struct farm_request *request, struct farm_run *run, struct error *err);

/* Takes up a run that was begun: refuses when what it is made of has changed. */
int farm_take_up(const char *folder, struct farm_run *run, struct error *err);

void farm_release(struct farm_run *run);

/* Submits what is missing, follows it to its end and writes farm.json; a new reference, or NULL. */
json_t *farm_follow(struct farm_run *run, struct error *err);

/* The part of it that submits and follows, without farm.json. A frame over several nodes has a
 * struct farm_run of its own below the run's folder. */
int farm_follow_nodes(struct farm_run *run, struct error *err);

/* A slurm_waits_fn. */
void farm_tell_waiting(const char *command, unsigned seconds, unsigned seconds_most);

/* A line on stderr, above the table. */
void farm_table_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The live table on stderr. `force`: also when little time has passed. */
void farm_table_show(const struct farm_run *run, bool force);
void farm_table_end(const struct farm_run *run);

/* The report at the end: a table, what it adds up to, and what an operator may want to do. */
void farm_text_print(const struct farm_run *run, const json_t *farm, FILE *to);

/* enum exit_status of what the nodes came to, and their frame when one was asked for. */
int farm_status(const struct farm_run *run, const json_t *farm);

#endif
