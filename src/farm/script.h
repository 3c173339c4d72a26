/* SPDX-License-Identifier: Apache-2.0 */
/* The batch script of a farm run and how it is submitted: one job for each node, all of the same
 * script.
 *
 * Not an array: the tasks of an array share one request, so none can be held to a node of its own;
 * the node that answers first would get two tasks and a drained one none. A job with --nodelist
 * waits for exactly its node, can be cancelled alone, and is not bound by MaxArraySize. */
#ifndef FARM_SCRIPT_H
#define FARM_SCRIPT_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct farm_script {
	const char *run; /* absolute folder of the run */
	const char *name; /* of the run */
	const char *tool, *tool_sha256; /* on the nodes */
	const char *manifest_sha256;
	const char *local; /* folder on each node that takes the evidence first */
	const char *account, *qos, *reservation; /* NULL: none */
	unsigned minutes; /* time limit */
	const char *const *extra; /* more "#SBATCH" options, NULL-terminated */
};

/* "oamqual-<name>": of all jobs of the run. The caller frees. */
char *farm_job_name(const char *name);

/* Appends the script. -1 when a path holds a byte that cannot stand in it. */
int farm_script_write(const struct farm_script *script, struct str *to, struct error *err);

/* The words that submit it for a node: a new NULL-terminated array whose words are the caller's to
 * free. `sbatch` is its path, `job` the script's. The environment is made anew, so that a GPU mask
 * of this shell does not reach the node. */
char **farm_submit_words(const char *sbatch, const char *job, const char *node,
	const char *partition, uint64_t gpus);

void farm_words_free(char **words);

/* Appends the words as a line for a shell. */
void farm_words_show(char *const *words, struct str *to);

#endif
