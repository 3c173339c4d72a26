/* SPDX-License-Identifier: Apache-2.0 */
/* What Slurm's commands print. Only forms that are asked for with a format of our own (squeue and
 * sinfo -o, sacct --parsable2) and the blocks of `scontrol show job` are read: the same from 22.05
 * to 26.05 (tests/farm/recorded), while --json differs by version. What is between two bars is
 * never trusted: reasons and names are written by users, so they stand last in the format, or are
 * looked for only at the start of a line, where a comment of several lines comes after what it
 * could pose as. All functions survive any text. */
#ifndef FARM_SLURM_TEXT_H
#define FARM_SLURM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { SLURM_ID = 24, SLURM_WORD = 48, SLURM_NAME = 256, SLURM_REASON = 256 };

enum slurm_job_state {
	SLURM_JOB_UNKNOWN, /* a word that we do not know, or Slurm no longer knows the job */
	SLURM_JOB_PENDING,
	SLURM_JOB_RUNNING, /* and what comes just before and after */
	SLURM_JOB_COMPLETED,
	SLURM_JOB_FAILED,
	SLURM_JOB_OUT_OF_MEMORY,
	SLURM_JOB_TIMED_OUT,
	SLURM_JOB_NODE_FAILED,
	SLURM_JOB_CANCELLED
};

struct slurm_job {
	char id[SLURM_ID]; /* digits */
	enum slurm_job_state state;
	char word[SLURM_WORD]; /* the state as it was printed: "NODE_FAIL" */
	bool exit_known;
	int exit_code, exit_signal; /* of "ExitCode=3:0" */
	char node[SLURM_NAME]; /* where it runs or ran; "" none yet */
	char reason[SLURM_REASON]; /* printable */
};

enum slurm_node_state {
	SLURM_NODE_UNKNOWN, /* Slurm does not know it */
	SLURM_NODE_USABLE,
	SLURM_NODE_DRAINED, /* or draining: takes no job any more */
	SLURM_NODE_DOWN
};

struct slurm_node {
	char name[SLURM_NAME];
	enum slurm_node_state state;
	char word[SLURM_WORD]; /* "idle", "down*" */
	char partition[SLURM_NAME]; /* the one to ask for; "" the default one has it */
	uint64_t gpus; /* that Slurm gives out there; 0 none */
	char features[SLURM_REASON]; /* active ones, "" none */
	char reason[SLURM_REASON]; /* printable */
};

/* By the word, with whatever follows it ("CANCELLED by 1000", "TIMEOUT+"). */
enum slurm_job_state slurm_job_state_of(const char *word);

/* Can the state change no more? */
bool slurm_job_ended(enum slurm_job_state state);

/* By the word with its marks: "drained*", "idle~". */
enum slurm_node_state slurm_node_state_of(const char *word);

/* "123" or "123;cluster", as `sbatch --parsable` prints it, after any lines of chatter: the digits.
 * -1 with what was printed. */
int slurm_sbatch_parse(const char *text, char id[SLURM_ID], struct error *err);

/* The format of squeue that slurm_squeue_parse() reads, and of sinfo and sacct. */
#define SLURM_SQUEUE_FORMAT "%A|%T|%N|%r"
#define SLURM_SINFO_FORMAT "%N|%T|%P|%G|%b|%E"
#define SLURM_SACCT_FORMAT "JobIDRaw,State,ExitCode,NodeList"

/* A line each; lines that are none are passed over. Their number; *jobs is the caller's to free. */
size_t slurm_squeue_parse(const char *text, struct slurm_job **jobs);
size_t slurm_sacct_parse(const char *text, struct slurm_job **jobs);

/* sinfo -N names a node once a partition: each node once, in the order of its first line. */
size_t slurm_sinfo_parse(const char *text, struct slurm_node **nodes);

/* The block of job `id` in what `scontrol show job` printed: true when it is there and has a state.
 * *job is untouched otherwise. */
bool slurm_scontrol_parse(const char *text, const char *id, struct slurm_job *job);

#endif
