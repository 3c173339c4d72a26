/* SPDX-License-Identifier: Apache-2.0 */
#include "farm/outcome.h"

#include <string.h>

struct outcome_row {
	const char *name, *help;
};

static const struct outcome_row outcomes[FARM_OUTCOME_COUNT] = {
	[FARM_QUALIFIED] = { "qualified", "its record is there and whole; the verdicts are in it" },
	[FARM_ARTIFACT_MISMATCH] = { "artifact-mismatch",
		"it received another scene, Blender or program than the manifest names; nothing "
		"was "
		"rendered" },
	[FARM_NODE_DOWN] = { "node-down", "Slurm says that the node is down" },
	[FARM_DRAINED] = { "drained", "an operator or Slurm has taken the node out of service" },
	[FARM_TIMED_OUT] = { "timed-out", "its job was ended at its time limit" },
	[FARM_LOST] = { "lost", "the node failed while its job ran" },
	[FARM_JOB_FAILED] = { "job-failed", "its job ended before it came to a record" },
	[FARM_NOT_RUN] = { "not-run", "its job was not submitted, or still waits in the queue" },
	[FARM_CANCELLED] = { "cancelled", "its job was cancelled or preempted" },
	[FARM_NO_RECORD] = { "no-record", "its job ended and left no record that can be used" },
	[FARM_RUNNING] = { "running", "its job still ran when the farm run was left" },
};

const char *farm_outcome_name(enum farm_outcome outcome)
{
	return outcomes[outcome].name;
}

const char *farm_outcome_help(enum farm_outcome outcome)
{
	return outcomes[outcome].help;
}

enum farm_outcome farm_outcome_find(const char *name)
{
	enum farm_outcome i;

	for (i = 0; i < FARM_OUTCOME_COUNT; i++)
		if (strcmp(outcomes[i].name, name) == 0)
			break;
	return i;
}

struct exit_row {
	int code;
	const char *help;
};

static const struct exit_row exits[] = {
	{ FARM_EXIT_CANNOT_JUDGE, "qualify could not judge; its own words are in the log" },
	{ FARM_EXIT_MISMATCH, "the program there is not the one of the manifest" },
	{ FARM_EXIT_NOT_WRITABLE, "the node cannot write to the shared folder" },
	{ FARM_EXIT_FULL, "the shared folder is full" },
	{ FARM_EXIT_NO_MANIFEST,
		"the run's manifest cannot be read on the node, or is not the one that the job was "
		"made for: is the shared folder mounted there at the same path?" },
	{ FARM_EXIT_NO_TOOL, "the program is not on the node at the path it has here; see --tool" },
	{ FARM_EXIT_INTERRUPTED, "it was told to end" },
	{ FARM_EXIT_WRONG_NODE, "the job ran on another node than it was made for" },
};

const char *farm_exit_help(int code)
{
	size_t i;

	for (i = 0; i < sizeof(exits) / sizeof(exits[0]); i++)
		if (exits[i].code == code)
			return exits[i].help;
	return NULL;
}

static void say(struct str *why, const char *text)
{
	if (text && text[0])
		str_addf(why, "%s%s", why->len ? "; " : "", text);
}

static void say_node(const struct farm_facts *facts, struct str *why)
{
	if (facts->node_word && facts->node_word[0])
		str_addf(why, "%snode %s", why->len ? "; " : "", facts->node_word);
	say(why, facts->node_reason);
}

/* Of a node that cannot take the job; FARM_OUTCOME_COUNT when it can. */
static enum farm_outcome by_node(const struct farm_facts *facts, struct str *why)
{
	if (facts->node != SLURM_NODE_DOWN && facts->node != SLURM_NODE_DRAINED)
		return FARM_OUTCOME_COUNT;
	say_node(facts, why);
	return facts->node == SLURM_NODE_DOWN ? FARM_NODE_DOWN : FARM_DRAINED;
}

static enum farm_outcome not_submitted(const struct farm_facts *facts, struct str *why)
{
	enum farm_outcome outcome = by_node(facts, why);

	if (outcome != FARM_OUTCOME_COUNT)
		return outcome;
	if (facts->node == SLURM_NODE_UNKNOWN)
		say(why, "Slurm knows no such node, or it is in no partition");
	say(why, facts->submit_why ? facts->submit_why : "it was not submitted");
	return FARM_NOT_RUN;
}

static enum farm_outcome waiting(const struct farm_facts *facts, struct str *why)
{
	enum farm_outcome outcome = by_node(facts, why);

	if (outcome != FARM_OUTCOME_COUNT)
		return outcome;
	say(why, "still in the queue");
	say(why, facts->job.reason);
	return FARM_NOT_RUN;
}

static enum farm_outcome failed(const struct farm_facts *facts, struct str *why)
{
	const struct slurm_job *job = &facts->job;
	const char *help = job->exit_known ? farm_exit_help(job->exit_code) : NULL;

	if (job->exit_known && job->exit_code == FARM_EXIT_MISMATCH) {
		say(why, help);
		return FARM_ARTIFACT_MISMATCH;
	}
	if (job->exit_known)
		str_addf(why, "exit status %d", job->exit_code);
	if (job->exit_known && job->exit_signal)
		str_addf(why, ", signal %d", job->exit_signal);
	say(why, help);
	if (job->state == SLURM_JOB_OUT_OF_MEMORY)
		say(why, "out of memory");
	if (!help)
		say(why, job->reason);
	return FARM_JOB_FAILED;
}

static enum farm_outcome ended_without(const struct farm_facts *facts, struct str *why)
{
	if (facts->record_there)
		say(why, facts->record_why);
	else if (facts->job.state == SLURM_JOB_UNKNOWN)
		say(why, facts->job.word[0] ? "Slurm gives it a state that is not known here"
					    : "Slurm no longer knows the job, and it left no "
					      "record");
	else
		say(why, "the job ended well and left no record");
	return FARM_NO_RECORD;
}

static enum farm_outcome cancelled(const struct farm_facts *facts, struct str *why)
{
	enum farm_outcome outcome = facts->given_up ? by_node(facts, why) : FARM_OUTCOME_COUNT;

	if (outcome != FARM_OUTCOME_COUNT)
		return outcome;
	say(why, strcmp(facts->job.word, "CANCELLED") == 0 ? "" : facts->job.word);
	say(why, facts->job.reason);
	return FARM_CANCELLED;
}

static enum farm_outcome by_job(const struct farm_facts *facts, struct str *why)
{
	switch (facts->job.state) {
	case SLURM_JOB_PENDING:
		return waiting(facts, why);
	case SLURM_JOB_RUNNING:
		return FARM_RUNNING;
	case SLURM_JOB_FAILED:
	case SLURM_JOB_OUT_OF_MEMORY:
		return failed(facts, why);
	case SLURM_JOB_TIMED_OUT:
		say(why, facts->job.reason);
		return FARM_TIMED_OUT;
	case SLURM_JOB_NODE_FAILED:
		say_node(facts, why);
		return FARM_LOST;
	case SLURM_JOB_CANCELLED:
		return cancelled(facts, why);
	case SLURM_JOB_COMPLETED:
	case SLURM_JOB_UNKNOWN:
		break;
	}
	return ended_without(facts, why);
}

enum farm_outcome farm_decide(const struct farm_facts *facts, struct str *why)
{
	if (facts->mismatch) {
		say(why, facts->mismatch_why);
		return FARM_ARTIFACT_MISMATCH;
	}
	if (facts->record_there && facts->record_good)
		return FARM_QUALIFIED;
	if (!facts->submitted)
		return not_submitted(facts, why);
	return by_job(facts, why);
}
