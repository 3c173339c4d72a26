/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's own commands as children: nothing is linked, no daemon of ours is needed, any user can.
 * Each has a deadline. */
#ifndef FARM_SLURM_H
#define FARM_SLURM_H

#include "base/error.h"
#include "base/str.h"
#include "farm/slurm_text.h"

/* A command of Slurm (its name) has not answered for `seconds`; at `seconds_most` it is ended. */
typedef void slurm_waits_fn(const char *command, unsigned seconds, unsigned seconds_most);

struct slurm {
	char *sbatch, *squeue, *sinfo, *scontrol, *scancel; /* paths */
	char *sacct; /* NULL when it is not installed */
	char *work; /* folder of the commands' output, private */
	char version[64]; /* "slurm-wlm 22.05.8" */
	slurm_waits_fn *waits; /* told once a command; NULL, as slurm_open() leaves it: nobody is */
};

/* Finds the commands in PATH and asks for the version. -1 in one line when this machine has no
 * Slurm. */
int slurm_open(struct slurm *slurm, struct error *err);
void slurm_close(struct slurm *slurm);

/* Runs one of them (argv[0] is a path of *slurm) and takes its stdout. -1 with its own first words
 * when it does not exit with 0. */
int slurm_run(struct slurm *slurm, char *const *argv, struct str *out, struct error *err);

/* Nodes named by a list of Slurm, of a partition (NULL: any), or both. Their number or -1. A node
 * that Slurm does not know is not among them. */
long slurm_nodes(struct slurm *slurm, const char *list, const char *partition,
	struct slurm_node **nodes, struct error *err);

/* All jobs of that name of this user that Slurm still holds. Their number or -1. */
long slurm_jobs_named(
	struct slurm *slurm, const char *name, struct slurm_job **jobs, struct error *err);

/* How a job ended: by slurmctld, or once it has forgotten it by the accounting. -1 when neither
 * knows. */
int slurm_job_read(struct slurm *slurm, const char *id, struct slurm_job *job, struct error *err);

/* Asks that it ends. */
int slurm_job_cancel(struct slurm *slurm, const char *id, struct error *err);

#endif
